// What a block does in a pass of a radix sort: it puts a tile of keys, with their values, in order of one
// digit, and each run of one digit where it belongs among all others' (onesweep; Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
//
// Where the runs of earlier tiles end is found out by decoupled look-back: a word for each digit and tile
// says how many of its keys the tile has, or the tiles up to it have. A word carries all there is to know, so
// that no fence is needed. Blocks only wait for blocks with lower indices. There are two arrays of words: a
// pass clears the next one's.
//
// A tile is first counted, so that others learn soon what it has, and then ranked (radix_rank.cuh) into
// shared memory, from where runs are written.
//
// Adding may rank keys of one digit in a wrong order; that is looked for when the tile is written. With
// values, every key has its index in the tile beside it. Without, earlier passes' digits have to be in
// order; keys that are equal in those will be put in order by later passes, or are the same in all bits,
// as tiles are ranked by matching in which other keys than those count as equal: two zeros, or keys with
// bits that the sort does not look at.
#pragma once
#include <jig/agent/radix_rank.cuh>
#include <jig/agent/radix_sort.cuh>

namespace jig {

// A launch's part of a pass; the same as radix_sort_part in src/algorithm/radix_sort_plan.h.
struct RadixSortPart {
  uint64_t first_item;
  uint32_t num_items;
  int32_t pass, portion;
  int32_t rows;  // of keys that a warp has, at most Policy::rows
};

template <class Policy, class Keys, class Value> class AgentRadixSortPass {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, rows = Policy::rows;
  static constexpr int max_items = threads * rows;
  static constexpr bool has_values = !is_same<Value, none>;
  // Small values are read in order, and put in order in shared memory; others in the order of the keys.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  static constexpr int write_batch = 6;
  static constexpr uint32_t is_total = 1u << 31, is_count = 1u << 30, count_mask = is_count - 1;
  using Rank = RadixRank<Keys, rows>;

 public:
  struct alignas(1024) TempStorage {
    uint32_t counters[warps][radix_digits];
    uint32_t offsets[radix_digits], high_offsets[radix_digits];
    uint32_t warp_totals[radix_digits / warp_threads];
    uint32_t mode;
    uninitialized<Kept, max_items> keys;
    uninitialized<Value, stages_values ? max_items : 1> values;
    uint16_t indices[has_values ? max_items : 1];
  };

  __device__ AgentRadixSortPass(TempStorage &storage, const RadixSortCall &call, const RadixSortPart &part)
      : storage_(storage),
        call_(call),
        part_(part),
        range_{call.begin_bit, call.end_bit},
        step_{call, call.control->step[part.pass], call.control->steps},
        digit_(range_.first(part.pass), range_.count(part.pass),
               radix_flip<Bits>(call.is_signed, call.is_descending)) {}

  __device__ void Run() {
    if (step_.step == skipped_pass) return;
    begin();
    array<Kept, rows> kept;
    const Rank rank(digit_, mine_, ptx::kept_shared_address(storage_.counters[threadIdx.x / warp_threads]));
    bool matches = load(kept);
    __syncthreads();
    rank.count(kept);
    matches = __syncthreads_or(matches);
    uint32_t count = 0, before = 0;
    if (threadIdx.x < radix_digits) scan_digits(count, before);
    __syncthreads();
    RadixRankMode mode = matches ? RankByMatching : RadixRankMode(storage_.mode);
    if (mode == RankByAdding) add(again(rank), kept);
    if constexpr (stages_values) stage_values();
    while (true) {
      if (mode != RankByAdding) rank_rows(rank, mode);
      if (threadIdx.x < radix_digits) look_back(count, before);
      __syncthreads();
      ptx::launch_dependent_grids();
      const bool is_wrong = write(mode == RankByAdding);
      if (mode != RankByAdding || !__syncthreads_or(is_wrong || JIG_RADIX_SORT_FORCE == 2)) break;
      // All anew, by matching, to the same places.
      mode = RankByMatching;
      take_back(rank);
      __syncthreads();
    }
  }

 private:
  // ---- the tile

  __device__ void begin() {
    const uint32_t tile_items = threads * part_.rows, piece = warp_threads * part_.rows;
    const uint32_t first = blockIdx.x * tile_items, lane = ptx::lane_id();
    tile_first_ = part_.first_item + first;
    tile_items_ = min_of(part_.num_items - first, tile_items);
    column_ = threadIdx.x / warp_threads * piece + lane;
    mine_ = min_of(int(piece - lane), int(tile_items_) - int(column_));
    clear_counters(storage_.counters, warps);
    if (threadIdx.x == 0) storage_.mode = RankByAdding;
  }

  __device__ const Key *keys_from() const {
    return static_cast<const Key *>(step_.keys_from()) + tile_first_ + column_;
  }

  // Whether there are keys among these that only matching is known to keep in order.
  __device__ bool load(array<Kept, rows> &kept) const {
    const Key *from = keys_from();
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r * warp_threads < mine_) kept[r] = from[r * warp_threads];
    if (step_.is_first()) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (r * warp_threads < mine_) kept[r] = Keys::enter(kept[r]);
    }
    if constexpr (!Keys::is_exact) return true;
    else if constexpr (has_values) return false;
    else return have_equals(kept);
  }

  __device__ bool have_equals(const array<Kept, rows> &kept) const {
    Bits differing = 0;
    bool has_twin = false;
    if (range_.end - range_.begin < int(sizeof(Bits) * 8)) {
      const Bits unseen = Bits(~radix_mask<Bits>(range_.begin, range_.end - range_.begin));
      // All are compared with one; which one does not matter.
      const Bits other = tile_key();
      for_each_row([&](Kept key, int r) {
        if (r * warp_threads < mine_) differing |= (key ^ other) & unseen;
      });
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r * warp_threads < mine_) has_twin = has_twin || Keys::has_twin(kept[r]);
    return differing != 0 || has_twin;
  }

  __device__ Bits tile_key() const {
    const Key key = static_cast<const Key *>(step_.keys_from())[tile_first_];
    return step_.is_first() ? Keys::enter(key) : Kept(key);
  }

  // ---- counts

  __device__ uint32_t *states(uint32_t step) const {
    return call_.states + uint64_t(step % 2) * call_.state_tiles * radix_digits + threadIdx.x;
  }
  __device__ uint32_t launch() const { return step_.step * call_.portions + part_.portion; }

  __device__ void scan_digits(uint32_t &count, uint32_t &before) {
    const RadixCounters counters{storage_.counters, storage_.warp_totals};
    count = counters.sum(warps);
    ptx::store_relaxed_gpu(states(launch()) + blockIdx.x * radix_digits,
                           (blockIdx.x == 0 ? is_total : is_count) | count);
    uint32_t *next = states(launch() + 1);
    for (uint32_t tile = blockIdx.x; tile < call_.state_tiles; tile += gridDim.x)
      next[tile * radix_digits] = 0;
    const RadixRankMode mode = RadixCounters::mode(count, tile_items_);
    if (mode != RankByAdding) storage_.mode = mode;
    before = counters.scan(warps, count);
  }

  // ---- slots

  // The same, with digits that are taken anew.
  static __device__ Rank again(Rank rank) {
    rank.forget();
    return rank;
  }

  __device__ void add(const Rank &rank, const array<Kept, rows> &kept) {
    rank.add(kept, [&](uint32_t slot, int r) { put(slot, kept[r], r); });
  }

  __device__ void put(uint32_t slot, Kept kept, int row) {
    storage_.keys[slot] = kept;
    if constexpr (has_values) storage_.indices[slot] = uint16_t(column_ + row * warp_threads);
  }

  // Reads the keys once more, which takes no registers and little code.
  template <class Do> __device__ void for_each_row(Do action) const {
    const Key *from = keys_from();
#pragma unroll 1
    for (int r = 0; r < part_.rows; ++r) {
      Kept kept{};
      if (r * warp_threads < mine_) {
        kept = from[r * warp_threads];
        if (step_.is_first()) kept = Keys::enter(kept);
      }
      action(kept, r);
    }
  }

  __device__ void take_back(const Rank &rank) const {
    for_each_row([&](Kept kept, int r) { rank.take_back(kept, r); });
  }

  __device__ void rank_rows(const Rank &rank, RadixRankMode mode) {
    for_each_row([&](Kept kept, int r) {
      const uint32_t slot = mode == RankIsIndex ? column_ + r * warp_threads : rank.match(kept, r);
      if (rank.has(r)) put(slot, kept, r);
    });
  }

  __device__ void stage_values() {
    const Value *from = static_cast<const Value *>(step_.values_from()) + tile_first_ + column_;
#pragma unroll 8
    for (int r = 0; r < rows; ++r)
      if (r * warp_threads < mine_) storage_.values[column_ + r * warp_threads] = from[r * warp_threads];
  }

  // ---- where runs go

  __device__ void look_back(uint32_t count, uint32_t before) {
    const uint32_t digit = threadIdx.x;
    uint32_t *mine = states(launch()) + blockIdx.x * radix_digits;
    const uint32_t earlier = blockIdx.x > 0 ? take_earlier(mine) : 0;
    if (blockIdx.x > 0) ptx::store_relaxed_gpu(mine, is_total | (earlier + count));
    const uint64_t begin = call_.control->bins(part_.pass, part_.portion)[digit] + earlier;
    if (blockIdx.x == gridDim.x - 1 && part_.portion + 1 < call_.portions)
      call_.control->bins(part_.pass, part_.portion + 1)[digit] = begin + count;
    const uint64_t offset = begin - before;
    storage_.offsets[digit] = uint32_t(offset);
    if (is_wide()) storage_.high_offsets[digit] = uint32_t(offset >> 32);
  }

  // How many keys of this thread's digit the tiles before this one have.
  static __device__ uint32_t take_earlier(const uint32_t *mine) {
    constexpr int window = 4;
    uint32_t earlier = 0;
    int next = blockIdx.x - 1;
    while (true) {
      uint32_t words[window];
#pragma unroll
      for (int k = 0; k < window; ++k) {
        const int64_t back = int64_t(blockIdx.x) - (next - k);
        words[k] = next >= k ? ptx::load_relaxed_gpu(mine - back * radix_digits) : 0;
      }
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if (words[k] == 0) break;
        earlier += words[k] & count_mask;
        --next;
        if (words[k] & is_total) return earlier;
      }
    }
  }

  // ---- writing

  // Whether keys have places beyond what 32 bits can tell.
  __device__ bool is_wide() const { return call_.num_items > uint64_t(~uint32_t(0)); }

  // Whether the tile is out of order, if that is asked for.
  __device__ bool write(bool checks) { return is_wide() ? write_as<true>(checks) : write_as<false>(checks); }

  template <bool Wide> __device__ bool write_as(bool checks) {
    Key *keys_to = static_cast<Key *>(step_.keys_to());
    const bool compares = checks && (has_values || part_.pass > 0);
    bool is_wrong = false;
#pragma unroll 1
    for (uint32_t first = threadIdx.x; first < tile_items_; first += write_batch * threads) {
#pragma unroll
      for (int k = 0; k < write_batch; ++k) {
        const uint32_t slot = first + k * threads;
        if (slot >= tile_items_) break;
        const Kept kept = storage_.keys[slot];
        const uint32_t digit = digit_(kept);
        uint64_t place = storage_.offsets[digit] + slot;
        if constexpr (Wide)
          place = (uint64_t(storage_.high_offsets[digit]) << 32 | storage_.offsets[digit]) + slot;
        else
          place = uint32_t(place);
        if (compares && slot + 1 < tile_items_) is_wrong = is_wrong || !in_order(kept, slot);
        keys_to[place] = step_.is_last() ? Keys::leave(kept) : Key(kept);
        if constexpr (has_values) write_value(slot, place);
      }
    }
    return is_wrong;
  }

  __device__ void write_value(uint32_t slot, uint64_t place) {
    Value *to = static_cast<Value *>(step_.values_to());
    const uint32_t index = storage_.indices[slot];
    if constexpr (stages_values) to[place] = storage_.values[index];
    else to[place] = static_cast<const Value *>(step_.values_from())[tile_first_ + index];
  }

  // Whether a key may be followed by the next one.
  __device__ bool in_order(Kept kept, uint32_t slot) {
    const Kept next = storage_.keys[slot + 1];
    if constexpr (has_values) {
      return digit_(kept) != digit_(next) || storage_.indices[slot] < storage_.indices[slot + 1];
    } else if constexpr (Keys::is_exact) {
      const Bits flip = radix_flip<Bits>(call_.is_signed, call_.is_descending);
      const Bits mask = radix_mask<Bits>(
          range_.begin, range_.first(part_.pass) + range_.count(part_.pass) - range_.begin);
      return Bits((kept ^ flip) & mask) <= Bits((next ^ flip) & mask);
    } else {
      return true;
    }
  }

  TempStorage &storage_;
  const RadixSortCall &call_;
  const RadixSortPart &part_;
  RadixRange range_;
  RadixSortStep step_;
  RadixDigit<Keys> digit_;
  uint64_t tile_first_;   // the tile's first item
  uint32_t tile_items_;
  uint32_t column_;       // which of the tile's the first key of this lane is; the next is a row after it
  int mine_;              // how many items there are from it on, in the warp's piece
};

}  // namespace jig
