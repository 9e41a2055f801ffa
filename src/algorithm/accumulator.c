#include "algorithm/accumulator.h"

#include <stdio.h>

#include "spec/complete.h"
#include "spec/operator.h"
#include "spec/type.h"

static bool is_extreme(const jig_op *op) {
  return op->kind == JIG_OP_MIN || op->kind == JIG_OP_MAX;
}

const jig_op *accumulator_op(const jig_op *given) {
  static const jig_op plus = {.kind = JIG_OP_PLUS};
  return given->kind != JIG_OP_NONE ? given : &plus;
}

/* The usual arithmetic conversion is a least upper bound, so the order of the three does not matter. */
static jig_type common_of_three(const jig_type *first, const jig_type *item, const jig_type *out) {
  const jig_type common = type_common(first, item, true);
  return type_is_number(out) && out->kind != common.kind ? type_common(&common, out, true) : common;
}

jig_type accumulator_type(const jig_type *given, const jig_op *op, const jig_type *first,
                          const jig_type *item, const jig_type *out) {
  if (given->kind != JIG_KIND_NONE) return *given;
  if (!type_exists(first)) return *item; /* it is refused by its own name */
  if (!op_is_well_known(op) || !type_is_number(first) || !type_is_number(item)) return *first;
  switch (op->kind) {
    case JIG_OP_PLUS:
    case JIG_OP_MULTIPLIES:
      return common_of_three(first, item, out);
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

jig_status accumulator_check(const spec *s, const char *in, const char *out) {
  const jig_type *accum = spec_find(s, "accum")->type;
  char what[96];
  (void)snprintf(what, sizeof what, "%s: the item type", in);
  const jig_status status = type_check_conversion(&spec_find(s, in)->iter->type, accum, what);
  if (status != JIG_SUCCESS) return status;
  (void)snprintf(what, sizeof what, "%s: the accumulator type", out);
  return type_check_conversion(accum, &spec_find(s, out)->iter->type, what);
}

void accumulator_complete(parsed_spec *p, const jig_type *first, const char *in, const char *out) {
  static const jig_type not_given = {.kind = JIG_KIND_NONE};
  const jig_op *op = parsed_slot(p, "op")->op;
  const jig_type *given = parsed_slot(p, "accum")->type;
  const jig_type accum =
      accumulator_type(given != NULL ? given : &not_given, op, first, &parsed_slot(p, in)->iter->type,
                       &parsed_slot(p, out)->iter->type);
  *parsed_type(p, "accum") = accum;
  int *determinism = &parsed_slot(p, "determinism")->choice;
  *determinism = accumulator_determinism(op, &accum, (jig_determinism)*determinism);
}

bool accumulator_ignores_nan(const jig_op *op, const jig_type *accum, jig_nan nan) {
  return is_extreme(op) && nan == JIG_NAN_IGNORE && type_has_nan(accum);
}

static bool is_exact(const jig_op *op, const jig_type *accum) {
  return op_is_built_in(op, accum) && (type_is_integer(accum) || is_extreme(op));
}

const char *const fold_determinisms[] = {
    [JIG_DETERMINISM_RUN_TO_RUN] = "run_to_run", [JIG_DETERMINISM_GPU_TO_GPU] = "gpu_to_gpu", NULL};

int accumulator_determinism(const jig_op *op, const jig_type *accum, jig_determinism wanted) {
  return wanted == JIG_DETERMINISM_GPU_TO_GPU && !is_exact(op, accum) ? JIG_DETERMINISM_GPU_TO_GPU
                                                                      : JIG_DETERMINISM_RUN_TO_RUN;
}
