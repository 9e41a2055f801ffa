// Folds that begin anew at every head: what is open at the end of a part of the input.
#pragma once
#include <jig/agent/chain/lane_fold.cuh>
#include <jig/agent/chain/optional.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

// What a part of the input comes to: the fold of its items since its last head, or of all of them if it
// has none; and how many heads it has, or, with a Count of bool, whether it has any.
template <class Accum, class Count> struct OpenRun {
  Accum value;
  Count heads;

  template <class Wider> __device__ explicit operator OpenRun<Accum, Wider>() const { return {value, heads}; }
};

template <class Accum> __device__ bool needs_no_prefix(const OpenRun<Accum, bool> &run) { return run.heads; }
template <class Accum> constexpr bool may_need_no_prefix<OpenRun<Accum, bool>> = true;

// A Count that tells no more than bool, as wide as an Accum is aligned: so nothing of the whole is left unset. Signed,
// unlike what counts.
template <class Accum>
using HeadFlag = conditional<
    (alignof(Accum) > 8), int128_t,
    conditional<(alignof(Accum) > 4), int64_t,
                conditional<(alignof(Accum) > 2), int32_t, conditional<(alignof(Accum) > 1), int16_t, int8_t>>>>;
template <class Accum> __device__ bool needs_no_prefix(const OpenRun<Accum, HeadFlag<Accum>> &run) {
  return run.heads != 0;
}
template <class Accum> constexpr bool may_need_no_prefix<OpenRun<Accum, HeadFlag<Accum>>> = true;

// What has the heads of both. Flags are not added up: a sum of narrow ones can be 0 again.
template <class Count> __device__ Count sum_of_heads(Count a, Count b) {
  if constexpr (Count(-1) < Count(0)) return a | b;
  else return a + b;
}

template <class Op> struct OpenRunOp {
  Op op;
  template <class T> static __device__ T identity() {
    return {Op::template identity<decltype(T::value)>(), 0};
  }
  // `b` may count in a narrower type.
  template <class Accum, class Count, class Other>
  __device__ OpenRun<Accum, Count> operator()(const OpenRun<Accum, Count> &a,
                                              const OpenRun<Accum, Other> &b) const {
    return {b.heads ? b.value : op(a.value, b.value), sum_of_heads<Count>(a.heads, static_cast<Count>(b.heads))};
  }
};

template <class Op> constexpr bool has_identity<OpenRunOp<Op>> = has_identity<Op>;
template <class Op> constexpr bool takes_any_bytes<OpenRunOp<Op>> = takes_any_bytes<Op>;

// Only what is from the last head on needs to be folded.
template <class Accum, class Count, class Op> struct LaneFold<OpenRun<Accum, Count>, OpenRunOp<Op>> {
  Accum part;
  uint32_t heads;

  static __device__ LaneFold of(const OpenRun<Accum, Count> &run, bool exists) {
    const uint32_t heads = __ballot_sync(full_warp, exists && run.heads != 0);
    return {exists && is_from_last(heads) ? run.value : Op::template identity<Accum>(),
            sum_of_lanes(exists ? uint32_t(run.heads) : 0)};
  }
  static __device__ Op part_op(const OpenRunOp<Op> &op) { return op.op; }
  __device__ OpenRun<Accum, Count> whole(const Accum &folded) const { return {folded, Count(heads)}; }
};

// Of a warp's lanes, given those that have a head, and what each has come to since its last one, if any:
// what all lanes up to each have come to since theirs.
template <class Accum, class Op> __device__ Accum scan_open_runs(Accum value, uint32_t heads, Op op) {
  const uint32_t up_to_here = heads & full_warp >> (warp_threads - 1 - threadIdx.x % warp_threads);
  return Lanes<Accum>::ScanFrom(value, op, up_to_here == 0 ? 0 : warp_threads - 1 - __clz(up_to_here));
}

// Whether any of the lanes below this one has a head.
__device__ inline bool is_head_below(uint32_t heads) {
  return (heads & ~(full_warp << threadIdx.x % warp_threads)) != 0;
}

// What is open before each lane's vector, given what is open before the row, and what the lanes up to each
// have come to.
template <class Accum, class Op>
__device__ Accum open_before(const Accum &carry, const Accum &lanes, uint32_t heads, Op op) {
  const Accum below = Lanes<Accum>::Previous(lanes);
  if (threadIdx.x % warp_threads == 0) return carry;
  return is_head_below(heads) ? below : op(carry, below);
}

}  // namespace jig
