#include "algorithm/accumulator.h"

#include "spec/operator.h"
#include "spec/type.h"

static bool is_extreme(const jig_op *op) {
  return op->kind == JIG_OP_MIN || op->kind == JIG_OP_MAX;
}

jig_type accumulator_type(const jig_op *op, const jig_type *first, const jig_type *item) {
  if (!op_is_well_known(op) || !type_is_number(first) || !type_is_number(item)) return *first;
  switch (op->kind) {
    case JIG_OP_LOGICAL_AND:
    case JIG_OP_LOGICAL_OR:
      return JIG_BOOL;
    case JIG_OP_MIN:
    case JIG_OP_MAX:
      return type_common(first, item, false);
    default:
      return type_common(first, item, true);
  }
}

bool accumulator_ignores_nan(const jig_op *op, const jig_type *accum, jig_nan nan) {
  return is_extreme(op) && nan == JIG_NAN_IGNORE && type_has_nan(accum);
}

bool accumulator_is_exact(const jig_op *op, const jig_type *accum) {
  return op_is_built_in(op, accum) && (type_is_integer(accum) || is_extreme(op));
}
