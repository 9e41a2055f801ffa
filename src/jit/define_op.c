#include "jit/define_op.h"

#include <stdio.h>
#include <stdlib.h>

#include "jit/own_macros.h"
#include "jit/ptx_inline.h"
#include "spec/source.h"
#include "spec/type.h"
#include "util/error.h"

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
      assembly_add_source(a, shown, op->source, "  }");
      return;
    case JIG_OP_FUNCTION:
      call_function(a, name, shown, op, signature);
      return;
    case JIG_OP_BINARY:
      if (ptx_inline(op, signature, operand_name, &a->out))
        text_add(&a->out, "  }\n");
      else
        call_binary(a, name, op, signature);
      return;
    default: {
      char of_struct[NAME_SIZE];
      (void)snprintf(of_struct, sizeof of_struct, "'%s' of struct %s", op_name(op->kind),
                     signature->operand->name);
      assembly_add_source(a, of_struct, op_of_struct(op->kind), "  }");
    }
  }
}

/* A text with a function in it may define structs of the call once more. */
static void add_function(assembly *a, const char *shown, const jig_op *op) {
  char *rest = structs_rest(&a->structs, op->source, op->name);
  if (rest != NULL)
    assembly_add_source(a, shown, rest, "}");
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
  const bool has_text = op->kind == JIG_OP_SOURCE || op->kind == JIG_OP_FUNCTION;
  if (has_text) own_macros_begin(&a->out, op->source);
  if (op->kind == JIG_OP_BINARY && !ptx_is_inlined(op, signature)) declare_binary(a, name, op, signature);
  if (op->kind == JIG_OP_FUNCTION) {
    text_format(&a->out, "namespace jig_%s_source {\n", name);
    add_function(a, shown, op);
    own_macros_refuse(&a->out, shown, op->source);
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
  if (has_text) own_macros_end(&a->out, op->source);
}

void define_any_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                   const op_signature *signature, bool ignore_nan) {
  if (op_is_built_in(op, signature->operand))
    define_well_known(a, name, op, ignore_nan);
  else
    define_op(a, name, shown, op, signature);
}

/* "jig::bit_cast<float>(a), b" */
static void pass_bits(assembly *a, const called_op *op) {
  for (int k = 0; k < operand_count(&op->signature); ++k) {
    char operand[TYPE_NAME_SIZE];
    const jig_type *type = op_operand(&op->signature, k);
    const bool is_same = type_equal(type, op_operand(&op->called, k));
    text_add(&a->out, k > 0 ? ", " : "");
    if (!is_same) text_format(&a->out, "jig::bit_cast<%s>(", type_cxx_name(type, operand));
    text_format(&a->out, "%s%s", operand_name(&op->signature, k), is_same ? "" : ")");
  }
}

/* In a namespace of its own, as the linker knows one name of a kind. */
void define_called_op(assembly *a, const called_op *op) {
  char result[TYPE_NAME_SIZE];
  const char *returned = result_name(&op->called, result);
  const bool is_same = type_equal(op->signature.result, op->called.result);
  text_add(&a->out, "namespace jig_linked {\n");
  define_any_op(a, op->name, op->shown, op->op, &op->signature, false);
  text_format(&a->out, "}\nextern \"C\" %s %s(", returned, op->name);
  declare_operands(a, &op->called, true);
  text_add(&a->out, ") {\n  return ");
  if (!is_same) text_format(&a->out, "jig::bit_cast<%s>(", returned);
  text_format(&a->out, "jig_linked::jig_%s_t{}(", op->name);
  pass_bits(a, op);
  text_format(&a->out, ")%s;\n}\n", is_same ? "" : ")");
}

/* A list of expressions becomes a struct with a call operator, too. How large what it makes is, is told
 * by the size of a variable: program_field_bytes(). */
void define_list(assembly *a, const char *name, const jig_op *op, const op_signature *signature) {
  char operand[TYPE_NAME_SIZE];
  const char *key = type_cxx_name(signature->operand, operand);
  own_macros_begin(&a->out, op->source);
  text_format(&a->out, "struct jig_%s_t {\n  auto operator()(const %s &x) const {\n", name, key);
  text_add(&a->out, "    return jig::key_fields(\n");
  assembly_add_source(a, source_name_of_slot(name), op->source, ");\n  }");
  text_add(&a->out, "};\n");
  own_macros_end(&a->out, op->source);
  text_format(&a->out,
              "extern \"C\" __device__ unsigned char jig_field_bytes"
              "[jig::fields_of<%s, jig_%s_t>::count / 8 + 1];\n",
              key, name);
}

void check_layout(assembly *a, const char *name, value_layout l) {
  text_format(
      &a->out,
      "static_assert(sizeof(jig_%s_t) == %zu && alignof(jig_%s_t) == %zu, \"jig: parameter layout\");\n",
      name, l.size, name, l.align);
}
