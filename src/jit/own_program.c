#include "jit/own_program.h"

#include <stdio.h>
#include <string.h>

#include "jit/define_op.h"
#include "jit/option_macros.h"
#include "spec/own_kernel.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- definitions, each in a line whose name says so */

static void begin_definition(text *out, const jig_definition *d) {
  text_format(out, "#line 1 \"definition of %s\"\n", d->name);
}

static void define_macros(text *out, const jig_kernel_config *k) {
  for (size_t i = 0; i < k->definition_count; ++i) {
    const jig_definition *d = &k->definitions[i];
    if (!own_is_macro(d)) continue;
    begin_definition(out, d);
    text_format(out, "#define %s ", d->name);
    own_write_value(d, out);
    text_add(out, "\n");
  }
  text_add(out, "#line 1 \"jig program\"\n#define JIG_LAUNCH_BOUNDS");
  if (k->max_threads > 0) text_format(out, " __launch_bounds__(%u", k->max_threads);
  if (k->min_blocks > 0) text_format(out, ", %u", k->min_blocks);
  text_add(out, k->max_threads > 0 ? ")\n" : "\n");
}

/* A struct's own name is defined already. */
static void define_type(assembly *a, const jig_definition *d) {
  char type[TYPE_NAME_SIZE];
  const bool is_struct = d->type.kind == JIG_KIND_STRUCT;
  if (strcmp(is_struct ? d->type.name : type_cxx_name(&d->type, type), d->name) == 0) return;
  begin_definition(&a->out, d);
  text_format(&a->out, "using %s = %s;\n#line 1 \"jig program\"\n", d->name,
              type_cxx_name(&d->type, type));
}

static void define_own_op(assembly *a, const jig_definition *d) {
  const op_signature signature = own_signature(d);
  char shown[OWN_NAME_SIZE];
  own_operator_name(d, shown);
  define_any_op(a, d->name, shown, &d->op, &signature, false);
  check_layout(a, d->name, op_layout(&d->op));
  begin_definition(&a->out, d);
  text_format(&a->out, "using %s = jig_%s_t;\n#line 1 \"jig program\"\n", d->name, d->name);
}

/* ---- what they include */

static void include_operators(text *out, const jig_kernel_config *k) {
  bool any = false, orders = false;
  for (size_t i = 0; i < k->definition_count; ++i) {
    any = any || k->definitions[i].kind == JIG_DEFINITION_OP;
    orders = orders || op_is_order(&k->definitions[i].op);
  }
  if (any) text_add(out, "#include <jig/core/operator.cuh>\n");
  if (orders) text_add(out, "#include <jig/core/less.cuh>\n");
}

static bool has_wide(const jig_kernel_config *k) {
  bool has = false;
  for (size_t i = 0; i < k->definition_count; ++i)
    has = has || type_is_wide(&k->definitions[i].type) || type_is_wide(&k->definitions[i].result);
  return has;
}

static bool definition_needs_half(const jig_definition *d) {
  return type_needs_half(&d->type) || type_needs_half(&d->result) || op_needs_half(&d->op) ||
         (d->text != NULL && strstr(d->text, "f16") != NULL);
}

static bool needs_half(const jig_kernel_config *k, const header_set *headers) {
  bool needed = headers_mention(headers, "f16");
  for (size_t i = 0; i < own_text_count(k); ++i)
    needed = needed || strstr(own_text_at(k, i).text, "f16") != NULL;
  for (size_t i = 0; i < k->definition_count; ++i)
    needed = needed || definition_needs_half(&k->definitions[i]);
  return needed;
}

static void add_includes(text *out, const jig_kernel_config *k, const header_set *headers) {
  text_add(out, "#include <jig/core/types.cuh>\n");
  include_operators(out, k);
  if (needs_half(k, headers)) text_add(out, "#include <jig/core/half.cuh>\n");
  if (has_wide(k)) text_add(out, "#include <jig/core/wide_items.cuh>\n");
  if (headers->include_templates.data != NULL) text_add(out, headers->include_templates.data);
  option_macros_write(out, headers->options);
  define_macros(out, k);
  headers_include(headers, out);
}

/* ---- the whole */

static void add_texts(assembly *a, const spec *s, const jig_kernel_config *k) {
  assembly_define_types(a, s);
  for (size_t i = 0; i < k->definition_count; ++i) {
    const jig_definition *d = &k->definitions[i];
    if (d->kind == JIG_DEFINITION_TYPE) define_type(a, d);
    if (d->kind == JIG_DEFINITION_OP) define_own_op(a, d);
  }
  for (size_t i = 0; i < own_text_count(k); ++i) {
    const own_text t = own_text_at(k, i);
    assembly_add_file(a, t.shown, t.text);
  }
}

jig_status own_program(const spec *s, header_set *headers, char **program) {
  const jig_kernel_config *k = spec_own_kernel(s);
  assembly a = {.headers = headers};
  add_texts(&a, s, k);
  if (a.status == JIG_SUCCESS && a.out.failed) a.status = error_memory("the program's text");
  if (a.status == JIG_SUCCESS) {
    text whole = {0};
    text_format(&whole, "// jig kernel %s\n", k->entry);
    add_includes(&whole, k, headers); /* now that the texts have told what they include */
    text_append(&whole, a.out.data, a.out.length);
    *program = text_take(&whole);
    if (*program == NULL) a.status = error_memory("the program's text");
  }
  text_free(&a.out);
  structs_free(&a.structs);
  return a.status;
}
