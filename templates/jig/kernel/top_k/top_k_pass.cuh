// A top-k's pass over its input.
#pragma once
#include <jig/agent/top_k/top_k_pass.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
__device__ void top_k_pass(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                           const ValuesOut &values_out, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_call(given) : given;
  const TopKCall &call = Counted ? counted : given;
  using Sink = TopKSink<typename Keys::Bits, KeysIn, KeysOut, ValuesIn, ValuesOut>;
  const Sink sink = {call, keys_in, keys_out, values_in, values_out};
  using Agent = AgentTopKPass<Policy, Keys, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (Counted && call.k == 0) return;
  Agent::Run(storage, sink);
}

}  // namespace jig
