// Segments of their own for halves of a block, whose threads have twice as many vectors under way as those of a
// whole one, or for its warps.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>

namespace jig {

// `InTurn`: each takes more than one.
template <class Policy, bool InTurn, class Accum, class In, class Rule> class SegmentsOfHalves {
  using Op = typename Rule::op_type;
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  static constexpr unsigned threads = Policy::threads / 2, warps = threads / warp_threads,
                            row_items = warp_threads * In::vector_items;
  using HalfReduce = BlockReduceWarpReductions<Accum, threads>;

 public:
  struct TempStorage {
    typename HalfReduce::TempStorage halves[2][InTurn + 1];
  };

  __device__ SegmentsOfHalves(TempStorage &storage, const Fold &fold, const Rule &rule)
      : storage_(storage), fold_(fold), rule_(rule) {}

  static __device__ unsigned OfWarp() { return blockIdx.x * (2 * warps) + threadIdx.x / warp_threads; }
  static __device__ unsigned OfHalf() { return blockIdx.x * 2 + half(); }

  // All threads of a block choose the same way. A segment that is not there, or has more than `most` items, which is
  // less than 2^31, is left out. Halves that have some use storages 0 and 1 in turn.
  __device__ void Run(bool by_warps, unsigned segment, bool exists, const SegmentSpan &own, uint64_t most,
                      int turn = 0) const {
    const uint64_t length = own.length();
    const bool is_mine = exists && length <= most;
    const unsigned sharers = by_warps ? 1 : warps, number = threadIdx.x / warp_threads % sharers;
    const uint64_t begin = own.begin / In::vector_items * In::vector_items;
    const unsigned items = is_mine && length > 0 ? unsigned(own.end - begin) : 0;
    const unsigned share = ceil_div(ceil_div(items, sharers), row_items) * row_items,
                   first = min_of(number * share, items);
    Accum value = Fold::Nothing();
    if (first < items) {
      const uint64_t last = begin + min_of(first + share, items);
      value = fold_.template Items<Fold::many_rows>(max_of(begin + first, own.begin), last, 0);
    }
    if (!by_warps) value = combine(turn, value, share > 0 ? ceil_div(items, share) : 1);
    if (!is_mine || threadIdx.x % (sharers * warp_threads) > 0) return;
    if (length > 0) rule_.Store(segment, value, own.begin);
    else rule_.StoreEmpty(segment);
  }

 private:
  static __device__ unsigned half() { return threadIdx.x / threads; }

  __device__ Accum combine(int turn, const Accum &value, int valid_warps) const {
    HalfReduce reduce(storage_.halves[half()][turn], threadIdx.x % threads, InTurn ? 1 + half() : 0);
    if constexpr (has_identity<Op>) return reduce.CombineToFirst(value, rule_.op);
    else return reduce.CombineWarps(value, rule_.op, valid_warps);
  }

  TempStorage &storage_;
  const Fold &fold_;
  const Rule &rule_;
};

}  // namespace jig
