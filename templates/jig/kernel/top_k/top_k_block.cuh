// A top-k of as few items as one block looks through.
#pragma once
#include <jig/agent/top_k/top_k_block.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> __device__ void top_k_block(const Sink &sink) {
  using Bits = typename Keys::Bits;
  using Source = TopKInput<Keys, typename Sink::KeysIn>;
  using Agent = AgentTopKBlock<Policy::threads, Policy::items, Source, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const TopKCall &call = sink.call;
  const Source source = {sink.keys_in, Keys(call), call.num_items};
  Agent::Run(storage, source, sink, TopKSearch<Bits>::all(Keys::width, bit_length(call.num_items - 1), call.k), 0);
}

}  // namespace jig
