#include "policy/min_max.h"

policy min_max_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return reduce_policy_for(in, 2 * (in->type.size + sizeof(int64_t)), sm);
}
