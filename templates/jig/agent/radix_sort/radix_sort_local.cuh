// What a block does in the last kernel of a radix sort that has gone by the highest digits alone: keys that agree in
// those, a bucket, lie side by side, and most buckets fit shared memory, where they are put in order of all that is
// left and moved once, instead of once for each digit (a hybrid radix sort; Stehle and Jacobsen, "A Memory
// Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017).
//
// A block has a chunk of all keys, of whole buckets: those in which items chunk .. chunk + chunk_items - 1 are the
// first ones. It sorts as many neighbouring buckets at a time as fit a tile. Keys stay where they are in the tile; what
// is moved are words of 16 bits of a key, its rank, and its index. Ranks are the highest bits that differ in the tile,
// by two digits, which leaves few keys of a tile with the same one: these are put in order by comparing keys. If they
// are many, the tile is sorted by all digits. A bucket that fits no tile is sorted by the block through memory, digit
// by digit, in tiles of which each is put in order of one digit.
//
// Adding may rank keys in a wrong order (radix_rank.cuh), which indices tell.
#pragma once
#include <jig/agent/radix_sort/radix_local_items.cuh>
#include <jig/agent/radix_sort/radix_rank.cuh>
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

template <class Policy, class Keys, class Value> class AgentRadixSortLocal {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, rows = Policy::rows;
  static constexpr int max_items = threads * rows;
  static constexpr bool has_values = !is_same<Value, none>;
  // Small values are in shared memory beside their keys, others are read when they are written.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
#if __CUDA_ARCH__ >= 800
  static constexpr bool copies_values =
      stages_values && (sizeof(Value) == 4 || sizeof(Value) == 8) && alignof(Value) == sizeof(Value);
#else
  static constexpr bool copies_values = false;
#endif
  // Rows that are loaded at the same time.
  static constexpr int load_rows = sizeof(Kept) <= 8 ? rows : ceil_div(rows, 2);
  // Words, and how they are ranked.
  static constexpr int rank_bits = 16, index_bits = 16;
  static constexpr uint32_t index_mask = (1u << index_bits) - 1;
  static_assert(max_items <= 1 << index_bits, "a tile's indices fit words");
  using Words = IntegerKeys<uint32_t>;
  using Rank = RadixRank<Words, rows, Policy::batch>;
  static constexpr bool can_measure = sizeof(Bits) == 8;
  static constexpr int most_mates = 64;  // keys of one rank that a thread puts in order
  // If one digit has as many 256ths of a tile, lanes are in each other's way until ballots are faster.
  static constexpr uint32_t frequent_share = 144;

  // How a tile is sorted: by ranks; if that does not do, by all digits; if their order is wrong, by matching.
  enum Attempt { ByRanks, ByDigits, ByMatching };

  static constexpr bool has_records = is_record<Keys>;
  using Items = RadixLocalItems<Keys, Value>;
  using Written = conditional<has_records, uint32_t, Value>;

 public:
  struct alignas(1024) TempStorage {
    uint32_t counters[warps][radix_digits];
    uint32_t counts[radix_digits], before[radix_digits], running[radix_digits];
    RadixWarpTotals warp_totals;
    RadixChoice<1> choice;
    int low_bit;
    bool is_uneven;
    uint32_t least, most;  // of what keys of a tile have in the 32 bits below low_bit
    uint32_t bounds[2];   // of what is left of the chunk
    Items from, beside;   // where keys and values are, and where they may be in between
    Items source, target; // of a tile, and of a digit
    // The bucket that fits no tile, while it is sorted: its items from `next` on are still to be moved by the digit at
    // `bit`.
    struct {
      bool is_there;
      uint32_t begin, end, next;
      int bit;
    } large;
    uint32_t fall_count;
    uint16_t falls[threads];  // keys that come after the next one, whose rank is the same
    uint32_t words[max_items];
    Kept keys[max_items];
    uninitialized<Value, stages_values ? max_items : 1> values;
  };

  __device__ AgentRadixSortLocal(TempStorage &storage, const RadixSortCall &call)
      : storage_(storage),
        call_(call),
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        mask_(radix_mask<Bits>(call.begin_bit, call.end_bit - call.begin_bit)) {}

  // Chunks begin at multiples of so many items.
  __device__ void Run(uint32_t chunk_items) {
    const uint32_t num_items = uint32_t(call_.num_items);
    const uint64_t first = uint64_t(blockIdx.x) * chunk_items;
    if (first >= num_items) return;
    clear_counters(storage_.counters, warps);
    if (threadIdx.x == 0) begin();
    __syncthreads();
    const int warp = uniform_warp();
    if (warp < 2) {
      const bool is_end = warp == 1;
      const uint32_t bound = begin_of(uint32_t(min_of(first + (is_end ? chunk_items : 0), uint64_t(num_items))));
      if (ptx::lane_id() == 0) storage_.bounds[is_end] = bound;
    }
    __syncthreads();
    // What is in shared memory is read there again and again, which takes no registers.
    while (storage_.bounds[0] < storage_.bounds[1]) {
      sort_some();
      __syncthreads();
    }
  }

 private:
  __device__ void begin() {
    const RadixSortControl &control = *call_.control;
    const RadixSortStep step{call_, control.top_passes - 1, control.steps};
    storage_.choice.reset();
    storage_.low_bit = RadixRange{call_.begin_bit, call_.end_bit}.first(int(control.low_pass));
    storage_.is_uneven = control.is_uneven;
    storage_.from = Items(step.keys_to(), step.values_to(), call_.num_items);
    storage_.beside = Items(step.keys_beside(), step.values_beside(), 0);
    leave(0);
  }

  // Buckets before that item are done. By one thread.
  __device__ void leave(uint32_t item) {
    storage_.bounds[0] = item;
    storage_.source = storage_.from;
    storage_.large.is_there = false;
    storage_.least = ~0u;
    storage_.most = 0;
  }

  // ---- buckets

  // The lowest of the bits that all keys of a bucket have in common.
  __device__ int low_bit() const { return storage_.low_bit; }

  // What keys are compared by.
  __device__ Bits order(const Kept &kept) const { return Bits((Keys::bits(kept) ^ flip_) & mask_); }
  __device__ Bits bucket(const Kept &kept) const { return Bits(order(kept) >> low_bit()); }

  // The first of items low .. high that is in the bucket, as all that follow it are; high if there is none. By a
  // warp.
  template <class Key>
  __device__ uint32_t first_of(Key key, Bits which, uint32_t low, uint32_t high) const {
#pragma unroll 1
    while (low < high) {
      const uint32_t step = ceil_div(high - low, uint32_t(warp_threads));
      const uint32_t probe = low + ptx::lane_id() * step + step - 1;
      const uint32_t before = __popc(__ballot_sync(full_warp, probe < high && bucket(key(probe)) != which)) * step;
      high = min_of(high, low + before + step - 1);
      low += before;
    }
    return low;
  }

  // The first item of the bucket that an item is in; it looks at nearer ones first. By a warp.
  __device__ uint32_t begin_of(uint32_t item) const {
    const Items from = storage_.from;
    if (item == 0 || item >= call_.num_items) return item;
    const Bits which = bucket(from.key(item));
    const uint32_t back = 1u << ptx::lane_id();
    const bool is_mate = back <= item && bucket(from.key(item - back)) == which;
    const int mates = __popc(__ballot_sync(full_warp, is_mate));
    if (mates == 0) return item;
    const bool has_other = mates < warp_threads && 1u << mates <= item;
    return first_of([&](uint32_t i) { return from.key(i); }, which, has_other ? item - (1u << mates) + 1 : 0,
                    item - (1u << (mates - 1)));
  }

  // Where the bucket of an item ends, or `end`.
  __device__ uint32_t end_of(uint32_t item, uint32_t end) const {
    const Bits which = bucket(storage_.from.key(item));
#pragma unroll 1
    while (end - item > 1) {
      const uint32_t middle = item + (end - item) / 2;
      if (bucket(storage_.from.key(middle)) == which) item = middle;
      else end = middle;
    }
    return end;
  }

  // ---- a tile

  // Sorts the first buckets of what is left, as many as fit a tile; or a tile of a large one by a digit. All threads
  // call; a barrier has to follow.
  __device__ void sort_some() {
    const bool is_large = storage_.large.is_there;
    const uint32_t begin = is_large ? storage_.large.next : storage_.bounds[0];
    const uint32_t end = is_large ? storage_.large.end : storage_.bounds[1];
    const uint32_t loaded = min_of(end - begin, uint32_t(max_items));
    const bool is_cut = !is_large && begin + loaded < end;
    Bits next{};
    if (is_cut) next = bucket(storage_.from.key(begin + loaded));
    set_share(loaded);
    load(storage_.source, begin, loaded);
    __syncthreads();
    const auto key = [&](uint32_t i) { return storage_.keys[i]; };
    const uint32_t count = is_cut ? first_of(key, next, 0, loaded) : loaded;
    if (count > 0) {
      sort_words(is_large ? digit_range() : take_ranks(count), count, is_large ? ByDigits : ByRanks);
      if (!is_large) return write(begin, count);
    }
    sort_large(storage_, call_, begin, count);
  }

  // Each warp has a part of a tile, as in a pass.
  __device__ void set_share(uint32_t count) {
    const uint32_t share = ceil_div(count, uint32_t(threads)) * warp_threads,
                   first = uniform_warp() * share;
    column_ = first + ptx::lane_id();
    share_ = share;
  }
  __device__ int warp_items(uint32_t count) const {
    const uint32_t first = __shfl_sync(full_warp, column_, 0);
    return count > first ? int(min_of(count - first, share_)) : 0;
  }

  // Calls action(row, i) for the rows of this thread that are there; its item is number i of its column.
  template <class Do> __device__ void for_rows(uint32_t count, Do action) const {
    const int items = warp_items(count) - int(ptx::lane_id());
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (r * warp_threads < items) action(r, r * warp_threads);
  }

  // This thread's columns of a tile.
  __device__ uint32_t *words() const { return storage_.words + column_; }
  __device__ Kept *keys() const { return storage_.keys + column_; }

  __device__ void load(const Items &from, uint32_t begin, uint32_t count) {
    const Kept *in = from.run(begin, count) + column_;
    const int items = warp_items(count) - int(ptx::lane_id());
    if constexpr (has_records) {
      if (from.run(begin, count) == nullptr) {
#pragma unroll 2
        for (int i = 0; i < items; i += warp_threads) keys()[i] = from.key(begin + column_ + i);
        return;
      }
    }
#pragma unroll
    for (int first = 0; first < rows; first += load_rows) {
      array<Kept, load_rows> kept{};  // also those that are not there: they would be kept from the tile before
#pragma unroll
      for (int k = 0; k < load_rows; ++k)
        if (first + k < rows && (first + k) * warp_threads < items) kept[k] = in[(first + k) * warp_threads];
#pragma unroll
      for (int k = 0; k < load_rows; ++k)
        if (first + k < rows && (first + k) * warp_threads < items) keys()[(first + k) * warp_threads] = kept[k];
    }
    if constexpr (stages_values) {
      const Value *values_in = from.values + (begin + column_);
      Value *values = &storage_.values[column_];
      for_rows(count, [&](int, int i) {
#if __CUDA_ARCH__ >= 800
        if constexpr (copies_values) ptx::copy_async<sizeof(Value)>(values + i, values_in + i);
#endif
        if constexpr (!copies_values) values[i] = values_in[i];
      });
    }
  }

  // What a tile's keys are sorted by: the bits from `lowest` to `top` of what they are more than `base`.
  struct Range {
    Bits base;
    int top, lowest, shift;  // ranks begin at `shift`
  };

  // Makes words of the ranks of keys in whole buckets.
  __device__ Range take_ranks(uint32_t count) {
    const Bits first = bucket(storage_.keys[0]), last = bucket(storage_.keys[count - 1]);
    const Bits base = Bits(first << low_bit());
    const int top = low_bit() + bit_length(Bits(last - first)), lowest = call_.begin_bit;
    int shift = max_of(top - rank_bits, lowest);
    if (can_measure && storage_.is_uneven && top - lowest > rank_bits && top - low_bit() < rank_bits) {
      shift = take_measured_ranks(base, top, count);
    } else {
      for_rows(count, [&](int, int i) {
        words()[i] = uint32_t(Bits(order(keys()[i]) - base) >> shift) << index_bits | (column_ + i);
      });
    }
    return {base, top, lowest, shift};
  }

  // That of a large bucket's digit.
  __device__ Range digit_range() const {
    const int bit = storage_.large.bit;
    return {0, min_of(bit + radix_bits, low_bit()), bit, bit};
  }

  // Ranks of keys whose bits below those of their buckets are in a small range: of what they are more than the lowest
  // of them. Where ranks begin, if they were bits of keys that end where those do.
  __device__ int take_measured_ranks(Bits base, int top, uint32_t count) {
    const int shift = max_of(low_bit() - 32, 0), bits = low_bit() - shift, bucket_bits = top - low_bit();
    const auto low = [&](int i) { return uint32_t(order(keys()[i]) >> shift) & uint32_t((uint64_t(1) << bits) - 1); };
    const int items = warp_items(count) - int(ptx::lane_id());
    uint32_t least = ~0u, most = 0;
#pragma unroll 2  // which takes few registers
    for (int i = 0; i < items; i += warp_threads) {
      least = min_of(least, low(i));
      most = max_of(most, low(i));
    }
#pragma unroll
    for (int delta = warp_threads / 2; delta > 0; delta /= 2) {
      least = min_of(least, __shfl_xor_sync(full_warp, least, delta));
      most = max_of(most, __shfl_xor_sync(full_warp, most, delta));
    }
    if (ptx::lane_id() == 0) {
      atomicMin(&storage_.least, least);
      atomicMax(&storage_.most, most);
    }
    __syncthreads();
    least = storage_.least;
    const int range_bits = bit_length(storage_.most - least | 1), all = min_of(bucket_bits + range_bits, rank_bits);
    const int dropped = bucket_bits + range_bits - all;
#pragma unroll 2
    for (int i = 0; i < items; i += warp_threads) {
      const uint64_t which = uint64_t(bucket(keys()[i]) - Bits(base >> low_bit()));
      words()[i] = uint32_t((which << range_bits | (low(i) - least)) >> dropped) << index_bits | (column_ + i);
    }
    return top - all;
  }

  // Sorts a tile; by ranks if their words are there.
  __device__ void sort_words(const Range &range, uint32_t count, int attempt) {
#pragma unroll 1
    for (;; ++attempt) {
      const bool by_ranks = attempt == ByRanks;
      const int lowest = by_ranks ? range.shift : range.lowest;
      if (threadIdx.x == 0) storage_.fall_count = 0;
      if (!by_ranks) for_rows(count, [&](int, int i) { words()[i] = column_ + i; });
#pragma unroll 1
      for (int bit = lowest; bit < range.top; bit += radix_bits) {
        if (!by_ranks) take_digits(range, bit, count);
        rank(count, by_ranks ? index_bits + bit - lowest : index_bits, attempt == ByMatching);
      }
      const bool is_digit = range.top - range.lowest <= (by_ranks ? rank_bits : radix_bits);
      const bool is_right = is_digit   ? words_rise(count)
                            : by_ranks ? settle_ranks(count)
                                       : attempt == ByMatching || in_order(count);
#if __CUDA_ARCH__ >= 800
      if constexpr (copies_values) ptx::wait_for_copies();
#endif
      if (!sync_any(!is_right || (JIG_RADIX_SORT_FORCE == 2 && attempt < ByMatching))) return;
    }
  }

  // Makes words of a digit of each key and its index.
  __device__ void take_digits(const Range &range, int bit, uint32_t count) {
    const uint32_t mask = (1u << min_of(radix_bits, range.top - bit)) - 1;
    const int items = warp_items(count) - int(ptx::lane_id());
#pragma unroll 2
    for (int i = 0; i < items; i += warp_threads) {
      const uint32_t index = words()[i] & index_mask;
      const uint32_t digit = uint32_t(Bits(order(storage_.keys[index]) - range.base) >> bit) & mask;
      words()[i] = digit << index_bits | index;
    }
  }

  // Puts words in order of a digit of theirs.
  __device__ void rank(uint32_t count, int shift, bool matches) {
    const RadixDigit<Words> digit(shift, radix_bits, 0);
    const uint32_t counters = ptx::kept_shared_address(storage_.counters[threadIdx.x / warp_threads]);
    Rank rank(digit, warp_items(count), counters);
    array<uint32_t, rows> mine{};
    for_rows(count, [&](int r, int i) { mine[r] = words()[i]; });
    rank.count_rows(mine);
    __syncthreads();
    if (uniform(threadIdx.x < radix_digits)) scan_digits(count);
    __syncthreads();
    move(rank, mine, matches ? RankByMatching : storage_.choice.mode());
    // Of its own warp, which no other one reads before the next barrier.
    __syncwarp();
#pragma unroll
    for (int k = 0; k < radix_digits / warp_threads / 4; ++k)
      ptx::shared_at<uint4>(counters + (k * warp_threads + ptx::lane_id()) * 16) = uint4{0, 0, 0, 0};
    __syncthreads();
    if (threadIdx.x == 0) storage_.choice.reset();
  }

  __device__ void scan_digits(uint32_t count) {
    const RadixCounters counters{storage_.counters, &storage_.warp_totals};
    const uint32_t mine = counters.template sum<warps>();
    storage_.choice.see(threadIdx.x, mine, count, frequent_share);
    storage_.counts[threadIdx.x] = mine;
    storage_.before[threadIdx.x] = counters.template scan<warps>(mine);
  }

  // Where digits are frequent, by matching.
  __device__ void move(const Rank &rank, const array<uint32_t, rows> &mine, RadixRankMode mode) {
    if (mode == RankIsIndex) return;
    if (mode == RankByAdding) {
      rank.add_rows(mine, [&](uint32_t slot, int r) { storage_.words[slot] = mine[r]; });
      return;
    }
    match(rank, mine);
  }

  // A batch of rows in each turn, which are the first ones of what is left.
  __device__ void match(const Rank &rank, array<uint32_t, rows> mine) const {
#pragma unroll 1
    for (int first = 0; first < rank.used_rows(); first += Policy::batch) {
#pragma unroll
      for (int k = 0; k < Policy::batch; ++k) {
        if (first + k >= rank.used_rows()) break;
        const uint32_t slot = rank.match(mine[k], first + k);
        if (rank.has(first + k)) storage_.words[slot] = mine[k];
      }
#pragma unroll
      for (int r = Policy::batch; r < rows; ++r) mine[r - Policy::batch] = mine[r];
    }
  }

  // Puts keys of the same rank in order; whether that could be done, and ranks are in order, for this thread's part.
  // First all look for neighbours that are not, as few threads find any. All threads call.
  __device__ bool settle_ranks(uint32_t count) {
    bool is_right = true;
#pragma unroll 2
    for (uint32_t i = threadIdx.x; i + 1 < count; i += threads) {
      const uint32_t word = storage_.words[i], next = storage_.words[i + 1];
      is_right = is_right && word < next;
      if (word >> index_bits == next >> index_bits && falls(i)) {
        const uint32_t place = ptx::fetch_add_shared(ptx::shared_address(&storage_.fall_count), 1);
        if (place < threads) storage_.falls[place] = uint16_t(i);
      }
    }
    __syncthreads();
    const uint32_t falls = storage_.fall_count;
    if (falls > threads) return false;
    uint32_t begin = count;
    if (threadIdx.x < falls) is_right = find_mates(storage_.falls[threadIdx.x], begin) && is_right;
    __syncthreads();  // what is in no order has been looked at, and may be put in order
    if (begin < count) is_right = settle(begin, count) && is_right;
    return is_right;
  }

  // The two halves of a word: a thread that looks where the keys of its rank end may find words that others change.
  __device__ uint32_t rank_of(uint32_t i) const { return reinterpret_cast<const uint16_t *>(storage_.words + i)[1]; }
  __device__ uint16_t &index_of(uint32_t i) { return *reinterpret_cast<uint16_t *>(storage_.words + i); }

  // Whether a key comes after the next one, which there is.
  __device__ bool falls(uint32_t i) {
    return order(storage_.keys[index_of(i)]) > order(storage_.keys[index_of(i + 1)]);
  }

  // Where the keys of a rank begin, of which one falls; no place if that is not the first one of them to do so. Whether
  // they are few.
  __device__ bool find_mates(uint32_t fall, uint32_t &begin) {
    const uint32_t rank = rank_of(fall);
    uint32_t i = fall;
#pragma unroll 1
    for (; i > 0 && rank_of(i - 1) == rank; --i) {
      if (fall - i == most_mates) return false;
      if (falls(i - 1)) return true;
    }
    begin = i;
    return true;
  }

  // Puts those that begin there in order; whether they are few.
  __device__ bool settle(uint32_t first, uint32_t count) {
    const uint32_t rank = rank_of(first);
#pragma unroll 1
    for (uint32_t i = first + 1; i < count && rank_of(i) == rank; ++i) {
      if (i == first + most_mates) return false;
      const uint16_t index = index_of(i);
      const Bits mine = order(storage_.keys[index]);
      uint32_t slot = i;
#pragma unroll 1
      for (; slot > first; --slot) {
        const uint16_t other = index_of(slot - 1);
        if (order(storage_.keys[other]) <= mine) break;
        index_of(slot) = other;
      }
      index_of(slot) = index;
    }
    return true;
  }

  // Whether words are in order, which all differ; of this thread's part.
  __device__ bool words_rise(uint32_t count) {
    bool is_right = true;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i + 1 < count; i += threads)
      is_right = is_right && storage_.words[i] < storage_.words[i + 1];
    return is_right;
  }

  // Whether all keys are in order, and equal ones in that of their indices; of this thread's part.
  __device__ bool in_order(uint32_t count) {
    bool is_right = true;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i + 1 < count; i += threads) {
      const uint32_t a = storage_.words[i] & index_mask, b = storage_.words[i + 1] & index_mask;
      const Bits first = order(storage_.keys[a]), second = order(storage_.keys[b]);
      is_right = is_right && (first < second || (first == second && a < b));
    }
    return is_right;
  }

  __device__ Value value(const Items &from, uint32_t begin, uint32_t index) {
    if constexpr (stages_values) return storage_.values[index];
    else return from.values[begin + index];
  }

  // A tile of whole buckets, which are the first ones of what is left.
  __device__ void write(uint32_t begin, uint32_t count) {
    Key *keys = static_cast<Key *>(call_.keys_out) + begin;
    Written *values = static_cast<Written *>(call_.values_out) + begin;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < count; i += threads) {
      const uint32_t index = storage_.words[i] & index_mask;
      keys[i] = Keys::leave(storage_.keys[index]);
      if constexpr (has_records) values[i] = uint32_t(storage_.keys[index] >> 32);
      if constexpr (has_values) values[i] = value(storage_.from, begin, index);
    }
    if (threadIdx.x == 0) leave(begin + count);
  }

  // ---- a bucket that fits no tile

  // Begins with the bucket that begins there, if a tile of none was sorted; otherwise puts a tile where its digits
  // belong, in turns from one array to the other. All threads call. Out of line, as it is rare and takes registers.
  static __device__ __noinline__ void sort_large(TempStorage &storage, const RadixSortCall &call, uint32_t begin,
                                                 uint32_t count) {
    AgentRadixSortLocal agent(storage, call);
    bool is_moved = true;
    if (count > 0) is_moved = agent.move_tile(begin, count);
    else agent.begin_large(begin);
    if (is_moved) agent.next_digit();
  }

  __device__ void begin_large(uint32_t begin) {
#if __CUDA_ARCH__ >= 800
    if constexpr (copies_values) ptx::wait_for_copies();  // to where others will be copied
#endif
    if (threadIdx.x == 0) {
      const uint32_t end = end_of(begin, storage_.bounds[1]);
      storage_.large = {true, begin, end, end, call_.begin_bit - radix_bits};
      storage_.target = storage_.source;
      storage_.source = storage_.beside;
    }
    __syncthreads();
  }

  // Goes on to the next digit that is not the same one everywhere, or writes the bucket if there is none.
  __device__ void next_digit() {
    const uint32_t begin = storage_.large.begin, end = storage_.large.end;
    const Items source = storage_.target;
    int bit = storage_.large.bit;
    bool has_one;
#pragma unroll 1
    do {
      bit += radix_bits;
      has_one = bit < low_bit();
    } while (has_one && !begin_digits(source, begin, end, bit, (1u << min_of(radix_bits, low_bit() - bit)) - 1));
    if (!has_one) write_large(source, begin, end);
    if (threadIdx.x > 0) return;
    if (has_one) {
      storage_.target = storage_.source;
      storage_.source = source;
      storage_.large.next = begin;
      storage_.large.bit = bit;
    } else {
      leave(end);
    }
  }

  __device__ void write_large(const Items &from, uint32_t begin, uint32_t end) {
    Key *keys = static_cast<Key *>(call_.keys_out);
    Written *values = static_cast<Written *>(call_.values_out);
#pragma unroll 1
    for (uint32_t i = begin + threadIdx.x; i < end; i += threads) {
      const Kept kept = from.key(i);
      keys[i] = Keys::leave(kept);
      if constexpr (has_records) values[i] = uint32_t(kept >> 32);
      if constexpr (has_values) values[i] = from.values[i];
    }
  }

  __device__ uint32_t digit_of(const Kept &kept, int bit, uint32_t mask) const {
    return uint32_t(order(kept) >> bit) & mask;
  }

  // Finds out where each digit begins; whether there are several.
  __device__ bool begin_digits(const Items &from, uint32_t begin, uint32_t end, int bit, uint32_t mask) {
    uint32_t *mine = storage_.counters[threadIdx.x / warp_threads];
#pragma unroll 1
    for (uint32_t i = begin + threadIdx.x; i < end; i += threads)
      ptx::add_shared(ptx::shared_address(mine + digit_of(from.key(i), bit, mask)), 1);
    __syncthreads();
    bool has_all = false;
    if (uniform(threadIdx.x < radix_digits)) {
      const RadixCounters counters{storage_.counters, &storage_.warp_totals};
      const uint32_t count = counters.template sum<warps>();
      has_all = count == end - begin;
      storage_.running[threadIdx.x] = counters.before(count);
    }
    has_all = __syncthreads_or(has_all);
    clear_counters(storage_.counters, warps);
    __syncthreads();
    return !has_all;
  }

  // Whether it is the bucket's last one.
  __device__ bool move_tile(uint32_t first, uint32_t count) {
    const uint32_t begin = storage_.large.begin;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < count; i += threads) {
      const uint32_t word = storage_.words[i], digit = word >> index_bits, index = word & index_mask;
      const uint32_t place = begin + storage_.running[digit] + (i - storage_.before[digit]);
      storage_.target.put_key(place, storage_.keys[index]);
      if constexpr (has_values) storage_.target.values[place] = value(storage_.source, first, index);
    }
    __syncthreads();
    if (threadIdx.x < radix_digits) storage_.running[threadIdx.x] += storage_.counts[threadIdx.x];
    if (first + count < storage_.large.end) {
      if (threadIdx.x == 0) storage_.large.next = first + count;
      return false;
    }
    __syncthreads();
    return true;
  }

  TempStorage &storage_;
  const RadixSortCall &call_;
  Bits flip_, mask_;
  uint32_t column_, share_;  // this lane's first item in a tile, and how many a warp has
};

}  // namespace jig
