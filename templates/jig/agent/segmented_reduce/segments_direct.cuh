// Segments of their own for blocks, halves of blocks or warps, without a search: for few segments, none of which is so
// long that all blocks have to take a part of it, or which are about as long as each other. Each block looks at the
// offsets by itself, at once with those of its own first segment, so that there are no more loads after one another than
// it takes.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/range_sequence.cuh>
#include <jig/agent/segmented_reduce/segment_fold.cuh>
#include <jig/agent/segmented_reduce/segments_of_halves.cuh>

namespace jig {

// `OnlyBlocks`: only blocks take segments, of up to most_direct_segments.
constexpr uint64_t most_direct_segments = 1 << 20;

template <class Policy, bool OnlyBlocks, class Accum, class In, class Begins, class Ends, class Rule>
class AgentSegmentsDirect {
  using Op = typename Rule::op_type;
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using OfHalves = SegmentsOfHalves<Policy, true, Accum, In, Rule>;
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
    SegmentSpan own;   // this warp's
    SegmentSpan next;  // the block's next one; not the same variable, or compilers load only what is used
    SegmentSpan all;   // which none goes beyond
    bool by_blocks;    // or by halves of them; otherwise by warps
    bool may_be_out;   // some segments may be too long for that, or what some blocks have
    bool is_small;     // there is little to do
  };

 public:
  struct TempStorage {
    typename Fold::TempStorage fold, turns[2];
    typename OfHalves::TempStorage halves;
    SegmentSpan long_ones[warps];
  };

  __device__ AgentSegmentsDirect(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends, const Rule &rule,
                                 const SegmentedReduceCall &call)
      : storage_(storage), in_(in), rule_(rule), fold_(storage.fold, in, rule), offsets_(begins, ends), call_(call),
        count_(unsigned(call.num_segments)) {}

  // False: some are too long, and nothing is done.
  __device__ bool Run() {
    Turn turn;
    if constexpr (!OnlyBlocks) turn_of_warp(turn);
    choose_way(turn);
    if constexpr (OnlyBlocks) {
      return turn.by_blocks && fold_in_sequence(turn);
    } else {
      if (turn.by_blocks) {
        if constexpr (is_commutative<Op>) {
          if (fold_in_sequence(turn)) return true;
        }
        return fold_by_halves(turn);
      }
      if (!begin(turn)) return false;
      fold_by_warps(turn);
      return true;
    }
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ unsigned warp() { return threadIdx.x / warp_threads; }

  // By the whole block; false: segments are too long.
  __device__ bool begin(const Turn &turn) const {
    if (turn.may_be_out && __syncthreads_or(longest_of_others() * count_ > most_of(turn))) return false;
    if (turn.is_small && !turn.by_blocks) ptx::launch_dependent_grids();
    return true;
  }

  // Neighbours are looked at together, as many as there are for each block. All offsets that this takes are loaded
  // before any answer is waited for, and what blocks have that is not needed to load items comes behind these.
  __device__ void choose_way(Turn &turn) const {
    const Some mine = some_of(blockIdx.x);
    turn.next = offsets_.span(min_of(mine.first, count_ - 1));
    turn.all = {offsets_.begin(0), offsets_.end(count_ - 1)};
    ptx::keep_here(turn.next.begin, turn.next.end);
    if constexpr (!OnlyBlocks) ptx::keep_here(turn.own.begin, turn.own.end);
    const uint64_t length = turn.all.length();
    const bool are_short = length < count_ * least_even;
    turn.is_small = length <= few;
    turn.by_blocks = !are_short && count_ >= gridDim.x;
    turn.may_be_out = !(are_short && length <= any_way);
    if (!turn.by_blocks) return;
    turn.first = mine.first;
    turn.step = 1;
    turn.last = mine.last;
  }

  // How many items neighbours of a block may have, or a segment, times count_.
  __device__ uint64_t most_of(const Turn &turn) const {
    if (count_ <= threads) return most_of_block * count_;
    const unsigned each = each_of();
    const uint64_t even = turn.all.length() * (each + (each * gridDim.x < count_));
    return turn.by_blocks ? even + even / 32 : max_of(most_of_block * count_, 2 * even);
  }

  // Neighbours.
  struct Some {
    unsigned first, last;
  };
  // count_ / gridDim.x. An approximate division rounds to the same up to more than a million, as nothing is nearer to a
  // whole number than half a part of gridDim.x.
  __device__ unsigned each_of() const { return unsigned(__fdividef(float(count_) + 0.5f, float(gridDim.x))); }
  __device__ Some some_of(unsigned block) const {
    const unsigned each = each_of(), more = count_ - each * gridDim.x, first = block * each + min_of(block, more);
    return {first, first + each + (block < more)};
  }
  // What the blocks have that this thread looks at. It is waited for before the last of these is looked at only if
  // blocks are very many.
  __device__ uint64_t longest_of_others() const {
    const SegmentSpan others[2] = {what_has(threadIdx.x), what_has(threadIdx.x + threads)};
    uint64_t longest = max_of(others[0].length(), others[1].length());
#pragma unroll 1
    for (unsigned block = threadIdx.x + 2 * threads; block < gridDim.x; block += threads)
      longest = max_of(longest, what_has(block).length());
    return longest;
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

  __device__ SequenceRange take(Turn &turn) const {
    const SegmentSpan own = turn.next.inside(turn.all);
    const SequenceRange range = {own.begin, own.end, turn.first};
    turn.first += turn.step;
    return range;
  }
  // The offsets that take() will look at, or others: what is not always loaded would be waited for at once.
  __device__ void load_ahead(Turn &turn) const { turn.next = offsets_.span(min_of(turn.first, count_ - 1)); }

  // What is not even: halves take one segment after the other, whose offsets are loaded before the items of the one
  // before. False: one is longer than what a block has on average, and nothing is done.
  __device__ bool fold_by_halves(const Turn &turn) {
    const uint64_t most = min_of(turn.all.length() / gridDim.x + 1, uint64_t(1) << 30);
    const unsigned step = 2 * gridDim.x;
    // So all blocks have one, if there are fewer than halves.
    unsigned segment = blockIdx.x + threadIdx.x / (threads / 2) * gridDim.x;
    SegmentSpan next = offsets_.span(min_of(segment, count_ - 1));
    if (any_is_longer(most, turn.all)) return false;
    const OfHalves halves(storage_.halves, fold_, rule_);
    int storage = 0;
#pragma unroll 1
    for (; segment < count_; segment += step) {
      const SegmentSpan own = next.inside(turn.all);
      if (segment + step < count_) next = offsets_.span(segment + step);
      halves.Run(false, segment, true, own, most, storage ^= 1);
    }
    return true;
  }

  // By all threads. What is not there is the last one once more.
  __device__ bool any_is_longer(uint64_t most, const SegmentSpan &all) const {
    constexpr unsigned at_once = 8;
    bool is_longer = false;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < count_; i += at_once * threads) {
      SegmentSpan spans[at_once];
#pragma unroll
      for (unsigned u = 0; u < at_once; ++u) spans[u] = offsets_.span(min_of(i + u * threads, count_ - 1));
#pragma unroll
      for (unsigned u = 0; u < at_once; ++u) is_longer |= spans[u].inside(all).length() > most;
    }
    return __syncthreads_or(is_longer);
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
    const auto next = [&](SequenceRange &range) {
      if (turn.first >= turn.last) return false;
      range = take(turn);
      return true;
    };
    const auto ahead = [&] { load_ahead(turn); };
    return Sequence(in_, rule_)
        .Run(take(turn), next, [&] { return begin(turn); }, ahead, done);
  }

  __device__ void fold_by_warps(Turn &turn) {
#pragma unroll 1
    while (turn.first < turn.last) {
      const unsigned segment = turn.first + warp(), next = turn.first + turn.step;
      const SegmentSpan own = turn.own.inside(turn.all);
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
  const SegmentedReduceCall &call_;
  unsigned count_;
};

}  // namespace jig
