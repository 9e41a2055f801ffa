// The least index that the threads of a block hold, or that there is none.
#pragma once
#include <jig/core/uniform.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

template <int Threads> class LeastIndex {
  static constexpr int warps = Threads / warp_threads;

 public:
  static constexpr uint64_t nothing = ~uint64_t(0);
  struct TempStorage {
    uint64_t of_warp[warps];
  };

  // Of indices below `count`.
  __device__ LeastIndex(TempStorage &storage, uint64_t count) : storage_(storage), are_narrow_(count < nothing >> 32) {}

  // In thread 0; `nothing` in every thread if none has found anything, which takes no more than a barrier.
  __device__ uint64_t Find(uint64_t found) const {
    if (!sync_any(found != nothing)) return nothing;
    found = OfWarp(found);
    if (threadIdx.x % warp_threads == 0) storage_.of_warp[threadIdx.x / warp_threads] = found;
    __syncthreads();
    if (uniform(threadIdx.x < warp_threads))
      found = OfWarp(threadIdx.x < warps ? storage_.of_warp[threadIdx.x] : nothing);
    return found;
  }

  // The same of a warp, in all of its lanes.
  __device__ uint64_t OfWarp(uint64_t index) const {
#if __CUDA_ARCH__ >= 800
    if (are_narrow_) {
      const uint32_t least = ptx::redux_min(uint32_t(index), full_warp);
      return least == ~0u ? nothing : least;
    }
    const uint32_t high = ptx::redux_min(uint32_t(index >> 32), full_warp);
    const uint32_t low = index >> 32 == high ? uint32_t(index) : ~0u;
    return uint64_t(high) << 32 | ptx::redux_min(low, full_warp);
#else
    using Warp = WarpReduceShuffle<uint64_t, warp_threads>;
    typename Warp::TempStorage none;
    return Warp(none).Reduce(index, minimum<true>());
#endif
  }

 private:
  TempStorage &storage_;
  bool are_narrow_;
};

}  // namespace jig
