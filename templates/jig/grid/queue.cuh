// A queue of work that a grid's blocks, or warps, take from as they get to it: numbers drawn from a counter; and one
// that fills another with places. Where parts of the work take unlike times, they are better drawn than shared out
// evenly.
//
//   queue.Drain(1)      the next number of work, the first being 0; all of it is done if that is past the work there is
//   queue.Fill(3)       where three items have room in a buffer of the caller's
//
// A call is by one thread, which tells the others what it got. Storage: bytes of global memory, aligned to 8, set to
// zero before each launch by a memset, or by one thread of a kernel before. Memory order: relaxed; the counters hand on
// numbers and no other memory.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <class Index = uint32_t> class GridQueue {
  static_assert(is_any_of<Index, uint32_t, uint64_t>, "GridQueue: counters are uint32_t or uint64_t");

 public:
  static constexpr size_t bytes = 16;

  __device__ explicit GridQueue(void *storage) : counters_(static_cast<Index *>(storage)) {}

  // The first of `count` numbers, which nobody else gets.
  __device__ Index Drain(Index count) { return ptx::fetch_add_relaxed_gpu(&counters_[0], count); }
  // The first of `count` places, which nobody else gets.
  __device__ Index Fill(Index count) { return ptx::fetch_add_relaxed_gpu(&counters_[1], count); }
  // How many places are taken.
  __device__ Index FillSize() const { return ptx::load_relaxed_gpu(&counters_[1]); }

  // By one thread, while no other uses it: nothing is drawn, and `size` places are taken.
  __device__ void FillAndResetDrain(Index size) {
    counters_[0] = 0;
    counters_[1] = size;
  }

 private:
  Index *counters_;
};

}  // namespace jig
