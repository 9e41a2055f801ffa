#include "policy/find_if.h"

policy find_if_policy(const spec *s, int sm) {
  return reduce_policy_for(spec_find(s, "in")->iter, sizeof(uint64_t), sm);
}
