// The index of an item that some block has found, for all blocks of a search to see. In temp storage.
#pragma once
#include <jig/core/tile_state.cuh>

namespace jig {

// A block goes on after it has given the hint, so that nothing keeps that from being seen only when the launch is over;
// and a graph's next replay has the same tag. So launches are told apart by a number, which may begin with anything.
struct FindHint {
  TileState<uint64_t> found;
  uint64_t launch, unused;

  struct Launch {
    bool is_hinted;
    uint64_t number;
  };
  __device__ Launch ThisLaunch() const { return {true, ptx::load_relaxed_gpu(&launch)}; }
  __device__ void Publish(uint64_t index, uint64_t tag) { found.publish(index, of_launch(tag, ThisLaunch())); }
  __device__ bool TryTake(uint64_t &index, uint64_t tag, const Launch &now) {
    return found.try_take(index, of_launch(tag, now));
  }
  // When no block will look at it any more.
  __device__ void EndLaunch(const Launch &now) { ptx::store_relaxed_gpu(&launch, now.number + 1); }

 private:
  static __device__ uint64_t of_launch(uint64_t tag, const Launch &now) {
    return tag + now.number * 0x9e3779b97f4a7c15;  // odd, and far from what tags differ by
  }
};

}  // namespace jig
