// A place in shared memory where a warp puts items in the order of an output, to store them from there
// together: by whole 16-byte vectors where the output is a pointer to such items.
#pragma once
#include <jig/core/iterator/pointer.cuh>

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

// The largest words that a T is made of and aligned to.
template <class T>
using unit_of = conditional<
    (alignof(T) >= 16), uint4,
    conditional<(alignof(T) >= 8), uint64_t,
                conditional<(alignof(T) >= 4), uint32_t, conditional<(alignof(T) >= 2), uint16_t, uint8_t>>>>;

// Bytes begin .. end - 1 of the stage, to where the stage's first byte would be. By all lanes of a warp.
template <class Unit> __device__ void store_bytes(const unsigned char *stage, int begin, int end, unsigned char *to) {
  constexpr int vector = 16, unit = sizeof(Unit);
  const int lane = threadIdx.x % warp_threads;
  const int body = (begin + vector - 1) / vector * vector, body_end = end / vector * vector;
#pragma unroll 1
  for (int i = body + lane * vector; i < body_end; i += warp_threads * vector)
    *reinterpret_cast<uint4 *>(to + i) = *reinterpret_cast<const uint4 *>(stage + i);
  if constexpr (unit < vector) {
    // Half of the lanes store what comes before the first vector, the others what follows the last one.
    const int tail = max_of(body, body_end);
    const int first = lane < vector ? begin : tail, last = lane < vector ? min_of(body, end) : end;
    const int i = first + lane % vector * unit;
    if (i < last) *reinterpret_cast<Unit *>(to + i) = *reinterpret_cast<const Unit *>(stage + i);
  }
}

template <class Out, class T> __device__ void store_item(const Out &out, uint64_t i, const T &item) {
  out.store(i, static_cast<typename Out::value_type>(item));
}

// Stores `count` items, staged from byte `begin` on, as items first, first + 1, ... By all lanes of a warp.
template <class T, class Out>
__device__ void store_staged(const unsigned char *stage, int begin, int count, const Out &out, uint64_t first) {
  if constexpr (stores_bytes<T, Out>) {
    unsigned char *to = reinterpret_cast<unsigned char *>(out.data + first) - begin;
    store_bytes<unit_of<T>>(stage, begin, begin + count * int(sizeof(T)), to);
  } else {
#pragma unroll 1
    for (int i = threadIdx.x % warp_threads; i < count; i += warp_threads)
      store_item(out, first + i, reinterpret_cast<const T *>(stage + begin)[i]);
  }
}

}  // namespace jig
