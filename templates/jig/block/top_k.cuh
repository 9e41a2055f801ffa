// The k greatest or least keys of a block, with or without values, in blocked arrangement: the first k places of the
// tile have them afterwards, in the order in which they were; the others mean nothing. Of keys that are equal, those
// that come first are taken. If there are no more than k, all stay where they are.
//
// Keys are those of BlockRadixSort (radix_sort.cuh), in its order. Only the first valid_items of the tile count, and of
// a key bits begin .. end - 1: keys that have the same there are equal. The least key that is not taken is found by its
// digits, of the most significant one first, each by counting.
//
// All threads of the block call, with the block's dimensions given as template arguments, and with the same k and
// valid_items. The default constructor uses shared memory of its own; the other one the caller's, which may be used
// again after a __syncthreads().
#pragma once
#include <jig/block/radix_keys.cuh>
#include <jig/block/scan_warp_scans.cuh>
#include <jig/block/thread_id.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/exchange_tile.cuh>

namespace jig {

template <class Key, int DimX, int ItemsPerThread, class Value = none, int DimY = 1, int DimZ = 1,
          class Decomposer = none>
class BlockTopK {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockTopK: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockTopK: a thread has one item or more");
  static constexpr bool has_values = !is_same<Value, none>;
  using KeyOrder = typename block_radix_keys<Key, Decomposer>::type;
  using Kept = typename KeyOrder::Kept;
  using Bits = typename KeyOrder::Bits;
  static constexpr int digits_per_thread = ceil_div(int(radix_digits), threads);
  static constexpr bool is_even = digits_per_thread * threads == radix_digits;
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;
  using Ordered = array<Bits, ItemsPerThread>;
  using Scan = BlockScanWarpScans<uint32_t, threads>;
  using KeyTile = ExchangeTile<Key, threads * ItemsPerThread, ItemsPerThread>;
  using ValueTile = ValuesTile<Value, threads * ItemsPerThread, ItemsPerThread>;

  // What is known of the last key that is taken: its bits as far as those are `known`, of the highest ones; and how
  // many of the keys that have the same there are taken, the first ones.
  struct Limit {
    Bits bits, known;
    int ties;
    __device__ bool is_open(Bits key) const { return ((key ^ bits) & known) == 0; }
    __device__ bool takes(Bits key) const { return (key & known) < bits; }
  };

 public:
  static constexpr int tile_items = threads * ItemsPerThread, all_bits = sizeof(Bits) * 8;
  static_assert(tile_items < 1 << 16, "BlockTopK: places are counted in 16 bits");

  struct TempStorage {
    uint32_t counters[radix_digits];
    // The digit of the limit; how many keys have lesser ones, and how many the same. Read at once, with nothing beside
    // them that others may write.
    int digit, before, count, unused;
    typename Scan::TempStorage scan;
    typename KeyTile::TempStorage keys;
    typename ValueTile::TempStorage values;
  };

  __device__ BlockTopK() : BlockTopK(private_storage()) {}
  __device__ explicit BlockTopK(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  __device__ void MaxKeys(Keys &keys, int k, int valid_items = tile_items, int begin = 0, int end = all_bits) {
    Values nothing;
    select(keys, nothing, k, valid_items, begin, end, true);
  }
  __device__ void MinKeys(Keys &keys, int k, int valid_items = tile_items, int begin = 0, int end = all_bits) {
    Values nothing;
    select(keys, nothing, k, valid_items, begin, end, false);
  }
  __device__ void MaxPairs(Keys &keys, Values &values, int k, int valid_items = tile_items, int begin = 0,
                           int end = all_bits) {
    select(keys, values, k, valid_items, begin, end, true);
  }
  __device__ void MinPairs(Keys &keys, Values &values, int k, int valid_items = tile_items, int begin = 0,
                           int end = all_bits) {
    select(keys, values, k, valid_items, begin, end, false);
  }

 private:
  __device__ void select(Keys &keys, Values &values, int k, int valid_items, int begin, int end, bool greatest) {
    if (k <= 0 || k >= valid_items) return;
    end = min_of(end, all_bits);
    const Bits flip = KeyOrder::flip(greatest);
    const int valid = valid_items - thread_ * ItemsPerThread;
    // What does not count is like the last of keys, behind those that are.
    Ordered ordered;
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i)
      ordered[i] = i < valid ? Bits(KeyOrder::bits(KeyOrder::enter(keys[i])) ^ flip) : Bits(~Bits(0));
    Limit limit = {0, 0, k};
    uint32_t all;
    const uint32_t before = find(ordered, limit, begin, end, all);
    move(keys, values, ordered, limit, before, all);
  }

  // By one digit after another, of the most significant one first, until all that begin as the limit does are taken.
  // Then how many are taken before a thread's keys, and in the upper half how many are open. The scan is in one place,
  // which takes less time to compile.
  __device__ uint32_t find(const Ordered &ordered, Limit &limit, int begin, int end, uint32_t &all) {
    bool searches = end > begin;
#pragma unroll 1
    for (;;) {
      array<uint32_t, digits_per_thread> counts;
      const int width = min_of(radix_bits, end - begin);
      uint32_t sum = 0;
      if (searches) {
        end -= width;
        count_digits(ordered, limit, end, (1u << width) - 1);
#pragma unroll
        for (int i = 0; i < digits_per_thread; ++i) {
          const int digit = thread_ * digits_per_thread + i;
          counts[i] = is_even || digit < radix_digits ? storage_.counters[digit] : 0;
          sum += counts[i];
        }
      } else {
#pragma unroll
        for (int i = 0; i < ItemsPerThread; ++i)
          sum += limit.takes(ordered[i]) ? 1 : limit.is_open(ordered[i]) ? 1 << 16 : 0;
      }
      const uint32_t before = Scan(storage_.scan, thread_).ExclusiveScan(sum, 0u, plus(), all);
      if (!searches) return before;
      note_digit(before, counts, limit.ties);
      __syncthreads();
      limit.bits |= Bits(Bits(storage_.digit) << end);
      limit.known |= Bits(Bits((1u << width) - 1) << end);
      limit.ties -= storage_.before;
      searches = limit.ties != storage_.count && end > begin;
    }
  }

  __device__ void count_digits(const Ordered &ordered, const Limit &limit, int shift, uint32_t mask) {
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i)
      if (is_even || thread_ + i * threads < radix_digits) storage_.counters[thread_ + i * threads] = 0;
    __syncthreads();
    const uint32_t counters = ptx::shared_address(storage_.counters);
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i)
      if (limit.is_open(ordered[i])) ptx::add_shared(counters + (uint32_t(ordered[i] >> shift) & mask) * 4, 1);
    __syncthreads();
  }

  // The digit of number `wanted` of what is counted.
  __device__ void note_digit(uint32_t before, const array<uint32_t, digits_per_thread> &counts, uint32_t wanted) {
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) {
      if (before < wanted && wanted <= before + counts[i]) {
        storage_.digit = thread_ * digits_per_thread + i;
        storage_.before = before;
        storage_.count = counts[i];
      }
      before += counts[i];
    }
  }

  __device__ void move(Keys &keys, Values &values, const Ordered &ordered, const Limit &limit, uint32_t before,
                       uint32_t all) {
    KeyTile key_tile(storage_.keys);
    ValueTile value_tile(storage_.values);
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int ties = before >> 16, place = (before & 0xffff) + min_of(ties, limit.ties);
      const bool is_taken = limit.takes(ordered[i]), is_open = limit.is_open(ordered[i]);
      before += is_taken ? 1 : is_open ? 1 << 16 : 0;
      if (is_taken | (is_open & (ties < limit.ties))) {
        key_tile.put(KeyTile::place(place), keys[i]);
        if constexpr (has_values) value_tile.put(ValueTile::place(place), values[i]);
      }
    }
    __syncthreads();
    const int taken = (all & 0xffff) + limit.ties;
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int place = thread_ * ItemsPerThread + i;
      if (place < taken) {
        keys[i] = key_tile.get(KeyTile::place(place));
        if constexpr (has_values) values[i] = value_tile.get(ValueTile::place(place));
      }
    }
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
