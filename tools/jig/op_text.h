/* Operators on the command line:
 *
 *   plus, min(nan ignored)         a well-known one, and one that passes over NaNs
 *   { return a < b; }              a body; also in ' ', or as it is, by itself
 *   function(FILE:NAME)            a function of a source file
 *   binary(FORMAT:FILE:NAME)       a compiled function
 *   commutative(...), by_pointer(...)
 *
 * and JSON as specs have it. */
#ifndef JIG_CLI_OP_TEXT_H
#define JIG_CLI_OP_TEXT_H

#include "text_reader.h"

/* Whether one is next, and no iterator; of JSON it is taken to be none. */
bool op_is_next(const text_reader *r);

/* An operator among other things. */
json_t *op_read(text_reader *r);

/* One that is all of the text, in a slot; of one that lists expressions, the text is the list. */
json_t *op_read_whole(text_reader *r, bool lists);

/* Each of these forms by itself; `text` is what the word and its parentheses have within. */
json_t *op_named(text_reader *r, const char *name);
json_t *op_body(text_reader *r, const char *body, size_t length);
json_t *op_function(text_reader *r, const char *text);
json_t *op_binary(text_reader *r, const char *text);

/* Says something of an operator, which is taken over: "commutative", "by_pointer". */
json_t *op_marked(json_t *op, const char *mark);

/* The same of a minimum or a maximum: that NaNs are ignored. Others stay as they are. */
json_t *op_ignoring_nan(json_t *op);

#endif
