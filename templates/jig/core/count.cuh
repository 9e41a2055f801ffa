// How many items there are, where only the GPU knows: kernels are launched for as many as there may be.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// What is in memory when the kernel runs, but no more than the host has planned for.
struct DeviceCount {
  uint64_t limit;
  const uint64_t *in;

  __device__ operator uint64_t() const {
    ptx::wait_for_prerequisite_grids();
    return min_of(limit, *in);
  }
};

// Of a launch whose blocks share items out: how many of the blocks, the first ones, take part. These are all of them,
// unless only the GPU knows how many items there are (Count is a DeviceCount); then those that have any, and the first
// one in any case.
template <class Count> class ActiveBlocks {
 public:
  __device__ ActiveBlocks(uint64_t, uint64_t) {}
  __device__ bool has_this() const { return true; }
  __device__ unsigned count() const { return gridDim.x; }
};

template <> class ActiveBlocks<DeviceCount> {
 public:
  // A block has that many items, or as many more as it takes for the grid to have all.
  __device__ ActiveBlocks(uint64_t num_items, uint64_t block_items)
      : count_(unsigned(min_of(max_of(ceil_div(num_items, block_items), uint64_t(1)), uint64_t(gridDim.x)))) {}
  __device__ bool has_this() const { return blockIdx.x < count_; }
  __device__ unsigned count() const { return count_; }

 private:
  unsigned count_;
};

// Of two numbers, whether the GPU knows one of them only.
template <class A, class B> using either_count = conditional<is_same<A, DeviceCount>, A, B>;

// Whether only the GPU knows that there is nothing, so that the kernel was launched all the same.
template <class Count> __device__ bool has_none(uint64_t num_items) {
  if constexpr (is_same<Count, DeviceCount>) return num_items == 0;
  else return false;
}

// What such a kernel has counted.
template <class Out> __device__ void store_zeros(const Out &out, int places = 1) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (int i = 0; i < places; ++i) out.store(i, static_cast<typename Out::value_type>(0));
}

}  // namespace jig
