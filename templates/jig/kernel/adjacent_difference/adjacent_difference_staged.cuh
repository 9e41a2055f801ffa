// Device-wide adjacent difference of items whose size is no power of two: each warp has its items brought to shared
// memory by whole vectors, as in transform_staged(), and the one next to them. The output does not overlap the input.
#pragma once
#include <jig/agent/adjacent_difference/minus.cuh>
#include <jig/agent/chain/stage.cuh>
#include <jig/agent/transform/staged_input.cuh>
#include <jig/core/operator.cuh>

namespace jig {

template <class Policy, bool Left, class In, class Out, class Op>
__device__ void adjacent_difference_staged(const In &in, const Out &out, const Op &op, uint64_t num_items,
                                           const typename In::value_type *, int, uint32_t) {
  using T = typename In::value_type;
  using Result = typename Out::value_type;
  using Staged = StagedInput<In>;
  using Given = difference_of_op<Op>;
  constexpr int threads = Policy::threads, warp_items = warp_threads * Policy::unroll;
  constexpr int in_bytes = staged_bytes<Staged, warp_items>, out_bytes = warp_items * int(sizeof(Result)) + 16;
  static_assert(stores_bytes<Result, Out>, "results go to memory, as they are");
  __shared__ uint4 storage[threads / warp_threads][(in_bytes + out_bytes) / 16];
  const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  unsigned char *const stage = reinterpret_cast<unsigned char *>(storage[warp]);
  const typename Given::type &difference = Given::of(op);
  const uint64_t first = uint64_t(blockIdx.x) * (threads * Policy::unroll) + warp * warp_items;
  ptx::wait_for_prerequisite_grids();
  if (first >= num_items) return;
  const int count = int(min_of(num_items - first, uint64_t(warp_items)));
  const bool has_next = Left ? first > 0 : first + count < num_items;
  Staged::template Bring<warp_items>(in, stage, first, count);
  T next;  // to the warp's items
  if (has_next) next = in[Left ? first - 1 : first + count];
  ptx::wait_for_copies();
  __syncwarp();
  const auto item_at = [&](int j) -> T { return Staged::template at<warp_items>(in, stage, first + j, j); };
  Result *const made = reinterpret_cast<Result *>(stage + in_bytes + stage_offset<Result>(out, first));
#pragma unroll 1
  for (int j = lane; j < count; j += warp_threads) {
    const T item = item_at(j);
    const bool is_outer = j == (Left ? 0 : count - 1);
    if (!is_outer) made[j] = static_cast<Result>(difference(item, item_at(Left ? j - 1 : j + 1)));
    else made[j] = has_next ? static_cast<Result>(difference(item, next)) : static_cast<Result>(item);
  }
  __syncwarp();
  store_staged<Result>(ptx::shared_address(made), count, out, first);
}

}  // namespace jig
