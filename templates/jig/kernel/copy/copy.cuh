// Device-wide copy from one iterator to another, in one launch of a block for each tile.
#pragma once
#include <jig/agent/copy/copy.cuh>
#include <jig/agent/copy/move_words.cuh>
#include <jig/core/count.cuh>

namespace jig {

// `words` is how many of the items that are copied belong to one that num_items counts, if only the GPU knows that;
// otherwise these are counted themselves. With `rotation` that is the item that comes first, of items that are only
// moved. A block has `block_items`, whole steps of its tile; the tile, if that is one step or of single items.
template <class Policy, class In, class Out, class Count>
__device__ void copy(const In &in, const Out &out, Count num_items, uint32_t words, uint64_t rotation,
                     uint32_t block_items) {
  using T = typename In::value_type;
  using Agent = AgentCopy<Policy, In, Out>;
  constexpr bool moves = is_same<In, Pointer<T>> && is_same<Out, In> && !is_wide<T>;
  block_items = Agent::items_of_block(block_items);
  const uint64_t first = uint64_t(blockIdx.x) * block_items;
  const uint64_t count = is_same<Count, DeviceCount> ? num_items * uint64_t(words) : uint64_t(num_items);
  if constexpr (moves) {
    static_assert(Policy::items * sizeof(T) == 16, "a thread has vectors of 16 bytes");
    if (rotation != 0 || !can_load_vectors<Policy::items>(in) || !can_store_vectors<Policy::items>(out)) {
      ptx::wait_for_prerequisite_grids();
      if constexpr (Policy::unroll == 1)
        return move_words(in, out, count, rotation, uint64_t(blockIdx.x) * Policy::threads + threadIdx.x);
      const uint32_t vectors = block_items / Policy::items;
#pragma unroll 1
      for (uint32_t k = threadIdx.x; k < vectors; k += Policy::threads)
        move_words(in, out, count, rotation, uint64_t(blockIdx.x) * vectors + k);
      return;
    }
  }
  Agent(in, out).Run(first, block_items, count);
}

}  // namespace jig
