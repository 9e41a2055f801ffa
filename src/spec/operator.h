/* Operators: checks, names, and how a call carries their state. */
#ifndef JIG_SPEC_OPERATOR_H
#define JIG_SPEC_OPERATOR_H

#include <stdbool.h>

#include <jig/operator.h>
#include <jig/status.h>

/* The name of a well-known operator; NULL for any other. */
const char *op_name(jig_op_kind kind);
bool op_is_well_known(const jig_op *op);

/* What device code needs to know of an operator beside its text. */
typedef struct op_signature {
  int arity;               /* 0: of an index i; 1: of x; 2: of a and b */
  const jig_type *operand; /* of every operand */
  const jig_type *result;
} op_signature;

/* JIG_SUCCESS, or JIG_ERROR_INVALID_ARGUMENT saying what is wrong with the operator `what`: an incomplete
 * one, a well-known one that is not defined for its operands, one without the state it declares. */
jig_status op_check(const jig_op *op, const op_signature *signature, const char *what);

#endif
