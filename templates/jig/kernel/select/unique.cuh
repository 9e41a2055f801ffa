// Device-wide unique in one launch.
#pragma once
#include <jig/agent/select/unique_rule.cuh>
#include <jig/kernel/select/select_chain.cuh>

namespace jig {

template <class Policy, class Chain, class In, class Out, class ValuesIn, class ValuesOut, class CountOut,
          class Op, class Count, class... ChainArgs>
__device__ void unique(const In &in, const Out &out, const ValuesIn &values_in,
                       const ValuesOut &values_out, const CountOut &count_out, Op op, Count num_items,
                       int in_place, ChainArgs... chain_args) {
  using Equal = conditional<is_same<Op, none>, equal_to, Op>;
  UniqueRule<In, Equal> rule{};
  if constexpr (!is_same<Op, none>) rule.equal = op;
  const SelectSink<Out> sink{out};
  const Chain chain{chain_args...};
  if constexpr (is_same<ValuesIn, none>) {
    run_select<Policy>(chain, in, rule, sink, count_out, num_items, in_place != 0);
  } else if constexpr (gathers_values<ValuesIn, ValuesOut> && !is_of_cluster<Chain>) {
    run_select<Policy>(chain, in, rule, sink, count_out, num_items, in_place != 0, values_in,
                       GatheringSink<ValuesOut>{{values_out}});
  } else {
    const SelectSink<ValuesOut> values_sink{values_out};
    run_select<Policy>(chain, in, rule, sink, count_out, num_items, in_place != 0, values_in,
                       values_sink);
  }
}

}  // namespace jig
