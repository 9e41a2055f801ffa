// Device-wide select in one launch.
#pragma once
#include <jig/kernel/select/select_chain.cuh>

namespace jig {

template <class Policy, class Chain, class In, class Flags, class Out, class CountOut, class Test,
          class Count, class... ChainArgs>
__device__ void select(const In &in, const Flags &flags, const Out &out, const CountOut &count_out,
                       Test test, Count num_items, int in_place, ChainArgs... chain_args) {
  const Chain chain{chain_args...};
  const SelectSink<Out> sink{out};
  if constexpr (is_same<Flags, none>) {
    run_select<Policy>(chain, in, ItemRule<In, Test>{test}, sink, count_out, num_items, in_place != 0);
  } else if constexpr (is_same<Test, none>) {
    run_select<Policy>(chain, in, FlagRule<In, Flags, is_true>{flags, {}}, sink, count_out,
                       num_items, in_place != 0);
  } else {
    run_select<Policy>(chain, in, FlagRule<In, Flags, Test>{flags, test}, sink, count_out,
                       num_items, in_place != 0);
  }
}

}  // namespace jig
