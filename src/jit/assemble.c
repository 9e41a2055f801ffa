#include "jit/assemble.h"

#include <stdio.h>
#include <string.h>

#include "spec/type.h"
#include "util/error.h"
#include "util/text.h"

enum { MAX_STRUCTS = 32, NAME_SIZE = 128 };

typedef struct assembly {
  text out;
  const jig_type *structs[MAX_STRUCTS]; /* defined so far */
  int struct_count;
  jig_status status;
} assembly;

/* After text of the user's: where this file's own lines go on. */
static void resume_lines(assembly *a) {
  text_add(&a->out, "\n#line 1 \"jig program\"\n");
}

/* ---- types */

static void define_struct(assembly *a, const jig_type *type) {
  for (int i = 0; i < a->struct_count; ++i) {
    if (strcmp(a->structs[i]->name, type->name) != 0) continue;
    if (!type_equal(a->structs[i], type)) {
      a->status = error_set(JIG_ERROR_INVALID_ARGUMENT,
                            "struct '%s' is given twice, with different definitions", type->name);
    }
    return;
  }
  if (a->struct_count == MAX_STRUCTS) {
    a->status = error_set(JIG_ERROR_INVALID_ARGUMENT, "more than %d structs", (int)MAX_STRUCTS);
    return;
  }
  a->structs[a->struct_count++] = type;
  text_format(&a->out, "#line 1 \"struct %s\"\n%s\n;\n", type->name, type->definition);
  text_format(&a->out, "#line 1 \"layout of %s\"\n", type->name);
  text_format(&a->out, "template struct jig::stated_layout<%s, sizeof(%s), alignof(%s), %u, %u>;",
              type->name, type->name, type->name, type->size, type->align);
  resume_lines(a);
}

static void define_type(assembly *a, const jig_type *type) {
  if (type != NULL && type->kind == JIG_KIND_STRUCT) define_struct(a, type);
}

static void define_types_of_iter(assembly *a, const jig_iter *iter) {
  for (; iter != NULL; iter = iter_base(iter)) {
    define_type(a, &iter->type);
    if (iter->kind == JIG_ITER_TRANSFORM) define_type(a, &iter->op.state_type);
  }
}

static void define_types(assembly *a, const spec *s) {
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    define_type(a, slot->type);
    define_types_of_iter(a, slot->iter);
    if (slot->op != NULL) define_type(a, &slot->op->state_type);
  }
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
  };
  bool extreme = op->kind == JIG_OP_MIN || op->kind == JIG_OP_MAX;
  text_format(&a->out, "using jig_%s_t = jig::%s%s;\n", name, cxx[op->kind],
              !extreme     ? ""
              : ignore_nan ? "<false>"
                           : "<true>");
}

/* An operator of the user's becomes a struct with a call operator, which holds the body or calls the
 * function. `name` is what it is called in device code, `shown` what messages call it. */
static void define_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                      op_signature signature) {
  const char *result = type_cxx_name(signature.result), *operand = type_cxx_name(signature.operand);
  bool stateful = op->state_type.kind != JIG_KIND_NONE, function = op->kind == JIG_OP_FUNCTION;
  if (function) {
    text_format(&a->out, "namespace jig_%s_source {\n#line 1 \"%s\"\n%s", name, shown, op->source);
    resume_lines(a);
    text_add(&a->out, "}\n");
  }
  text_format(&a->out, "struct jig_%s_t {\n  static constexpr bool commutative = %s;\n", name,
              op->commutative ? "true" : "false");
  if (stateful) text_format(&a->out, "  %s state;\n", type_cxx_name(&op->state_type));
  if (signature.arity == 1)
    text_format(&a->out, "  %s operator()(%s x) const {\n", result, operand);
  else
    text_format(&a->out, "  %s operator()(%s a, %s b) const {\n", result, operand, operand);
  if (function) {
    text_format(&a->out, "    return jig_%s_source::%s(%s%s);\n", name, op->name,
                stateful ? "state, " : "", signature.arity == 1 ? "x" : "a, b");
  } else {
    text_format(&a->out, "#line 1 \"%s\"\n%s", shown, op->source);
    resume_lines(a);
  }
  text_add(&a->out, "  }\n};\n");
}

/* ---- iterators */

/* The operators of an iterator, innermost first: in_op0, in_op1, ... */
static int define_iter_ops(assembly *a, const char *name, const jig_iter *iter) {
  if (iter->kind != JIG_ITER_TRANSFORM) return 0;
  int depth = define_iter_ops(a, name, iter->base);
  char op_name[NAME_SIZE], shown[NAME_SIZE];
  (void)snprintf(op_name, sizeof op_name, "%s_op%d", name, depth);
  if (depth == 0)
    (void)snprintf(shown, sizeof shown, "operator of %s", name);
  else
    (void)snprintf(shown, sizeof shown, "operator %d of %s", depth + 1, name);
  define_op(a, op_name, shown, &iter->op, (op_signature){1, &iter->base->type, &iter->type});
  return depth + 1;
}

/* Writes the type of an iterator; says how many operators it used. */
static int write_iter_type(assembly *a, const char *name, const jig_iter *iter) {
  const char *type = type_cxx_name(&iter->type);
  if (iter->kind != JIG_ITER_TRANSFORM) {
    static const char *const cxx[] = {[JIG_ITER_POINTER] = "Pointer",
                                      [JIG_ITER_COUNTING] = "Counting",
                                      [JIG_ITER_CONSTANT] = "Constant"};
    text_format(&a->out, "jig::%s<%s>", cxx[iter->kind], type);
    return 0;
  }
  text_add(&a->out, "jig::Transform<");
  int depth = write_iter_type(a, name, iter->base);
  text_format(&a->out, ", jig_%s_op%d_t, %s>", name, depth, type);
  return depth + 1;
}

static void check_layout(assembly *a, const char *name, value_layout l) {
  text_format(
      &a->out,
      "static_assert(sizeof(jig_%s_t) == %zu && alignof(jig_%s_t) == %zu, \"jig: parameter layout\");\n",
      name, l.size, name, l.align);
}

static void define_iter(assembly *a, const char *name, const jig_iter *iter) {
  (void)define_iter_ops(a, name, iter);
  text_format(&a->out, "using jig_%s_t = ", name);
  (void)write_iter_type(a, name, iter);
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

static bool needs_half(const spec *s) {
  bool needed = false;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    needed = needed || mentions_half(s->slots[i].type) || op_needs_half(s->slots[i].op);
    for (const jig_iter *iter = s->slots[i].iter; iter != NULL && !needed; iter = iter_base(iter)) {
      const bool transform = iter->kind == JIG_ITER_TRANSFORM;
      needed = mentions_half(&iter->type) || (transform && op_needs_half(&iter->op));
    }
  }
  return needed;
}

static void include_iterators(assembly *a, const spec *s) {
  bool used[JIG_ITER_TRANSFORM + 1] = {false};
  for (int i = 0; i < s->schema->slot_count; ++i) {
    for (const jig_iter *iter = s->slots[i].iter; iter != NULL; iter = iter_base(iter))
      used[iter->kind] = true;
  }
  for (int k = JIG_ITER_POINTER; k <= JIG_ITER_TRANSFORM; ++k) {
    if (used[k])
      text_format(&a->out, "#include <jig/core/iterator/%s.cuh>\n", iter_name((jig_iter_kind)k));
  }
}

/* ---- the whole */

static void define_slot(assembly *a, const spec *s, int i) {
  const char *name = s->schema->slots[i].name;
  const spec_slot *slot = &s->slots[i];
  if (slot->type != NULL) {
    text_format(&a->out, "using jig_%s_t = %s;\n", name, type_cxx_name(slot->type));
  } else if (slot->iter != NULL) {
    define_iter(a, name, slot->iter);
  } else if (slot->op == NULL) {
    text_format(&a->out, "using jig_%s_t = jig::none;\n", name);
  } else if (op_is_well_known(slot->op)) {
    define_well_known(a, name, slot->op, slot->ignore_nan);
  } else {
    define_op(a, name, "operator", slot->op, spec_op_signature(s, i));
    check_layout(a, name, op_layout(slot->op));
  }
}

static void define_policy(assembly *a, const policy *p) {
  text_add(&a->out, "struct jig_policy {\n");
  for (int i = 0; i < p->count; ++i) {
    text_format(&a->out, "  static constexpr int %s = %d;\n", p->names[i], p->values[i]);
  }
  text_add(&a->out, "};\n");
}

jig_status assemble(const spec *s, const policy *p, char **program) {
  assembly a = {.status = JIG_SUCCESS};
  text_format(&a.out, "// jig %s\n", s->schema->algorithm);
  if (needs_half(s)) text_add(&a.out, "#include <jig/core/half.cuh>\n");
  include_iterators(&a, s);
  /* The templates and the policy before any text of the user's, whose macros may have any name. */
  text_format(&a.out, "#include <%s>\n", algorithm_of(s)->templates);
  define_policy(&a, p);
  define_types(&a, s);
  for (int i = 0; i < s->schema->slot_count; ++i) define_slot(&a, s, i);
  text_format(&a.out, "#include <%s>\n", algorithm_of(s)->entry);
  if (a.status != JIG_SUCCESS) {
    text_free(&a.out);
    return a.status;
  }
  *program = text_take(&a.out);
  return *program != NULL ? JIG_SUCCESS : error_memory("the program's text");
}
