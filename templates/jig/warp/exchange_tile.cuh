// A tile of items in shared memory, through which they go from one arrangement to another: without bank conflicts as
// far as that can be had, whatever their size.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T, int TileItems, int ItemsPerThread> class ExchangeTile {
  // An item is kept in the largest words that it fills, each of them in a plane of its own: lanes that
  // take neighbouring items are then in different banks whatever the size.
  using Word = conditional<
      sizeof(T) % 16 == 0, uint4,
      conditional<sizeof(T) % 8 == 0, uint64_t,
                  conditional<sizeof(T) == 1, uint8_t, conditional<sizeof(T) == 2, uint16_t, uint32_t>>>>;
  static constexpr int words = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);

  // Lanes that take items ItemsPerThread apart are in different banks if that number is odd. If several
  // would meet in one, a place is left free each time they have gone round all banks; but not where
  // places left free would break up what the compiler takes as vectors, few items or parts of words.
  static constexpr int banks = 128 / sizeof(Word);
  static constexpr int meeting = gcd(ItemsPerThread, banks);
  static constexpr bool padded = sizeof(Word) >= 4 && sizeof(Word) * ItemsPerThread > 16 && meeting > 2;
  static constexpr int period = ItemsPerThread / meeting * banks;
  static constexpr int places = TileItems + (padded ? (TileItems - 1) / period : 0);

 public:
  struct alignas(16) TempStorage {
    Word planes[words][places];
  };
  __device__ explicit ExchangeTile(TempStorage &storage) : storage_(storage) {}

  // Where an item of the tile is kept.
  static __device__ int place(int item) { return padded ? item + item / period : item; }
  // The same for item first + offset, with first a multiple of Span and offset less than that.
  template <int Span> static __device__ int place(int first, int offset) {
    if constexpr (padded && Span % period == 0) return place(first) + place(offset);
    else if constexpr (padded && period % Span == 0) return place(first) + offset;
    else return place(first + offset);
  }

  __device__ void put(int where, const T &item) const {
    array<Word, words> raw{};
    memcpy(&raw, &item, sizeof(T));
#pragma unroll
    for (int w = 0; w < words; ++w) storage_.planes[w][where] = raw[w];
  }
  __device__ T get(int where) const {
    array<Word, words> raw;
#pragma unroll
    for (int w = 0; w < words; ++w) raw[w] = storage_.planes[w][where];
    T item;
    memcpy(&item, &raw, sizeof(T));
    return item;
  }

 private:
  TempStorage &storage_;
};

// Of values, where there are none.
struct NoTile {
  struct TempStorage {};
  __device__ explicit NoTile(TempStorage &) {}
};
template <class T, int TileItems, int ItemsPerThread>
using ValuesTile = conditional<is_same<T, none>, NoTile, ExchangeTile<T, TileItems, ItemsPerThread>>;

}  // namespace jig
