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
  static constexpr bool has_values = !is_same<Value, none>;
  using KeyOrder = typename block_radix_keys<Key, Decomposer>::type;
  using Kept = typename KeyOrder::Kept;
  using Bits = typename KeyOrder::Bits;
  static constexpr int digits_per_thread = ceil_div(int(radix_digits), threads);
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;
  using Ordered = array<Bits, ItemsPerThread>;
  using Scan = BlockScanWarpScans<uint32_t, threads>;
  using KeyTile = ExchangeTile<Key, threads * ItemsPerThread, ItemsPerThread>;
  using ValueTile = ExchangeTile<Value, has_values ? threads * ItemsPerThread : 1, ItemsPerThread>;

  // Keys whose bits from `shift` on are less than `bits` are taken, and of those that are equal the first `ties`.
  struct Limit {
    Bits bits;
    int shift, ties;
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
    const Bits flip = KeyOrder::flip(greatest), mask = radix_mask<Bits>(0, max_of(end - begin, 0));
    const int valid = valid_items - thread_ * ItemsPerThread;
    Ordered ordered{};
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i)
      if (i < valid) ordered[i] = from(KeyOrder::bits(KeyOrder::enter(keys[i])) ^ flip, begin) & mask;
    const int digits = ceil_div(max_of(end - begin, 0), radix_bits);
    move(keys, values, ordered, valid, find_limit(ordered, valid, k, digits * radix_bits));
  }

  __device__ Limit find_limit(const Ordered &ordered, int valid, int k, int bits) {
    Limit limit = {0, bits, k};
#pragma unroll 1
    while (limit.shift > 0) {
      count_digits(ordered, valid, limit);
      find_digit(limit.ties);
      __syncthreads();
      limit.shift -= radix_bits;
      limit.bits = Bits(shifted(limit.bits) | Bits(storage_.digit));
      limit.ties -= storage_.before;
      if (limit.ties == storage_.count) break;
    }
    return limit;
  }

  // Room for one more digit; of 8 bits nothing is left.
  static __device__ Bits shifted(Bits bits) {
    return all_bits > radix_bits ? Bits(bits << (radix_bits % all_bits)) : Bits(0);
  }
  // Bits from `shift` on.
  static __device__ Bits from(Bits bits, int shift) { return shift < all_bits ? Bits(bits >> shift) : Bits(0); }

  // Of the keys that begin as the limit does.
  __device__ void count_digits(const Ordered &ordered, int valid, const Limit &limit) {
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i)
      if (thread_ + i * threads < radix_digits) storage_.counters[thread_ + i * threads] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) {
      if (i >= valid || from(ordered[i], limit.shift) != limit.bits) continue;
      const uint32_t digit = uint32_t(from(ordered[i], limit.shift - radix_bits)) % radix_digits;
      ptx::add_shared(ptx::shared_address(&storage_.counters[digit]), 1);
    }
    __syncthreads();
  }

  // The digit of number `wanted` of what is counted.
  __device__ void find_digit(int wanted) {
    array<int, digits_per_thread> counts;
    uint32_t sum = 0, aggregate;
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) {
      const int digit = thread_ * digits_per_thread + i;
      counts[i] = digit < radix_digits ? storage_.counters[digit] : 0;
      sum += counts[i];
    }
    int before = Scan(storage_.scan, thread_).ExclusiveScan(sum, 0u, plus(), aggregate);
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

  __device__ void move(Keys &keys, Values &values, const Ordered &ordered, int valid, const Limit &limit) {
    // How many are less, and in the upper half how many are equal.
    uint32_t own = 0, aggregate;
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) own += i < valid ? kind(ordered[i], limit) : 0;
    uint32_t before = Scan(storage_.scan, thread_).ExclusiveScan(own, 0u, plus(), aggregate);
    KeyTile key_tile(storage_.keys);
    ValueTile value_tile(storage_.values);
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) {
      const uint32_t what = i < valid ? kind(ordered[i], limit) : 0;
      const int ties = before >> 16, place = (before & 0xffff) + min_of(ties, limit.ties);
      before += what;
      if (what == 0 || (what >> 16 != 0 && ties >= limit.ties)) continue;
      key_tile.put(KeyTile::place(place), keys[i]);
      if constexpr (has_values) value_tile.put(ValueTile::place(place), values[i]);
    }
    __syncthreads();
    const int taken = (aggregate & 0xffff) + limit.ties;
#pragma unroll
    for (int i = 0; i < ItemsPerThread; ++i) {
      const int place = thread_ * ItemsPerThread + i;
      if (place >= taken) break;
      keys[i] = key_tile.get(KeyTile::place(place));
      if constexpr (has_values) values[i] = value_tile.get(ValueTile::place(place));
    }
  }
  static __device__ uint32_t kind(Bits ordered, const Limit &limit) {
    const Bits bits = from(ordered, limit.shift);
    return bits < limit.bits ? 1 : bits == limit.bits ? 1 << 16 : 0;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
