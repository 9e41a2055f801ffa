// Tells whether a tile that has been put in order of a digit has kept the order of keys with the same one:
// every key's index is beside it, and indices may fall from one key to the next only where a digit ends.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// In shared memory, for so many keys at most. All threads of the block call, if nothing else is said.
template <int MaxItems> struct RadixOrder {
  static constexpr int group = 8;  // indices that a thread looks at in one go
  alignas(16) uint16_t indices[ceil_div(MaxItems, group) * group + group];
  uint32_t ends[ceil_div(MaxItems, 32)];  // a bit for each key: the last one of its digit

  // For as many keys.
  __device__ void clear(uint32_t count) {
#pragma unroll 1
    for (int i = threadIdx.x; i < ceil_div(MaxItems, 32); i += blockDim.x) ends[i] = 0;
    if (threadIdx.x < group) indices[count + threadIdx.x] = 0xffff;  // what may follow any
  }

  // The keys of a digit, one at least, end before that slot. One thread calls, after all have cleared.
  __device__ void mark_end(uint32_t slot) {
    ptx::or_shared(ptx::shared_address(&ends[(slot - 1) / 32]), 1u << (slot - 1) % 32);
  }

  // Of as many keys, whose indices and ends are all there; for this thread's part of them.
  __device__ bool is_kept(uint32_t count) const {
    const uint8_t *group_ends = reinterpret_cast<const uint8_t *>(ends);
    bool is_kept = true;
#pragma unroll 1
    for (uint32_t first = threadIdx.x * group; first < count; first += blockDim.x * group)
      is_kept = is_kept && (falls_of(first) & ~uint32_t(group_ends[first / group])) == 0;
    return is_kept;
  }

 private:
  // A bit for each of the group's indices: whether the next one is lower.
  __device__ uint32_t falls_of(uint32_t first) const {
    const uint4 words = *reinterpret_cast<const uint4 *>(indices + first);
    const uint32_t pairs[] = {words.x, words.y, words.z, words.w, indices[first + group]};
    uint32_t falls = 0;
#pragma unroll
    for (int k = 0; k < group / 2; ++k) {
      const uint32_t low = pairs[k] & 0xffff, high = pairs[k] >> 16, next = pairs[k + 1] & 0xffff;
      falls |= uint32_t(low > high) << (2 * k) | uint32_t(high > next) << (2 * k + 1);
    }
    return falls;
  }
};

}  // namespace jig
