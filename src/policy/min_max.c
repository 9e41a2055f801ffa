#include "policy/min_max.h"

policy min_max_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return reduce_tuning_pack(reduce_tuning_for(iter_vector_items(in) * reduce_item_bytes(in),
                                              2 * (in->type.size + sizeof(int64_t)), sm));
}
