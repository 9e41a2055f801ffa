// Ranks the keys of a block's tile by a digit: where each goes if they are put in order of the digit.
//
// A warp has a warp tile, a contiguous part of the tile, in rows of a key for each lane, and a counter for each
// digit in shared memory: first of its keys, then, after all warps' have been summed up, of the slots that are
// taken. A lane that adds to a counter gets its slot. Which lane of a row gets which when several have one
// digit is up to the hardware; it has always been seen to be the lanes' order, which is what a stable sort
// needs, but nothing promises it. So whoever ranks by add() has to check what comes out, and to
// rank by match() if it is wrong, where lanes with one digit find each other by ballots.
//
// Adding is also slow if many lanes of a row have one digit. The lanes of
// digits that are frequent in a tile are found by a ballot for each while all others add; and if one digit has all of a
// tile there is nothing to do.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/core/radix.cuh>
#include <jig/warp/inclusive_sum.cuh>

// Tests force what is rare: 1: every tile is ranked by match(); 2: every tile fails its check; 3: places are
// computed as those of more than 2^32 keys; 4: lanes get slots in the opposite order; 5: every tile has
// frequent digits.
#ifndef JIG_RADIX_SORT_FORCE
#define JIG_RADIX_SORT_FORCE 0
#endif

namespace jig {

// How a tile is ranked.
enum RadixRankMode : uint32_t { RankByAdding, RankByMatching, RankWithFrequent, RankIsIndex };

// How to rank a tile, in shared memory; so many digits at most are taken to be frequent.
template <int MaxFrequent> struct RadixChoice {
  uint32_t count, is_one, digits[MaxFrequent];

  // One thread calls, before all others come to see().
  __device__ void reset() { count = is_one = 0; }

  // Says how many keys of a tile have a digit, which is frequent if that is more than `share` 256ths of the tile.
  __device__ void see(uint32_t digit, uint32_t keys, uint32_t tile, uint32_t share) {
    if (keys == tile) is_one = 1;
    if (keys * radix_digits <= (JIG_RADIX_SORT_FORCE == 5 ? 0 : tile * share)) return;
    const uint32_t place = ptx::fetch_add_shared(ptx::shared_address(&count), 1);
    if (place < MaxFrequent) digits[place] = digit;
  }

  __device__ RadixRankMode mode() const {
    if (JIG_RADIX_SORT_FORCE == 1) return RankByMatching;
    if (JIG_RADIX_SORT_FORCE == 2) return RankByAdding;
    return is_one && JIG_RADIX_SORT_FORCE != 5 ? RankIsIndex : count > 0 ? RankWithFrequent : RankByAdding;
  }
};

// The frequent digits as a warp has them: their counters, and the slots that their next keys get.
template <int MaxFrequent> struct FrequentDigits {
  int count;
  uint32_t addresses[MaxFrequent], slots[MaxFrequent];  // those that there are not have the address nowhere
  static constexpr uint32_t nowhere = ~uint32_t(0);
};

// Rows of keys that are held in registers are ranked Batch at a time; what is less than that, or not there in
// every lane, is read anew for it.
// `AllWhole`: there is nothing like that.
template <class Keys, int Rows, int Batch, bool AllWhole = false> class RadixRank {
  using Kept = typename Keys::Kept;
  static_assert(Rows % Batch == 0, "rows come in batches");

 public:
  // The warp has so many keys. `counters` is where its counters are.
  __device__ RadixRank(const RadixDigit<Keys> &digit, int keys, uint32_t counters)
      : digit_(digit), keys_(keys), whole_rows_(keys / (warp_threads * Batch) * Batch), counters_(counters) {}

  __device__ int whole_rows() const { return whole_rows_; }
  __device__ int used_rows() const { return ceil_div(keys_, warp_threads); }
  // Whether this lane has a key in that row.
  __device__ bool has(int row) const { return AllWhole || row * warp_threads + int(ptx::lane_id()) < keys_; }

  // Has all rows taken one by one.
  __device__ void take_no_row_whole() { whole_rows_ = 0; }

  // Calls action(row) for all whole rows.
  template <class Do> __device__ void for_whole_rows(Do action) const {
#pragma unroll
    for (int first = 0; first < Rows; first += Batch) {
      if (first >= whole_rows()) break;
#pragma unroll
      for (int r = first; r < first + Batch; ++r) action(r);
    }
  }

  __device__ void count(Kept kept) const { ptx::add_shared(digit_.address(kept, counters_), 1); }
  // One that there may not be, without a branch.
  __device__ void count(Kept kept, int row) const {
    const bool exists = has(row);
    ptx::add_shared(exists ? digit_.address(kept, counters_) : own_counter(), exists);
  }

  // All rows, of which the last ones may be cut, or not be there.
  __device__ void count_rows(const array<Kept, Rows> &kept) const {
#pragma unroll
    for (int first = 0; first < Rows; first += Batch) {
      if (first * warp_threads >= keys_) break;
#pragma unroll
      for (int k = 0; k < Batch; ++k) count(kept[first + k], first + k);
    }
  }

  // Calls put(slot, row) for each of their keys.
  template <class Put> __device__ void add_rows(const array<Kept, Rows> &kept, Put put) const {
#pragma unroll
    for (int first = 0; first < Rows; first += Batch) {
      if (first * warp_threads >= keys_) break;
      array<uint32_t, Batch> slots;
#pragma unroll
      for (int k = 0; k < Batch; ++k) {
        const bool exists = has(first + k);
        slots[k] = fetch_add(exists ? digit_.address(kept[first + k], counters_) : own_counter(), exists);
      }
#pragma unroll
      for (int k = 0; k < Batch; ++k)
        if (has(first + k)) put(slots[k], first + k);
    }
  }

  // The slot of one key, whatever other lanes do.
  __device__ uint32_t add(Kept kept) const { return ptx::fetch_add_shared(digit_.address(kept, counters_), 1); }

  // Calls put(slots, row) for all whole rows, with those of a batch from that row on. The additions of a batch
  // are under way at the same time.
  template <class Put> __device__ void add_whole_rows(const array<Kept, Rows> &kept, Put put) const {
#pragma unroll
    for (int first = 0; first < Rows; first += Batch) {
      if (first >= whole_rows()) break;
      array<uint32_t, Batch> slots;
#pragma unroll
      for (int k = 0; k < Batch; ++k) slots[k] = fetch_add(digit_.address(kept[first + k], counters_), 1);
      put(slots, first);
    }
  }

  // The same where one digit is frequent; half of the rows in each turn of a loop, as the first ones of what is left;
  // afterwards keys are not what they were.
  template <class Put>
  __device__ void add_whole_rows(array<Kept, Rows> &kept, uint32_t frequent_digit, Put put) const {
    constexpr int turn = Rows / Batch % 2 == 0 ? Rows / 2 : Rows;
    const uint32_t frequent = counters_ + 4 * frequent_digit;
    uint32_t next = ptx::shared_at<uint32_t>(frequent);
    __syncwarp();  // all have read what somebody may add nothing to
#pragma unroll 1
    for (int first = 0; first < whole_rows(); first += turn) {
#pragma unroll
      for (int r = 0; r < turn; r += Batch) {
        if (first + r >= whole_rows()) break;
        array<uint32_t, Batch> slots;
#pragma unroll
        for (int k = 0; k < Batch; ++k) {
          const uint32_t address = digit_.address(kept[r + k], counters_);
          const bool is_mine = address == frequent;
          const uint32_t votes = __ballot_sync(full_warp, is_mine);
          const uint32_t added = fetch_add(is_mine ? own_counter() : address, !is_mine);
          slots[k] = is_mine ? next + __popc(votes & ptx::lanes_below()) : added;
          next += __popc(votes);
        }
        put(slots, kept, r, first);
      }
#pragma unroll
      for (int r = turn; r < Rows; ++r) kept[r - turn] = kept[r];
    }
    __syncwarp();
    if (ptx::lane_id() == 0) ptx::shared_at<uint32_t>(frequent) = next;
    __syncwarp();
  }

  // What add_with_frequent() takes, and leave() has to be told at the end.
  template <int MaxFrequent>
  __device__ FrequentDigits<MaxFrequent> frequent_digits(const RadixChoice<MaxFrequent> &choice) const {
    FrequentDigits<MaxFrequent> frequent;
    frequent.count = min_of<int>(choice.count, MaxFrequent);
    __syncwarp();
#pragma unroll
    for (int c = 0; c < MaxFrequent; ++c) {
      frequent.addresses[c] = c < frequent.count ? counters_ + 4 * choice.digits[c] : frequent.nowhere;
      frequent.slots[c] = c < frequent.count ? ptx::shared_at<uint32_t>(frequent.addresses[c]) : 0;
    }
    __syncwarp();  // all have read what somebody may add nothing to
    return frequent;
  }
  template <int MaxFrequent> __device__ void leave(const FrequentDigits<MaxFrequent> &frequent) const {
    __syncwarp();  // all have read what is written here
#pragma unroll
    for (int c = 0; c < MaxFrequent; ++c)
      if (c < frequent.count && ptx::lane_id() == 0)
        ptx::shared_at<uint32_t>(frequent.addresses[c]) = frequent.slots[c];
  }

  // The slot of one row's key; all lanes of the warp call.
  template <int MaxFrequent>
  __device__ uint32_t add_with_frequent(Kept kept, int row, FrequentDigits<MaxFrequent> &frequent) const {
    const bool exists = has(row);
    const uint32_t address =
        Keys::takes_any_bytes || exists ? digit_.address(kept, counters_) : own_counter();
    uint32_t slot = 0, mates = 0;
#pragma unroll
    for (int c = 0; c < MaxFrequent; ++c) {
      // Mostly there is one, if any. For a single other one the branch would not pay.
      if (MaxFrequent > 2 && c == 1 && frequent.count <= 1) break;
      const bool is_mine = exists && address == frequent.addresses[c];
      const uint32_t votes = __ballot_sync(full_warp, is_mine);
      if (is_mine) slot = frequent.slots[c];
      if (is_mine) mates = votes;
      frequent.slots[c] += __popc(votes);
    }
    slot += __popc(mates & ptx::lanes_below());
    // Without a branch, too.
    const bool adds = exists && mates == 0;
    const uint32_t added = fetch_add(adds ? address : own_counter(), adds);
    return adds ? added : slot;
  }

  // The same, by nothing but ballots.
  __device__ uint32_t match(Kept kept, int row) const {
    const bool exists = has(row);
    const uint32_t digit = exists ? digit_(kept) : 0;
    uint32_t peers = __ballot_sync(full_warp, exists);
#pragma unroll 1
    for (int b = 0; b < radix_bits; ++b) {
      const bool bit = digit >> b & 1;
      const uint32_t votes = __ballot_sync(full_warp, bit);
      peers &= bit ? votes : ~votes;
    }
    const int leader = __ffs(peers) - 1;
    uint32_t slot = 0;
    if (exists && leader == int(ptx::lane_id()))
      slot = ptx::fetch_add_shared(counters_ + 4 * digit, __popc(peers));
    __syncwarp();  // the next row's additions come after this one's
    return __shfl_sync(full_warp, slot, leader & 31) + __popc(peers & ptx::lanes_below());
  }

  // Makes the compiler take digits anew, for which it would otherwise keep registers that it has not got.
  __device__ void forget() { asm("" : "+r"(digit_.shift)); }

 private:
  // Where this lane adds nothing, which no other does there.
  __device__ uint32_t own_counter() const { return counters_ + 4 * ptx::lane_id(); }

  // All lanes call.
  static __device__ uint32_t fetch_add(uint32_t address, uint32_t value) {
    if (JIG_RADIX_SORT_FORCE != 4) return ptx::fetch_add_shared(address, value);
    constexpr int opposite = warp_threads - 1;
    address = __shfl_xor_sync(full_warp, address, opposite);
    value = __shfl_xor_sync(full_warp, value, opposite);
    return __shfl_xor_sync(full_warp, ptx::fetch_add_shared(address, value), opposite);
  }

  RadixDigit<Keys> digit_;
  int keys_, whole_rows_;
  uint32_t counters_;
};

// How many keys the digits of each warp of those threads have that have a digit.
struct alignas(16) RadixWarpTotals {
  uint32_t of[radix_digits / warp_threads];
};

// What the first radix_digits threads of a block do between counting and ranking, each for its digit.
// `counters` are those of the first warp; the others' follow.
struct RadixCounters {
  uint32_t (*counters)[radix_digits];
  RadixWarpTotals *warp_totals;

  // How many keys of the digit the tile has.
  template <int Warps> __device__ uint32_t sum() const {
    uint32_t count = 0;
#pragma unroll
    for (int w = 0; w < Warps; ++w) count += counters[w][threadIdx.x];
    return count;
  }

  // How many of lower digits, where `count` is how many a thread's digit has.
  __device__ uint32_t before(uint32_t count) const {
    const uint32_t lane = ptx::lane_id(), warp = threadIdx.x / warp_threads;
    uint32_t inclusive = inclusive_sum(count);
    if (lane == warp_threads - 1) warp_totals->of[warp] = inclusive;
    ptx::sync_threads(1, radix_digits);
    // All at once, and not only those that are needed.
    const RadixWarpTotals totals = *warp_totals;
    uint32_t before = inclusive - count;
#pragma unroll
    for (int w = 0; w < radix_digits / warp_threads - 1; ++w) before += w < warp ? totals.of[w] : 0;
    return before;
  }

  // The same. Makes counters of slots.
  template <int Warps> __device__ uint32_t scan(uint32_t count) const {
    const uint32_t lower = before(count);
    uint32_t slot = lower;
#pragma unroll
    for (int w = 0; w < Warps; ++w) {
      const uint32_t mine = counters[w][threadIdx.x];
      counters[w][threadIdx.x] = slot;
      slot += mine;
    }
    return lower;
  }

  // Undoes all additions, after which each warp's slots end where the next one's begin.
  template <class Warps> __device__ void take_back(Warps warps) const {
    uint32_t begin = threadIdx.x > 0 ? counters[warps - 1][threadIdx.x - 1] : 0;
    ptx::sync_threads(1, radix_digits);
#pragma unroll 1
    for (int w = 0; w < warps; ++w) {
      const uint32_t end = counters[w][threadIdx.x];
      counters[w][threadIdx.x] = begin;
      begin = end;
    }
  }
};

// Zeroes the counters of all warps: by all threads.
__device__ inline void clear_counters(uint32_t (*counters)[radix_digits], int warps) {
  uint4 *words = reinterpret_cast<uint4 *>(counters);
#pragma unroll 1
  for (int i = threadIdx.x; i < warps * radix_digits / 4; i += blockDim.x) words[i] = uint4{0, 0, 0, 0};
}

}  // namespace jig
