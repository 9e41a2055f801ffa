// Temp storage for Thrust at no cost: one buffer that is taken anew by every call.
#ifndef JIG_BENCH_THRUST_STORAGE_H
#define JIG_BENCH_THRUST_STORAGE_H

#include <thrust/system/cuda/execution_policy.h>

#include <cuda_runtime_api.h>
#include <new>

struct thrust_storage {
  using value_type = char;
  char *begin = nullptr;
  size_t size = 0, used = 0;

  char *allocate(std::ptrdiff_t bytes) {
    const size_t wanted = (size_t(bytes) + 255) / 256 * 256;
    if (used + wanted > size) {
      cudaFree(begin);
      size = 2 * (used + wanted) + (1 << 20);
      if (cudaMalloc(&begin, size) != cudaSuccess) throw std::bad_alloc();
    }
    used += wanted;
    return begin + used - wanted;
  }
  void deallocate(char *, size_t) {}

  // For one call.
  static auto policy(cudaStream_t stream) {
    static thrust_storage storage;
    storage.used = 0;
    return thrust::cuda::par_nosync(storage).on(stream);
  }
};

#endif
