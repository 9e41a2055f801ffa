#include "algorithm/reduce_parts.h"

#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"

jig_type reduce_init_type(const void *init, const jig_type *type, const jig_type *out) {
  return init != NULL && type->kind != JIG_KIND_NONE ? *type : *out;
}

jig_status reduce_check_spec(const spec *s) {
  const jig_type *accum = spec_find(s, "accum")->type, *init = spec_find(s, "init")->type;
  const jig_iter *init_in = spec_find(s, "init_in")->iter;
  jig_status status = accumulator_check(s, "in", "out");
  if (status == JIG_SUCCESS && init != NULL)
    status = type_check_conversion(init, accum, "init: its type");
  if (status != JIG_SUCCESS || init_in == NULL) return status;
  if (init != NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "init: it is given by value and by init_in, too");
  return type_check_conversion(&init_in->type, accum, "init_in: its type");
}

jig_status reduce_complete(parsed_spec *p) {
  const jig_type *first = &parsed_slot(p, "out")->iter->type, *init = parsed_slot(p, "init")->type;
  const jig_iter *init_in = parsed_slot(p, "init_in")->iter;
  if (init != NULL) first = init;
  if (init_in != NULL) first = &init_in->type;
  accumulator_complete(p, first, "in", "out");
  return JIG_SUCCESS;
}
