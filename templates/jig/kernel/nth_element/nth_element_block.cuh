// The search for the item of some rank among as few as one block or cluster looks through.
#pragma once
#include <jig/agent/nth_element/nth_search.cuh>
#include <jig/agent/top_k/top_k_cluster.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class In, class NthOut>
__device__ void nth_element_block(const In &in, const NthOut &nth_out, const TopKCall &call) {
  using Bits = typename Keys::Bits;
  using Sink = NthItemSink<Bits, In, NthOut>;
  using Source = TopKInput<Keys, In, true>;
  using Agent = AgentTopKCluster<Policy, Source, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.k > call.num_items) return;
  const Sink sink = {call, in, nth_out};
  const Source source = {in, Keys(call, in), call.num_items};
  Agent::Run(storage, source, sink, call.num_items - 1, call.k, 0);
}

}  // namespace jig
