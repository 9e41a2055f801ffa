// Items of three words of 4 bytes: a lane's own are 3 apart from the next lane's, so that a store of one word of each
// lane is a part of every sector.
#pragma once
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <class Out> constexpr bool stores_rows = false;
template <class T> constexpr bool stores_rows<Pointer<T>> = sizeof(T) == 12 && alignof(T) == 4;

// Item `mine` of each lane of a warp: lanes change words with each other, so that each store is of neighbours.
template <class T> __device__ void store_rows(const Pointer<T> &out, uint64_t mine, const T &item) {
  const uint32_t lane = threadIdx.x % warp_threads;
  const auto words = bit_cast<array<uint32_t, 3>>(item);
  // The warp's word 3 i + c, the c-th of lane i, goes to the lane with that number modulo 32; 3 times 11 is 1 there.
  const uint32_t x = __shfl_sync(full_warp, words[0], lane * 11), y = __shfl_sync(full_warp, words[1], lane * 11 - 11),
                 z = __shfl_sync(full_warp, words[2], lane * 11 - 22);
  uint32_t *const row = reinterpret_cast<uint32_t *>(out.data + (mine - lane)) + lane;
  // Of row r a lane has word (lane + 2 r) % 3.
  const bool is_first = lane % 3 == 0, is_second = lane % 3 == 1;
  row[0] = is_first ? x : is_second ? y : z;
  row[warp_threads] = is_first ? z : is_second ? x : y;
  row[2 * warp_threads] = is_first ? y : is_second ? z : x;
}

}  // namespace jig
