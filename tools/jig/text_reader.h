/* Reading what stands on the command line for a type, an iterator or an operator into what specs have for
 * it: JSON. Every function that returns JSON returns NULL having complained; r->code is the exit code. */
#ifndef JIG_CLI_TEXT_READER_H
#define JIG_CLI_TEXT_READER_H

#include <stdbool.h>

#include <jansson.h>
#include <jig/type.h>

enum { MAX_STRUCTS = 16, TEXT_WORD_SIZE = 64 };

/* What --struct defines. */
typedef struct struct_table {
  jig_type types[MAX_STRUCTS];
  int count;
} struct_table;

typedef struct text_reader {
  const char *label; /* what complaints begin with: "--op", "in" */
  const char *at;    /* what is not read yet */
  const struct_table *structs;
  struct leaf_list *leaves; /* where iterators read; NULL: nothing is to be read */
  int code;
  int depth; /* how deep iterators and operators are nested there */
} text_reader;

json_t *reader_wrong(text_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A string, of so many bytes. */
json_t *reader_string(text_reader *r, const char *text, size_t length);

/* Passes over blanks, and then over a character, if it is next. */
void reader_skip_blanks(text_reader *r);
bool reader_take(text_reader *r, char c);

/* Takes a word, which may have "::" in it; "" if there is none, or too long a one. */
void reader_take_word(text_reader *r, char word[TEXT_WORD_SIZE]);

/* One level deeper; complains if that is too deep, and then there is no need to leave. */
bool reader_enter(text_reader *r);
void reader_leave(text_reader *r);

/* What --struct defines by that name; NULL: nothing. */
const jig_type *struct_named(const struct_table *structs, const char *name);

/* Whether an object of JSON is next, and the object, in which names of structs stand for these. */
bool reader_is_object(const text_reader *r);
json_t *reader_object(text_reader *r);

/* What is up to the ')' that belongs to a '(' that was taken, and past it. */
json_t *reader_up_to_parenthesis(text_reader *r);

/* Complains if anything is left. Takes over `json`, and returns it if nothing is. */
json_t *reader_end(text_reader *r, json_t *json);

#endif
