// Device-wide reversal, in place or not, in one launch: a thread takes items from the front and those that they change
// places with from the back, and loads all before it stores any.
#pragma once
#include <jig/core/iterator/items.cuh>
#include <jig/core/load_across.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/store_rows.cuh>
#include <jig/core/vector.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

// A vector from either end; the input is made of whole vectors. Waits for the grids before by itself, once it is known
// where that is.
template <int N, class In, class Out>
__device__ void reverse_vectors(const In &in, const Out &out, uint64_t num_items, uint64_t pair) {
  const uint64_t front = pair * N, back = num_items - N - front;
  if (front > back || front >= num_items) return;
  ptx::wait_for_prerequisite_grids();
  const auto of_front = load_items<N>(in, front, true), of_back = load_items<N>(in, back, true);
  array<typename Out::value_type, N> reversed;
#pragma unroll
  for (int k = 0; k < N; ++k) reversed[k] = static_cast<typename Out::value_type>(of_back[N - 1 - k]);
  store_vector<true>(out, front, reversed);
#pragma unroll
  for (int k = 0; k < N; ++k) reversed[k] = static_cast<typename Out::value_type>(of_front[N - 1 - k]);
  if (front < back) store_vector<true>(out, back, reversed);
}

// What is small and lies in memory, from one end: a thread stores two vectors where these are aligned, and takes their
// items from the words that they lie in, whatever their alignment. The first vector and the last one, whose words may
// reach beyond the input, are left to single threads, as are the items before and behind them.
template <int Threads, class T>
__device__ void reverse_words(const Pointer<T> &in, const Pointer<T> &out, uint64_t num_items, uint64_t first) {
  constexpr int size = sizeof(T), items = 16 / size, vectors = 2;
  const uint64_t aligned = min_of(uint64_t((0 - reinterpret_cast<uintptr_t>(out.data)) % 16 / size), num_items);
  const uint64_t whole = (num_items - aligned) / items, inner = whole > 2 ? whole - 2 : 0;
  const uint64_t head = aligned + items, tail = head + inner * items;
  static_assert(Threads >= 4 * items - 2, "a thread of the first block for each other item");
  const uint64_t other = first < head ? first : tail + (first - head);
  T single;  // all are loaded before any is stored
  if (other < num_items) single = in.data[num_items - 1 - other];
  const unsigned char *last = reinterpret_cast<const unsigned char *>(in.data + (num_items - head - items));
  const uint32_t skipped = uint32_t(reinterpret_cast<uintptr_t>(last) % 16);
  uint4 words[vectors][2];
#pragma unroll
  for (int u = 0; u < vectors; ++u) {
    const uint64_t vector = first + u * Threads;
    if (vector >= inner) break;
#pragma unroll
    for (int w = 0; w < 2; ++w) words[u][w] = reinterpret_cast<const uint4 *>(last - skipped - vector * 16)[w];
  }
#pragma unroll
  for (int u = 0; u < vectors; ++u) {
    const uint64_t vector = first + u * Threads;
    if (vector >= inner) break;
    const uint4 w = joined(words[u][0], words[u][1], skipped);
    const auto reversed = [](uint32_t word) { return __byte_perm(word, 0, size == 1 ? 0x0123 : 0x1032); };
    *reinterpret_cast<uint4 *>(out.data + head + vector * items) =
        uint4{reversed(w.w), reversed(w.z), reversed(w.y), reversed(w.x)};
  }
  if (other < num_items) out.data[other] = single;
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

// N items of an output that shares no memory with the input, `stride` apart.
template <int N, class In, class Out>
__device__ void reverse_apart(const In &in, const Out &out, uint64_t num_items, uint64_t first, int stride) {
  using Item = typename Out::value_type;
  Item item[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const uint64_t i = first + k * stride;
    if (i < num_items) item[k] = static_cast<Item>(in[num_items - 1 - i]);
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const uint64_t i = first + k * stride;
    if constexpr (stores_rows<Out>) {
      if (i - threadIdx.x % warp_threads + warp_threads <= num_items) {
        store_rows(out, i, item[k]);
        continue;
      }
    }
    if (i < num_items) out.store(i, item[k]);
  }
}

// Of items that are too large for registers, a warp for each two that change places; or a thread, if they have to be
// computed.
template <int Threads, class In, class Out>
__device__ void reverse_wide(const In &in, const Out &out, uint64_t num_items, uint64_t first) {
  using T = typename Out::value_type;
  if constexpr (has_references<In> && has_references<Out> && is_same<T, typename In::value_type>) {
    constexpr int warps = Threads / warp_threads;
    const uint64_t end = min_of(first + Threads, (num_items + 1) / 2);
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x / warp_threads; i < end; i += warps) {
      const uint64_t other = num_items - 1 - i;
      exchange_items(&out.reference(i), &out.reference(other), &in.reference(other), &in.reference(i));
    }
  } else {
    reverse_items<1>(in, out, num_items, first + threadIdx.x, Threads);
  }
}

template <class Policy, class In, class Out>
__device__ void reverse(const In &in, const Out &out, uint64_t num_items, int in_place) {
  using T = typename Out::value_type;
  constexpr bool in_memory = is_same<In, Pointer<T>> && is_same<Out, Pointer<T>>;
  constexpr bool are_small = in_memory && sizeof(T) <= 2 && alignof(T) == sizeof(T);
  constexpr int threads = Policy::threads, items = Policy::items, each = items * Policy::unroll;
  static_assert(!are_small || each * sizeof(T) == 16, "a thread has a vector of words from either end");
  const uint64_t block = blockIdx.x;
  if constexpr (is_wide<T>) {
    static_assert(each == 1, "a thread has one item from either end");
    ptx::wait_for_prerequisite_grids();
    reverse_wide<threads>(in, out, num_items, block * threads);
  } else {
    if (items > 1 && num_items % items == 0 && can_load_vectors<items>(in) && can_store_vectors<items>(out)) {
#pragma unroll
      for (int u = 0; u < Policy::unroll; ++u)
        reverse_vectors<items>(in, out, num_items, (block * Policy::unroll + u) * threads + threadIdx.x);
      return;
    }
    ptx::wait_for_prerequisite_grids();
    if (are_small && !in_place) {
      if constexpr (are_small) reverse_words<threads>(in, out, num_items, block * (2 * threads) + threadIdx.x);
    } else if (in_place) {
      reverse_items<each>(in, out, num_items, block * (threads * each) + threadIdx.x, threads);
    } else {
      reverse_apart<2 * each>(in, out, num_items, block * (threads * 2 * each) + threadIdx.x, threads);
    }
  }
}

}  // namespace jig
