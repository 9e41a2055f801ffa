// Device-wide partition into three outputs, in one launch.
#pragma once
#include <jig/kernel/select/select_chain.cuh>

namespace jig {

template <class Policy, class Chain, class In, class First, class Second, class Unselected, class CountOut,
          class FirstOp, class SecondOp, class Count, class... ChainArgs>
__device__ void three_way_partition(const In &in, const First &first_out, const Second &second_out,
                                    const Unselected &unselected_out, const CountOut &count_out,
                                    FirstOp first_op, SecondOp second_op, Count num_items,
                                    ChainArgs... chain_args) {
  const Chain chain{chain_args...};
  const ThreeWaySink<First, Second, Unselected> sink{first_out, second_out, unselected_out};
  run_select<Policy>(chain, in, TwoTestsRule<In, FirstOp, SecondOp>{first_op, second_op}, sink, count_out,
                     num_items, false);
}

}  // namespace jig
