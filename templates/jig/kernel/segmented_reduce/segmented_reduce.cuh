// Segmented reduce in one launch, of segments of any lengths.
#pragma once
#include <jig/agent/segmented_reduce/segment_rule.cuh>
#include <jig/agent/segmented_reduce/segmented_reduce.cuh>

namespace jig {

template <class Policy, bool Counted, class Accum, class In, class Out, class Begins, class Ends, class Init, class InitIn,
          class Op>
__device__ void segmented_reduce(const In &in, const Out &out, const Begins &begins, const Ends &ends, const Init &init,
                                 const InitIn &init_in, const Op &op, const SegmentedReduceCall &call,
                                 TileState<Accum> *partials) {
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  const SegmentItems<Begins, Ends> items(begins, ends, call);
  const auto rule = reduce_rule<Accum>(out, init, init_in, op);
  using Rule = decltype(reduce_rule<Accum>(out, init, init_in, op));
  using Agent = AgentSegmentedReduce<Policy, Accum, In, SegmentItems<Begins, Ends>, Rule>;
  __shared__ typename Agent::TempStorage storage;
  Agent(storage, in, items, rule, call, partials).Run();
}

}  // namespace jig
