// Segments of one size, each cut into as many parts, which are blocks: the last one folds what the others hand to it.
// One part is a whole segment.
#pragma once
#include <jig/agent/segmented_reduce/range_fold.cuh>
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Rule> class AgentSegmentParts {
  using Fold = RangeFold<Policy, Accum, In, Rule>;
  static constexpr int vector_items = In::vector_items;

 public:
  using TempStorage = typename Fold::TempStorage;

  __device__ AgentSegmentParts(TempStorage &storage, const In &in, const Rule &rule, const SegmentedReduceCall &call,
                               TileState<Accum> *partials)
      : rule_(rule), fold_(storage, in, rule), call_(call), partials_(partials) {}

  __device__ void Run() const {
    const unsigned parts = call_.parts, segment = parts == 1 ? blockIdx.x : blockIdx.x / parts;
    const unsigned part = blockIdx.x - segment * parts;
    if (segment >= call_.num_segments) return;
    const uint64_t begin = segment * call_.segment_size, end = begin + call_.segment_size;
    const uint64_t mine = begin / vector_items * vector_items + part * call_.part_items;
    const bool is_last = part + 1 == parts;
    const typename Fold::Part own = Fold::PartOf(max_of(mine, begin), is_last ? end : mine + call_.part_items);
    Accum value;
    if (own.first < own.last) value = fold_.Items(own.first, own.last, 0);
    value = fold_.Warps(value, own.warps);
    if (!is_last) {
      if (threadIdx.x == 0) partials_[blockIdx.x].publish(value, call_.tag);
      return;
    }
    if (parts > 1) add_partials(blockIdx.x - part, part, value);
    if (threadIdx.x == 0) rule_.Store(segment, value, begin);
  }

 private:
  // Those of the blocks before, which are fewer than threads, to the value in thread 0. Blocks start in the order of
  // their indices, so they run or have run.
  __device__ void add_partials(unsigned first, unsigned count, Accum &value) const {
    Accum partial;
    const bool wanted = threadIdx.x < count;
    take_by_warp(partials_[first + threadIdx.x], wanted, partial, call_.tag);
    if (wanted) partials_[first + threadIdx.x].retire(call_.tag);
    const Accum before = fold_.Threads(partial, count);
    if (threadIdx.x == 0) value = rule_.op(before, value);
  }

  const Rule &rule_;
  Fold fold_;
  const SegmentedReduceCall &call_;
  TileState<Accum> *partials_;
};

}  // namespace jig
