// A top-k of as few items as one block or cluster looks through; or of bytes that are counted, which the kernel for
// larger blocks does, whatever there is.
#pragma once
#include <jig/agent/top_k/top_k_cluster.cuh>
#include <jig/agent/top_k/top_k_count.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, bool LooksAtTies = false, class KeysIn, class KeysOut, class ValuesIn,
          class ValuesOut>
__device__ void top_k_block(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                            const ValuesOut &values_out, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_call(given) : given;
  const TopKCall &call = Counted ? counted : given;
  if constexpr (Policy::counts && !LooksAtTies) {
    // Nobody calls it.
  } else if constexpr (Policy::counts) {
    using Agent = AgentTopKCount<Policy, Keys, KeysIn>;
    __shared__ typename Agent::TempStorage storage;
    ptx::wait_for_prerequisite_grids();
    if (Counted && call.k == 0) return;
    Agent(storage, call, keys_in).Run(keys_out);
  } else {
    using Sink = TopKSink<typename Keys::Bits, KeysIn, KeysOut, ValuesIn, ValuesOut>;
    const Sink sink = {call, keys_in, keys_out, values_in, values_out};
    using Source = TopKInput<Keys, typename Sink::KeysIn, true>;
    using Agent = AgentTopKCluster<Policy, Source, Sink, LooksAtTies>;
    __shared__ typename Agent::TempStorage storage;
    ptx::wait_for_prerequisite_grids();
    if (Counted && call.k == 0) return;
    const Source source = {keys_in, Keys(call, keys_in), call.num_items};
    Agent::Run(storage, source, sink, call.num_items - 1, call.k, 0);
  }
}

}  // namespace jig
