// A place in shared memory where a warp puts items in the order of an output, to store them from there
// together: by whole 16-byte vectors where the output is a pointer to such items.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/store_vector.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

template <class T> constexpr int stage_align = alignof(T) > 16 ? int(alignof(T)) : 16;

// Whether items go to an output byte for byte.
template <class T, class Out> constexpr bool stores_bytes = is_same<Out, Pointer<T>>;

// How many bytes item `first` of an output lies past an aligned address. Items are staged so far past one,
// too, so that vectors here are vectors there.
template <class T, class Out> __device__ int stage_offset(const Out &out, uint64_t first) {
  if constexpr (stores_bytes<T, Out>)
    return int(reinterpret_cast<uintptr_t>(out.data + first) % stage_align<T>);
  else return 0;
}

// Stores the bytes at addresses begin .. end - 1 of shared memory. `to` is where the first one goes, and as
// far past an aligned address as `begin` is. By all lanes of a warp.
template <class Unit> __device__ void store_bytes(uint32_t begin, uint32_t end, unsigned char *to) {
  constexpr uint32_t vector = 16, unit = sizeof(Unit);
  const uint32_t lane = threadIdx.x % warp_threads;
  const uint32_t body = (begin + vector - 1) & -vector, body_end = end & -vector;
#pragma unroll 1
  for (uint32_t i = body + lane * vector; i < body_end; i += warp_threads * vector)
    *reinterpret_cast<uint4 *>(to + (i - begin)) = ptx::shared_at<uint4>(i);
  if constexpr (unit < vector) {
    // Half of the lanes store what comes before the first vector, the others what follows the last one.
    const bool is_head = lane < vector;
    const uint32_t i = (is_head ? begin : max_of(body, body_end)) + lane % vector * unit;
    if (i < (is_head ? min_of(body, end) : end))
      *reinterpret_cast<Unit *>(to + (i - begin)) = ptx::shared_at<Unit>(i);
  }
}

template <class Out, class T> __device__ void store_item(const Out &out, uint64_t i, const T &item) {
  out.store(i, static_cast<typename Out::value_type>(item));
}

// Stores `count` items that are staged from an address of shared memory on, as items first, first + 1, ...
// By all lanes of a warp.
template <class T, class Out>
__device__ void store_staged(uint32_t stage, int count, const Out &out, uint64_t first) {
  if constexpr (stores_bytes<T, Out>) {
    store_bytes<item_word<T>>(stage, stage + count * int(sizeof(T)),
                            reinterpret_cast<unsigned char *>(out.data + first));
  } else if constexpr (shares_items<Out>) {
    out.share(first, count, [&](int i) { return ptx::shared_at<T>(stage + i * int(sizeof(T))); });
  } else {
#pragma unroll 1
    for (int i = threadIdx.x % warp_threads; i < count; i += warp_threads)
      store_item(out, first + i, ptx::shared_at<T>(stage + i * int(sizeof(T))));
  }
}

// Stores `count` items that make(i) makes, as items first, first + 1, ...: by whole vectors where the output is a
// pointer to numbers. By all lanes of a warp.
template <class Out, class Make>
__device__ void store_made(const Out &out, uint64_t first, int count, Make make) {
  using T = typename Out::value_type;
  const int lane = threadIdx.x % warp_threads;
  if constexpr (is_number<T> && stores_bytes<T, Out> && sizeof(T) < 16) {
    constexpr int items = sizeof(T) > 4 ? 16 / int(sizeof(T)) : 4;
    const int skew = int(reinterpret_cast<uintptr_t>(out.data + first) / sizeof(T) % items);
#pragma unroll 1
    for (int i = lane * items - skew; i < count; i += warp_threads * items) {
      if (i >= 0 && i + items <= count) {
        array<T, items> vector;
#pragma unroll
        for (int k = 0; k < items; ++k) vector[k] = static_cast<T>(make(i + k));
        store_vector<true>(out, first + i, vector);
      } else {
#pragma unroll 1
        for (int k = max_of(i, 0); k < min_of(i + items, count); ++k) store_item(out, first + k, make(k));
      }
    }
  } else {
#pragma unroll 1
    for (int i = lane; i < count; i += warp_threads) store_item(out, first + i, make(i));
  }
}

}  // namespace jig
