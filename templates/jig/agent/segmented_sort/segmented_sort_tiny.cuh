// Sorts tiny segments that follow one another by a warp: a lane has one in registers, and sorts it by a network that
// is the same whatever its length. For keys that are nothing but words of 4 bytes or less, of which equal ones are the
// same; all else is left to segmented_sort_small.cuh.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

template <class Keys, class Value, class KeysIn> class SegmentedSortTiny {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int max_items = 16;
  // Rows that are loaded at a time.
  static constexpr int batch = 8;

 public:
  static constexpr bool serves = Keys::is_exact && sizeof(Bits) <= 4 && is_same<Value, none>;

  // `words` is where the warp has `capacity` of them in shared memory.
  __device__ SegmentedSortTiny(const KeysIn &keys_in, const RadixSortCall &call, uint32_t *words, int capacity)
      : keys_in_(keys_in), call_(call), words_(words), capacity_(capacity) {}

  // Every lane's segment; whether they could be sorted. By a whole warp.
  __device__ bool Run(uint64_t begin, int length) const {
    int end = inclusive_sum(length);
    const int total = __shfl_sync(full_warp, end, warp_threads - 1), first = end - length;
    const uint32_t lanes = __ballot_sync(full_warp, length > 0);
    if (lanes == 0) return true;
    const uint64_t base = __shfl_sync(full_warp, begin - first, __ffs(lanes) - 1);
    const bool fits = length == 0 || (length <= max_items && begin - first == base);
    if (!__all_sync(full_warp, fits) || place(total) >= capacity_ || !sorts_all()) return false;
    if (!load(base, total)) return false;
    __syncwarp();
    sort(first, length);
    __syncwarp();
    store(base, total);
    __syncwarp();
    return true;
  }

 private:
  __device__ bool sorts_all() const { return call_.end_bit - call_.begin_bit == int(sizeof(Bits) * 8); }
  __device__ Bits flip() const { return radix_flip<Bits>(call_.is_signed, call_.is_descending); }

  // A word is left out in each row, so that segments of 8 or 16 do not all begin in a few banks.
  static __device__ int place(int i) { return i + i / warp_threads; }

  // In the order's direction. Whether equal ones are the same.
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
        if (i + k * warp_threads < total) words_[place(i + k * warp_threads)] = Bits(kept ^ flip());
      }
    }
    return !__any_sync(full_warp, has_twin);
  }

  // Batcher's odd-even merge sort. What there is none of comes last.
  __device__ void sort(int first, int length) const {
    uint32_t items[max_items];
#pragma unroll
    for (int k = 0; k < max_items; ++k) items[k] = k < length ? words_[place(first + k)] : ~uint32_t(0);
#pragma unroll
    for (int run = 1; run < max_items; run *= 2) {
#pragma unroll
      for (int step = run; step > 0; step /= 2) {
#pragma unroll
        for (int k = 0; k < max_items; ++k) {
          const int above = k - step % run, other = k + step;
          if (above < 0 || above / step % 2 != 0) continue;
          if (other >= max_items || k / (2 * run) != other / (2 * run)) continue;
          const uint32_t lower = min_of(items[k], items[other]);
          items[other] = max_of(items[k], items[other]);
          items[k] = lower;
        }
      }
    }
#pragma unroll
    for (int k = 0; k < max_items; ++k)
      if (k < length) words_[place(first + k)] = items[k];
  }

  __device__ void store(uint64_t base, int total) const {
    Key *to = static_cast<Key *>(call_.keys_out) + base;
#pragma unroll 4
    for (int i = ptx::lane_id(); i < total; i += warp_threads)
      to[i] = Keys::leave(Kept(Bits(words_[place(i)]) ^ flip()));
  }

  const KeysIn &keys_in_;
  const RadixSortCall &call_;
  uint32_t *words_;
  int capacity_;
};

}  // namespace jig
