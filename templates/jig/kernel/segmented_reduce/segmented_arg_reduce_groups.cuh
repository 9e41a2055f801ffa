// The smallest or largest item of each small segment of one size, with its index.
#pragma once
#include <jig/agent/segmented_reduce/segment_arg_rule.cuh>
#include <jig/agent/segmented_reduce/segment_groups.cuh>

namespace jig {

template <class Policy, SegmentGroups Form, bool Max, bool PropagateNan, class In, class ValueOut, class IndexOut,
          class Compare>
__device__ void segmented_arg_reduce_groups(const In &in, const ValueOut &value_out, const IndexOut &index_out,
                                            const Compare &compare, const SegmentedReduceCall &call) {
  using Value = typename In::value_type;
  ptx::wait_for_prerequisite_grids();
  const auto rule = arg_reduce_rule<Value, Max, PropagateNan>(value_out, index_out, compare);
  using Rule = decltype(arg_reduce_rule<Value, Max, PropagateNan>(value_out, index_out, compare));
  AgentSegmentGroups<Policy, Form, indexed_value<Value>, In, Rule>(in, rule, call).Run();
}

}  // namespace jig
