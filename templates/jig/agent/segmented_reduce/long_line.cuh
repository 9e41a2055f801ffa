// Long segments that some blocks have lined up, one behind the other: what a block's share of that line comes to.
#pragma once
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

// A place in the line.
struct LinePlace {
  unsigned number;  // of a segment in the line
  uint64_t offset;  // in it
};

// Between which places a share lies, of which the first one is `begin` in the line; all shares have as many items. One
// that ends with a segment ends at the next number, so that no further one is looked for.
struct LineShare {
  LinePlace from, to;
  uint64_t begin, size;
};

// By the block of that number of those that share the line; those before have been launched before. What is cut at the
// end comes first, for those who wait, what is cut at the beginning last. `line` says which segment a number stands
// for, where its items are, and which is the first long one from a number on.
template <class Accum, class Fold, class Rule, class Line>
__device__ void fold_line_share(const Fold &fold, typename Fold::TempStorage (&storages)[2], const Rule &rule,
                                const Line &line, unsigned block, const LineShare &share, TileState<Accum> *partials,
                                uint64_t tag) {
  enum Action { PUBLISH, STORE, FINISH };
  const LinePlace from = share.from, to = share.to;
  bool publishes = to.offset > 0, finishes = from.offset > 0 && from.number < to.number;
  unsigned next = from.number + (from.offset > 0);
#pragma unroll 1
  for (int turn = 0;; turn ^= 1) {  // two storages in turn: there is a barrier before one is used again
    Action action = PUBLISH;
    unsigned number = to.number;
    uint64_t first = from.number == to.number ? from.offset : 0, last = to.offset;
    if (!publishes) {
      if (next < to.number) next = line.NextLong(next);
      action = next < to.number ? STORE : FINISH;
      if (action == FINISH && !finishes) return;
      number = action == STORE ? next++ : from.number;
      first = action == STORE ? 0 : from.offset;
      last = ~uint64_t(0);
      finishes = finishes && action == STORE;
    }
    publishes = false;
    const unsigned segment = line.SegmentOf(number);
    const SegmentSpan own = line.SpanOf(segment);
    const typename Fold::Part part = Fold::PartOf(own.begin + first, own.begin + min_of(last, own.length()));
    Accum value = Fold::Nothing();
    if (part.first < part.last) value = fold.template Items<Fold::many_rows>(part.first, part.last, 0);
    // Blocks start in the order of their indices, so those before run or have run.
    const unsigned other = action == FINISH ? index_of_share(share.begin - from.offset, share.size) : block;
    value = fold.CombineBehind(partials + other, int(block - other), tag, storages[turn], value, part.warps);
    if (threadIdx.x != 0) continue;
    if (action == PUBLISH) partials[block].publish(value, tag);
    else rule.Store(segment, value, own.begin);
  }
}

}  // namespace jig
