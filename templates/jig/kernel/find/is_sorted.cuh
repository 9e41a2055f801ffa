// Device-wide search for where an input is no longer in order, in one launch.
#pragma once
#include <jig/agent/find/disorder_rule.cuh>
#include <jig/agent/find/find.cuh>
#include <jig/core/less.cuh>

namespace jig {

enum sorted_mode { sorted_whether, sorted_until };

template <class Policy, int Mode, bool AtOnce, class In, class Out, class Compare>
__device__ void is_sorted(const In &in, const Out &out, const Compare &compare, uint64_t num_items,
                          TileState<uint64_t> *partials, FindHint *hint, uint64_t tag) {
  using Rule = DisorderRule<In, less_of<Compare>>;
  using Agent = AgentFind<Policy, AtOnce, In, Rule>;
  using Result = typename Out::value_type;
  __shared__ typename Agent::TempStorage storage;
  uint64_t first;
  const Rule rule{less_of_op<Compare>::of(compare)};
  if (!Agent(storage, in, rule, num_items, hint, tag).Find(first, partials)) return;
  const bool found = first != Agent::nothing;
  if constexpr (Mode == sorted_whether) out.store(0, static_cast<Result>(!found));
  else out.store(0, static_cast<Result>(found ? first : num_items));
}

}  // namespace jig
