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
  static constexpr bool is_exact = true, takes_any_bytes = true, has_twins = false;
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
  uint64_t half, whole;     // how many records each of them has, and both
  bool is_aligned;          // to whole records

  __device__ RecordArrays(void *keys, void *values, uint64_t count)
      : lower(static_cast<uint32_t *>(keys)),
        upper(static_cast<uint32_t *>(values)),
        half(count / 2),
        whole(2 * half),
        is_aligned((reinterpret_cast<uintptr_t>(keys) | reinterpret_cast<uintptr_t>(values)) % 8 == 0) {}

  // Where records first .. first + count - 1 are, if they are all in one array; otherwise NULL.
  __device__ const uint32_t *contiguous(uint64_t first, uint32_t count) const {
    if (first + count <= half) return lower + 2 * first;
    return first >= half && first + count <= whole ? upper + 2 * (first - half) : nullptr;
  }

  __device__ uint64_t load(uint64_t i) const {
    const uint32_t *first = i < whole ? record(i, half) : lower + i;
    const uint32_t *second = i < whole ? first + 1 : upper + i;
    return uint64_t(*second) << 32 | *first;
  }

  __device__ void store(uint64_t i, uint64_t kept) const {
    uint32_t *first = i < whole ? record(i, half) : lower + i;
    uint32_t *second = i < whole ? first + 1 : upper + i;
    *first = uint32_t(kept);
    *second = uint32_t(kept >> 32);
  }

  // The same for some, in arrays that are aligned; a Place can tell all of them.
  template <class Place, int N>
  __device__ void store(const array<Place, N> &places, const array<uint64_t, N> &kept) const {
    const Place end = Place(whole), middle = Place(half);
    bool has_last = false;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const bool is_whole = places[k] < end;
      if (is_whole) *reinterpret_cast<uint64_t *>(record(places[k], middle)) = kept[k];
      has_last = has_last || !is_whole;
    }
    if (!has_last) return;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if (places[k] < end) continue;
      lower[whole] = uint32_t(kept[k]);
      upper[whole] = uint32_t(kept[k] >> 32);
    }
  }

 private:
  template <class Place> __device__ uint32_t *record(Place i, Place middle) const {
    return (i < middle ? lower : upper - whole) + 2 * uint64_t(i);
  }
};

}  // namespace jig
