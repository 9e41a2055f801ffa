#include "jit/assembly.h"

#include <stdlib.h>
#include <string.h>

#include "jit/own_macros.h"
#include "spec/source.h"
#include "spec/type.h"
#include "util/error.h"

void assembly_add_source(assembly *a, const char *shown, const char *source, const char *end) {
  text_format(&a->out, "#line 1 \"%s\"\n", shown);
  if (a->status == JIG_SUCCESS) a->status = headers_add(a->headers, source, &a->out);
  text_format(&a->out, "\n#line 1 \"end of %s\"\n%s\n#line 1 \"jig program\"\n", shown, end);
}

void assembly_add_file(assembly *a, const char *shown, const char *source) {
  text_format(&a->out, "#line 1 \"%s\"\n", shown);
  if (a->status == JIG_SUCCESS) a->status = headers_add_file(a->headers, source, &a->out);
  /* It ends what the text does not, so that this is told of where it is. */
  text_format(&a->out, "\n#line 1 \"end of %s\"\n;\n#line 1 \"jig program\"\n", shown);
}

/* ---- types */

static void define_struct(assembly *a, int i) {
  const jig_type *type = a->structs.of[i].type;
  char shown[NAME_SIZE], *source = structs_text(&a->structs, i);
  if (source == NULL) {
    a->status = error_memory("the program's text");
    return;
  }
  source_name_of_struct(shown, sizeof shown, type->name);
  assembly_add_source(a, shown, source, ";");
  own_macros_refuse(&a->out, shown, source);
  free(source);
  if (a->structs.of[i].is_again) return;
  text_format(&a->out, "#line 1 \"layout of %s\"\n", type->name);
  text_format(&a->out, "template struct jig::stated_layout<%s, sizeof(%s), alignof(%s), %u, %u>;",
              type->name, type->name, type->name, type->size, type->align);
  text_add(&a->out, "\n#line 1 \"jig program\"\n");
}

void assembly_define_types(assembly *a, const spec *s) {
  a->status = structs_of(s, s->schema->algorithm, &a->structs);
  for (int i = 0; i < a->structs.count && a->status == JIG_SUCCESS; ++i) define_struct(a, i);
}

/* ---- halves */

bool type_needs_half(const jig_type *type) {
  return type_is_half(type) || (type->kind == JIG_KIND_STRUCT && strstr(type->definition, "f16") != NULL);
}

bool op_needs_half(const jig_op *op) {
  return type_needs_half(&op->state_type) || (op->source != NULL && strstr(op->source, "f16") != NULL);
}
