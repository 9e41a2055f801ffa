#include "jit/assemble.h"

#include <stdio.h>
#include <string.h>

#include "jit/binary.h"
#include "jit/entry.h"
#include "jit/option_macros.h"
#include "jit/own_program.h"
#include "jit/places.h"
#include "spec/source.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- iterators */

/* The operators of an iterator, those of its bases first: in_op0, in_op1, ...; `count` of them so far. */
static void define_iter_ops(assembly *a, const char *name, const jig_iter *iter, int *count) {
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    define_iter_ops(a, name, iter_base_at(iter, k), count);
  if (!iter_has_op(iter->kind)) return;
  const int number = (*count)++;
  char op_name[NAME_SIZE], shown[NAME_SIZE];
  (void)snprintf(op_name, sizeof op_name, "%s_op%d", name, number);
  source_name_of_op(shown, sizeof shown, name, number);
  const op_signature signature = iter_op_signature(iter);
  define_any_op(a, op_name, shown, &iter->op, &signature, false);
}

/* Writes the type of an iterator: its class, of its bases, its operator and its items. What may have any
 * number of bases has its items first, or one list of them. */
static void write_iter_type(assembly *a, const char *name, const jig_iter *iter, int *op_count) {
  const bool groups = iter_groups(iter->kind);
  const bool lists = !groups && iter_min_bases(iter->kind) != iter_max_bases(iter->kind);
  char items[TYPE_NAME_SIZE];
  text_format(&a->out, "jig::%s<", iter_class(iter->kind));
  if (groups) text_format(&a->out, "%s, ", type_cxx_name(&iter->type, items));
  if (lists) text_add(&a->out, "jig::bases<");
  const unsigned count = iter_base_count(iter);
  for (unsigned k = 0; k < count; ++k) {
    write_iter_type(a, name, iter_base_at(iter, k), op_count);
    if (k + 1 < count || !(groups || lists)) text_add(&a->out, ", ");
  }
  if (lists) text_add(&a->out, ">, ");
  if (iter_has_op(iter->kind)) text_format(&a->out, "jig_%s_op%d_t, ", name, (*op_count)++);
  if (!groups) text_format(&a->out, "%s", type_cxx_name(&iter->type, items));
  text_add(&a->out, ">");
}

static void define_iter(assembly *a, const char *name, const jig_iter *iter) {
  int defined = 0, used = 0;
  define_iter_ops(a, name, iter, &defined);
  text_format(&a->out, "using jig_%s_t = ", name);
  write_iter_type(a, name, iter, &used);
  text_add(&a->out, ";\n");
  check_layout(a, name, iter_layout(iter));
}

/* ---- includes: only what the program needs, since every line costs build time */

static bool iter_needs_half(const jig_iter *iter) {
  bool needed = type_needs_half(&iter->type) || (iter_has_op(iter->kind) && op_needs_half(&iter->op));
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    needed = needed || iter_needs_half(iter_base_at(iter, k));
  return needed;
}

static bool needs_half(const spec *s) {
  bool needed = false;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    needed = needed || (slot->type != NULL && type_needs_half(slot->type)) ||
             (slot->op != NULL && op_needs_half(slot->op)) ||
             (slot->iter != NULL && iter_needs_half(slot->iter));
  }
  return needed;
}

static bool iter_uses(const jig_iter *iter, jig_iter_kind kind) {
  bool used = iter->kind == kind;
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    used = used || iter_uses(iter_base_at(iter, k), kind);
  return used;
}

static bool has_wide_items(const jig_iter *iter) {
  bool has = type_is_wide(&iter->type);
  for (unsigned k = 0; k < iter_base_count(iter); ++k) has = has || has_wide_items(iter_base_at(iter, k));
  return has;
}

static void include_iterators(text *out, const spec *s) {
  for (jig_iter_kind kind = JIG_ITER_NONE + 1; iter_kind_exists(kind); ++kind) {
    bool used = false;
    for (int i = 0; i < s->schema->slot_count; ++i)
      used = used || (s->slots[i].iter != NULL && iter_uses(s->slots[i].iter, kind));
    if (used) text_format(out, "#include <jig/core/iterator/%s.cuh>\n", iter_name(kind));
  }
  bool has_wide = false;
  for (int i = 0; i < s->schema->slot_count; ++i)
    has_wide = has_wide || (s->slots[i].iter != NULL && has_wide_items(s->slots[i].iter));
  if (has_wide) text_add(out, "#include <jig/core/wide_items.cuh>\n");
}

/* ---- the whole */

static void define_op_slot(assembly *a, const spec *s, int i) {
  const char *name = s->schema->slots[i].name;
  const spec_slot *slot = &s->slots[i];
  const op_signature signature = spec_op_signature(s, i);
  if (s->schema->slots[i].lists) {
    define_list(a, name, slot->op, &signature);
    return;
  }
  define_any_op(a, name, source_name_of_slot(name), slot->op, &signature, slot->ignore_nan);
  check_layout(a, name, op_layout(slot->op));
}

static void define_slot(assembly *a, const spec *s, int i) {
  const char *name = s->schema->slots[i].name;
  const spec_slot *slot = &s->slots[i];
  if (slot->type != NULL) {
    char type[TYPE_NAME_SIZE];
    text_format(&a->out, "using jig_%s_t = %s;\n", name, type_cxx_name(slot->type, type));
  } else if (slot->iter != NULL) {
    define_iter(a, name, slot->iter);
  } else if (s->schema->slots[i].kind == SLOT_CHOICE) {
    text_format(&a->out, "constexpr int jig_%s = %d; /* %s */\n", name, slot->choice,
                s->schema->slots[i].choices[slot->choice]);
  } else if (s->schema->slots[i].kind == SLOT_FLAG) {
    return;
  } else if (slot->op == NULL) {
    text_format(&a->out, "using jig_%s_t = jig::none;\n", name);
  } else {
    define_op_slot(a, s, i);
  }
}

static void define_policy(text *out, const policy *p) {
  text_add(out, "struct jig_policy {\n");
  for (int i = 0; i < p->count; ++i) {
    text_format(out, "  static constexpr int %s = %d;\n", p->names[i], p->values[i]);
  }
  text_add(out, "};\n");
}

static bool has_inlined(const spec *s) {
  binary_set binaries;
  binary_find(s, &binaries);
  return binaries.all > binaries.count;
}

/* The templates and the policy before any text of the user's, whose macros may have any name. */
static void add_includes(text *out, const spec *s, const kernel_row *kernel, const policy *p,
                         const header_set *headers) {
  if (needs_half(s) || headers_mention(headers, "f16")) text_add(out, "#include <jig/core/half.cuh>\n");
  include_iterators(out, s);
  if (places_are_used(s)) text_add(out, "#include <jig/core/places.cuh>\n");
  if (has_inlined(s)) text_add(out, "#include <jig/core/words.cuh>\n");
  text_format(out, "#include <%s>\n", kernel->templates);
  entry_write_structs(out, s, kernel);
  if (headers->include_templates.data != NULL) text_add(out, headers->include_templates.data);
  define_policy(out, p);
  option_macros_write(out, headers->options);
  headers_include(headers, out);
}

jig_status assemble(const spec *s, const kernel_row *kernel, const policy *p, header_set *headers,
                    char **program) {
  assembly a = {.headers = headers};
  if (spec_own_kernel(s) != NULL) return own_program(s, headers, program);
  assembly_define_types(&a, s);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    places_begin_given(&a.out, s, i);
    define_slot(&a, s, i);
    places_end_given(&a.out, s, i);
  }
  places_define(&a.out, s);
  entry_write(&a.out, s, kernel, p);
  if (a.status == JIG_SUCCESS && a.out.failed) a.status = error_memory("the program's text");
  if (a.status == JIG_SUCCESS) {
    text whole = {0};
    text_format(&whole, "// jig %s\n", s->schema->algorithm);
    add_includes(&whole, s, kernel, p, headers); /* now that the texts have told what they include */
    text_append(&whole, a.out.data, a.out.length);
    *program = text_take(&whole);
    if (*program == NULL) a.status = error_memory("the program's text");
  }
  text_free(&a.out);
  structs_free(&a.structs);
  return a.status;
}

/* ---- operators alone */

jig_status assemble_operators(const spec *s, const called_op *ops, int count, header_set *headers,
                              char **program) {
  assembly a = {.headers = headers};
  text_format(&a.out, "// jig %s, its operators alone\n#include <jig/core/types.cuh>\n",
              s->schema->algorithm);
  assembly_define_types(&a, s);
  for (int i = 0; i < count; ++i) define_called_op(&a, &ops[i]);
  *program = text_take(&a.out);
  if (a.status == JIG_SUCCESS && *program == NULL) a.status = error_memory("an operator's text");
  if (a.status != JIG_SUCCESS) free(*program);
  structs_free(&a.structs);
  return a.status;
}
