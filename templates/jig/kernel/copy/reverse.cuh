// Device-wide reversal, in place or not, in one launch: a thread takes items from the front and those that they change
// places with from the back, and loads all before it stores any.
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/vector.cuh>

namespace jig {

// A vector from either end; the input is made of whole vectors.
template <int N, class In, class Out>
__device__ void reverse_vectors(const In &in, const Out &out, uint64_t num_items, uint64_t pair) {
  const uint64_t front = pair * N, back = num_items - N - front;
  if (front > back || front >= num_items) return;
  const auto of_front = load_items<N>(in, front, true), of_back = load_items<N>(in, back, true);
  array<typename Out::value_type, N> reversed;
#pragma unroll
  for (int k = 0; k < N; ++k) reversed[k] = static_cast<typename Out::value_type>(of_back[N - 1 - k]);
  store_vector<true>(out, front, reversed);
#pragma unroll
  for (int k = 0; k < N; ++k) reversed[k] = static_cast<typename Out::value_type>(of_front[N - 1 - k]);
  if (front < back) store_vector<true>(out, back, reversed);
}

// N items from either end, `stride` apart.
template <int N, class In, class Out>
__device__ void reverse_items(const In &in, const Out &out, uint64_t num_items, uint64_t first, int stride) {
  using Item = typename Out::value_type;
  const uint64_t pairs = (num_items + 1) / 2;  // the item in the middle is one with itself
  Item front[N], back[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const uint64_t i = first + k * stride;
    if (i >= pairs) break;
    front[k] = static_cast<Item>(in[i]);
    back[k] = static_cast<Item>(in[num_items - 1 - i]);
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const uint64_t i = first + k * stride, other = num_items - 1 - i;
    if (i >= pairs) break;
    out.store(i, back[k]);
    if (i != other) out.store(other, front[k]);
  }
}

template <class Policy, class In, class Out> __device__ void reverse(const In &in, const Out &out, uint64_t num_items) {
  constexpr int threads = Policy::threads, items = Policy::items, each = items * Policy::unroll;
  const uint64_t block = blockIdx.x;
  ptx::wait_for_prerequisite_grids();
  if (items > 1 && num_items % items == 0 && can_load_vectors<items>(in) && can_store_vectors<items>(out)) {
#pragma unroll
    for (int u = 0; u < Policy::unroll; ++u)
      reverse_vectors<items>(in, out, num_items, (block * Policy::unroll + u) * threads + threadIdx.x);
  } else {
    reverse_items<each>(in, out, num_items, block * (threads * each) + threadIdx.x, threads);
  }
}

}  // namespace jig
