/* The members of a struct, where its definition is simple enough to be read without a compiler:
 * "struct hit { float d, e; int id[4]; };", members of built-in types, perhaps arrays of them. */
#ifndef JIG_CLI_STRUCT_FIELDS_H
#define JIG_CLI_STRUCT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/jig.h>

enum { FIELDS_MAX = 32, FIELD_NAME_SIZE = 64 };

typedef struct struct_field {
  char name[FIELD_NAME_SIZE];
  jig_type type;
  size_t offset, length; /* in bytes; in items: 1 unless it is an array */
  bool is_array;
} struct_field;

typedef struct struct_fields {
  struct_field fields[FIELDS_MAX];
  int count;
} struct_fields;

/* False if there is anything in the definition that is not understood, or if the members do not add up to
 * the struct's size and alignment. */
bool struct_fields_of(const jig_type *type, struct_fields *fields);

#endif
