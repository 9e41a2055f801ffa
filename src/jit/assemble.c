#include "jit/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/entry.h"
#include "jit/places.h"
#include "spec/source.h"
#include "spec/structs.h"
#include "spec/type.h"
#include "util/error.h"
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
static void add_source(assembly *a, const char *shown, const char *source, const char *end) {
  text_format(&a->out, "#line 1 \"%s\"\n", shown);
  if (a->status == JIG_SUCCESS) a->status = headers_add(a->headers, source, &a->out);
  text_format(&a->out, "\n#line 1 \"end of %s\"\n%s\n#line 1 \"jig program\"\n", shown, end);
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
  add_source(a, shown, source, ";");
  free(source);
  if (a->structs.of[i].is_again) return;
  text_format(&a->out, "#line 1 \"layout of %s\"\n", type->name);
  text_format(&a->out, "template struct jig::stated_layout<%s, sizeof(%s), alignof(%s), %u, %u>;",
              type->name, type->name, type->name, type->size, type->align);
  text_add(&a->out, "\n#line 1 \"jig program\"\n");
}

static void define_types(assembly *a, const spec *s) {
  a->status = structs_of(s, s->schema->algorithm, &a->structs);
  for (int i = 0; i < a->structs.count && a->status == JIG_SUCCESS; ++i) define_struct(a, i);
}

/* ---- operators */

static void define_well_known(assembly *a, const char *name, const jig_op *op, bool ignore_nan) {
  static const char *const cxx[] = {
      [JIG_OP_PLUS] = "plus",
      [JIG_OP_MULTIPLIES] = "multiplies",
      [JIG_OP_MIN] = "minimum",
      [JIG_OP_MAX] = "maximum",
      [JIG_OP_BIT_AND] = "bit_and",
      [JIG_OP_BIT_OR] = "bit_or",
      [JIG_OP_BIT_XOR] = "bit_xor",
      [JIG_OP_LOGICAL_AND] = "logical_and",
      [JIG_OP_LOGICAL_OR] = "logical_or",
      [JIG_OP_LESS] = "less_than",
      [JIG_OP_GREATER] = "greater_than",
  };
  bool extreme = op->kind == JIG_OP_MIN || op->kind == JIG_OP_MAX;
  text_format(&a->out, "using jig_%s_t = jig::%s%s;\n", name, cxx[op->kind],
              !extreme     ? ""
              : ignore_nan ? "<false>"
                           : "<true>");
}

/* What the body calls an operand. */
static const char *operand_name(const op_signature *signature, int k) {
  static const char *const names[OP_MAX_ARITY] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  return signature->arity == 0 ? "i" : signature->arity == 1 ? "x" : names[k];
}

/* An operator of an index has that. */
static int operand_count(const op_signature *signature) {
  return signature->arity > 0 ? signature->arity : 1;
}

/* "a, b", or "&a, &b"; of an index in several dimensions "i, at". */
static void pass_operands(assembly *a, const op_signature *signature, const char *prefix) {
  for (int k = 0; k < operand_count(signature); ++k)
    text_format(&a->out, "%s%s%s", k > 0 ? ", " : "", prefix, operand_name(signature, k));
  if (signature->rank > 0) text_add(&a->out, ", at");
}

/* "float, int", or with names, "float a, int b". */
static void declare_operands(assembly *a, const op_signature *signature, bool named) {
  char operand[TYPE_NAME_SIZE];
  for (int k = 0; k < operand_count(signature); ++k)
    text_format(&a->out, "%s%s%s%s", k > 0 ? ", " : "", type_cxx_name(op_operand(signature, k), operand),
                signature->by_reference ? " &"
                : named                 ? " "
                                        : "",
                named ? operand_name(signature, k) : "");
  if (signature->rank > 0) text_add(&a->out, named ? ", const uint64_t *at" : ", const uint64_t *");
}

static const char *result_name(const op_signature *signature, char name[TYPE_NAME_SIZE]) {
  return signature->result != NULL ? type_cxx_name(signature->result, name) : "void";
}

/* "bool symbol(const void *, float, float)" and the like, for the linker to find. */
static void declare_binary(assembly *a, const char *name, const jig_op *op,
                           const op_signature *signature) {
  char result[TYPE_NAME_SIZE];
  text_format(&a->out, "namespace jig_%s_source { extern \"C\" %s %s(%s", name,
              op->by_pointer ? "void" : result_name(signature, result), op->name,
              op_has_state(op) ? "const void *, " : "");
  if (!op->by_pointer) declare_operands(a, signature, false);
  const int pointers = op->by_pointer ? operand_count(signature) + (signature->rank > 0) : 0;
  for (int k = 0; k < pointers; ++k) text_format(&a->out, "%sconst void *", k > 0 ? ", " : "");
  text_add(&a->out, op->by_pointer && signature->result != NULL ? ", void *); }\n" : "); }\n");
}

/* In a line whose name says what the function is called as. */
static void call_function(assembly *a, const char *name, const char *shown, const jig_op *op,
                          const op_signature *signature) {
  char result[TYPE_NAME_SIZE], state[TYPE_NAME_SIZE];
  const bool stateful = op_has_state(op);
  text_format(&a->out, "#line 1 \"call of %s: %s %s(", shown, result_name(signature, result), op->name);
  if (stateful) text_format(&a->out, "%s, ", type_cxx_name(&op->state_type, state));
  declare_operands(a, signature, false);
  text_format(&a->out, ")\"\n    return jig_%s_source::%s(%s", name, op->name, stateful ? "state, " : "");
  pass_operands(a, signature, "");
  text_add(&a->out, ");\n#line 1 \"jig program\"\n  }\n");
}

static void call_binary(assembly *a, const char *name, const jig_op *op, const op_signature *signature) {
  char result[TYPE_NAME_SIZE];
  const bool by_pointer = op->by_pointer && signature->result != NULL;
  if (by_pointer) text_format(&a->out, "    %s jig_result;\n", result_name(signature, result));
  text_format(&a->out, "    %sjig_%s_source::%s(%s", by_pointer ? "" : "return ", name, op->name,
              op_has_state(op) ? "&state, " : "");
  pass_operands(a, signature, op->by_pointer ? "&" : "");
  text_add(&a->out, by_pointer ? ", &jig_result);\n    return jig_result;\n  }\n" : ");\n  }\n");
}

/* The body, or a call of the function; and its end. */
static void write_body(assembly *a, const char *name, const char *shown, const jig_op *op,
                       const op_signature *signature) {
  switch (op->kind) {
    case JIG_OP_SOURCE:
      add_source(a, shown, op->source, "  }");
      return;
    case JIG_OP_FUNCTION:
      call_function(a, name, shown, op, signature);
      return;
    case JIG_OP_BINARY:
      call_binary(a, name, op, signature);
      return;
    default: {
      char of_struct[NAME_SIZE];
      (void)snprintf(of_struct, sizeof of_struct, "'%s' of struct %s", op_name(op->kind),
                     signature->operand->name);
      add_source(a, of_struct, op_of_struct(op->kind), "  }");
    }
  }
}

/* A text with a function in it may define structs of the call once more. */
static void add_function(assembly *a, const char *shown, const jig_op *op) {
  char *rest = structs_rest(&a->structs, op->source, op->name);
  if (rest != NULL)
    add_source(a, shown, rest, "}");
  else if (a->status == JIG_SUCCESS)
    a->status = error_memory("the program's text");
  free(rest);
}

/* Whether operand k is an item too large for registers, of an operator that makes such an item. Then it
 * is given by a reference, and copied by a loop, as what is made is: jig::wide_result. Otherwise the
 * compiler takes both apart, word by word or byte by byte, which takes it minutes. */
static bool copies_operand(const op_signature *signature, int k) {
  return signature->result != NULL && type_is_wide(signature->result) && signature->arity > 0 &&
         type_is_wide(op_operand(signature, k));
}

static void begin_body(assembly *a, const op_signature *signature) {
  char operand[TYPE_NAME_SIZE], result[TYPE_NAME_SIZE];
  const bool makes_wide = signature->result != NULL && type_is_wide(signature->result);
  text_format(&a->out, makes_wide ? "  jig::wide_result<%s> operator()(" : "  %s operator()(",
              result_name(signature, result));
  for (int k = 0; k < operand_count(signature) && makes_wide; ++k) {
    const bool copies = copies_operand(signature, k);
    text_format(&a->out, "%s%s%s %s%s", k > 0 ? ", " : "", copies ? "const " : "",
                type_cxx_name(op_operand(signature, k), operand), copies ? "&jig_given_" : "",
                operand_name(signature, k));
  }
  if (!makes_wide) declare_operands(a, signature, true);
  text_add(&a->out, ") const {\n");
  for (int k = 0; k < operand_count(signature); ++k) {
    const char *name = operand_name(signature, k);
    if (copies_operand(signature, k))
      text_format(&a->out, "    %s %s;\n    jig::copy_item(&%s, &jig_given_%s);\n",
                  type_cxx_name(op_operand(signature, k), operand), name, name, name);
  }
}

/* An operator of the user's becomes a struct with a call operator, which holds the body or calls the
 * function. `name` is what it is called in device code, `shown` what messages call it. */
static void define_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                      const op_signature *signature) {
  char state[TYPE_NAME_SIZE];
  if (op->kind == JIG_OP_BINARY) declare_binary(a, name, op, signature);
  if (op->kind == JIG_OP_FUNCTION) {
    text_format(&a->out, "namespace jig_%s_source {\n", name);
    add_function(a, shown, op);
  }
  text_format(&a->out, "struct jig_%s_t {\n  static constexpr bool commutative = %s;\n", name,
              op->commutative ? "true" : "false");
  const char *state_type = op_has_state(op) ? type_cxx_name(&op->state_type, state) : NULL;
  const char *constant = signature->result != NULL ? "const " : "";
  if (state_type != NULL && op->device_state)
    text_format(&a->out, "  %s%s *jig_state;\n", constant, state_type);
  else if (state_type != NULL)
    text_format(&a->out, "  %s state;\n", state_type);
  begin_body(a, signature);
  if (state_type != NULL && op->device_state)
    text_format(&a->out, "    %s%s &state = *jig_state;\n", constant, state_type);
  write_body(a, name, shown, op, signature);
  text_add(&a->out, "};\n");
}

static void define_any_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                          const op_signature *signature, bool ignore_nan) {
  if (op_is_built_in(op, signature->operand))
    define_well_known(a, name, op, ignore_nan);
  else
    define_op(a, name, shown, op, signature);
}

/* A list of expressions becomes a struct with a call operator, too. How large what it makes is, is told
 * by the size of a variable: program_field_bytes(). */
static void define_list(assembly *a, const char *name, const jig_op *op, const op_signature *signature) {
  char operand[TYPE_NAME_SIZE];
  const char *key = type_cxx_name(signature->operand, operand);
  text_format(&a->out, "struct jig_%s_t {\n  auto operator()(const %s &x) const {\n", name, key);
  text_add(&a->out, "    return jig::key_fields(\n");
  add_source(a, source_name_of_slot(name), op->source, ");\n  }");
  text_format(&a->out,
              "};\nextern \"C\" __device__ unsigned char jig_field_bytes"
              "[jig::fields_of<%s, jig_%s_t>::count / 8 + 1];\n",
              key, name);
}

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

static void check_layout(assembly *a, const char *name, value_layout l) {
  text_format(
      &a->out,
      "static_assert(sizeof(jig_%s_t) == %zu && alignof(jig_%s_t) == %zu, \"jig: parameter layout\");\n",
      name, l.size, name, l.align);
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

static bool mentions_half(const jig_type *type) {
  return type != NULL && (type_is_half(type) ||
                          (type->kind == JIG_KIND_STRUCT && strstr(type->definition, "f16") != NULL));
}

static bool op_needs_half(const jig_op *op) {
  return op != NULL &&
         ((op->source != NULL && strstr(op->source, "f16") != NULL) || mentions_half(&op->state_type));
}

static bool iter_needs_half(const jig_iter *iter) {
  bool needed = mentions_half(&iter->type) || (iter_has_op(iter->kind) && op_needs_half(&iter->op));
  for (unsigned k = 0; k < iter_base_count(iter); ++k)
    needed = needed || iter_needs_half(iter_base_at(iter, k));
  return needed;
}

static bool needs_half(const spec *s) {
  bool needed = false;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    needed = needed || mentions_half(slot->type) || op_needs_half(slot->op) ||
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

/* The templates and the policy before any text of the user's, whose macros may have any name. */
static void add_includes(text *out, const spec *s, const kernel_row *kernel, const policy *p,
                         const header_set *headers) {
  if (needs_half(s) || headers_mention(headers, "f16")) text_add(out, "#include <jig/core/half.cuh>\n");
  include_iterators(out, s);
  if (places_are_used(s)) text_add(out, "#include <jig/core/places.cuh>\n");
  text_format(out, "#include <%s>\n", kernel->templates);
  entry_write_structs(out, s, kernel);
  if (headers->include_templates.data != NULL) text_add(out, headers->include_templates.data);
  define_policy(out, p);
  if (headers->include_headers.data != NULL) text_add(out, headers->include_headers.data);
}

jig_status assemble(const spec *s, const kernel_row *kernel, const policy *p, header_set *headers,
                    char **program) {
  assembly a = {.headers = headers};
  define_types(&a, s);
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

/* ---- an operator alone */

/* In a namespace of its own, as the linker knows one name of a kind. */
static void define_called(assembly *a, const spec *s, int slot, const char *name) {
  const op_signature signature = spec_op_signature(s, slot);
  char result[TYPE_NAME_SIZE];
  text_add(&a->out, "namespace jig_linked {\n");
  define_op_slot(a, s, slot);
  text_format(&a->out, "}\nextern \"C\" %s %s(", result_name(&signature, result), name);
  declare_operands(a, &signature, true);
  text_format(&a->out, ") {\n  return jig_linked::jig_%s_t{}(", s->schema->slots[slot].name);
  pass_operands(a, &signature, "");
  text_add(&a->out, ");\n}\n");
}

jig_status assemble_operator(const spec *s, int slot, const char *name, header_set *headers,
                             char **program) {
  assembly a = {.headers = headers};
  text_format(&a.out, "// jig %s, the operator alone\n#include <jig/core/types.cuh>\n",
              s->schema->algorithm);
  define_types(&a, s);
  define_called(&a, s, slot, name);
  *program = text_take(&a.out);
  if (a.status == JIG_SUCCESS && *program == NULL) a.status = error_memory("an operator's text");
  if (a.status != JIG_SUCCESS) free(*program);
  structs_free(&a.structs);
  return a.status;
}
