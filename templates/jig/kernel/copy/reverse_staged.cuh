// Device-wide reversal of items whose size is no power of two, to an output that shares no memory with the input: each
// warp has its items brought to shared memory by whole vectors, as in transform_staged().
#pragma once
#include <jig/agent/chain/stage.cuh>
#include <jig/agent/transform/staged_input.cuh>

namespace jig {

template <class Policy, class In, class Out>
__device__ void reverse_staged(const In &in, const Out &out, uint64_t num_items, int) {
  using Item = typename Out::value_type;
  using Staged = StagedInput<In>;
  constexpr int threads = Policy::threads, warp_items = warp_threads * Policy::unroll;
  constexpr int in_bytes = staged_bytes<Staged, warp_items>, out_bytes = warp_items * int(sizeof(Item)) + 16;
  static_assert(stores_bytes<Item, Out>, "items go to memory, as they are");
  __shared__ uint4 storage[threads / warp_threads][(in_bytes + out_bytes) / 16];
  const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  const uint64_t first = uint64_t(blockIdx.x) * (threads * Policy::unroll) + warp * warp_items;
  ptx::wait_for_prerequisite_grids();
  if (first >= num_items) return;
  const int count = int(min_of(num_items - first, uint64_t(warp_items)));
  const In own{in.data + (num_items - first - count)};  // the warp's
  unsigned char *const stage = reinterpret_cast<unsigned char *>(storage[warp]);
  Staged::template Bring<warp_items>(own, stage, 0, count);
  Item *const made = reinterpret_cast<Item *>(stage + in_bytes + stage_offset<Item>(out, first));
  ptx::wait_for_copies();
  __syncwarp();
#pragma unroll 1
  for (int j = lane; j < count; j += warp_threads)
    made[j] = static_cast<Item>(Staged::template at<warp_items>(own, stage, 0, count - 1 - j));
  __syncwarp();
  store_staged<Item>(ptx::shared_address(made), count, out, first);
}

}  // namespace jig
