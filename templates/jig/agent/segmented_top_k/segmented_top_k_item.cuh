// An item of a segmented top-k by which others can be ordered: equal ones by their places.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// In words from the lowest on, so that the compiler makes of a comparison what it makes of one of long integers.
template <class Bits> struct alignas(sizeof(Bits) <= 4 ? 8 : 16) TopKItem {
  using Word = conditional<(sizeof(Bits) <= 4), uint64_t, uint128_t>;
  static constexpr bool is_word = sizeof(Bits) <= 8;

  TopKItem() = default;
  __device__ TopKItem(Bits bits, uint32_t place) : place_(place), bits_(bits) {}
  static __device__ TopKItem greatest() { return TopKItem(Bits(~Bits(0)), ~uint32_t(0)); }
  __device__ Bits bits() const { return bits_; }
  __device__ uint32_t place() const { return place_; }
  __device__ bool operator<(const TopKItem &other) const {
    if constexpr (is_word) return word() < other.word();
    else return bits_ < other.bits_ || (bits_ == other.bits_ && place_ < other.place_);
  }

 private:
  __device__ Word word() const { return Word(bits_) << 32 | place_; }
  uint32_t place_;
  Bits bits_;
};

}  // namespace jig
