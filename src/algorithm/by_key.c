#include "algorithm/by_key.h"

#include "policy/chain.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

jig_status by_key_check_equality(const spec *s, const char *keys) {
  if (spec_find(s, "equality")->op != NULL) return JIG_SUCCESS;
  return op_check_equality(&spec_find(s, keys)->iter->type, keys);
}

void by_key_describe_equality(spec_slot *slot, const jig_op *equality) {
  if (equality->kind != JIG_OP_NONE) slot->op = equality;
}

size_t by_key_state_bytes(const jig_type *accum, size_t count_bytes) {
  const size_t align = accum->align > count_bytes ? accum->align : count_bytes;
  return align_up(align_up(accum->size, count_bytes) + count_bytes, align);
}

int by_key_count_kernels(const spec *s) {
  enum { MOST_CLUSTER_BYTES = 16 };
  const bool has_cluster =
      spec_find(s, "accum")->type->size <= MOST_CLUSTER_BYTES && !spec_is_gpu_to_gpu(s);
  return has_cluster ? CHAIN_ALL_KERNELS : CHAIN_KERNELS;
}
