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

// Of a block of so many warps.
template <int BlockWarps> class SegmentedTopKTurns {
 public:
  // Of numbers below `end`. Those of a list are drawn; otherwise groups share all segments out. `shared`: a word for
  // this list and this warp group.
  __device__ SegmentedTopKTurns(const SegmentedTopKCall &call, int list, uint32_t &shared, const WarpGroup &group,
                                const uint32_t &end)
      : call_(call), list_(list), shared_(shared), group_(group), end_(end) {
    if (is_drawn()) draw();
    else next_ = blockIdx.x * block_groups() + (group.first() >> group.log_warps);
  }

  // Whether there is one more. The next one is drawn, too, and only known to the first thread until it is its turn. Has
  // barriers where numbers are drawn.
  __device__ bool Next(uint32_t &mine) {
    if (is_drawn()) {
      group_.sync();
      if (group_.thread() == 0) shared_ = next_;
      group_.sync();
      mine = shared_;
    } else {
      mine = next_;
    }
    if (mine >= end_) return false;
    if (is_drawn()) draw();
    else next_ = min_of(end_, mine + gridDim.x * block_groups());
    return true;
  }

  // The one after it, where it is known to all; or the end.
  __device__ uint32_t upcoming() const { return is_drawn() ? end_ : next_; }
  __device__ bool has_upcoming() const { return upcoming() < end_; }

 private:
  __device__ bool is_drawn() const { return call_.control != nullptr; }
  __device__ uint32_t block_groups() const { return BlockWarps >> group_.log_warps; }
  __device__ void draw() {
    SegmentedTopKControl &control = *call_.control;
    if (group_.thread() > 0) return;
    next_ = ptx::count_relaxed_gpu(list_ == segmented_top_k_parts ? &control.parts_taken : &control.taken[list_]);
  }

  const SegmentedTopKCall &call_;
  int list_;
  uint32_t &shared_;
  WarpGroup group_;
  const uint32_t &end_;
  uint32_t next_;
};

}  // namespace jig
