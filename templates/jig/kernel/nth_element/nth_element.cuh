// Device-wide partition by the item of some rank, which has been found: what comes before it goes to the front, and all
// else behind it.
#pragma once
#include <jig/agent/nth_element/nth_rule.cuh>
#include <jig/core/iterator/discard.cuh>
#include <jig/kernel/select/select_chain.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, class Chain, class Keys, class In, class Out, class ValuesIn, class ValuesOut,
          class Count, class... ChainArgs>
__device__ void nth_element(const In &in, const Out &out, const ValuesIn &values_in, const ValuesOut &values_out,
                            const TopKCall &call, Count num_items, ChainArgs... chain_args) {
  if constexpr (!is_same<Out, none>) {
    ptx::wait_for_prerequisite_grids();  // which have found the item
    if (is_same<Count, DeviceCount> && call.k > call.num_items) return;
    const Chain chain{chain_args...};
    const NthFound<typename Keys::Bits> &nth = *static_cast<const NthFound<typename Keys::Bits> *>(call.records);
    const NthRule<In, Keys> rule = {Keys(call, in), nth, {}};
    const NthSink<Out> sink{out, call.k - 1};
    const Discard<uint64_t> counts{};
    if constexpr (is_same<ValuesIn, none>) {
      run_select<Policy>(chain, in, rule, sink, counts, num_items, false);
    } else {
      const NthSink<ValuesOut> values_sink{values_out, call.k - 1};
      run_select<Policy>(chain, in, rule, sink, counts, num_items, false, values_in, values_sink);
    }
  }
}

}  // namespace jig
