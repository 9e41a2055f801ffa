// A pass over the input in the search for the item of some rank.
#pragma once
#include <jig/agent/nth_element/nth_search.cuh>
#include <jig/agent/top_k/top_k_pass.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class In, class NthOut>
__device__ void nth_element_pass(const In &in, const NthOut &nth_out, const TopKCall &call) {
  using Sink = NthCandidatesSink<typename Keys::Bits, In>;
  using Last = NthItemSink<typename Keys::Bits, In, NthOut>;
  using Agent = AgentTopKPass<Policy, Keys, Sink, Last>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.k > call.num_items) return;
  const Sink sink = {call, in};
  Agent(storage, sink, Last{call, in, nth_out}).Run();
}

}  // namespace jig
