// Ranks keys in shared memory by a digit, as radix_rank.cuh does, but by a warp group, of which a block may
// have several: from one place in shared memory to another.
//
// Each of its warps has a contiguous part of the keys.
#pragma once
#include <jig/agent/radix_sort/radix_rank.cuh>
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/block/warp_group.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// Addresses in shared memory of keys, and of where they come from, if that is asked for.
template <class Kept> struct WarpGroupItems {
  uint32_t keys, indices;

  __device__ Kept &key(int i) const { return ptx::shared_at<Kept>(keys + i * int(sizeof(Kept))); }
  __device__ uint16_t &index(int i) const { return ptx::shared_at<uint16_t>(indices + i * 2); }
};

template <class Keys, bool HasIndices> class RadixWarpGroup {
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int batch = sizeof(Kept) <= 8 ? 4 : sizeof(Kept) <= 16 ? 2 : 1;
  // Counters of a thread, of all of its warp group's.
  static constexpr int own = radix_digits / warp_threads;
  using Rank = RadixRank<Keys, batch, batch>;

  struct Ranked {
    Kept kept;
    uint32_t slot;
  };
  // Side by side.
  struct alignas(16) Counters {
    array<uint32_t, own> values;
  };

 public:
  using Items = WarpGroupItems<Kept>;

  // Addresses in shared memory of what the block's warps have: `counters`, a row for each; `totals`, a word for each.
  __device__ RadixWarpGroup(const WarpGroup &warp_group, uint32_t counters, uint32_t totals, int num_items)
      : warp_group_(warp_group), counters_(counters), totals_(totals), num_items_(num_items) {
    const int first = warp_group.warp() * share();
    column_ = first + ptx::lane_id();
    warp_items_ = max_of(min_of(share(), num_items - first), 0);
  }

  __device__ const WarpGroup &warp_group() const { return warp_group_; }
  __device__ int num_items() const { return num_items_; }

  // Calls put(i, take(i)) for this thread's items in its warp's part, taking a batch of rows before any is put.
  template <int Rows, class Take, class Put> __device__ void for_batches(Take take, Put put) const {
    using Taken = decltype(take(0));
    int first = 0;
#pragma unroll 1
    for (; first + Rows * warp_threads <= warp_items_; first += Rows * warp_threads) {
      Taken taken[Rows];
#pragma unroll
      for (int k = 0; k < Rows; ++k) taken[k] = take(column_ + first + k * warp_threads);
#pragma unroll
      for (int k = 0; k < Rows; ++k) put(column_ + first + k * warp_threads, taken[k]);
    }
    const int left = warp_items_ - first - int(ptx::lane_id());
    if (left <= 0) return;
    Taken taken[Rows];
#pragma unroll
    for (int k = 0; k < Rows; ++k)
      if (k * warp_threads < left) taken[k] = take(column_ + first + k * warp_threads);
#pragma unroll
    for (int k = 0; k < Rows; ++k)
      if (k * warp_threads < left) put(column_ + first + k * warp_threads, taken[k]);
  }

  // Fills `to` with keys as load(i) gives them, number i being one of num_items. Whether there are keys that
  // only matching is known to keep in order: such as count as equal and are not the same, without an index to
  // tell them apart. By each thread for itself.
  template <class Load> __device__ bool fill(const Items &to, bool sorts_all_bits, Load load) const {
    bool has_twin = false;
    for_batches<batch>(load, [&](int i, Kept kept) {
      has_twin = has_twin || Keys::has_twin(kept);
      to.key(i) = kept;
      if constexpr (HasIndices) to.index(i) = uint16_t(i);
    });
    if constexpr (HasIndices) return false;
    else return !Keys::is_exact || !sorts_all_bits || has_twin;
  }

  // Counts the digits of all keys, and makes the counters those of slots, unless all keys have the same digit. How
  // to rank them. The keys have to be there; a barrier.
  __device__ RadixRankMode count(const Items &from, const RadixDigit<Keys> &digit) const {
    ptx::shared_at<Counters>(own_counters() + ptx::lane_id() * sizeof(Counters)) = Counters{};
    __syncwarp();
    const Rank rank = rank_by(digit);
    for_batches<batch>([&](int i) { return from.key(i); }, [&](int, Kept kept) { rank.count(kept); });
    __syncwarp();
    const bool is_mixed =
        warp_items_ > 0 &&
        ptx::shared_at<uint32_t>(digit.address(from.key(0), own_counters())) != uint32_t(warp_items_);
    if (!warp_group_.any(is_mixed || JIG_RADIX_SORT_FORCE == 2)) return RankIsIndex;
    return scan() || JIG_RADIX_SORT_FORCE == 1 ? RankByMatching : RankByAdding;
  }

  // After count(), before move(), and with a barrier before the latter: how many keys have lower digits.
  __device__ uint32_t before(int digit) const { return counter(0, digit); }

  // Puts the keys in order. No barrier.
  __device__ void move(const Items &from, const Items &to, const RadixDigit<Keys> &digit, RadixRankMode mode) const {
    const Rank rank = rank_by(digit);
    auto put = [&](uint32_t slot, Kept kept, int i) {
      to.key(slot) = kept;
      if constexpr (HasIndices) to.index(slot) = from.index(i);
    };
    if (mode == RankByAdding) {
      for_batches<batch>(
          [&](int i) {
            const Kept kept = from.key(i);
            return Ranked{kept, rank.add(kept)};
          },
          [&](int i, const Ranked &ranked) { put(ranked.slot, ranked.kept, i); });
      return;
    }
#pragma unroll 1
    for (int r = 0; r < rank.used_rows(); ++r) {
      const int i = column_ + r * warp_threads;
      const Kept kept = rank.has(r) ? from.key(i) : Kept{};
      const uint32_t slot = rank.match(kept, r);
      if (rank.has(r)) put(slot, kept, i);
    }
  }

  // Whether keys that have been moved are in order of the bits in `mask`, and equal ones in that of their
  // indices; of this thread's part.
  __device__ bool in_order(const Items &items, Bits flip, Bits mask) const {
    bool sorted = true;
    if constexpr (Keys::is_exact || HasIndices) {
#pragma unroll 2
      for (int i = warp_group_.thread(); i + 1 < num_items_; i += warp_group_.threads()) {
        const Bits a = (Keys::bits(items.key(i)) ^ flip) & mask, b = (Keys::bits(items.key(i + 1)) ^ flip) & mask;
        bool right = a <= b;
        if constexpr (HasIndices) right = a < b || (a == b && items.index(i) < items.index(i + 1));
        sorted = sorted && right;
      }
    }
    return sorted;
  }

 private:
  __device__ Rank rank_by(const RadixDigit<Keys> &digit) const {
    return Rank(digit, warp_items_, own_counters());
  }

  // Of a warp's items, at most.
  __device__ int share() const {
    return (num_items_ + warp_group_.threads() - 1 >> warp_group_.log_warps) & -warp_threads;
  }

  __device__ uint32_t own_counters() const { return counters_ + threadIdx.x / warp_threads * radix_digits * 4; }
  __device__ uint32_t &counter(int warp, int digit) const {
    return ptx::shared_at<uint32_t>(counters_ + ((warp_group_.first() + warp) * radix_digits + digit) * 4);
  }
  // Of one thread, by digits and of one digit by warps; of a single warp they lie side by side.
  __device__ uint32_t &own_counter(int k) const {
    const int number = warp_group_.thread() * own + k;
    return counter(number & (warp_group_.warps() - 1), number >> warp_group_.log_warps);
  }
  __device__ uint32_t &total(int warp) const {
    return ptx::shared_at<uint32_t>(totals_ + (warp_group_.first() + warp) * 4);
  }

  // Makes counters of slots. Whether one digit has so many of a warp's keys that adding would be slow. Barriers
  // before anything is written and after it.
  __device__ bool scan() const {
    Counters &side_by_side = ptx::shared_at<Counters>(own_counters() + ptx::lane_id() * sizeof(Counters));
    array<uint32_t, own> values;
    uint32_t sum = 0, most = 0;
    if (warp_group_.log_warps == 0) {
      values = side_by_side.values;
    } else {
#pragma unroll
      for (int k = 0; k < own; ++k) values[k] = own_counter(k);
    }
#pragma unroll
    for (int k = 0; k < own; ++k) {
      most = max_of(most, values[k]);
      const uint32_t value = values[k];
      values[k] = sum;
      sum += value;
    }
    uint32_t end = inclusive_sum(sum);
    uint32_t before = end - sum;
    if (warp_group_.log_warps > 0 && ptx::lane_id() == warp_threads - 1) total(warp_group_.warp()) = end;
    const bool is_frequent = warp_group_.any(most > uint32_t(share()) / 2);
    if (warp_group_.log_warps > 0) {
      uint32_t lower = int(ptx::lane_id()) < warp_group_.warp() ? total(ptx::lane_id()) : 0;
#pragma unroll
      for (int delta = 1; delta < warp_threads; delta *= 2) lower += __shfl_xor_sync(full_warp, lower, delta);
      before += lower;
    }
#pragma unroll
    for (int k = 0; k < own; ++k) values[k] += before;
    if (warp_group_.log_warps == 0) {
      side_by_side.values = values;
    } else {
#pragma unroll
      for (int k = 0; k < own; ++k) own_counter(k) = values[k];
    }
    warp_group_.sync();
    return is_frequent;
  }

  WarpGroup warp_group_;
  uint32_t counters_, totals_;
  int num_items_;
  int column_, warp_items_;  // as in radix_sort_pass.cuh
};

}  // namespace jig
