/* The struct types of a call: their definitions become one text. What is defined by several of them is
 * defined once, and what needs another one comes after it. */
#ifndef JIG_SPEC_STRUCTS_H
#define JIG_SPEC_STRUCTS_H

#include "spec/declarations.h"
#include "spec/spec.h"

enum { MAX_STRUCTS = 32 };

typedef struct struct_entry {
  const jig_type *type;
  const char *slot; /* that it was first met in */
  declaration_list declared;
  bool is_again; /* a type of that name comes before, with another text that defines it alike */
} struct_entry;

typedef struct struct_list {
  struct_entry of[MAX_STRUCTS]; /* in an order in which they can be defined */
  int count;
} struct_list;

/* Those of a spec whose slots have been checked. JIG_ERROR_INVALID_ARGUMENT if there are too many, or if
 * one name is defined in two ways: `who`, the slot, and both places. structs_free() in any case. */
jig_status structs_of(const spec *s, const char *who, struct_list *list);
void structs_free(struct_list *list);

/* The text of one, without what those before it define, which leaves blanks; malloc'ed, NULL: there is no
 * memory. */
char *structs_text(const struct_list *list, int i);

/* The same of a text with a function that will be called, which stands in a namespace of its own behind
 * all of them.
 */
char *structs_rest(const struct_list *list, const char *source, const char *function);

#endif
