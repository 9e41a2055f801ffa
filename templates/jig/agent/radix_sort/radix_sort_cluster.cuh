// What a block, or the blocks of a cluster, does that sorts all there is by itself: every pass in shared memory.
//
// Each block has a tile of what there is, in order. In a pass it puts its tile in order of the digit. If there are
// more blocks, each tells all others how many keys of each digit it has, and from that knows where its own go,
// which it then writes to the tiles of the blocks that have those places.
//
// Values stay where they are until the end. Keys have their indices beside them where there are values, or where
// keys that count as equal differ in other bits. Whether adding has ranked them all in the right order
// (radix_rank.cuh) is looked at once, at the end; if it has not, all is done again by matching.
//
// What a sole block has in its last rows is filled up to a batch of them, with keys that come after all others: rows
// that are not whole take longer.
//
// Wide keys are sorted by so many of the highest digits that differ as make it rare that keys agree in them. Where
// some do and are not in order, each goes where it belongs among those that it agrees with; or if these are many
// all is done again by all digits.
//
// Few kinds of narrow keys are slow to rank, as many lanes have one digit, but most often the highest bits that differ
// tell them apart. Where they do so in the first keys of all, in which each kind has to be there more than once, the
// sort goes by these bits alone; should keys not be in order then, all is done again by all digits.
#pragma once
#include <jig/agent/radix_sort/radix_rank.cuh>
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/core/cluster.cuh>
#include <jig/core/uniform.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

// In the place of BlockCluster where there never are more blocks than one.
struct SoleBlock {
  __device__ uint32_t rank() const { return 0; }
  __device__ uint32_t size() const { return 1; }
  __device__ bool is_one() const { return true; }
  __device__ void arrive() const {}
  __device__ void wait() const {}
  __device__ void sync() const { __syncthreads(); }
  template <class T> __device__ T *in_block(T *mine, uint32_t) const { return mine; }
  __device__ bool any(bool x, uint32_t *) const { return sync_any(x); }
};

// A launch may have less threads than Policy::threads, but radix_digits at least, and has up to Policy::cluster
// blocks, which are one cluster.
//
// `Guesses`: whether it looks for few kinds of keys.
template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn, bool Guesses = false>
class AgentRadixSortCluster {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int max_warps = Policy::threads / warp_threads, rows = Policy::rows;
  static constexpr int max_items = Policy::threads * rows, max_indexed = Policy::threads * Policy::indexed_rows;
  static constexpr int max_blocks = Policy::cluster;
  static constexpr bool has_values = !is_same<Value, none>;
  // Keys have their indices beside them whatever bits the sort looks at.
  static constexpr bool always_indexed = has_values || !Keys::is_exact;
  // Whether keys have so many digits that it pays to find out which of them are needed.
  static constexpr bool chooses_digits = sizeof(Bits) >= 8;
  static constexpr bool guesses = Guesses && !chooses_digits && sizeof(Bits) > 1;
  static constexpr int most_passes = 16;  // as many as keys have digits
  static constexpr int whole_batch = 4;
  static constexpr int longest_run = 32;  // of keys that agree in the digits that were sorted by, and differ in others
  static_assert(Policy::threads >= radix_digits, "every digit has a thread");
  // Whoever has a sole block sort narrow keys sees to it that its rows are whole batches.
  static constexpr bool fills_all =
      max_blocks == 1 && Keys::is_exact && sizeof(Kept) <= 4 && rows % whole_batch == 0;
  static_assert(radix_digits == 2 * 4 * warp_threads, "a warp clears its counters by two vectors a lane");
  static_assert(max_blocks * max_indexed <= 1 << 16, "indices have 16 bits");
  // Keys, and where they were, of which there may be less.
  union Items {
    Kept keys[always_indexed ? max_indexed : max_items];
    struct {
      Kept keys[max_indexed];
      uint16_t indices[max_indexed];
    } indexed;
    __device__ uint16_t &index(int i) { return indexed.indices[i]; }
    __device__ uint16_t index(int i) const { return indexed.indices[i]; }
  };

  // The places of Items. One block has 0 and 1 in turn; of more, each puts its tile in order in 1, and all write to 0
  // and 2 in turn. So much a place and the next differ by:
  enum { Between = 1, InTurn = 2, Places = max_blocks > 1 ? 3 : 2 };

 public:
  static constexpr int batch = rows % whole_batch == 0 ? whole_batch : rows;  // what is ranked at a time

  struct alignas(1024) TempStorage {
    uint32_t counters[max_warps][radix_digits];
    uint32_t counts[max_blocks][radix_digits];  // of the keys of all blocks
    uint32_t offsets[radix_digits];             // from where a key is in a tile in order to where it goes
    RadixWarpTotals warp_totals;
    uint32_t has_twins, is_disordered[2], has_long_runs;
    RadixChoice<Policy::frequent_digits> choice;
    Items items[Places];
  };

  // `used_rows` of a warp's rows have keys, at most Policy::rows, or Policy::indexed_rows.
  __device__ AgentRadixSortCluster(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                   const RadixSortCall &call, int used_rows)
      : storage_(storage),
        keys_in_(keys_in),
        values_in_(values_in),
        call_(call),
        range_{call.begin_bit, call.end_bit},
        sorted_by_(range_),
        is_indexed_(always_indexed || range_.end - range_.begin < int(sizeof(Bits) * 8)),
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        tile_(blockDim.x * used_rows) {
    first_ = cluster_.rank() * tile_;
    tile_items_ = max_of(min_of(tile_, int(call.num_items) - first_), 0);
    const int warp_tile = warp_threads * used_rows, first = uniform_warp() * warp_tile;
    column_ = first + ptx::lane_id();
    const bool fills_up = Keys::is_exact && cluster_.is_one() && used_rows % batch == 0;
    filled_ = fills_up ? ceil_div(tile_items_, warp_threads * batch) * warp_threads * batch : tile_items_;
    warp_items_ = max_of(min_of(warp_tile, tile_items_ - first), 0);
    warp_filled_ = max_of(min_of(warp_tile, filled_ - first), 0);
  }

  __device__ void Run() {
    if (threadIdx.x == 0)
      storage_.has_twins = storage_.is_disordered[0] = storage_.is_disordered[1] = storage_.has_long_runs = 0;
    cluster_.arrive();
    bool matches = JIG_RADIX_SORT_FORCE == 1, is_again = false;
    const Items *sorted;
#pragma unroll 1
    while (true) {
      Bits differing = 0, first_key = 0;
      const bool has_twin = load(differing, first_key);
      if (!is_again) cluster_.wait();
      else cluster_.sync();  // there may be no pass
      if constexpr (Keys::has_twins)
        if (!is_again) matches |= cluster_.any(has_twin, &storage_.has_twins);
      if constexpr (chooses_digits)
        if (!is_again) choose_digits(differing, first_key);
      if constexpr (guesses)
        if (!is_again && !matches) guess_digit(first_key);
      sorted = sort(matches);
      if (matches && !leaves_digits()) break;
      const bool is_wrong = (JIG_RADIX_SORT_FORCE == 2 && !matches) || !in_order(*sorted);
      if (!cluster_.any(is_wrong, &storage_.is_disordered[is_again])) break;
      if constexpr (chooses_digits) {
        if (leaves_digits()) {
          const bool is_long = JIG_RADIX_SORT_FORCE == 2 || has_long_runs(*sorted);
          if (!cluster_.any(is_long, &storage_.has_long_runs)) return write_runs(*sorted);
          chosen_ = differing_;
          is_again = true;
          continue;
        }
      }
      matches = !has_guess();
      sorted_by_ = range_;
      is_again = true;
    }
    write(*sorted);
  }

 private:
  using Rank = RadixRank<Keys, rows, batch, fills_all>;

  __device__ bool has(int row) const {
    return fills_all || row * warp_threads + int(ptx::lane_id()) < warp_filled_;
  }
  __device__ bool has_item(int row) const { return row * warp_threads + int(ptx::lane_id()) < warp_items_; }

  // Brings this thread's keys. Whether there are some that count as equal to others and are not the same, without an
  // index to tell them apart. `differing`: the bits that are not those of the first of all keys; `first_key`: this
  // thread's, or, where digits are guessed, this lane's of the first of all.
  __device__ bool load(Bits &differing, Bits &first_key) {
    array<Kept, rows> kept;
    Kept some_key{};
    if constexpr (chooses_digits) some_key = Keys::enter(radix_input<Key>(keys_in_, call_.keys_in, 0));
    if constexpr (guesses) {
      const int mine = min_of(int(ptx::lane_id()), int(call_.num_items) - 1);
      some_key = Keys::enter(radix_input<Key>(keys_in_, call_.keys_in, mine));
    }
    // Without branches, so that all are under way at the same time.
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = has_item(r) ? first_ + column_ + r * warp_threads : 0;
      kept[r] = Keys::enter(radix_input<Key>(keys_in_, call_.keys_in, i));
    }
    bool has_twin = false;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!has_item(r)) continue;
      has_twin = has_twin || Keys::has_twin(kept[r]);
      if constexpr (chooses_digits) differing |= Keys::bits(kept[r]) ^ Keys::bits(some_key);
      enter(r, kept[r]);
    }
    if constexpr (Keys::is_exact) fill_up();
    first_key = Keys::bits(guesses ? some_key : kept[0]);
    return has_twin && !is_indexed_;
  }

  __device__ void enter(int row, Kept kept) {
    const int i = column_ + row * warp_threads;
    storage_.items[0].keys[i] = kept;
    if (is_indexed_) storage_.items[0].index(i) = uint16_t(first_ + i);
  }

  __device__ void fill_up() {
#pragma unroll 1
    for (int r = warp_items_ / warp_threads; r * warp_threads < warp_filled_; ++r)
      if (!has_item(r)) enter(r, Kept(~flip_));
  }

  // ---- digits

  // Of the lanes of a warp.
  template <class T> static __device__ T any_bits(T x) {
    T all = 0;
#pragma unroll
    for (int shift = 0; shift < int(sizeof(T) * 8); shift += 32)
      all |= T(fold_of_lanes(uint32_t(x >> shift), bit_or{})) << shift;
    return all;
  }

  // Finds out which digits differ, and chooses those to sort by: as many of the highest as tell all pairs of keys
  // apart, and five bits more, by how many of the bits that differ at all differ in neighbours, which is half of
  // them by chance. `key` is one of this thread's. Offsets are not needed yet: what is told has their room.
  __device__ void choose_digits(Bits differing, Bits key) {
    differing_ = chosen_ = (1u << range_.passes()) - 1;
    const int wanted = 2 * bit_length(uint32_t(call_.num_items)) + 5;
    if (range_.passes() * radix_bits <= wanted + radix_bits) return;
    uint32_t *of_warps = storage_.offsets, *of_blocks = storage_.offsets + warp_threads;
    const int lane = ptx::lane_id(), pass = min_of(lane, range_.passes() - 1);
    differing = any_bits(Bits(differing & radix_mask<Bits>(range_.begin, range_.end - range_.begin)));
    const bool differs = differing & radix_mask<Bits>(range_.first(pass), range_.count(pass));
    const uint32_t mask = __ballot_sync(full_warp, differs && lane == pass);
    const Bits from_neighbour = (key ^ shuffle_from(key, lane ^ 1, warp_threads, full_warp)) & differing;
    const uint32_t pairs = __popc(__ballot_sync(full_warp, from_neighbour != 0));
    const uint32_t all = pairs * set_bits(differing), apart = add_lanes(set_bits(from_neighbour));
    // In 512ths.
    if (lane == 0) of_warps[threadIdx.x / warp_threads] = mask | (all > 0 ? apart * 512 / all : 256) << most_passes;
    __syncthreads();
    uint32_t told = gather(of_warps, blockDim.x / warp_threads);
    if (!cluster_.is_one()) {
      if (threadIdx.x < cluster_.size()) cluster_.in_block(of_blocks, threadIdx.x)[cluster_.rank()] = told;
      cluster_.sync();
      told = gather(of_blocks, cluster_.size());
    }
    differing_ = chosen_ = told & ((1u << most_passes) - 1);
    // What a bit tells, -log2(1 - share), or nearly.
    const float share = min_of(float(told >> most_passes) / 512, 0.5f);
    const float told_by_bit = share * (1.443f + 1.114f * share);
    const int digits = int(min_of(float(wanted) / (told_by_bit * radix_bits), float(most_passes))) + 1;
#pragma unroll 1
    for (int more = __popc(chosen_) - digits; more > 0; --more) chosen_ &= chosen_ - 1;
  }
  // What so many have told: masks together, and shares on average.
  __device__ uint32_t gather(const uint32_t *words, uint32_t count) const {
    const uint32_t mine = ptx::lane_id() < count ? words[ptx::lane_id()] : 0, low = (1u << most_passes) - 1;
    return any_bits(mine & low) | add_lanes(mine >> most_passes) / count << most_passes;
  }
  static __device__ uint32_t add_lanes(uint32_t x) { return fold_of_lanes(x, plus{}); }
  static __device__ uint32_t set_bits(Bits x) {
    uint32_t count = 0;
#pragma unroll
    for (int shift = 0; shift < int(sizeof(Bits) * 8); shift += 32) count += __popc(uint32_t(x >> shift));
    return count;
  }

  // Whether there are digits that differ and are not sorted by.
  __device__ bool leaves_digits() const {
    if constexpr (chooses_digits) return chosen_ != differing_;
    else return false;
  }

  // Whether few kinds of keys are likely, of which one digit tells all apart: by the first keys of all, of which each
  // lane has one, so that all blocks guess the same. Many kinds are seen at once; of one kind no pass moves any.
  __device__ void guess_digit(Bits key) {
    const Bits next = shuffle_from(key, ptx::lane_id() + 1, warp_threads, full_warp);
    const uint32_t alike = __ballot_sync(full_warp, key == next);
    if (__popc(alike) >= 2 && alike != full_warp && call_.num_items > warp_threads) find_digit(key);
  }
  __device__ void find_digit(Bits key) {
    const uint32_t mine = key & radix_mask<Bits>(range_.begin, range_.end - range_.begin);
    const int top = bit_length(any_bits(mine ^ __shfl_sync(full_warp, mine, 0)));
    const int first = max_of(top - radix_bits, range_.begin);
    uint32_t others = full_warp;
#pragma unroll 1
    while (others != 0) {
      const uint32_t one = __shfl_sync(full_warp, mine, __ffs(others) - 1);
      const uint32_t mates = __ballot_sync(full_warp, mine == one);
      if (__popc(mates) == 1 || mates != __ballot_sync(full_warp, mine >> first == one >> first)) return;
      others &= ~mates;
    }
    if (top > first) sorted_by_ = {first, top};
  }
  // Whether keys are sorted by a guess.
  __device__ bool has_guess() const {
    return guesses && (sorted_by_.begin != range_.begin || sorted_by_.end != range_.end);
  }

  // Where keys are in the end.
  __device__ const Items *sort(bool matches) {
    int at = 0;
#pragma unroll 1
    for (int p = 0; p < sorted_by_.passes(); ++p) {
      if constexpr (chooses_digits)
        if (!(chosen_ >> p & 1)) continue;
      const RadixDigit<Keys> digit(sorted_by_.first(p), sorted_by_.count(p), flip_);
      const int to = cluster_.is_one() ? at ^ Between : Between;
      uint32_t before;
      const bool moved = rank(storage_.items[at], storage_.items[to], digit, matches, before);
      if (cluster_.is_one()) {
        if (moved) at = to;
      } else if (find_offsets(before)) {
        send(storage_.items[moved ? to : at], storage_.items[at ^ InTurn], digit);
        at ^= InTurn;
      }
      cluster_.sync();
    }
    return &storage_.items[at];
  }

  // Puts this block's tile in order of a digit; whether keys had to be moved. `before`, of the threads that have
  // a digit, is how many keys the tile has of lower ones.
  __device__ bool rank(Items &from, Items &to, const RadixDigit<Keys> &digit, bool matches, uint32_t &before) {
    const Rank rank(digit, warp_filled_,
                    ptx::kept_shared_address(storage_.counters[threadIdx.x / warp_threads]));
    array<Kept, rows> kept;
    rank.for_whole_rows([&](int r) { kept[r] = from.keys[column_ + r * warp_threads]; });
    clear_own_counters();
    if (threadIdx.x == 0) storage_.choice.reset();
    __syncwarp();
    rank.for_whole_rows([&](int r) { rank.count(kept[r]); });
    if constexpr (!fills_all) {
      for_batches(rank, rank.whole_rows(), from, [&](const array<Kept, batch> &keys, int first) {
#pragma unroll
        for (int k = 0; k < batch; ++k) rank.count(keys[k], first + k);
      });
    }
    __syncthreads();
    if (uniform(threadIdx.x < radix_digits)) {
      const uint32_t count = counters().template sum<max_warps>();
      tell(count);
      const int others = threadIdx.x == digit.last() ? filled_ - tile_items_ : 0;
      if (tile_items_ > 0)
        storage_.choice.see(threadIdx.x, count - others, tile_items_, Policy::frequent_share);
      before = counters().template scan<max_warps>(count);
    }
    cluster_.arrive();
    __syncthreads();
    const uint32_t mode = matches ? RankByMatching : storage_.choice.mode();
    if (mode == RankByAdding) add(rank, kept, from, to);
    if ((mode == RankByAdding && !fills_all) || mode == RankWithFrequent)
      add_from(rank, mode == RankByAdding ? rank.whole_rows() : 0, from, to);
    else if (mode == RankByMatching) match(rank, from, to);
    return mode != RankIsIndex;
  }

  // Zeroes this warp's counters, and its part of those that no warp has, which are added up, too.
  __device__ void clear_own_counters() {
#pragma unroll 1
    for (int w = threadIdx.x / warp_threads; w < max_warps; w += blockDim.x / warp_threads) {
      uint4 *words = reinterpret_cast<uint4 *>(storage_.counters[w]) + ptx::lane_id();
      words[0] = words[warp_threads] = uint4{0, 0, 0, 0};
    }
  }

  __device__ RadixCounters counters() { return {storage_.counters, &storage_.warp_totals}; }

  // ---- between the blocks of a cluster

  // Tells all blocks how many keys of this thread's digit the tile has.
  __device__ void tell(uint32_t count) {
    if (cluster_.is_one()) return;
#pragma unroll 1
    for (uint32_t r = 0; r < cluster_.size(); ++r)
      *cluster_.in_block(&storage_.counts[cluster_.rank()][threadIdx.x], r) = count;
  }

  // Waits until all have told, and finds where the digits go; whether keys have to be moved.
  __device__ bool find_offsets(uint32_t before) {
    bool has_all = false;
    cluster_.wait();
    if (uniform(threadIdx.x < radix_digits)) {
      uint32_t count = 0, lower_blocks = 0;
#pragma unroll 4
      for (uint32_t b = 0; b < max_blocks; ++b) {
        if (b == cluster_.rank()) lower_blocks = count;
        if (b < cluster_.size()) count += storage_.counts[b][threadIdx.x];
      }
      storage_.offsets[threadIdx.x] = counters().before(count) + lower_blocks - before;
      has_all = count == uint32_t(call_.num_items);
    }
    return !__syncthreads_or(has_all);
  }

  // Writes a tile in order of the digit to where its keys go.
  __device__ void send(const Items &sorted, Items &to, const RadixDigit<Keys> &digit) {
    // Slots are divided by what tiles have: both are below 2^16, and tiles have more than one item.
    const uint32_t inverse = ~uint32_t(0) / tile_ + 1;
#pragma unroll 2
    for (int i = threadIdx.x; i < tile_items_; i += blockDim.x) {
      const Kept kept = sorted.keys[i];
      const uint32_t slot = storage_.offsets[digit(kept)] + i, block = __umulhi(slot, inverse);
      Items &there = *cluster_.in_block(&to, block);
      there.keys[slot - block * tile_] = kept;
      if (is_indexed_) there.index(slot - block * tile_) = sorted.index(i);
    }
  }

  // ---- ranking

  // Calls action(keys, row) for all rows from one on, with those of a batch from that row on; keys that there
  // are none of are nothing.
  template <class Do> __device__ void for_batches(const Rank &rank, int first, const Items &from, Do action) const {
#pragma unroll 1
    for (int r = first; r < rank.used_rows(); r += batch) {
      array<Kept, batch> kept;
#pragma unroll
      for (int k = 0; k < batch; ++k) kept[k] = has(r + k) ? from.keys[column_ + (r + k) * warp_threads] : Kept{};
      action(kept, r);
    }
  }

  __device__ void add(const Rank &rank, const array<Kept, rows> &kept, const Items &from, Items &to) {
    rank.add_whole_rows(kept, [&](const auto &slots, int first) {
#pragma unroll
      for (int k = 0; k < batch; ++k) to.keys[slots[k]] = kept[first + k];
      if (!is_indexed_) return;
#pragma unroll
      for (int k = 0; k < batch; ++k) put_index(to, slots[k], from, first + k);
    });
  }

  // Rows from one on, whether digits are frequent or not.
  __device__ void add_from(const Rank &rank, int first_row, const Items &from, Items &to) {
    if (first_row >= rank.used_rows()) return;
    auto frequent = rank.frequent_digits(storage_.choice);
    for_batches(rank, first_row, from, [&](const array<Kept, batch> &keys, int first) {
      array<uint32_t, batch> slots;
#pragma unroll
      for (int k = 0; k < batch; ++k) slots[k] = rank.add_with_frequent(keys[k], first + k, frequent);
      put_batch(to, slots, from, keys, first);
    });
  }

  __device__ void match(const Rank &rank, const Items &from, Items &to) {
#pragma unroll 1
    for (int r = 0; r < rank.used_rows(); ++r) {
      const Kept key = has(r) ? from.keys[column_ + r * warp_threads] : Kept{};
      const uint32_t slot = rank.match(key, r);
      if (!has(r)) continue;
      to.keys[slot] = key;
      if (is_indexed_) put_index(to, slot, from, r);
    }
  }

  __device__ void put_batch(Items &to, const array<uint32_t, batch> &slots, const Items &from,
                            const array<Kept, batch> &kept, int first) {
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (has(first + k)) to.keys[slots[k]] = kept[k];
    if (!is_indexed_) return;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (has(first + k)) put_index(to, slots[k], from, first + k);
  }

  __device__ void put_index(Items &to, uint32_t slot, const Items &from, int row) const {
    to.index(slot) = from.index(column_ + row * warp_threads);
  }

  // ---- the end

  // Of this thread's part; by the bits that the sort looks at.
  __device__ bool in_order(const Items &items) const {
    bool sorted = true;
    // All rows at the same time; what there is none of is what the last ones are.
    if (filled_ > 1) {
#pragma unroll 2
      for (int r = 0; r < rows; ++r) {
        const int i = min_of(int(r * blockDim.x + threadIdx.x), filled_ - 2);
        sorted &= in_order(items, i, items, i + 1);
      }
    }
    // Where a tile ends the next one begins, if there is one.
    if (threadIdx.x == 0 && first_ + tile_ < int(call_.num_items))
      sorted &= in_order(items, tile_ - 1, *cluster_.in_block(&items, cluster_.rank() + 1), 0);
    return sorted;
  }

  // A key's place in the order.
  __device__ Bits place_of(const Items &items, int i) const {
    return Bits((Keys::bits(items.keys[i]) ^ flip_) & radix_mask<Bits>(range_.begin, range_.end - range_.begin));
  }

  __device__ bool in_order(const Items &first, int i, const Items &second, int j) const {
    const Bits a = place_of(first, i), b = place_of(second, j);
    const bool is_kept = !is_indexed_ || first.index(i) < second.index(j);
    return (a < b) | ((a == b) & is_kept);
  }

  __device__ void write(const Items &items) const {
    Key *keys_out = static_cast<Key *>(call_.keys_out) + first_;
    // Values that are read have to be under way at the same time.
    constexpr int at_once = has_values ? rows : 1;
#pragma unroll at_once
    for (int i = threadIdx.x; i < tile_items_; i += blockDim.x) {
      keys_out[i] = Keys::leave(items.keys[i]);
      if constexpr (has_values)
        static_cast<Value *>(call_.values_out)[first_ + i] =
            radix_input<Value>(values_in_, call_.values_in, items.index(i));
    }
  }

  // ---- runs of keys that agree in the digits that they are sorted by

  // An item of any block's, in order.
  struct Ranked {
    Bits place;
    uint32_t index;
    __device__ bool operator<(const Ranked &other) const {
      return place < other.place || (place == other.place && index < other.index);
    }
  };
  __device__ Ranked ranked(const Items &items, int i) const {
    const int block = max_blocks == 1 || cluster_.is_one() ? 0 : i / tile_;
    const Items &there = *cluster_.in_block(const_cast<Items *>(&items), block);
    return {place_of(there, i - block * tile_), is_indexed_ ? there.index(i - block * tile_) : 0u};
  }

  __device__ Bits chosen_bits() const {
    const int first = range_.first(__ffs(chosen_) - 1);
    return radix_mask<Bits>(first, range_.end - first);
  }

  // Of all blocks, and what a sole one is filled up with.
  __device__ int ranked_items() const { return cluster_.is_one() ? filled_ : int(call_.num_items); }

  // Whether there are such as are too long, or if keys are not in order of those digits; of this thread's part.
  __device__ bool has_long_runs(const Items &items) const {
    const Bits chosen = chosen_bits();
    const int last = ranked_items() - 1;
    bool is_long = false;
#pragma unroll 1
    for (int i = first_ + threadIdx.x; i < first_ + filled_; i += blockDim.x) {
      const Bits place = ranked(items, i).place & chosen;
      is_long |= place > (ranked(items, min_of(i + 1, last)).place & chosen);
      is_long |= i + longest_run < int(call_.num_items) &&
                 place == (ranked(items, min_of(i + longest_run, last)).place & chosen);
    }
    return is_long;
  }

  // How far behind its place, or before it, an item belongs.
  __device__ int distance(const Items &items, int i, Bits chosen) const {
    const Ranked mine = ranked(items, i);
    auto agrees = [&](const Ranked &other) { return ((mine.place ^ other.place) & chosen) == 0; };
    int distance = 0;
#pragma unroll 1
    for (int j = i + 1; j < ranked_items(); ++j) {
      const Ranked other = ranked(items, j);
      if (!agrees(other)) break;
      distance += other < mine;
    }
#pragma unroll 1
    for (int j = i - 1; j >= 0; --j) {
      const Ranked other = ranked(items, j);
      if (!agrees(other)) break;
      distance -= mine < other;
    }
    return distance;
  }

  __device__ void write_item(const Items &items, int i, int to) const {
    static_cast<Key *>(call_.keys_out)[to] = Keys::leave(items.keys[i]);
    if constexpr (has_values)
      static_cast<Value *>(call_.values_out)[to] = radix_input<Value>(values_in_, call_.values_in, items.index(i));
  }

  __device__ void write_runs(const Items &items) const {
    const Bits chosen = chosen_bits();
#pragma unroll 1
    for (int i = threadIdx.x; i < filled_; i += blockDim.x) {
      const int to = first_ + i + distance(items, first_ + i, chosen);
      if (to < int(call_.num_items)) write_item(items, i, to);
    }
    if (!cluster_.is_one()) cluster_.sync();  // others read this block's memory
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  const RadixSortCall &call_;
  conditional<max_blocks == 1, SoleBlock, BlockCluster> cluster_;
  RadixRange range_;
  bool is_indexed_;
  Bits flip_;
  int tile_, tile_items_, first_;  // of this block
  int column_, warp_items_;        // as in radix_sort_pass.cuh
  int filled_, warp_filled_;       // items of the block and the warp, and what they are filled up with
  uint32_t differing_, chosen_;    // digits, a bit for each pass
  RadixRange sorted_by_;           // bits that may do, or all of the range
};

}  // namespace jig
