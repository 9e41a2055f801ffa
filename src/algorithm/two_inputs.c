#include "algorithm/two_inputs.h"

#include "spec/operator.h"
#include "util/error.h"
#include "util/integer.h"

jig_status two_inputs_check_spec(const spec *s) {
  jig_status status = spec_check_same_type(s, "second_keys_in", "first_keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "first_keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "second_values_in", "first_values_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "first_values_in");
  if (status != JIG_SUCCESS || spec_find(s, "compare")->op != NULL) return status;
  return op_check_order(&spec_find(s, "first_keys_in")->iter->type, "first_keys_in");
}

const char *two_inputs_larger(uint64_t first, uint64_t second) {
  return first > second ? "first_num_items" : "second_num_items";
}

jig_status two_inputs_check_sum(const call *c, uint64_t first, uint64_t second) {
  if (sum_of(first, second) != TOO_LARGE) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: both together are more than can be counted",
                   c->name, two_inputs_larger(first, second));
}
