// Brings items that will be loaded later to L2, if they are in memory as they are.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <class In> __device__ void prefetch_items(const In &, uint64_t, int) {}

// From SM 90 on, where one thread does so for all of them.
template <class T> __device__ void prefetch_items(const Pointer<T> &in, uint64_t first, int count) {
#if __CUDA_ARCH__ >= 900
  const T *begin = in.data + first;
  if (reinterpret_cast<uintptr_t>(begin) % 16 == 0) ptx::bulk_prefetch(begin, count * sizeof(T) / 16 * 16);
#endif
}

}  // namespace jig
