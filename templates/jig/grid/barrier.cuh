// A barrier of all blocks of a grid: what any thread has written before it, all threads see behind it.
//
// All blocks have to run at once: a cooperative launch sees to that, or refuses. All threads of all blocks call, as
// often as each other.
//
// Storage: GridBarrier::bytes bytes of global memory, aligned to 4, which were set to zero once, when they were
// allocated; every barrier leaves them ready for the next one, and every launch for the next, of any size. They are not
// shared by launches that run at the same time.
//
// The first block adds 2^31 less what the others add, so each barrier turns the word's highest bit over, when the last
// block has come, and leaves the others zero.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

class GridBarrier {
 public:
  static constexpr size_t bytes = sizeof(uint32_t);

  __device__ explicit GridBarrier(void *storage) : word_(static_cast<uint32_t *>(storage)) {}

  __device__ void Sync() {
    __syncthreads();
    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
      const bool is_first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
      const uint32_t others = gridDim.x * gridDim.y * gridDim.z - 1;
      ptx::fence_gpu();
      const uint32_t before = ptx::fetch_add_relaxed_gpu(word_, is_first ? turned - others : 1);
      while (((ptx::load_relaxed_gpu(word_) ^ before) & turned) == 0) {
      }
      ptx::fence_gpu();
    }
    __syncthreads();
  }

 private:
  static constexpr uint32_t turned = 1u << 31;
  uint32_t *word_;
};

}  // namespace jig
