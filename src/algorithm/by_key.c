#include "algorithm/by_key.h"

#include "util/error.h"
#include "util/integer.h"

const jig_type by_key_bool = {JIG_KIND_BOOL, 1, 1, NULL, NULL};

jig_status by_key_check_equality(const spec *s, const char *keys) {
  const jig_type *type = &spec_find(s, keys)->iter->type;
  if (spec_find(s, "equality")->op != NULL || op_has_equality(type)) return JIG_SUCCESS;
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT, "equality: %s of %s cannot be compared by ==; give an operator%s", keys,
      jig_type_name(type), type->kind == JIG_KIND_STRUCT ? ", or an operator== to its definition" : "");
}

void by_key_describe_equality(spec_slot *slot, const jig_op *equality) {
  if (equality->kind != JIG_OP_NONE) slot->op = equality;
}

jig_status by_key_check_equality_value(const jig_op *equality, const char *what) {
  return equality->kind != JIG_OP_NONE ? op_check_state_value(equality, what) : JIG_SUCCESS;
}

void by_key_pack_equality(const jig_op *equality, unsigned char *bytes) {
  bytes[0] = 0; /* what jig::none is */
  if (equality->kind != JIG_OP_NONE) op_pack(equality, bytes);
}

unsigned by_key_run_items(const jig_iter *keys, const jig_iter *values) {
  return (unsigned)min_of(iter_run_items(keys), iter_run_items(values));
}

size_t by_key_state_bytes(const jig_type *accum, size_t count_bytes) {
  const size_t align = accum->align > count_bytes ? accum->align : count_bytes;
  return align_up(align_up(accum->size, count_bytes) + count_bytes, align);
}
