// A pass over the input in the search for the item of some rank.
#pragma once
#include <jig/agent/nth_element/nth_search.cuh>
#include <jig/agent/top_k/top_k_pass.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class In, class NthOut>
__device__ void nth_element_pass(const In &in, const NthOut &, const TopKCall &call) {
  using Sink = NthCandidatesSink<typename Keys::Bits, In>;
  using Agent = AgentTopKPass<Policy, Keys, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (Counted && call.k > call.num_items) return;
  const Sink sink = {call, in};
  Agent::Run(storage, sink);
}

}  // namespace jig
