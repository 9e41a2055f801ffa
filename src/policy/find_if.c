#include "policy/find_if.h"

policy find_if_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return reduce_tuning_pack(
      reduce_tuning_for(iter_vector_items(in) * reduce_item_bytes(in), sizeof(uint64_t), sm));
}
