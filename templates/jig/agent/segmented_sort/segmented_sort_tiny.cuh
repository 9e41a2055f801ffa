// Sorts tiny segments that follow one another by a warp: a lane, or two, four or eight of them, have one in registers.
// Each lane sorts what it has by a network that is the same whatever the length; then neighbours merge theirs. For keys
// that are nothing but words of 4 bytes or less, of which equal ones are the same; all else is left to
// segmented_sort_small.cuh.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

template <class Keys, class Value, class KeysIn> class SegmentedSortTiny {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  // Of a lane; and how many lanes have a segment at most.
  static constexpr int lane_items = 16, most_lanes = 8;
  // Rows that are loaded at a time.
  static constexpr int batch = 8;
  static_assert(lane_items % batch == 0, "there is room for whole batches");

  // What a lane has: `count` items from number `first` on of what is in shared memory, as one of so many lanes.
  struct Share {
    int first, count, lanes;
  };

 public:
  static constexpr bool serves = Keys::is_exact && sizeof(Bits) <= 4 && is_same<Value, none>;

  // Of each warp.
  struct TempStorage {
    uint32_t words[warp_threads * (lane_items + 1)];
    uint32_t segments[warp_threads];  // of each lane that is a segment's first: number of its first item, and length
    uint64_t begin;                   // what is sorted at the time; not kept in registers, which are all needed
    int count;
  };

  __device__ SegmentedSortTiny(TempStorage &storage, const KeysIn &keys_in, const RadixSortCall &call)
      : storage_(storage), keys_in_(keys_in), call_(call) {}

  // Every lane's segment, of most_lanes' items at most; whether it has been sorted. By a whole warp.
  __device__ bool Run(uint64_t begin, int length) const {
    if (!sorts_all()) return false;
    uint32_t left = __ballot_sync(full_warp, length > 0);
    if (left == 0) return false;
    // How many items and lanes segments have up to this one's end: of all lanes that fits a word.
    const int sums = inclusive_sum(lanes_for(length) << 16 | length);
    const int end = sums & 0xffff, lanes_end = sums >> 16;
    if (!is_worth_it(begin - (end - length), left, lanes_end)) return false;
    // As many segments at a time as adjoin and there are lanes for.
#pragma unroll 1
    while (left != 0) {
      const int leader = __ffs(left) - 1;
      const int before = __shfl_sync(full_warp, end - length, leader);
      const int most = __shfl_sync(full_warp, lanes_end - lanes_for(length), leader) + warp_threads;
      const uint64_t from = __shfl_sync(full_warp, begin, leader);
      const bool is_other = begin - from != uint64_t(int64_t(end - length - before)) || lanes_end > most;
      const uint32_t others = __ballot_sync(full_warp, is_other) & left, in = left & ((others & (0 - others)) - 1);
      const int count = __shfl_sync(full_warp, end, warp_threads - 1 - __clz(int(in))) - before;
      if (!load(from, count)) {
        __syncwarp();
        break;
      }
      left &= ~in;
      if (ptx::lane_id() == 0) {
        storage_.begin = from;
        storage_.count = count;
      }
      sort(share_of_lane(in >> ptx::lane_id() & 1, end - length - before, length));
      __syncwarp();
      store(storage_.begin, storage_.count);
      __syncwarp();
    }
    return length > 0 && !(left >> ptx::lane_id() & 1);
  }

 private:
  __device__ bool sorts_all() const { return call_.end_bit - call_.begin_bit == int(sizeof(Bits) * 8); }
  __device__ Bits flip() const { return radix_flip<Bits>(call_.is_signed, call_.is_descending); }

  // Those that adjoin are sorted at once, in the time that the other way takes for so many lanes' items. `base` is
  // where item 0 would be if all of them adjoined.
  static __device__ bool is_worth_it(uint64_t base, uint32_t segments, int lanes_end) {
    constexpr int least = 8;
    const uint32_t before = segments & ptx::lanes_below();
    const uint64_t base_before = __shfl_sync(full_warp, base, warp_threads - 1 - __clz(int(before | 1)));
    const bool is_cut = (segments >> ptx::lane_id() & 1) && before != 0 && base_before != base;
    const int cuts = __popc(__ballot_sync(full_warp, is_cut));
    return cuts == 0 || __shfl_sync(full_warp, lanes_end, warp_threads - 1) >= (cuts + 1) * least;
  }

  // A power of two.
  static __device__ int lanes_for(int length) {
    if (length == 0) return 0;
    return 1 << (warp_threads - __clz((length - 1) / lane_items));
  }

  // A word is left out in each row, so that segments of 8 or 16 do not all begin in a few banks.
  static __device__ int place(int i) { return i + i / warp_threads; }

  // In the order's direction; behind the last one it stands again. Whether equal ones are the same.
  __device__ bool load(uint64_t base, int total) const {
    const auto from = radix_input_from<Key>(keys_in_, call_.keys_in, base);
    bool has_twin = false;
#pragma unroll 1
    for (int i = ptx::lane_id(); i < total; i += batch * warp_threads) {
      array<Key, batch> keys;
#pragma unroll
      for (int k = 0; k < batch; ++k) keys[k] = from[min_of(i + k * warp_threads, total - 1)];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const Kept kept = Keys::enter(keys[k]);
        has_twin = has_twin || Keys::has_twin(kept);
        storage_.words[place(i + k * warp_threads)] = Bits(kept ^ flip());
      }
    }
    return !__any_sync(full_warp, has_twin);
  }

  // Of the segments that are in, those of the most lanes have the first ones: so each begins at a multiple of its
  // number.
  __device__ Share share_of_lane(bool is_in, int first, int length) const {
    const int lane = ptx::lane_id(), own_lanes = is_in ? lanes_for(length) : 0;
    int begin = 0, lanes = 0;
#pragma unroll
    for (int n = most_lanes; n > 0; n /= 2) {
      const uint32_t same = __ballot_sync(full_warp, own_lanes == n);
      if (own_lanes == n) storage_.segments[begin + n * __popc(same & ptx::lanes_below())] = first << 16 | length;
      const int end = begin + n * __popc(same);
      if (lane >= begin && lane < end) lanes = n;
      begin = end;
    }
    __syncwarp();
    if (lanes == 0) return {0, 0, 0};
    const uint32_t segment = storage_.segments[lane & -lanes];
    const int skipped = (lane & (lanes - 1)) * lane_items, count = int(segment & 0xffff) - skipped;
    return {count > 0 ? int(segment >> 16) + skipped : 0, min_of(count, lane_items), lanes};
  }

  // What there is none of comes last.
  __device__ void sort(const Share &share) const {
    uint32_t items[lane_items];
#pragma unroll
    for (int k = 0; k < lane_items; ++k) {
      const uint32_t word = storage_.words[place(share.first + k)];
      items[k] = k < share.count ? word : ~uint32_t(0);
    }
    __syncwarp();
    sort_lane(items);
    merge_lanes(items, share.lanes);
    const int first = int(ptx::not_kept(share.first));
#pragma unroll
    for (int k = 0; k < lane_items; ++k)
      if (k < share.count) storage_.words[place(first + k)] = items[k];
  }

  static __device__ void put_in_order(uint32_t &a, uint32_t &b) {
    const uint32_t lower = min_of(a, b);
    b = max_of(a, b);
    a = lower;
  }

  // Batcher's odd-even merge sort.
  static __device__ void sort_lane(uint32_t (&items)[lane_items]) {
#pragma unroll
    for (int run = 1; run < lane_items; run *= 2) {
#pragma unroll
      for (int step = run; step > 0; step /= 2) {
#pragma unroll
        for (int k = 0; k < lane_items; ++k) {
          const int above = k - step % run, other = k + step;
          if (above < 0 || above / step % 2 != 0) continue;
          if (other >= lane_items || k / (2 * run) != other / (2 * run)) continue;
          put_in_order(items[k], items[other]);
        }
      }
    }
  }

  // Bitonic: the first step has the other half from its end on. A lane that has no part in it has itself for another,
  // and keeps what it has: of either half in that first step what it keeps of two that are its own.
  static __device__ void merge_lanes(uint32_t (&items)[lane_items], int lanes) {
    const uint32_t lane = ptx::lane_id();
#pragma unroll 1
    for (int half = 1; half < most_lanes; half *= 2) {
      const bool merges = lanes > half, is_upper = lane & half;
      if (!__any_sync(full_warp, merges)) return;
      uint32_t other[lane_items];
#pragma unroll
      for (int k = 0; k < lane_items; ++k)
        other[k] = __shfl_sync(full_warp, items[lane_items - 1 - k], merges ? lane ^ (2 * half - 1) : lane);
#pragma unroll
      for (int k = 0; k < lane_items; ++k)
        items[k] = either(items[k], other[k], k < lane_items / 2 ? merges && is_upper : !merges || is_upper);
#pragma unroll 1
      for (int step = half / 2; step > 0; step /= 2) {
#pragma unroll
        for (int k = 0; k < lane_items; ++k)
          other[k] = __shfl_sync(full_warp, items[k], merges ? lane ^ step : lane);
#pragma unroll
        for (int k = 0; k < lane_items; ++k) items[k] = either(items[k], other[k], lane & step);
      }
#pragma unroll
      for (int step = lane_items / 2; step > 0; step /= 2) {
#pragma unroll
        for (int k = 0; k < lane_items; ++k)
          if (k / step % 2 == 0) put_in_order(items[k], items[k + step]);
      }
    }
  }

  static __device__ uint32_t either(uint32_t mine, uint32_t theirs, bool is_upper) {
    return (theirs < mine) != is_upper ? theirs : mine;
  }

  __device__ void store(uint64_t base, int total) const {
    Key *to = static_cast<Key *>(call_.keys_out) + base;
#pragma unroll 4
    for (int i = ptx::lane_id(); i < total; i += warp_threads)
      to[i] = Keys::leave(Kept(Bits(storage_.words[place(i)]) ^ flip()));
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const RadixSortCall &call_;
};

}  // namespace jig
