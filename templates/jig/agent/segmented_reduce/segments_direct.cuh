// Segments of their own for blocks, or for warps, without a search: for few segments, none of which is so long that
// all blocks have to take a part of it, or which are about as long as each other. Each block looks at the offsets by
// itself, at once with those of its own first segment, so that there are no more loads after one another than it takes.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/range_sequence.cuh>
#include <jig/agent/segmented_reduce/segment_starts.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Begins, class Ends, class Rule> class AgentSegmentsDirect {
  using Op = typename Rule::op_type;
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Sequence = RangeSequence<Policy::threads, Policy::unroll, Accum, In, Rule>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // What a warp takes at most, and a block; fewer items than `few` are not looked at any closer. What blocks take on average,
  // at least, if there are more segments than threads.
  static constexpr uint64_t most_of_warp = threads * Policy::lane_items, most_of_block = 4 * most_of_warp,
                            few = 4 * most_of_block, least_even = threads * In::vector_items;

  enum Way { SHARED, BY_BLOCKS, BY_WARPS };
  // What a block takes of the segments: the first one, or the first warp's, and every so many-th before `last`.
  struct Turn {
    unsigned first, step, last;
    SegmentSpan own;  // of the first one, or of this warp's
    SegmentSpan all;  // which none goes beyond
  };

 public:
  struct TempStorage {
    typename Fold::TempStorage fold;
    SegmentSpan long_ones[warps];
  };

  __device__ AgentSegmentsDirect(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends, const Rule &rule,
                                 const SegmentedReduceCall &call)
      : storage_(storage), in_(in), rule_(rule), fold_(storage.fold, in, rule), offsets_(begins, ends),
        adjoin_(call.starts == nullptr), count_(unsigned(call.num_segments)) {}

  // False: some are too long, and nothing is done.
  __device__ bool Run() {
    Turn turn;
    const Way way = choose_way(turn);
    if (way == BY_BLOCKS) fold_by_blocks(turn);
    if (way == BY_WARPS) fold_by_warps(turn);
    return way != SHARED;
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  __device__ Way choose_way(Turn &turn) const {
    turn.all = {0, ~uint64_t(0)};
    if (adjoin_) turn.all = {offsets_.begin(0), offsets_.end(count_ - 1)};
    if (count_ <= threads) return choose_of_few(turn);
    return adjoin_ ? choose_of_adjoining(turn) : choose_of_apart(turn);
  }

  __device__ Way choose_of_few(Turn &turn) const {
    const SegmentSpan one = offsets_.span(min_of(threadIdx.x, count_ - 1));
    turn = {blockIdx.x, gridDim.x, count_, offsets_.span(min_of(blockIdx.x, count_ - 1)), turn.all};
    return __syncthreads_or(one.length() > most_of_block) ? SHARED : BY_BLOCKS;
  }

  __device__ Way choose_of_apart(Turn &turn) const {
    constexpr int some = 8;
    turn_of_warp(turn);
    bool is_long = false;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < count_; i += some * threads) {
      SegmentSpan spans[some];
#pragma unroll
      for (int u = 0; u < some; ++u) spans[u] = offsets_.span(min_of(i + u * threads, count_ - 1));
#pragma unroll
      for (int u = 0; u < some; ++u) is_long |= spans[u].length() > most_of_warp;
    }
    return __syncthreads_or(is_long) ? SHARED : BY_WARPS;
  }

  // Here neighbours are looked at together, as many as there are for each block.
  __device__ Way choose_of_adjoining(Turn &turn) const {
    const Some mine = some_of(blockIdx.x);
    const SegmentSpan first = offsets_.span(min_of(mine.first, count_ - 1));
    turn_of_warp(turn);
    const uint64_t length = turn.all.length();
    const bool are_short = length < count_ * least_even;
    uint64_t most = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads) most = max_of(most, length_of(some_of(block)));
    if (are_short) return __syncthreads_or(length > few && most > most_of_block) ? SHARED : BY_WARPS;
    const uint64_t even = length / count_ * ceil_div(count_, gridDim.x);
    if (__syncthreads_or(most > even + even / 32)) return SHARED;
    turn = {mine.first, 1, mine.last, first, turn.all};
    return BY_BLOCKS;
  }

  // Neighbours.
  struct Some {
    unsigned first, last;
  };
  __device__ Some some_of(unsigned block) const {
    const unsigned each = count_ / gridDim.x, more = count_ % gridDim.x, first = block * each + min_of(block, more);
    return {first, first + each + (block < more)};
  }
  __device__ uint64_t length_of(const Some &some) const {
    return some.first < some.last ? SegmentSpan{offsets_.begin(some.first), offsets_.end(some.last - 1)}.length() : 0;
  }

  __device__ void turn_of_warp(Turn &turn) const {
    const unsigned first = blockIdx.x * warps;
    turn = {first, gridDim.x * warps, count_, offsets_.span(min_of(first + warp(), count_ - 1)), turn.all};
  }

  // Offsets are loaded a turn before they are asked for.
  __device__ void fold_by_blocks(Turn &turn) const {
    const auto next = [&](SequenceRange &range) {
      if (turn.first >= turn.last) return false;
      const SegmentSpan own = turn.own.inside(turn.all);
      range = {own.begin, own.end, turn.first};
      turn.first += turn.step;
      if (turn.first < turn.last) turn.own = offsets_.span(turn.first);
      return true;
    };
    if constexpr (is_commutative<Op>) {
      const auto done = [&](unsigned segment, const Accum &value, int valid) {
        Accum folded;
        if (valid > 0) folded = fold_.AllThreads(value, valid);
        if (threadIdx.x > 0) return;
        if (valid > 0) rule_.Store(segment, folded, max_of(offsets_.begin(segment), turn.all.begin));
        else rule_.StoreEmpty(segment);
      };
      Sequence(in_, rule_).Run(next, done);
    } else {
      SequenceRange range;
#pragma unroll 1
      while (next(range)) fold_by_block(range.number, {range.begin, range.end});
    }
  }

  __device__ void fold_by_warps(Turn &turn) {
#pragma unroll 1
    while (turn.first < turn.last) {
      const unsigned segment = turn.first + warp(), next = turn.first + turn.step;
      const SegmentSpan own = turn.own.inside(turn.all);
      if (next < turn.last) turn.own = offsets_.span(min_of(next + warp(), turn.last - 1));
      const bool exists = segment < turn.last, is_long = exists && own.length() > most_of_warp;
      if (exists && !is_long) fold_by_warp(segment, own);
      if (__syncthreads_or(is_long)) fold_long(turn.first, own, is_long);
      turn.first = next;
    }
  }

  __device__ void fold_by_warp(unsigned segment, const SegmentSpan &span) const {
    if (span.length() == 0) {
      if (lane() == 0) rule_.StoreEmpty(segment);
      return;
    }
    const Accum value = fold_.Items(span.begin, span.end, 0);
    if (lane() == 0) rule_.Store(segment, value, span.begin);
  }

  __device__ void fold_by_block(unsigned segment, const SegmentSpan &span) const {
    if (span.length() == 0) {
      if (threadIdx.x == 0) rule_.StoreEmpty(segment);
      return;
    }
    const typename Fold::Part part = Fold::PartOf(span.begin, span.end);
    Accum value;
    if (part.first < part.last) value = fold_.Items(part.first, part.last, 0);
    value = fold_.Warps(value, part.warps);
    if (threadIdx.x == 0) rule_.Store(segment, value, span.begin);
  }

  // Of a segment for each warp those that are too long for it.
  __device__ void fold_long(unsigned first, const SegmentSpan &own, bool is_long) {
    if (lane() == 0) storage_.long_ones[warp()] = is_long ? own : SegmentSpan{1, 0};
    __syncthreads();
#pragma unroll 1
    for (int w = 0; w < warps; ++w) {
      const SegmentSpan span = storage_.long_ones[w];
      if (span.begin <= span.end) fold_by_block(first + w, span);
    }
    __syncthreads();
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  Fold fold_;
  Offsets offsets_;
  bool adjoin_;
  unsigned count_;
};

}  // namespace jig
