// The numbers below a count in a random order: a bijection of them, the same on every GPU.
//
// A Feistel network permutes the numbers below a product: each is a low half, of some bits, and a high half below the
// least number that makes the product reach the count. By turns each half is changed by a hash of the other one. What
// comes out beyond the count goes through it again, until it is below (cycle walking: Black and Rogaway, "Ciphers with
// arbitrary finite domains", 2002), which is rare. So random access to a shuffle needs no memory, as in Mitchell,
// Stokes, Frank and Holmes, "Bandwidth-optimal random shuffling for GPUs", 2021.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class T> struct Shuffle {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  uint64_t count, seed;

  // i is below count, and so is what comes out. Of the network's numbers hardly any is not, unless there are few: with
  // fewer its orders would not be random enough.
  __device__ T operator[](uint64_t i) const {
    do i = permuted(i);
    while (i >= count);
    return static_cast<T>(i);
  }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }

 private:
  static constexpr int rounds = 6;
  static constexpr uint64_t least_last = 0xff;

  __device__ uint64_t permuted(uint64_t i) const {
    const uint64_t last = max_of(count - 1, least_last);
    const int low_bits = (65 - __clzll(static_cast<long long>(last))) / 2;
    const uint32_t highs = uint32_t(last >> low_bits) + 1;
    uint32_t low = uint32_t(i) & ~uint32_t(0) >> (32 - low_bits), high = uint32_t(i >> low_bits);
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const uint64_t key = hash64(seed + (r + 1) * 0x9e3779b97f4a7c15u);
      low ^= mixed(high ^ uint32_t(key)) >> (32 - low_bits);
      // Some numbers on, and from the last one to 0; there are no more than 2^31.
      high += __umulhi(mixed(low ^ uint32_t(key >> 32)), highs);
      high = min_of(high, high - highs);
    }
    return uint64_t(high) << low_bits | low;
  }

  // The finalizers of MurmurHash3 (Appleby), but for its last step, as only high bits are used, and of SplitMix64
  // (Steele, Lea and Flood).
  static __device__ uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    return (x ^ x >> 13) * 0xc2b2ae35u;
  }
  static __device__ uint64_t hash64(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

}  // namespace jig
