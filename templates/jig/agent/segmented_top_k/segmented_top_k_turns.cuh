// Which entries of a list a warp group takes, one after the other; or which segments, where nothing is listed.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/block/warp_group.cuh>

namespace jig {

// A list's number for the parts of segments that are cut.
constexpr int segmented_top_k_parts = segmented_top_k_lists;

// How many entries a list has, or segments there are.
__device__ inline uint32_t segmented_top_k_count(const SegmentedTopKCall &call, int list) {
  if (call.control == nullptr) return uint32_t(call.num_segments);
  const SegmentedTopKControl &control = *call.control;
  return list == segmented_top_k_parts ? min_of(uint32_t(control.cut), call.max_parts)
                                       : min_of(control.counts[list], call.capacities[list]);
}

// What a warp draws at once, as there may be many short segments; a group of several warps draws fewer.
constexpr int segmented_top_k_batch = 8;

// Of a block of so many warps. Entries of a list are drawn; otherwise groups share all segments out. MayDraw: whether
// there may be lists.
template <int BlockWarps, bool MayDraw = true> class SegmentedTopKTurns {
 public:
  // Of numbers below `end`. `shared`: a word for this list and this warp group.
  __device__ SegmentedTopKTurns(const SegmentedTopKCall &call, int list, uint32_t &shared, const WarpGroup &group,
                                const uint32_t &end)
      : call_(call), list_(list), shared_(shared), group_(group), end_(end) {
    if (is_drawn() && group.thread() == 0) shared_ = draw();
  }

  // Before the first one.
  static constexpr uint32_t none = ~uint32_t(0);

  // Whether there is one after `mine`, which it becomes. prepare(number, i) is called by a thread for each number that
  // was drawn, whose place among these is i. Has barriers where numbers are drawn.
  template <class Prepare> __device__ bool Next(uint32_t &mine, const Prepare &prepare) {
    if (!is_drawn()) mine = mine == none ? first() : mine + gridDim.x * block_groups();
    else if ((++mine & (batch() - 1)) == 0) mine = begin_batch(prepare);
    return mine < end_;
  }

  // Where among those that were drawn with it a number is.
  __device__ uint32_t place_of(uint32_t number) const { return number & (batch() - 1); }

 private:
  __device__ bool is_drawn() const { return MayDraw && call_.control != nullptr; }
  __device__ uint32_t first() const { return blockIdx.x * block_groups() + (group_.first() >> group_.log_warps); }
  __device__ uint32_t block_groups() const { return BlockWarps >> group_.log_warps; }
  __device__ uint32_t batch() const {
    return list_ == segmented_top_k_parts ? 1 : max_of(segmented_top_k_batch >> group_.log_warps, 1);
  }

  // The first of a batch, a multiple of how many that has.
  __device__ uint32_t draw() const {
    SegmentedTopKControl &control = *call_.control;
    uint32_t &taken = list_ == segmented_top_k_parts ? control.parts_taken : control.taken[list_];
    return ptx::fetch_add_relaxed_gpu(&taken, batch());
  }

  // The next batch is drawn while this one is prepared.
  template <class Prepare> __device__ uint32_t begin_batch(const Prepare &prepare) {
    group_.sync();
    const uint32_t first = shared_, own = group_.thread();
    group_.sync();
    if (first >= end_) return first;
    uint32_t next = 0;
    if (own == 0) next = draw();
    if (own < min_of(batch(), end_ - first)) prepare(first + own, own);
    if (own == 0) shared_ = next;
    group_.sync();
    return first;
  }

  const SegmentedTopKCall &call_;
  int list_;
  uint32_t &shared_;
  WarpGroup group_;
  const uint32_t &end_;
};

}  // namespace jig
