// Device-wide partition in one launch.
#pragma once
#include <jig/kernel/select/select_chain.cuh>

namespace jig {

template <class Policy, class Chain, class In, class Flags, class Out, class Rejected, class CountOut,
          class Test, class Count, class... ChainArgs>
__device__ void partition(const In &in, const Flags &flags, const Out &out, const Rejected &rejected,
                          const CountOut &count_out, Test test, Count num_items,
                          ChainArgs... chain_args) {
  const Chain chain{chain_args...};
  const PartitionSink<Out, Rejected> sink{out, rejected, num_items};
  if constexpr (is_same<Flags, none>) {
    run_select<Policy>(chain, in, ItemRule<In, Test>{test}, sink, count_out, num_items, false);
  } else if constexpr (is_same<Test, none>) {
    run_select<Policy>(chain, in, FlagRule<In, Flags, is_true>{flags, {}}, sink, count_out,
                       num_items, false);
  } else {
    run_select<Policy>(chain, in, FlagRule<In, Flags, Test>{flags, test}, sink, count_out,
                       num_items, false);
  }
}

}  // namespace jig
