#include "policy/find_if.h"

policy find_if_policy(const spec *s, int sm) {
  return reduce_policy_for(spec_find(s, "in")->iter, sizeof(uint64_t), sm);
}

policy is_sorted_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const policy found = find_if_policy(s, sm);
  reduce_tuning to = reduce_tuning_of(&found);
  to.unroll = (to.unroll + 1) / 2; /* with the items before them, more spilled */
  if (in->kind != JIG_ITER_POINTER || in->type.size > sizeof(uint64_t)) to.min_blocks = 1;
  return reduce_tuning_pack(to);
}
