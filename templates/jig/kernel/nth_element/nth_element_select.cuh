// The search for the item of some rank by all blocks, if anything is left to find.
#pragma once
#include <jig/agent/nth_element/nth_search.cuh>
#include <jig/agent/top_k/top_k_select.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class In, class NthOut>
__device__ void nth_element_select(const In &in, const NthOut &nth_out, const TopKCall &call) {
  using Sink = NthItemSink<typename Keys::Bits, In, NthOut>;
  using Agent = AgentTopKSelect<Policy, Keys, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.k > call.num_items) return;
  const Sink sink = {call, in, nth_out};
  Agent(storage, sink).Run();
}

}  // namespace jig
