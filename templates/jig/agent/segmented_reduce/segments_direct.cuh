// Segments of their own for blocks, or for warps, without a search: for few segments, none of which is so long that
// all blocks have to take a part of it, or which are about as long as each other. Each block looks at the offsets by
// itself, at once with those of its own first segment, so that there are no more loads after one another than it takes.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/range_sequence.cuh>
#include <jig/agent/segmented_reduce/segment_fold.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Begins, class Ends, class Rule> class AgentSegmentsDirect {
  using Op = typename Rule::op_type;
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Sequence = RangeSequence<Policy::threads, Policy::unroll, Accum, In, Rule>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  // What a warp takes at most, and a block. If warps take segments, it does not matter how no more than
  // `any_way` items are spread: a block takes as many at worst. What blocks take on average, at least.
  static constexpr uint64_t most_of_warp = threads * Policy::lane_items, most_of_block = 4 * most_of_warp,
                            few = 4 * most_of_block,
                            any_way = sizeof(typename In::value_type) <= 8 ? 1 << 18 : 4 * few,
                            least_even = threads * In::vector_items;

  // What a block takes of the segments: the first one, or the first warp's, and every so many-th before `last`.
  struct Turn {
    unsigned first, step, last;
    SegmentSpan own;  // of the first one, or of this warp's
    SegmentSpan all;  // which none goes beyond
    bool by_blocks;   // or by warps
    bool may_be_out;  // some segments may be too long for that, or what some blocks have:
    SegmentSpan others[2];  // this thread's of them
    uint64_t most;          // how long these may be, times count_
    bool is_small;    // there is little to do
  };

 public:
  struct TempStorage {
    typename Fold::TempStorage fold, turns[2];
    SegmentSpan long_ones[warps];
  };

  __device__ AgentSegmentsDirect(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends, const Rule &rule,
                                 const SegmentedReduceCall &call)
      : storage_(storage), in_(in), rule_(rule), fold_(storage.fold, in, rule), offsets_(begins, ends),
        count_(unsigned(call.num_segments)) {}

  // False: some are too long, and nothing is done.
  __device__ bool Run() {
    Turn turn;
    turn_of_warp(turn);
    choose_way(turn);
    if constexpr (is_commutative<Op>) {
      if (turn.by_blocks) return fold_in_sequence(turn);
    }
    if (!begin(turn)) return false;
    if (turn.by_blocks) fold_by_blocks(turn);
    else fold_by_warps(turn);
    return true;
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  // By the whole block; false: segments are too long.
  __device__ bool begin(const Turn &turn) const {
    if (turn.may_be_out) {
      const uint64_t longest = max_of(turn.others[0].length(), turn.others[1].length());
      if (__syncthreads_or(longest * count_ > turn.most)) return false;
    }
    if (turn.is_small && !turn.by_blocks) ptx::launch_dependent_grids();
    return true;
  }

  // Neighbours are looked at together, as many as there are for each block. All offsets that this takes are looked at
  // before any answer is waited for.
  __device__ void choose_way(Turn &turn) const {
    const Some mine = some_of(blockIdx.x);
    const SegmentSpan first = offsets_.span(min_of(mine.first, count_ - 1));
    turn.all = {offsets_.begin(0), offsets_.end(count_ - 1)};
    const uint64_t length = turn.all.length();
    const bool are_short = length < count_ * least_even;
    turn.is_small = length <= few;
    turn.by_blocks = false;
    turn.may_be_out = !(are_short && length <= any_way);
    if (!turn.may_be_out) return;
    find_others(turn);
    turn.most = most_of_block * count_;
    if (are_short) return;
    const uint64_t even = length * ceil_div(count_, gridDim.x);
    if (count_ > threads) turn.most = even + even / 32;
    turn.by_blocks = true;
    turn.first = mine.first;
    turn.step = 1;
    turn.last = mine.last;
    turn.own = first;
  }

  // Neighbours.
  struct Some {
    unsigned first, last;
  };
  __device__ Some some_of(unsigned block) const {
    const unsigned each = count_ / gridDim.x, more = count_ % gridDim.x, first = block * each + min_of(block, more);
    return {first, first + each + (block < more)};
  }
  // What some blocks have, which is waited for only if blocks are very many.
  __device__ void find_others(Turn &turn) const {
    turn.others[0] = what_has(threadIdx.x);
    turn.others[1] = what_has(threadIdx.x + threads);
#pragma unroll 1
    for (unsigned block = threadIdx.x + 2 * threads; block < gridDim.x; block += threads) {
      const SegmentSpan other = what_has(block);
      if (other.length() > turn.others[1].length()) turn.others[1] = other;
    }
  }
  // The last one, if there is no such block.
  __device__ SegmentSpan what_has(unsigned block) const {
    const Some some = some_of(min_of(block, gridDim.x - 1));
    return {offsets_.begin(min_of(some.first, count_ - 1)), offsets_.end(some.last - 1)};
  }

  __device__ void turn_of_warp(Turn &turn) const {
    turn.first = blockIdx.x * warps;
    turn.step = gridDim.x * warps;
    turn.last = count_;
    turn.own = offsets_.span(min_of(turn.first + warp(), count_ - 1));
  }

  static __device__ SegmentSpan own_of(const Turn &turn) {
    return turn.own.inside(turn.all);
  }

  __device__ bool next(Turn &turn, SequenceRange &range) const {
    if (turn.first >= turn.last) return false;
    const SegmentSpan own = own_of(turn);
    range = {own.begin, own.end, turn.first};
    turn.first += turn.step;
    return true;
  }
  // The offsets that next() will look at.
  __device__ void load_ahead(Turn &turn) const {
    if (turn.first < turn.last) turn.own = offsets_.span(turn.first);
  }

  // Segments are looked at when the first one's items are being loaded.
  __device__ bool fold_in_sequence(Turn &turn) {
    int at = 0;
    const auto done = [&](unsigned segment, const Accum &value, int valid) {
      Accum folded;
      // Two storages in turn: there is a barrier before one is used again.
      if (valid > 0) folded = fold_.AllThreads(storage_.turns[at ^= 1], value, valid);
      if (threadIdx.x > 0) return;
      if (valid > 0) rule_.Store(segment, folded, max_of(offsets_.begin(segment), turn.all.begin));
      else rule_.StoreEmpty(segment);
    };
    return Sequence(in_, rule_)
        .Run([&](SequenceRange &range) { return next(turn, range); }, [&] { return begin(turn); },
             [&] { load_ahead(turn); }, done);
  }

  __device__ void fold_by_blocks(Turn &turn) const {
    SequenceRange range;
#pragma unroll 1
    while (next(turn, range)) {
      load_ahead(turn);
      fold_by_block(range.number, {range.begin, range.end});
    }
  }

  __device__ void fold_by_warps(Turn &turn) {
#pragma unroll 1
    while (turn.first < turn.last) {
      const unsigned segment = turn.first + warp(), next = turn.first + turn.step;
      const SegmentSpan own = own_of(turn);
      if (next < turn.last) turn.own = offsets_.span(min_of(next + warp(), turn.last - 1));
      const bool exists = segment < turn.last, is_long = exists && own.length() > most_of_warp;
      if (exists && !is_long) fold_segment_by_warp(fold_, rule_, segment, own);
      if (__syncthreads_or(is_long)) fold_long(turn.first, own, is_long);
      turn.first = next;
    }
  }

  __device__ void fold_by_block(unsigned segment, const SegmentSpan &span) const {
    if (span.length() == 0) {
      if (threadIdx.x == 0) rule_.StoreEmpty(segment);
      return;
    }
    fold_segment_by_block<Accum>(fold_, rule_, segment, span);
  }

  // Of a segment for each warp those that are too long for it.
  __device__ void fold_long(unsigned first, const SegmentSpan &own, bool is_long) {
    if (lane() == 0) storage_.long_ones[warp()] = is_long ? own : SegmentSpan{0, 0};
    __syncthreads();
    const SegmentSpan &one = storage_.long_ones[lane() % warps];
    uint32_t left = __ballot_sync(full_warp, lane() < warps && one.begin < one.end);
#pragma unroll 1
    for (; left != 0; left &= left - 1) {
      const int w = __ffs(left) - 1;
      fold_by_block(first + w, storage_.long_ones[w]);
    }
    __syncthreads();
  }

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  Fold fold_;
  Offsets offsets_;
  unsigned count_;
};

}  // namespace jig
