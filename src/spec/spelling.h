/* How C++ text is spelt: a backslash and the end of its line count for nothing, wherever they are. */
#ifndef JIG_SPEC_SPELLING_H
#define JIG_SPEC_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* The next character that counts. */
const char *cxx_past_splices(const char *at);
/* The same, behind the one at `at`, which must not be the text's end. */
const char *cxx_after(const char *at);

bool cxx_is_name_char(char c);
bool cxx_is_blank(char c); /* within a line */

/* A name, or whatever else is made of its characters, such as a number's digits; without its splices, cut
 * off where it does not fit. */
const char *cxx_read_word(const char *at, char *word, size_t size);

/* Whether a name begins here and is that one. */
bool cxx_is_word(const char *at, const char *word);

/* Past a token of that spelling; NULL if it is another. */
const char *cxx_past_spelling(const char *at, const char *spelling);

/* Past the comment of several lines that begins here; NULL if it is not closed. */
const char *cxx_past_comment(const char *at);

/* Past blanks and comments within a directive. */
const char *cxx_past_space(const char *at);

/* Past a name that follows a literal at once, and belongs to it: the R of ""R"(" begins no raw string. */
const char *cxx_past_suffix(const char *at);

#endif
