#include "spec/operator.h"

#include <string.h>

#include "spec/type.h"
#include "util/error.h"

static const char *const well_known[] = {
#define NAME_ROW(kind, name) [kind] = name,
    JIG_OP_MAP(NAME_ROW)
#undef NAME_ROW
};

bool op_is_well_known(const jig_op *op) {
  return op->kind > JIG_OP_NONE && op->kind < JIG_OP_SOURCE;
}

const char *op_name(jig_op_kind kind) {
  return kind > JIG_OP_NONE && kind < JIG_OP_SOURCE ? well_known[kind] : NULL;
}

jig_op jig_op_from_name(const char *name) {
  jig_op op = JIG_WELL_KNOWN_OP(JIG_OP_NONE);
  for (jig_op_kind kind = JIG_OP_NONE + 1; name != NULL && kind < JIG_OP_SOURCE; ++kind) {
    if (strcmp(name, well_known[kind]) == 0) op.kind = kind;
  }
  return op;
}

static bool defined_for(jig_op_kind kind, const jig_type *operand) {
  switch (kind) {
    case JIG_OP_BIT_AND:
    case JIG_OP_BIT_OR:
    case JIG_OP_BIT_XOR:
      return type_is_integer(operand);
    default:
      return type_is_number(operand);
  }
}

static jig_status check_well_known(const jig_op *op, const op_signature *signature, const char *what) {
  if (op->state_type.kind != JIG_KIND_NONE) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' has no state; give jig_op_source()", what,
                     op_name(op->kind));
  }
  if (signature->arity != 2) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' has two operands; %s is needed here", what,
                     op_name(op->kind),
                     signature->arity == 0 ? "an operator of an index" : "a unary operator");
  }
  if (!defined_for(op->kind, signature->operand)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' is not defined for %s%s; give jig_op_source()",
                     what, op_name(op->kind),
                     signature->operand->kind == JIG_KIND_STRUCT ? "struct " : "",
                     jig_type_name(signature->operand));
  }
  return JIG_SUCCESS;
}

jig_status op_check(const jig_op *op, const op_signature *signature, const char *what) {
  if (op_is_well_known(op)) return check_well_known(op, signature, what);
  if (op->kind != JIG_OP_SOURCE && op->kind != JIG_OP_FUNCTION) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: no operator is given, or one that does not exist (kind %d)", what,
                     (int)op->kind);
  }
  if (op->source == NULL || op->source[0] == '\0') {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the operator's source is empty", what);
  }
  if (op->kind == JIG_OP_FUNCTION && (op->name == NULL || !is_identifier(op->name))) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: jig_op_function() needs a function's name, not '%s'", what,
                     op->name != NULL ? op->name : "(null)");
  }
  if (op->state_type.kind == JIG_KIND_NONE) return JIG_SUCCESS;
  return type_check(&op->state_type, what);
}
