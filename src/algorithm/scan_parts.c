#include "algorithm/scan_parts.h"

#include "algorithm/accumulator.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"

const char *const scan_modes[] = {"inclusive", "exclusive", NULL};

jig_status scan_check_folds(const spec *s, const char *in, const char *out) {
  const jig_type *accum = spec_find(s, "accum")->type;
  const jig_iter *init = spec_find(s, "init")->iter;
  const jig_status status = accumulator_check(s, in, out);
  if (status != JIG_SUCCESS) return status;
  if (init != NULL) return type_check_conversion(&init->type, accum, "init: its type");
  if (spec_find(s, "mode")->choice != JIG_SCAN_EXCLUSIVE || op_is_built_in(spec_find(s, "op")->op, accum))
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "init: an exclusive scan needs one, as the operator has no identity that jig knows");
}

jig_status scan_check_spec(const spec *s) {
  return scan_check_folds(s, "in", "out");
}

void scan_complete(parsed_spec *p, const char *in, const char *out) {
  const jig_iter *init = parsed_slot(p, "init")->iter;
  accumulator_complete(p, init != NULL ? &init->type : &parsed_slot(p, in)->iter->type, in, out);
}

static const jig_iter *find_init(const scan_given *given, jig_iter *by_value) {
  if (given->init == NULL) return iter_given(given->init_in);
  *by_value = jig_constant(given->init,
                           given->init_type->kind != JIG_KIND_NONE ? *given->init_type : *given->result);
  return by_value;
}

void scan_find_parts(const scan_given *given, scan_parts *parts) {
  parts->op = accumulator_op(given->op);
  parts->init = find_init(given, &parts->init_by_value);
  const jig_type *first = parts->init != NULL ? &parts->init->type : given->item;
  parts->accum = accumulator_type(given->accum_type, parts->op, first, given->item, given->result);
  parts->ignore_nan = accumulator_ignores_nan(parts->op, &parts->accum, given->nan);
  parts->determinism = accumulator_determinism(parts->op, &parts->accum, given->determinism);
}

jig_status scan_check_choices(const char *name, const scan_given *given) {
  jig_status status = call_check_choice(name, "mode", (int)given->mode, JIG_SCAN_EXCLUSIVE);
  if (status == JIG_SUCCESS) status = call_check_fold(name, given->nan, given->determinism);
  if (status == JIG_SUCCESS && given->init != NULL && given->init_in->kind != JIG_ITER_NONE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: init: it is given by value and by init_in, too",
                     name);
  return status;
}
