// Segmented reduce of small segments of one size.
#pragma once
#include <jig/agent/segmented_reduce/segment_groups.cuh>
#include <jig/agent/segmented_reduce/segment_rule.cuh>

namespace jig {

template <class Policy, SegmentGroups Form, class Accum, class In, class Out, class Init, class InitIn, class Op>
__device__ void segmented_reduce_groups(const In &in, const Out &out, const Init &init, const InitIn &init_in,
                                        const Op &op, const SegmentedReduceCall &call) {
  ptx::wait_for_prerequisite_grids();
  const auto rule = reduce_rule<Accum>(out, init, init_in, op);
  using Rule = decltype(reduce_rule<Accum>(out, init, init_in, op));
  AgentSegmentGroups<Policy, Form, Accum, In, Rule>(in, rule, call).Run();
}

}  // namespace jig
