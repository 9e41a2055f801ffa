// A top-k's first launch, of one block or cluster.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_sample.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
__device__ void top_k_sample(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                             const ValuesOut &values_out, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_sample<Policy>(given) : given;
  const TopKCall &call = Counted ? counted : given;
  using Agent = AgentTopKSample<Policy, Keys, KeysIn>;
  static_assert(sizeof(TopKControl<typename Keys::Bits>) <= top_k_control_bytes);
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (Counted && call.k == 0) return;
  Agent(storage, call, keys_in).Run();
}

}  // namespace jig
