/* What a text declares at namespace scope: read token by token, not as a compiler reads it, which is
 * enough to tell one declaration from the next, whether two are the same, and which of them define a type
 * of what name. Of a text that cannot be followed nothing is told. */
#ifndef JIG_SPEC_DECLARATIONS_H
#define JIG_SPEC_DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jig/status.h>

typedef struct declaration {
  const char *begin, *end; /* its text, a ';' included */
  const char *scope;       /* the namespaces that it is in, as "a::b::" */
  uint64_t hash;           /* of its tokens */
  bool is_certain; /* it stands outside of all #if: of any other it is not known whether it is there */

  /* What it names, if it defines a struct, class, union or enumeration or says that there is one, or
   * defines another name for a type, or is a function; NULL: none of these, or nothing that has a name.
   */
  const char *name, *name_end;
  bool is_forward; /* it only says that there is one */
  bool is_function;
  /* Of the first, from the key ("struct") to the closing brace; NULL: it defines none. */
  const char *head, *body_end;
} declaration;

typedef struct declaration_list {
  declaration *of; /* in the order of the text */
  size_t count, capacity;
  char **scopes;
  size_t scope_count;
} declaration_list;

/* JIG_ERROR_OUT_OF_MEMORY, or nothing goes wrong. The list borrows from the text; declarations_free() in
 * any case. */
jig_status declarations_read(const char *source, declaration_list *list);
void declarations_free(declaration_list *list);

/* Whether two are the same, token by token; and whether two, which define types, define the same one: of
 * one name, and then whether they do it alike. */
bool declarations_equal(const declaration *a, const declaration *b);
bool declarations_name_same(const declaration *a, const declaration *b);
bool declarations_define_same(const declaration *a, const declaration *b);

/* Whether two texts define a type of that name alike: somewhere in them or, if it is not found in both of
 * them, such as one from a header, by being the same, token by token. */
bool source_defines_same(const char *a, const char *b, const char *name);

#endif
