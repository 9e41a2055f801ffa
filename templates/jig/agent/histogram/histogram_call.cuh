// What the kernels of a histogram are told, and the bin that a sample is in.
#pragma once
#include <jig/core/tile_state.cuh>
#include <jig/core/types.cuh>

namespace jig {

// How the bin of t = x - lower is found among even bins over integers: floor(t * bins / range).
enum HistogramWay : uint32_t {
  histogram_nothing,   // no sample is in any bin
  histogram_same,      // t
  histogram_multiply,  // (t * scale) >> 64: t has 32 bits, and scale is rounded up, or if it would be 2^64, down
  histogram_wide,      // the same or one more; scale is rounded down
  histogram_divide,    // as it stands: there are more bins than values
  histogram_widest     // ((t >> shift) * scale) >> 64, or one more: t has up to 128 bits
};

// Who clears the counts.
enum HistogramClearing : uint32_t {
  histogram_is_cleared,       // the launch before
  histogram_clears,           // the first block, which tells each of the others
  histogram_clears_in_cluster // the same, where all blocks are one cluster
};

struct HistogramChannel {
  // Integers: the smallest sample that is in a bin, how far the last one is from there, how far lower is,
  // the difference of both levels, and what t is multiplied by.
  uint64_t first_value, last, offset, range, scale;
  double low, high, factor;  // floating-point numbers: both levels, and bins for each unit between them
  float float_low, float_high, float_factor;  // the same, where these are compared
  uint32_t rounding;  // is added to the lower half of a product with scale
  void *counts;
  const void *levels;
  uint32_t bins;
  uint32_t first;  // the counter of bin 0
  uint32_t way;
  uint32_t level_offset;  // of levels that are copied to shared memory: bytes behind the counters
};

// Where samples or levels are integers of 16 bytes: the upper halves of these fields, and how far t is shifted.
struct HistogramHigh {
  uint64_t first_value, last, offset, range, shift;
};

struct HistogramCall {
  uint64_t num_units, row_units;  // whole ones, of all and of a row
  uint64_t num_rows, row_samples, row_stride;
  uint64_t row_scale;     // 2^64 / row_units, rounded down, at most 2^64 - 1
  uint32_t head;          // samples of a row before its first unit
  uint32_t vectorize;
  uint32_t counters;      // of all channels
  uint32_t window;        // counters that a block has in shared memory; 0: there is a cache
  uint32_t windows;       // so many times the samples are read, by different blocks
  uint32_t replicas;      // of each counter
  uint32_t turn;          // how far from its neighbour a block begins to add, in counters / 2^16
  uint32_t cache_bits;    // of the number of slots
  uint32_t clears;        // HistogramClearing
  uint32_t level_bytes;
  uint32_t round;         // units that all blocks count before they add their counters to the counts
  uint32_t zero;          // which the compiler does not know
  uint64_t tag;           // of this call
  TileState<uint32_t> *cleared;  // a state for every block but the first
  HistogramChannel channels[4];
  HistogramHigh high[4];
  uint64_t num_row_pixels;
  const uint64_t *num_row_pixels_in;  // where that is, if only the GPU knows it
};

// Words that become counts of another size: modulo that.
struct HistogramConversion {
  const void *words[4];
  void *counts[4];
  uint32_t bins[4];
};

// What is counted in, in device memory: atomic operations have 4 or 8 bytes.
template <class Counter>
using histogram_word =
    conditional<(sizeof(Counter) < 4), uint32_t, conditional<(sizeof(Counter) > 8), uint64_t, Counter>>;

template <class T> constexpr bool is_signed_integer = is_integer<T> && T(-1) < T(0);

// Whether bins of integers take more than 64 bits.
template <class Sample, class Level>
constexpr bool is_widest = is_integer<Sample> && is_integer<Level> && (sizeof(Sample) == 16 || sizeof(Level) == 16);

// An integer of any type: those of u128 are in no type with negative ones.
struct HistogramInteger {
  bool is_negative;
  uint128_t bits;

  HistogramInteger() = default;
  template <class T> __device__ explicit HistogramInteger(T x) : is_negative(x < T(0)), bits(uint128_t(x)) {}
  __device__ friend bool operator<(const HistogramInteger &a, const HistogramInteger &b) {
    return a.is_negative != b.is_negative ? a.is_negative : a.bits < b.bits;
  }
  __device__ friend bool operator<=(const HistogramInteger &a, const HistogramInteger &b) { return !(b < a); }
  __device__ friend bool operator>=(const HistogramInteger &a, const HistogramInteger &b) { return !(a < b); }
};

// In which type samples and levels are compared: Level if either is a floating-point number, which the host has seen
// to.
template <class Sample, class Level, bool Integers> struct HistogramKey {
  using type = conditional<is_same<Level, double> || is_same<Sample, double>, double, float>;
};
template <class Sample, class Level> struct HistogramKey<Sample, Level, true> {
  static constexpr bool is_wide = sizeof(Sample) == 8 || sizeof(Level) == 8;
  static constexpr bool is_signed = is_signed_integer<Sample> || is_signed_integer<Level>;
  static constexpr bool has_widest = (sizeof(Sample) == 8 && !is_signed_integer<Sample>) ||
                                     (sizeof(Level) == 8 && !is_signed_integer<Level>);
  static constexpr bool has_wider = (sizeof(Sample) == 4 && !is_signed_integer<Sample>) ||
                                    (sizeof(Level) == 4 && !is_signed_integer<Level>);
  static constexpr bool has_u128 = (sizeof(Sample) == 16 && !is_signed_integer<Sample>) ||
                                   (sizeof(Level) == 16 && !is_signed_integer<Level>);
  using narrow = conditional<is_signed, conditional<has_wider, int64_t, int32_t>, uint32_t>;
  using wide = conditional<is_signed, conditional<has_widest, int128_t, int64_t>, uint64_t>;
  using any = conditional<!is_signed, uint128_t, conditional<has_u128, HistogramInteger, int128_t>>;
  using type = conditional<is_widest<Sample, Level>, any, conditional<is_wide, wide, narrow>>;
};
template <class Sample, class Level>
using histogram_key = typename HistogramKey<Sample, Level, is_integer<Sample> && is_integer<Level>>::type;

// Floating-point numbers. Without branches, so that the samples of a thread do not wait for one another.
__device__ inline bool even_bin(const HistogramChannel &c, float x, uint32_t &bin) {
  bin = min_of(uint32_t((x - c.float_low) * c.float_factor), c.bins - 1);
  return x >= c.float_low && x < c.float_high;
}
__device__ inline bool even_bin(const HistogramChannel &c, double x, uint32_t &bin) {
  bin = min_of(uint32_t((x - c.low) * c.factor), c.bins - 1);
  return x >= c.low && x < c.high;
}

// Integers, by their distance from the first value that is in a bin; the first in the way that most take.
template <class Distance> __device__ bool multiplied_bin(const HistogramChannel &c, Distance distance, uint32_t &bin) {
  const uint32_t t = uint32_t(distance);
  const uint64_t low = (uint64_t(t) * uint32_t(c.scale) + c.rounding) >> 32;
  bin = uint32_t((uint64_t(t) * uint32_t(c.scale >> 32) + low) >> 32);
  return distance <= Distance(c.last);
}

template <class Distance> __device__ bool other_bin(const HistogramChannel &c, Distance distance, uint32_t &bin) {
  if (distance > Distance(c.last)) return false;
  const uint64_t t = distance + c.offset;
  if (c.way == histogram_multiply) return multiplied_bin(c, distance, bin);
  if (c.way == histogram_same) {
    bin = uint32_t(t);
  } else if (c.way == histogram_wide) {
    uint64_t q = __umul64hi(t, c.scale);
    if (uint128_t(q + 1) * c.range <= uint128_t(t) * c.bins) ++q;
    bin = uint32_t(q);
  } else if (c.way == histogram_divide) {
    bin = uint32_t(t * c.bins / c.range);
  }
  return c.way != histogram_nothing;
}

// factor * value, for a factor of 32 bits: the lower 64 bits, and those above.
struct HistogramProduct {
  uint64_t low;
  uint128_t high;

  __device__ HistogramProduct(uint32_t factor, uint128_t value) {
    const uint128_t below = uint128_t(factor) * uint64_t(value);
    low = uint64_t(below);
    high = uint128_t(factor) * uint64_t(value >> 64) + uint64_t(below >> 64);
  }
};

template <class Sample>
__device__ bool widest_bin(const HistogramChannel &c, const HistogramHigh &high, Sample x, uint32_t &bin) {
  const auto whole = [](uint64_t upper, uint64_t lower) { return uint128_t(upper) << 64 | lower; };
  const uint128_t distance = uint128_t(x) - whole(high.first_value, c.first_value);
  if (c.way == histogram_nothing || distance > whole(high.last, c.last)) return false;
  const uint128_t t = distance + whole(high.offset, c.offset);
  if (c.way == histogram_same) {
    bin = uint32_t(t);
  } else if (c.way == histogram_divide) {
    bin = uint32_t(uint64_t(t) * c.bins / c.range);
  } else {
    bin = uint32_t(__umul64hi(uint64_t(t >> high.shift), c.scale));
    const HistogramProduct next(bin + 1, whole(high.range, c.range)), exact(c.bins, t);
    if (next.high < exact.high || (next.high == exact.high && next.low <= exact.low)) ++bin;
  }
  return true;
}

// Levels in order, or as the tree that a binary search in them walks: node p has the children 2p and 2p + 1, so that
// the words of a step lie side by side, in different banks of shared memory. Node 0 is the first level, node
// 2^height the last.
template <class Level> struct HistogramLevels {
  const Level *levels;
  uint32_t bins, height;
  bool is_tree;

  __device__ Level lowest() const { return levels[0]; }
  __device__ Level highest() const { return levels[is_tree ? 1u << height : bins]; }
};
__device__ inline uint32_t tree_height(uint32_t bins) { return bins > 1 ? 32 - __clz(bins - 1) : 0; }

// Which of the levels in order node p is.
__device__ inline uint32_t tree_level(uint32_t p, uint32_t height, uint32_t bins) {
  if (p == 0) return 0;
  const uint32_t depth = 31 - __clz(p);
  if (depth == height) return bins;
  return min_of((2 * (p - (1u << depth)) + 1) << (height - 1 - depth), bins);
}

// For each sample the last level that is not above it, if it is not below the first. A search takes as many steps
// whatever the sample is, so that those of a thread do not wait for one another.
template <class Key, class Level, int N>
__device__ array<uint32_t, N> range_bins(const HistogramLevels<Level> &all, const array<Key, N> &samples) {
  array<uint32_t, N> bins;
#pragma unroll
  for (int k = 0; k < N; ++k) bins[k] = all.is_tree;
  if (all.is_tree) {
#pragma unroll 1
    for (uint32_t step = 0; step < all.height; ++step) {
#pragma unroll
      for (int k = 0; k < N; ++k) bins[k] = 2 * bins[k] + (Key(all.levels[bins[k]]) <= samples[k]);
    }
#pragma unroll
    for (int k = 0; k < N; ++k) bins[k] -= 1u << all.height;
    return bins;
  }
#pragma unroll 1
  for (uint32_t count = all.bins; count > 1; count -= count / 2) {
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (Key(all.levels[bins[k] + count / 2]) <= samples[k]) bins[k] += count / 2;
  }
  return bins;
}

// AllMultiply: every channel's bins are found by histogram_multiply.
template <bool IsRange, bool AllMultiply, class Level, class Sample>
__device__ bool histogram_bin(const HistogramCall &call, int channel, const HistogramLevels<Level> &levels, Sample x,
                              uint32_t &bin) {
  const HistogramChannel &c = call.channels[channel];
  using Key = histogram_key<Sample, Level>;
  if constexpr (IsRange) {
    array<Key, 1> one;
    one[0] = Key(x);
    bin = range_bins(levels, one)[0];
    return one[0] >= Key(levels.lowest()) && one[0] < Key(levels.highest());
  } else if constexpr (is_widest<Sample, Level>) {
    return widest_bin(c, call.high[channel], x, bin);
  } else if constexpr (is_integer<Sample> && is_integer<Level>) {
    using Distance = conditional<(sizeof(Sample) > 4), uint64_t, uint32_t>;
    const Distance distance = Distance(x) - Distance(c.first_value);
    if constexpr (AllMultiply) return multiplied_bin(c, distance, bin);
    else return other_bin(c, distance, bin);
  } else {
    return even_bin(c, Key(x), bin);
  }
}

}  // namespace jig
