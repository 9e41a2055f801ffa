// Segmented reduce in one launch, of segments of any lengths.
#pragma once
#include <jig/agent/segmented_reduce/segment_rule.cuh>
#include <jig/agent/segmented_reduce/segmented_reduce_by_rule.cuh>
#include <jig/core/extremes_by_bits.cuh>

namespace jig {

// Threads that fold many segments wait for instructions to be issued, others for the one before.
template <SegmentNumber Number, class Accum, class Op> __device__ auto operator_for(const Op &op) {
  constexpr bool by_bits = Number == SEGMENTS_MANY && is_same<Accum, double>;
  if constexpr (by_bits && is_same<Op, minimum<true>>) return minimum_by_bits();
  else if constexpr (by_bits && is_same<Op, maximum<true>>) return maximum_by_bits();
  else return op;
}

template <class Policy, bool Counted, SegmentNumber Number, class Accum, class In, class Out, class Begins,
          class Ends, class Init, class InitIn, class Op>
__device__ void segmented_reduce(const In &in, const Out &out, const Begins &begins, const Ends &ends, const Init &init,
                                 const InitIn &init_in, const Op &op, const SegmentedReduceCall &call,
                                 TileState<Accum> *partials) {
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  const auto rule = reduce_rule<Accum>(out, init, init_in, operator_for<Number, Accum>(op));
  segmented_reduce_by_rule<Policy, Number>(in, begins, ends, rule, call, partials);
}

}  // namespace jig
