#include "algorithm/arg_order.h"

#include <inttypes.h>

#include "algorithm/by_key.h"
#include "algorithm/reduce_plan.h"
#include "spec/type.h"
#include "util/error.h"

const char *const arg_order_ops[] = {"min", "max", NULL};
const char *const arg_order_nans[] = {
    [JIG_NAN_PROPAGATE] = "propagate", [JIG_NAN_IGNORE] = "ignore", NULL};

/* Whether NaNs are dealt with here, and not by an order. */
static bool deals_with_nan(const jig_type *item, const jig_op *order) {
  return order == NULL && type_has_nan(item);
}

jig_status arg_order_check(const spec *s) {
  jig_status status = spec_check_integer(s, "index_out");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "value_out", "in");
  return status == JIG_SUCCESS ? arg_order_check_items(s) : status;
}

jig_status arg_order_check_items(const spec *s) {
  const jig_type *item = &spec_find(s, "in")->iter->type;
  const jig_op *order = spec_find(s, "compare")->op;
  const jig_status status = order == NULL ? op_check_order(item, "in") : JIG_SUCCESS;
  if (status != JIG_SUCCESS || spec_find(s, "nan")->choice == JIG_NAN_PROPAGATE ||
      deals_with_nan(item, order))
    return status;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "nan: there are no NaNs among %s to be ignored%s",
                   jig_type_name(item), order != NULL ? " by an order" : "");
}

/* Whether an order is the default's, or the same backwards: not of numbers that may be NaN, which these
 * put last. */
static bool is_default(const jig_op *order, const jig_type *item) {
  return (order->kind == JIG_OP_LESS || order->kind == JIG_OP_GREATER) && !op_has_state(order) &&
         !type_has_nan(item);
}

void arg_order_complete(parsed_spec *p) {
  spec_slot *compare = parsed_slot(p, "compare");
  const jig_type *item = &parsed_slot(p, "in")->iter->type;
  if (compare->op != NULL && is_default(compare->op, item)) {
    parsed_slot(p, "op")->choice ^= compare->op->kind == JIG_OP_GREATER;
    compare->op = NULL;
  }
  if (!deals_with_nan(item, compare->op)) parsed_slot(p, "nan")->choice = JIG_NAN_PROPAGATE;
}

jig_status arg_order_bind(const char *name, const arg_order *order, const jig_type *item,
                          spec_slot *compare, spec_slot *nan, spec_slot *op) {
  const bool left_out = order->compare->kind == JIG_OP_NONE || is_default(order->compare, item);
  const bool backwards = left_out && order->compare->kind == JIG_OP_GREATER;
  compare->op = left_out ? NULL : order->compare;
  nan->choice = deals_with_nan(item, compare->op) ? (int)order->nan : JIG_NAN_PROPAGATE;
  op->choice = (order->op->kind == JIG_OP_MAX) != backwards;
  if (order->op->kind != JIG_OP_NONE && order->op->kind != JIG_OP_MIN && order->op->kind != JIG_OP_MAX)
    return error_set(
        JIG_ERROR_INVALID_ARGUMENT,
        "%s: op: it must be JIG_MIN or JIG_MAX; an operator that compares is given as 'compare'", name);
  const jig_status status = call_check_choice(name, "nan", (int)order->nan, JIG_NAN_IGNORE);
  return status == JIG_SUCCESS
             ? call_check_choice(name, "determinism", (int)order->determinism, JIG_DETERMINISM_NONE)
             : status;
}

jig_status arg_order_check_index(const call *c, const jig_type *type, const char *name,
                                 uint64_t num_items) {
  const uint64_t largest = type_largest(type), negative = !type_is_unsigned(type); /* -1 is all ones */
  if (num_items <= largest || num_items - negative <= largest) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: %s: %s has indices for %" PRIu64 " items, not for %" PRIu64, c->name, name,
                   jig_type_name(type), largest + negative, num_items);
}

temp_layout arg_order_temp(uint64_t num_items, const jig_type *item, size_t items) {
  const jig_type held = type_held(item);
  return reduce_temp(num_items, items * by_key_state_bytes(&held, sizeof(uint64_t)), REDUCE_CALLS);
}
