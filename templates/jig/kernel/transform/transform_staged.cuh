// Device-wide transform of items whose size is no power of two: lanes that load and store items of their own touch a
// part of more sectors by each instruction, so each warp has its items brought to shared memory by whole vectors, and
// stores what becomes of them the same way.
#pragma once
#include <jig/agent/chain/stage.cuh>
#include <jig/agent/transform/staged_input.cuh>

namespace jig {

template <class Policy, class In, class Stencil, class Out>
__device__ void transform_staged(const In &in, const Stencil &, const Out &out, uint64_t num_items, uint32_t) {
  using Item = typename Out::value_type;
  using Staged = StagedInput<In>;
  constexpr int threads = Policy::threads, warp_items = warp_threads * Policy::unroll;
  constexpr int in_bytes = staged_bytes<Staged, warp_items>, out_bytes = warp_items * int(sizeof(Item)) + 16;
  static_assert(stores_bytes<Item, Out>, "items go to memory, as they are");
  __shared__ uint4 storage[threads / warp_threads][(in_bytes + out_bytes) / 16];
  const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  unsigned char *const stage = reinterpret_cast<unsigned char *>(storage[warp]);
  const uint64_t first = uint64_t(blockIdx.x) * (threads * Policy::unroll) + warp * warp_items;
  const int count = first < num_items ? int(min_of(num_items - first, uint64_t(warp_items))) : 0;
  const int skew = stage_offset<Item>(out, first);
  Item *const made = reinterpret_cast<Item *>(stage + in_bytes + skew);
  ptx::wait_for_prerequisite_grids();
  Staged::template Bring<warp_items>(in, stage, first, count);
  ptx::wait_for_copies();
  __syncwarp();
#pragma unroll 1
  for (int j = lane; j < count; j += warp_threads)
    made[j] = static_cast<Item>(Staged::template at<warp_items>(in, stage, first + j, j));
  __syncwarp();
  store_staged<Item>(ptx::shared_address(made), count, out, first);
}

}  // namespace jig
