// Folds a whole segment by a warp or by a block, and stores what it comes to.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>

namespace jig {

template <class Fold, class Rule>
__device__ void fold_segment_by_warp(const Fold &fold, const Rule &rule, unsigned segment, const SegmentSpan &span) {
  const bool is_first = threadIdx.x % warp_threads == 0;
  if (span.length() == 0) {
    if (is_first) rule.StoreEmpty(segment);
    return;
  }
  const auto value = fold.Items(span.begin, span.end, 0);
  if (is_first) rule.Store(segment, value, span.begin);
}

// Of one item or more.
template <class Accum, class Fold, class Rule>
__device__ void fold_segment_by_block(const Fold &fold, const Rule &rule, unsigned segment, const SegmentSpan &span) {
  const typename Fold::Part part = Fold::PartOf(span.begin, span.end);
  Accum value;
  if (part.first < part.last) value = fold.template Items<Fold::many_rows>(part.first, part.last, 0);
  value = fold.Warps(value, part.warps);
  if (threadIdx.x == 0) rule.Store(segment, value, span.begin);
}

}  // namespace jig
