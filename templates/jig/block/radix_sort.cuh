// Sorts the keys of a block, with or without values, by their bits; stable. Keys are of any built-in type, ordered
// as jig/radix_sort.h says, or structs with a decomposer: a function object that makes key_fields() of one
// (core/radix_fields.cuh).
//
// Items come in blocked arrangement and go in blocked or, by SortToStriped(), in striped arrangement. Only
// bits begin .. end - 1 count, of those that a key has.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/radix_keys.cuh>
#include <jig/block/radix_rank.cuh>
#include <jig/warp/exchange_tile.cuh>

namespace jig {

template <class Key, int DimX, int ItemsPerThread, class Value = none, int RadixBits = 4,
          BlockRadixRankAlgorithm Algorithm = BlockRadixRankAlgorithm::basic, int DimY = 1, int DimZ = 1,
          class Decomposer = none>
class BlockRadixSort {
  static constexpr int threads = DimX * DimY * DimZ, tile_items = threads * ItemsPerThread;
  static_assert(threads >= 1 && threads <= 1024, "BlockRadixSort: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockRadixSort: a thread has one item or more");
  static_assert(RadixBits >= 1 && RadixBits <= radix_bits, "BlockRadixSort: digits have 1 to 8 bits");
  static constexpr bool has_values = !is_same<Value, none>;
  using KeyOrder = typename block_radix_keys<Key, Decomposer>::type;
  using Kept = typename KeyOrder::Kept;
  using Bits = typename KeyOrder::Bits;
  using Rank = BlockRadixRank<DimX, RadixBits, Algorithm, DimY, DimZ>;
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;
  using Ranks = array<int, ItemsPerThread>;
  using KeyTile = ExchangeTile<Kept, tile_items, ItemsPerThread>;
  using ValueTile = ValuesTile<Value, tile_items, ItemsPerThread>;
  enum Arrangement { blocked, striped, warp_striped };

 public:
  static constexpr int all_bits = sizeof(Bits) * 8;

  struct TempStorage {
    typename Rank::TempStorage rank;
    typename KeyTile::TempStorage keys;
    typename ValueTile::TempStorage values;
  };

  __device__ BlockRadixSort() : BlockRadixSort(private_storage()) {}
  __device__ explicit BlockRadixSort(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  __device__ void Sort(Keys &keys, int begin = 0, int end = all_bits) { sort_keys(keys, false, blocked, begin, end); }
  __device__ void SortDescending(Keys &keys, int begin = 0, int end = all_bits) {
    sort_keys(keys, true, blocked, begin, end);
  }
  __device__ void SortToStriped(Keys &keys, int begin = 0, int end = all_bits) {
    sort_keys(keys, false, striped, begin, end);
  }
  __device__ void SortDescendingToStriped(Keys &keys, int begin = 0, int end = all_bits) {
    sort_keys(keys, true, striped, begin, end);
  }

  // The same with values.
  __device__ void Sort(Keys &keys, Values &values, int begin = 0, int end = all_bits) {
    sort(keys, values, false, blocked, begin, end);
  }
  __device__ void SortDescending(Keys &keys, Values &values, int begin = 0, int end = all_bits) {
    sort(keys, values, true, blocked, begin, end);
  }
  __device__ void SortToStriped(Keys &keys, Values &values, int begin = 0, int end = all_bits) {
    sort(keys, values, false, striped, begin, end);
  }
  __device__ void SortDescendingToStriped(Keys &keys, Values &values, int begin = 0, int end = all_bits) {
    sort(keys, values, true, striped, begin, end);
  }

 private:
  __device__ void sort_keys(Keys &keys, bool is_descending, Arrangement to, int begin, int end) {
    Values nothing;
    sort(keys, nothing, is_descending, to, begin, end);
  }

  __device__ void sort(Keys &keys, Values &values, bool is_descending, Arrangement to, int begin, int end) {
    constexpr Arrangement between = Rank::warp_striped ? warp_striped : blocked;
    end = min_of(end, all_bits);
    const Bits flip = KeyOrder::flip(is_descending);
    array<Kept, ItemsPerThread> kept;
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) kept[k] = KeyOrder::enter(keys[k]);
    if (Rank::warp_striped || begin >= end) {
      Ranks places;
#pragma unroll
      for (int k = 0; k < ItemsPerThread; ++k) places[k] = place(k, blocked);
      move(kept, values, places, begin < end ? between : to);
    }
#pragma unroll 1
    for (int first = begin; first < end; first += RadixBits) {
      const RadixDigit<KeyOrder> digit(first, min_of(RadixBits, end - first), flip);
      array<uint32_t, ItemsPerThread> digits;
#pragma unroll
      for (int k = 0; k < ItemsPerThread; ++k) digits[k] = digit(kept[k]);
      const Ranks ranks = Rank(storage_.rank).Rank(digits);
      move(kept, values, ranks, first + RadixBits < end ? between : to);
    }
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) keys[k] = KeyOrder::leave(kept[k]);
  }

  // Puts items in places of the tile, and takes others from there.
  __device__ void move(array<Kept, ItemsPerThread> &kept, Values &values, const Ranks &places, Arrangement to) {
    KeyTile key_tile(storage_.keys);
    ValueTile value_tile(storage_.values);
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) {
      key_tile.put(KeyTile::place(places[k]), kept[k]);
      if constexpr (has_values) value_tile.put(ValueTile::place(places[k]), values[k]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k) {
      kept[k] = key_tile.get(KeyTile::place(place(k, to)));
      if constexpr (has_values) values[k] = value_tile.get(ValueTile::place(place(k, to)));
    }
    // Whatever comes next here has barriers of its own before it writes these again.
  }

  // Which of the tile's items a thread's number k is.
  __device__ int place(int k, Arrangement a) const {
    const int lane = thread_ % warp_threads;
    return a == blocked   ? thread_ * ItemsPerThread + k
           : a == striped ? k * threads + thread_
                          : (thread_ - lane) * ItemsPerThread + k * warp_threads + lane;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
