// The smallest or largest item of each segment with its index, in one launch.
#pragma once
#include <jig/agent/segmented_reduce/segment_arg_rule.cuh>
#include <jig/agent/segmented_reduce/segmented_reduce_by_rule.cuh>

namespace jig {

template <class Policy, bool Max, bool PropagateNan, bool Counted, SegmentNumber Number, class In, class ValueOut,
          class IndexOut, class Begins, class Ends, class Compare, class Accum>
__device__ void segmented_arg_reduce(const In &in, const ValueOut &value_out, const IndexOut &index_out,
                                     const Begins &begins, const Ends &ends, const Compare &compare,
                                     const SegmentedReduceCall &call, TileState<Accum> *partials) {
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  const auto rule = arg_reduce_rule<typename In::value_type, Max, PropagateNan>(value_out, index_out, compare);
  segmented_reduce_by_rule<Policy, Number>(in, begins, ends, rule, call, partials);
}

}  // namespace jig
