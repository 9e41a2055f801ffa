// Segments of their own for blocks, without a search: for up to a million, which are about as long as each other. Each
// block looks at the offsets by itself, at once with those of its own first segment, so that there are no more loads
// after one another than it takes.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/range_sequence.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>

namespace jig {

// So many at most.
constexpr uint64_t most_direct_segments = 1 << 20;

template <class Policy, class Accum, class In, class Begins, class Ends, class Rule> class AgentSegmentsDirect {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  using Sequence = RangeSequence<Policy::threads, Policy::unroll, Accum, In, Rule>;
  using Offsets = SegmentOffsets<Begins, Ends>;
  static constexpr int threads = Policy::threads;
  // What blocks take on average, at least.
  static constexpr uint64_t least_even = threads * In::vector_items;

  // What a block takes of the segments: neighbours.
  struct Turn {
    unsigned first, last;
    SegmentSpan next;  // the first one
    SegmentSpan all;   // which none goes beyond
  };

 public:
  struct TempStorage {
    typename Fold::TempStorage turns[2];
  };

  __device__ AgentSegmentsDirect(TempStorage &storage, const In &in, const Begins &begins, const Ends &ends,
                                 const Rule &rule, const SegmentedReduceCall &call)
      : storage_(storage), in_(in), rule_(rule), fold_(storage.turns[0], in, rule), offsets_(begins, ends),
        count_(unsigned(call.num_segments)) {}

  // Where the block's first segment is, whether or not that is asked for.
  __device__ SegmentSpan First() const { return offsets_.span(min_of(some_of(blockIdx.x).first, count_ - 1)); }

  // False: some are too long, or there are few, or they are short, and nothing is done. `first` and `all` are the first
  // one and all, which none goes beyond.
  __device__ bool Run(const SegmentSpan &first, const SegmentSpan &all) {
    if (all.length() < count_ * least_even || count_ < gridDim.x) return false;
    const Some mine = some_of(blockIdx.x);
    Turn turn = {mine.first, mine.last, first, all};
    return fold_in_sequence(turn);
  }

 private:
  // By the whole block; false: segments are too long. Neighbours are looked at together, as many as there are for each
  // block. What blocks have that is not needed to load items comes behind these.
  __device__ bool begin(const Turn &turn) const {
    return !__syncthreads_or(longest_of_others() * count_ > most_of(turn));
  }

  // How many items neighbours of a block may have, times count_.
  __device__ uint64_t most_of(const Turn &turn) const {
    const unsigned each = each_of();
    const uint64_t even = turn.all.length() * (each + (each * gridDim.x < count_));
    return even + even / 32;
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

  __device__ SequenceRange take(Turn &turn) const {
    const SegmentSpan own = turn.next.inside(turn.all);
    return {own.begin, own.end, turn.first++};
  }
  // The offsets that take() will look at, or others: what is not always loaded would be waited for at once.
  __device__ void load_ahead(Turn &turn) const { turn.next = offsets_.span(min_of(turn.first, count_ - 1)); }

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

  TempStorage &storage_;
  const In &in_;
  const Rule &rule_;
  Fold fold_;
  Offsets offsets_;
  unsigned count_;
};

}  // namespace jig
