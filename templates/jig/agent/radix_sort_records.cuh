// Keys and values of 4 bytes each, which travel together between the first step of a radix sort and its last:
// a run of keys with one digit and that of their values are then one run, of twice the length, which takes
// less of the memory's time.
//
// There is no more room for them than for the arrays that they are made of. Half of them lie where the keys will
// be, the other half where the values will; of an odd number, the last one is there in its two parts.
#pragma once
#include <jig/core/radix.cuh>

namespace jig {

// A key as RadixDigit sees it, with its value in the upper half.
template <class Base> struct RecordKeys {
  using Key = typename Base::Key;
  using Kept = uint64_t;
  using Bits = typename Base::Bits;
  static constexpr int max_passes = Base::max_passes;
  static constexpr bool is_exact = true, has_twins = false;
  static __device__ Kept join(Key key, uint32_t value) { return uint64_t(value) << 32 | Base::enter(key); }
  static __device__ Key leave(Kept kept) { return Base::leave(uint32_t(kept)); }
  static __device__ Bits bits(Kept kept) { return Base::bits(uint32_t(kept)); }
};

template <class Keys> constexpr bool is_record = false;
template <class Base> constexpr bool is_record<RecordKeys<Base>> = true;

template <class Keys, class Value>
constexpr bool makes_records = Keys::is_exact && sizeof(typename Keys::Kept) == 4 && sizeof(Value) == 4 &&
                               alignof(Value) == 4;

struct RecordArrays {
  uint32_t *lower, *upper;  // which hold keys and values in the end
  uint64_t half;            // how many records each of them has
  bool is_aligned;          // to whole records

  __device__ RecordArrays(void *keys, void *values, uint64_t count)
      : lower(static_cast<uint32_t *>(keys)),
        upper(static_cast<uint32_t *>(values)),
        half(count / 2),
        is_aligned((reinterpret_cast<uintptr_t>(keys) | reinterpret_cast<uintptr_t>(values)) % 8 == 0) {}

  // Where records first .. first + count - 1 are, if they are all in one array; otherwise NULL.
  __device__ const uint32_t *piece(uint64_t first, uint32_t count) const {
    if (first + count <= half) return lower + 2 * first;
    return first >= half && first + count <= 2 * half ? upper + 2 * (first - half) : nullptr;
  }

  __device__ uint64_t load(uint64_t i) const {
    const bool is_whole = i < 2 * half;
    const uint32_t *first = is_whole ? (i < half ? lower : upper - 2 * half) + 2 * i : lower + i;
    const uint32_t *second = is_whole ? first + 1 : upper + i;
    return uint64_t(*second) << 32 | *first;
  }

  template <int N> __device__ void store(const array<uint64_t, N> &places, const array<uint64_t, N> &kept) const {
    bool has_last = false;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const uint64_t i = places[k];
      uint32_t *record = (i < half ? lower : upper - 2 * half) + 2 * i;
      const bool is_whole = i < 2 * half;
      has_last = has_last || !is_whole;
      if (is_whole && is_aligned) *reinterpret_cast<uint64_t *>(record) = kept[k];
      if (is_whole && !is_aligned) record[0] = uint32_t(kept[k]);
      if (is_whole && !is_aligned) record[1] = uint32_t(kept[k] >> 32);
    }
    if (!has_last) return;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (places[k] < 2 * half) continue;
      lower[places[k]] = uint32_t(kept[k]);
      upper[places[k]] = uint32_t(kept[k] >> 32);
    }
  }
};

}  // namespace jig
