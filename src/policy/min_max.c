#include "policy/min_max.h"

static policy choose(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const policy found = reduce_policy_for(in, 2 * (in->type.size + sizeof(int64_t)), sm);
  reduce_tuning to = reduce_tuning_of(&found);
  tuning_take(told, &min_max_space, &to);
  return reduce_tuning_pack(to);
}

const policy_space min_max_space = {.choose = choose, .knobs = {REDUCE_KNOBS(reduce_tuning)}};
