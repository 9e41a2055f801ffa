// Whether the parts that a block's threads have merged meet: each has to end, in the first run, where the next one
// begins. They do if runs are in order by a strict weak order; otherwise items may be lost or taken twice.
#pragma once
#include <jig/thread/merge.cuh>

namespace jig {

template <int Threads> class MergeSeams {
  static constexpr int warps = (Threads + warp_threads - 1) / warp_threads;

 public:
  struct TempStorage {
    uint32_t begins[warps];  // of warps' first parts
  };

  __device__ MergeSeams(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  // Before a barrier.
  template <class T, int N> __device__ void Publish(const merge_part<T, N> &part) {
    if (thread_ % warp_threads == 0) storage_.begins[thread_ / warp_threads] = part.begin;
  }

  // After it; and before a barrier that comes before the next Publish().
  template <class T, int N> __device__ bool Meets(const merge_part<T, N> &part) const {
    const int lane = thread_ % warp_threads, warp = thread_ / warp_threads;
    const int lanes = min_of(Threads - (thread_ - lane), int(warp_threads));
    const uint32_t mask = full_warp >> (warp_threads - lanes);
    uint32_t next = __shfl_sync(mask, part.begin, min_of(lane + 1, lanes - 1));
    if (lane + 1 == warp_threads && warp + 1 < warps) next = storage_.begins[warp + 1];
    return part.meets(next);
  }

 private:
  TempStorage &storage_;
  const int thread_;
};

}  // namespace jig
