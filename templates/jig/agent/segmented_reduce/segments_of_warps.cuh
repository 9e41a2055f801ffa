// Segments of their own for warps, without a search. Those that are long to a warp are left to its block, and those
// that are long to a block to all blocks.
#pragma once
#include <jig/agent/segmented_reduce/long_segments.cuh>
#include <jig/agent/segmented_reduce/segment_fold.cuh>

namespace jig {

// `Spans`: span(i) says where segment i is.
template <class Policy, class Accum, class In, class Spans, class Rule> class SegmentsOfWarps {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using LongOnes = LongSegments<Policy, Accum, In, Spans, Rule>;
  static constexpr int warps = Policy::threads / warp_threads;
  static constexpr uint64_t most = Policy::threads * Policy::lane_items;  // of a warp

 public:
  struct TempStorage {
    typename LongOnes::TempStorage long_ones;
    SegmentSpan middle[warps];
  };

  __device__ SegmentsOfWarps(TempStorage &storage, const In &in, const Spans &spans, const Rule &rule,
                             const SegmentedReduceCall &call, TileState<Accum> *partials)
      : storage_(storage), rule_(rule), fold_(storage.long_ones.fold[0], in, rule), spans_(spans),
        long_ones_(storage.long_ones, in, spans, rule, call, partials), count_(unsigned(call.num_segments)) {}

  // Whether any is long all blocks see in offsets, at once with those of their own first segments.
  __device__ void Run() {
    const SegmentSpan own = spans_.span(min_of(first(), count_ - 1));
    const uint32_t sees_long = long_ones_.Look(most);
    const bool has_middle = fold_short(own);
    if (!__syncthreads_or(sees_long > 0)) return;
    if (__syncthreads_or(has_middle)) fold_middle();
    long_ones_.Run(sees_long);
  }

 private:
  static __device__ unsigned first() { return blockIdx.x * warps + warp(); }
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  // From the warp's first one on. Says whether any is left to the block.
  __device__ bool fold_short(SegmentSpan span) const {
    bool has_middle = false;
#pragma unroll 1
    for (unsigned segment = first(); segment < count_;) {
      const unsigned next = segment + gridDim.x * warps;
      const SegmentSpan own = span;
      if (next < count_) span = spans_.span(next);
      if (!own.IsLonger(most)) fold_segment_by_warp(fold_, rule_, segment, own);
      else has_middle |= !own.IsLonger(LongOnes::most);
      segment = next;
    }
    return has_middle;
  }

  __device__ void fold_middle() {
#pragma unroll 1
    for (unsigned first = blockIdx.x * warps; first < count_; first += gridDim.x * warps) {
      const unsigned segment = first + warp();
      const SegmentSpan own = spans_.span(min_of(segment, count_ - 1));
      const bool is_middle = segment < count_ && own.IsLonger(most) && !own.IsLonger(LongOnes::most);
      if (lane() == 0) storage_.middle[warp()] = is_middle ? own : SegmentSpan{0, 0};
      if (!__syncthreads_or(is_middle)) continue;
#pragma unroll 1
      for (int w = 0; w < warps; ++w) {
        const SegmentSpan one = storage_.middle[w];
        if (one.begin < one.end) fold_segment_by_block<Accum>(fold_, rule_, first + w, one);
      }
      __syncthreads();
    }
  }

  TempStorage &storage_;
  const Rule &rule_;
  Fold fold_;
  Spans spans_;
  LongOnes long_ones_;
  unsigned count_;
};

}  // namespace jig
