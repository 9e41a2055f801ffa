/* A program's text while it is put together, and the texts of the user's in it. */
#ifndef JIG_JIT_ASSEMBLY_H
#define JIG_JIT_ASSEMBLY_H

#include <jig/status.h>

#include "jit/headers.h"
#include "spec/structs.h"
#include "util/text.h"

enum { NAME_SIZE = 256 };

typedef struct assembly {
  text out;
  header_set *headers;
  struct_list structs;
  jig_status status;
} assembly;

/* A text of the user's, in lines of its own, and what ends it. The names of the lines are what diagnose()
 * knows them by. */
void assembly_add_source(assembly *a, const char *shown, const char *source, const char *end);

/* The same of one that is a file of its own: its headers stay where it includes them. */
void assembly_add_file(assembly *a, const char *shown, const char *source);

/* The structs of a spec, all of them, in an order in which they can be defined. */
void assembly_define_types(assembly *a, const spec *s);

/* Whether a type, or an operator's text or state, takes the halves' header: it may name one. */
bool type_needs_half(const jig_type *type);
bool op_needs_half(const jig_op *op);

#endif
