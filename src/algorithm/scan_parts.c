#include "algorithm/scan_parts.h"

#include <stdio.h>

#include "algorithm/accumulator.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"

const char *const scan_modes[] = {"inclusive", "exclusive", NULL};

jig_status scan_check_folds(const spec *s, const char *in, const char *out) {
  char what[96];
  const jig_type *accum = spec_find(s, "accum")->type;
  const jig_iter *init = spec_find(s, "init")->iter;
  (void)snprintf(what, sizeof what, "%s: the item type", in);
  jig_status status = type_check_conversion(&spec_find(s, in)->iter->type, accum, what);
  (void)snprintf(what, sizeof what, "%s: the accumulator type", out);
  if (status == JIG_SUCCESS) status = type_check_conversion(accum, &spec_find(s, out)->iter->type, what);
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

scan_parts scan_parts_of(const jig_scan_args *args) {
  const bool has_type = args->init_type.kind != JIG_KIND_NONE;
  scan_parts parts = {.op = args->op.kind != JIG_OP_NONE ? args->op : JIG_PLUS, .init = args->init_in};
  if (args->init != NULL)
    parts.init = jig_constant(args->init, has_type ? args->init_type : args->out.type);
  const jig_type *first = parts.init.kind != JIG_ITER_NONE ? &parts.init.type : &args->in.type;
  parts.accum = accumulator_type(&args->accum_type, &parts.op, first, &args->in.type, &args->out.type);
  parts.ignore_nan = accumulator_ignores_nan(&parts.op, &parts.accum, args->nan);
  parts.determinism = accumulator_determinism(&parts.op, &parts.accum, args->determinism);
  return parts;
}

jig_status scan_check_choices(const char *name, const jig_scan_args *args) {
  jig_status status = call_check_choice(name, "mode", (int)args->mode, JIG_SCAN_EXCLUSIVE);
  if (status == JIG_SUCCESS) status = call_check_fold(name, args->nan, args->determinism);
  if (status == JIG_SUCCESS && args->init != NULL && args->init_in.kind != JIG_ITER_NONE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: init: it is given by value and by init_in, too",
                     name);
  return status;
}
