// The numbers below a count in a random order: a bijection of them, the same on every GPU.
//
// A Feistel network permutes the numbers of as many bits as the largest has, each half changed by a hash of the other
// one; what it takes beyond the count goes through it again, until it is below (cycle walking: Black and Rogaway, "Ciphers
// with arbitrary finite domains", 2002). So random access to a shuffle needs no memory, as in Mitchell, Stokes, Frank and
// Holmes, "Bandwidth-optimal random shuffling for GPUs", 2021.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class T> struct Shuffle {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  uint64_t count, seed;

  // i is below count, and so is what comes out. No more than every second number of the network is not, unless there
  // are few: by fewer bits its orders would not be random enough.
  __device__ T operator[](uint64_t i) const {
    do i = permuted(i);
    while (i >= count);
    return static_cast<T>(i);
  }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }

 private:
  static constexpr int rounds = 6;
  static constexpr uint64_t least_mask = 0xff;

  __device__ uint64_t permuted(uint64_t i) const {
    const int bits = 64 - __clzll(static_cast<long long>((count - 1) | least_mask)), low_bits = (bits + 1) / 2;
    const uint32_t low_mask = mask_of_bits(low_bits), high_mask = mask_of_bits(bits - low_bits);
    uint32_t low = uint32_t(i) & low_mask, high = uint32_t(i >> low_bits);
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const uint64_t key = hash64(seed + (r + 1) * 0x9e3779b97f4a7c15u);
      low ^= hash32(high ^ uint32_t(key)) & low_mask;
      high ^= hash32(low ^ uint32_t(key >> 32)) & high_mask;
    }
    return uint64_t(high) << low_bits | low;
  }

  static __device__ uint32_t mask_of_bits(int bits) { return ~uint32_t(0) >> (32 - bits); }

  // The finalizers of MurmurHash3 (Appleby) and of SplitMix64 (Steele, Lea and Flood).
  static __device__ uint32_t hash32(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
  }
  static __device__ uint64_t hash64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

}  // namespace jig
