#include "algorithm/by_key.h"

#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

jig_status by_key_check_equality(const spec *s, const char *keys) {
  if (spec_find(s, "equality")->op != NULL) return JIG_SUCCESS;
  return op_check_equality(&spec_find(s, keys)->iter->type, keys);
}

jig_status by_key_check_integer(const spec *s, const char *slot) {
  const jig_type *type = &spec_find(s, slot)->iter->type;
  if (type_is_integer(type) && type->kind != JIG_KIND_BOOL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: it must be of an integer type, not %s", slot,
                   jig_type_name(type));
}

void by_key_describe_equality(spec_slot *slot, const jig_op *equality) {
  if (equality->kind != JIG_OP_NONE) slot->op = equality;
}

jig_status by_key_check_counts(const call *c, const char *argument, const by_key_place *places,
                               size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; status == JIG_SUCCESS && i < count; ++i)
    status = call_check_count(c, argument, places[i].count, places[i].iter, places[i].name);
  return status;
}

static jig_status check_place(const call *c, const by_key_place *place) {
  if (place->count == 0) return JIG_SUCCESS;
  const jig_status status = call_check_iter(c, place->iter, place->count, place->name);
  return status == JIG_SUCCESS ? call_check_overlap(c, place->iter, place->count, place->name) : status;
}

jig_status by_key_check_places(const call *c, const by_key_place *places, size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; status == JIG_SUCCESS && i < count; ++i) status = check_place(c, &places[i]);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; places[i].is_output && k < count; ++k) {
      if (status == JIG_SUCCESS && k != i)
        status = call_check_apart(c, places[i].iter, places[i].count, places[i].name, places[k].iter,
                                  places[k].count, places[k].name);
    }
  }
  return status;
}

unsigned by_key_vector_items(const jig_iter *keys, const jig_iter *values) {
  return (unsigned)min_of(iter_vector_items(keys), iter_vector_items(values));
}

size_t by_key_state_bytes(const jig_type *accum, size_t count_bytes) {
  const size_t align = accum->align > count_bytes ? accum->align : count_bytes;
  return align_up(align_up(accum->size, count_bytes) + count_bytes, align);
}
