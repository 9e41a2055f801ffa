/* The user's texts: operators' bodies and functions, and definitions of structs. */
#ifndef JIG_SPEC_SOURCE_H
#define JIG_SPEC_SOURCE_H

#include <stddef.h>

#include <jig/status.h>

/* What messages call a text: an algorithm's own operator, "operator", and any other that is a slot of its
 * own by that slot's name; an operator of the iterator in a slot, "operator of in" or "operator 2 of in",
 * counted from 0; a struct's definition, "struct hit". */
const char *source_name_of_slot(const char *slot);
void source_name_of_op(char *name, size_t size, const char *slot, int number);
void source_name_of_struct(char *name, size_t size, const char *type_name);

/* Where in a text something is: its line and column, from 1, and where that line begins. */
typedef struct source_place {
  int line, column;
  const char *begin;
} source_place;
source_place source_place_of(const char *source, const char *at);

/* JIG_ERROR_INVALID_ARGUMENT, "what: name:3:1: error: problem", with the line and a caret. */
jig_status source_refuse(const char *source, const char *at, const char *what, const char *name,
                         const char *problem);

/* Whether a text may stand inside of what jig writes: read token by token, it closes the brackets that it
 * opens and no others, however its #if come out; closes its comments and literals; leaves the
 * lines counted as they are; nests nothing deeper than the compiler has stack for; and is UTF-8.
 * Otherwise JIG_ERROR_INVALID_ARGUMENT, with the place: "what: name:3:1: error: ...", the line and a
 * caret. */
jig_status source_check(const char *source, const char *what, const char *name);

/* Of a header, which need not close what it opens, only the nesting is checked:
 * "#include: name:3:1: error: ...". What macros make of it, and what headers nest within brackets of
 * other ones, is not known. */
jig_status source_check_header(const char *source, const char *name);

#endif
