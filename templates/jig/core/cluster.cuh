// The blocks of a cluster, which reach each other's shared memory (SM 90 and later); or one block by itself.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

class BlockCluster {
 public:
  __device__ BlockCluster() : rank_(ptx::cluster_block_rank()), size_(ptx::cluster_blocks()) {}

  __device__ uint32_t rank() const { return rank_; }  // this block's, in the cluster
  __device__ uint32_t size() const { return size_; }
  __device__ bool is_one() const { return size_ == 1; }

  // The two halves of sync(), for more blocks than one. A block may be reached when its threads have arrived, and
  // what a thread wrote before it arrived is there when others have waited.
  __device__ void arrive() const {
    if (!is_one()) ptx::cluster_arrive();
  }
  __device__ void wait() const {
    if (!is_one()) ptx::cluster_wait();
  }
  __device__ void sync() const {
    if (is_one()) return __syncthreads();
    arrive();
    wait();
  }
  // Halves of a barrier by which nothing is told but that a block has come so far.
  __device__ void arrive_relaxed() const {
    if (!is_one()) ptx::cluster_arrive_relaxed();
  }

  // The same place in another block's shared memory.
  template <class T> __device__ T *in_block(T *mine, uint32_t rank) const {
    return ptx::cluster_address(mine, rank);
  }

  // Whether `x` holds for any thread of any block: all threads call. No flag is used twice, and all are 0 before
  // the first sync().
  __device__ bool any(bool x, uint32_t *flag) const {
    if (is_one()) return sync_any(x);
    if (x)
      for (uint32_t r = 0; r < size_; ++r) *static_cast<volatile uint32_t *>(in_block(flag, r)) = 1;
    sync();
    return uniform(*flag != 0);
  }

 private:
  uint32_t rank_, size_;
};

// Where a block gets words that others send to its shared memory. That costs what it takes them to come, where the
// cluster's barrier waits for all that was written to any memory.
class ClusterMail {
 public:
  // By one thread, before a barrier of all blocks.
  __device__ void open() {
#if __CUDA_ARCH__ >= 900
    ptx::mbarrier_init(&barrier_, 1);
    ptx::fence_mbarrier_init();
#endif
  }
  // To the same place in another block, or this one.
  __device__ void send(uint32_t *place, uint32_t word, uint32_t rank) {
    ptx::cluster_send(ptx::shared_address(place), word, ptx::shared_address(&barrier_), rank);
  }
  // By all threads, until so many words have come. `round`: how often that was done before.
  __device__ void await(uint32_t words, uint32_t round) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect(&barrier_, words * 4);
    ptx::mbarrier_wait(&barrier_, round & 1);
#endif
  }

 private:
  uint64_t barrier_;
};

}  // namespace jig
