// The first launch of the search for the item of some rank, of one block or cluster: top-k's.
#pragma once
#include <jig/agent/top_k/top_k_sample.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class In, class NthOut>
__device__ void nth_element_sample(const In &in, const NthOut &, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_sample<Policy>(given) : given;
  const TopKCall &call = Counted ? counted : given;
  using Agent = AgentTopKSample<Policy, Keys, In>;
  static_assert(sizeof(TopKControl<typename Keys::Bits>) <= top_k_control_bytes);
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (Counted && given.k > given.num_items) return;
  Agent(storage, call, in).Run();
}

}  // namespace jig
