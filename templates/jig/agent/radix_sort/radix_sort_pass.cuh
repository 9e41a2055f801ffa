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
// Adding may rank keys of one digit in a wrong order; that is looked for when the tile is written. Where keys
// that count as equal can be told apart, by their values or by bits that the sort does not look at, every key
// has its index in the tile beside it (radix_order.cuh). Otherwise earlier passes' digits have to be in order;
// keys that are equal in those will be put in order by later passes, or are the same in all bits. Tiles with
// zeros of both signs, which are neither, are ranked by matching.
#pragma once
#include <jig/agent/radix_sort/radix_order.cuh>
#include <jig/agent/radix_sort/radix_rank.cuh>
#include <jig/agent/radix_sort/radix_sort.cuh>
#include <jig/agent/radix_sort/radix_sort_records.cuh>

namespace jig {

// A launch's part of a pass; the same as radix_sort_part in src/algorithm/radix_sort.c.
struct RadixSortPart {
  uint64_t first_item;
  uint32_t num_items;
  int32_t pass, portion;
  int32_t rows;  // of keys that a warp has, at most Policy::rows, or Policy::indexed_rows
};

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn> class AgentRadixSortPass {
 public:
  static constexpr bool has_values = !is_same<Value, none>;
  // Keys have their indices beside them whatever bits the sort looks at.
  static constexpr bool always_indexed = has_values || !Keys::is_exact;

 private:
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, rows = Policy::rows;
  static constexpr int max_items = threads * rows, max_indexed = threads * Policy::indexed_rows;
  // Values either travel with their keys; or small ones are read in order, and put in order in shared memory, and
  // others are read in the order of the keys.
  static constexpr bool has_records = is_record<Keys>;
  static constexpr bool stages_values = has_values && !has_records && Policy::staged_bytes > 0;
  // Keys that are one digit and nothing else need not be moved: how many there are of each tells all.
  static constexpr bool are_digits = !has_values && Keys::is_exact && sizeof(Kept) == 1;
  // How many keys a thread writes at a time.
  static constexpr int widest = max_of(int(sizeof(Kept)), int(sizeof(Value)));
  static constexpr int write_batch = widest <= 8 ? 8 : widest <= 16 ? 4 : 1;
  static constexpr uint32_t is_total = 1u << 31, is_count = 1u << 30, count_mask = is_count - 1;
  static constexpr int batch = Policy::batch;  // what is ranked at a time
  using Rank = RadixRank<Keys, rows, batch>;

 public:
  struct alignas(1024) TempStorage {
    uint32_t counters[warps][radix_digits];
    uint32_t offsets[radix_digits], high_offsets[radix_digits];
    RadixWarpTotals warp_totals;
    RadixChoice<Policy::frequent_digits> choice;
    union {
      Kept keys[always_indexed ? max_indexed : max_items + 1];
      struct {
        Kept keys[max_indexed];
        RadixOrder<max_indexed> order;
      } indexed;
    } items;
    uninitialized<Value, stages_values ? max_indexed : 1> values;
  };

  __device__ AgentRadixSortPass(TempStorage &storage, const KeysIn &keys_in, const ValuesIn &values_in,
                                const RadixSortCall &call, const RadixSortPart &part)
      : storage_(storage),
        keys_in_(keys_in),
        values_in_(values_in),
        call_(call),
        part_(part),
        range_{call.begin_bit, call.end_bit},
        step_{call, call.control->step[part.pass], call.control->steps},
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        compared_(Bits(~Bits(0)) >> (sizeof(Bits) * 8 - range_.first(part.pass) - range_.count(part.pass))),
        digit_(range_.first(part.pass), range_.count(part.pass), flip_) {}

  __device__ void Run() {
    if (step_.step == skipped_pass) return;
    begin();
    if constexpr (are_digits) {
      if (range_.count(0) == radix_bits) return fill();
    }
    array<Kept, rows> kept;
    Rank rank(digit_, warp_items_,
                    ptx::kept_shared_address(storage_.counters[threadIdx.x / warp_threads]));
    if (has_cut_rows()) {
      if (!is_contiguous()) rank.take_no_row_whole();
      __syncthreads();
      count_rest(rank);
    }
    bool matches = load(rank, kept);
    begin_values(rank);
    __syncthreads();
    rank.for_whole_rows([&](int r) { rank.count(kept[r]); });
    matches = __syncthreads_or(matches);
    if (threadIdx.x < radix_digits) scan_digits();
    __syncthreads();
    RadixRankMode mode = matches ? RankByMatching : storage_.choice.mode();
    const bool has_one_frequent = has_records && mode == RankWithFrequent && storage_.choice.count == 1;
    if (mode == RankByAdding) add(again(rank), kept);
    else if (has_one_frequent) add_with_one(again(rank), kept);
    else if (mode == RankIsIndex) put_in_place(rank, kept);
    if (mode == RankByAdding || mode == RankWithFrequent)
      add_from(rank, mode == RankByAdding || has_one_frequent ? rank.whole_rows() : 0);
    finish_values(rank);
    for (bool is_new = true;; is_new = false) {
      if (mode == RankByMatching || mode == RankIsIndex) put_singly(rank, mode);
      if (is_new && threadIdx.x < radix_digits) look_back();
      __syncthreads();
      ptx::launch_dependent_grids();
      const bool checks = mode == RankByAdding || mode == RankWithFrequent;
      const bool is_wrong = write(checks);
      if (!checks || !__syncthreads_or(is_wrong || JIG_RADIX_SORT_FORCE == 2)) break;
      // All anew, by matching, to the same places.
      mode = RankByMatching;
      if (threadIdx.x < radix_digits) counters().take_back(warps);
      __syncthreads();
    }
  }

  // For a block that has no items: the next launch may have some for more blocks than this one.
  __device__ void Leave() const {
    if (step_.step != skipped_pass && threadIdx.x < radix_digits) clear_next();
  }

 private:
  // ---- the tile

  __device__ void begin() {
    const uint32_t tile_items = threads * part_.rows, warp_tile = warp_threads * part_.rows;
    const uint32_t first = blockIdx.x * tile_items, warp_first = threadIdx.x / warp_threads * warp_tile;
    tile_first_ = part_.first_item + first;
    tile_items_ = min_of(part_.num_items - first, tile_items);
    warp_items_ = tile_items_ > warp_first ? min_of(tile_items_ - warp_first, warp_tile) : 0;
    column_ = warp_first + ptx::lane_id();
    clear_counters(storage_.counters, warps);
    if (is_indexed()) order().clear(tile_items_);
    if (threadIdx.x == 0) {
      storage_.choice.reset();
      if (!is_indexed()) put_end();
    }
  }

  // Computed wherever it is asked for, which takes no register.
  __device__ bool is_indexed() const {
    return always_indexed || call_.end_bit - call_.begin_bit < int(sizeof(Bits) * 8);
  }
  __device__ Kept *keys() const { return storage_.items.keys; }
  __device__ RadixOrder<max_indexed> &order() const { return storage_.items.indexed.order; }

  __device__ const Key *keys_from() const {
    return static_cast<const Key *>(step_.keys_from()) + tile_first_ + column_;
  }
  __device__ const Value *values_from() const {
    return static_cast<const Value *>(step_.values_from()) + tile_first_;
  }
  __device__ RecordArrays records_from() const {
    return RecordArrays(const_cast<void *>(step_.keys_from()), const_cast<void *>(step_.values_from()),
                        call_.num_items);
  }

  // Key i of this lane's column in the first step's input; `from` is where the column begins, if it is in memory.
  __device__ Key key_in(const Key *from, int i) const {
    if constexpr (is_pointed<KeysIn>) return from[i];
    else return radix_input<Key>(keys_in_, nullptr, tile_first_ + column_ + i);
  }
  // The same of values, `from` being where the tile's value number `first` is.
  __device__ Value value_in(const Value *from, uint32_t first, int i) const {
    if constexpr (is_pointed<ValuesIn>) return from[i];
    else return radix_input<Value>(values_in_, nullptr, tile_first_ + first + i);
  }

  // The key of that row, which there is.
  __device__ Kept load_key(int row) const {
    const int i = row * warp_threads;
    if constexpr (has_records) {
      if (!step_.is_first()) return records_from().load(tile_first_ + column_ + i);
      return Keys::join(key_in(keys_from(), i), bit_cast<uint32_t>(value_in(values_from(), 0, column_ + i)));
    } else if constexpr (is_pointed<KeysIn>) {
      const Key key = keys_from()[i];
      return step_.is_first() ? Keys::enter(key) : Kept(key);
    } else {
      return step_.is_first() ? Keys::enter(key_in(nullptr, i)) : Kept(keys_from()[i]);
    }
  }

  // Calls action(keys, row) for all rows from one on, with those of a batch from that row on; keys that there
  // are none of may be any. Reads them there and then, which takes few registers.
  template <class Do> __device__ void for_batches(const Rank &rank, int first, Do action) const {
#pragma unroll 1
    for (int r = first; r < rank.used_rows(); r += batch) {
      array<Kept, batch> kept;
      load_batch(rank, r, kept);
      action(kept, r);
    }
  }

  __device__ void load_batch(const Rank &rank, int first, array<Kept, batch> &kept) const {
    if constexpr (has_records) {
      if (!step_.is_first()) {
        const RecordArrays records = records_from();
#pragma unroll
        for (int k = 0; k < batch; ++k)  // without a branch
          kept[k] = records.load(tile_first_ + (rank.has(first + k) ? column_ + (first + k) * warp_threads : 0));
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) kept[k] = rank.has(first + k) ? load_key(first + k) : Kept{};
  }

  // The same one by one, in little code: for what is rare.
  template <class Do> __device__ void for_rows(const Rank &rank, int first, Do action) const {
#pragma unroll 1
    for (int r = first; r < rank.used_rows(); ++r) action(rank.has(r) ? load_key(r) : Kept{}, r);
  }

  // Whether there are rows that are not whole.
  __device__ bool has_cut_rows() const { return tile_items_ < uint32_t(threads * part_.rows) || !is_contiguous(); }
  // Whether the tile's keys are in one array, and aligned to what they are read as.
  __device__ bool is_contiguous() const {
    if constexpr (!has_records) {
      return true;
    } else {
      const RecordArrays records = records_from();
      return step_.is_first() || (records.is_aligned && records.contiguous(tile_first_, tile_items_) != nullptr);
    }
  }

  __device__ void load_whole_rows(const Rank &rank, array<Kept, rows> &kept) const {
    const Key *from = keys_from();
    if constexpr (has_records) {
      const Value *values = values_from() + column_;
      if (step_.is_first()) {
        rank.for_whole_rows([&](int r) {
          const Value value = value_in(values, column_, r * warp_threads);
          kept[r] = Keys::join(key_in(from, r * warp_threads), bit_cast<uint32_t>(value));
        });
        return;
      }
      const uint32_t *records = records_from().contiguous(tile_first_, tile_items_) + 2 * column_;
      rank.for_whole_rows(
          [&](int r) { kept[r] = *reinterpret_cast<const uint64_t *>(records + 2 * r * warp_threads); });
    } else {
      if constexpr (!is_pointed<KeysIn>) {
        if (step_.is_first()) {
          rank.for_whole_rows([&](int r) { kept[r] = Keys::enter(key_in(from, r * warp_threads)); });
          return;
        }
      }
      rank.for_whole_rows([&](int r) { kept[r] = from[r * warp_threads]; });
      if (step_.is_first()) rank.for_whole_rows([&](int r) { kept[r] = Keys::enter(kept[r]); });
    }
  }

  // Loads whole rows. Whether there are keys in the tile that only matching is known to keep in order.
  __device__ bool load(const Rank &rank, array<Kept, rows> &kept) const {
    load_whole_rows(rank, kept);
    if constexpr (!Keys::has_twins || always_indexed) return false;
    else return !is_indexed() && have_twins(rank, kept);
  }

  __device__ bool have_twins(const Rank &rank, const array<Kept, rows> &kept) const {
    bool found = false;
    rank.for_whole_rows([&](int r) { found = found || Keys::has_twin(kept[r]); });
    for_rows(rank, rank.whole_rows(), [&](Kept key, int r) {
      found = found || (rank.has(r) && Keys::has_twin(key));
    });
    return found;
  }

  // ---- counts

  // Rows that are not whole, before those are loaded that are: not all fit the registers.
  __device__ void count_rest(const Rank &rank) const {
    for_batches(rank, rank.whole_rows(), [&](const array<Kept, batch> &keys, int first) {
#pragma unroll
      for (int k = 0; k < batch; ++k) rank.count(keys[k], first + k);
    });
  }

  __device__ RadixCounters counters() const { return {storage_.counters, &storage_.warp_totals}; }
  __device__ uint32_t *states(uint32_t step) const {
    return call_.states + uint64_t(step % 2) * call_.state_tiles * radix_digits + threadIdx.x;
  }
  __device__ uint32_t launch() const { return step_.step * call_.portions + part_.portion; }

  // By a thread for each digit.
  __device__ void clear_next() const {
    uint32_t *next = states(launch() + 1);
#pragma unroll 1
    for (uint32_t tile = blockIdx.x; tile < call_.state_tiles; tile += gridDim.x)
      next[tile * radix_digits] = 0;
  }

  // What look_back() needs of it stays in shared memory, as ranking takes all registers.
  __device__ void scan_digits() {
    const uint32_t count = counters().template sum<warps>();
    ptx::store_relaxed_gpu(states(launch()) + blockIdx.x * radix_digits,
                           (blockIdx.x == 0 ? is_total : is_count) | count);
    clear_next();
    storage_.choice.see(threadIdx.x, count, tile_items_, Policy::frequent_share);
    storage_.high_offsets[threadIdx.x] = count;
    const uint32_t before = counters().template scan<warps>(count);
    storage_.offsets[threadIdx.x] = before;
    if (is_indexed() && count > 0) order().mark_end(before + count);
  }

  // ---- slots

  // The same, with digits that are taken anew.
  static __device__ Rank again(Rank rank) {
    rank.forget();
    return rank;
  }

  __device__ void add(const Rank &rank, const array<Kept, rows> &kept) {
    rank.add_whole_rows(kept, [&](const auto &slots, int first) { put_rows(slots, kept, first, first); });
  }

  // Of records: much code for others, which have more rows.
  __device__ void add_with_one(const Rank &rank, array<Kept, rows> &kept) {
    if constexpr (has_records)
      rank.add_whole_rows(kept, storage_.choice.digits[0],
                          [&](const auto &slots, const auto &keys, int from, int first) {
                            put_rows(slots, keys, from, first + from);
                          });
  }

  // Rows from one on, whether digits are frequent or not.
  __device__ void add_from(const Rank &rank, int first_row) {
    auto frequent = rank.frequent_digits(storage_.choice);
    for_batches(rank, first_row, [&](const array<Kept, batch> &keys, int first) {
      array<uint32_t, batch> slots;
#pragma unroll
      for (int k = 0; k < batch; ++k) slots[k] = rank.add_with_frequent(keys[k], first + k, frequent);
      put_batch(rank, slots, keys, first);
    });
    rank.leave(frequent);
  }

  __device__ void put_in_place(const Rank &rank, const array<Kept, rows> &kept) {
    Kept *column = keys() + column_;
    rank.for_whole_rows([&](int r) { column[r * warp_threads] = kept[r]; });
    // Of others than values nobody asks for indices, as nobody looks at the order of such a tile.
    if constexpr (has_values && !has_records)
      rank.for_whole_rows([&](int r) { put_index(column_ + r * warp_threads, r); });
  }

  // All rows by matching; or those that put_in_place() has left.
  __device__ void put_singly(const Rank &rank, RadixRankMode mode) {
    const bool matches = mode == RankByMatching;
    for_rows(rank, matches ? 0 : rank.whole_rows(), [&](Kept key, int r) {
      const uint32_t slot = matches ? rank.match(key, r) : column_ + r * warp_threads;
      if (rank.has(r)) put(slot, key, r);
    });
  }

  __device__ void put(uint32_t slot, Kept kept, int row) {
    keys()[slot] = kept;
    if (is_indexed()) put_index(slot, row);
  }
  __device__ void put_index(uint32_t slot, int row) {
    order().indices[slot] = uint16_t(column_ + row * warp_threads);
  }

  // The same for those of some rows that there are.
  __device__ void put_batch(const Rank &rank, const array<uint32_t, batch> &slots,
                            const array<Kept, batch> &kept, int first) {
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (rank.has(first + k)) keys()[slots[k]] = kept[k];
    if (!is_indexed()) return;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (rank.has(first + k)) put_index(slots[k], first + k);
  }

  // The same for whole rows of the tile, from that one on, with one branch for all; keys are those from `from` on.
  __device__ void put_rows(const array<uint32_t, batch> &slots, const array<Kept, rows> &kept, int from, int first) {
#pragma unroll
    for (int k = 0; k < batch; ++k) keys()[slots[k]] = kept[from + k];
    if (!is_indexed()) return;
#pragma unroll
    for (int k = 0; k < batch; ++k) put_index(slots[k], first + k);
  }

  // Values that have the size of words are copied while the keys are ranked, and wide ones that consist of these;
  // others are loaded afterwards.
  static constexpr int copied_bytes = min_of(int(alignof(Value)), 16);
#if __CUDA_ARCH__ >= 800
  static constexpr bool copies_values =
      stages_values && copied_bytes >= 4 && (sizeof(Value) > 8 || sizeof(Value) == copied_bytes);
#else
  static constexpr bool copies_values = false;
#endif

  // Whether the step's values are in memory.
  __device__ bool lie_there() const { return is_pointed<ValuesIn> || !step_.is_first(); }

  __device__ void begin_values(const Rank &rank) {
#if __CUDA_ARCH__ >= 800
    if constexpr (copies_values) {
      if (!lie_there()) return;
      if constexpr (sizeof(Value) > copied_bytes) return copy_words();
      const Value *from = values_from() + column_;
#pragma unroll 8
      for (int r = 0; r < rows; ++r)
        if (rank.has(r))
          ptx::copy_async<copied_bytes>(&storage_.values[column_ + r * warp_threads], from + r * warp_threads);
    }
#endif
  }

  // Of this warp's values, which lanes take in turn.
  __device__ void copy_words() {
#if __CUDA_ARCH__ >= 800
    using Word = uninitialized<unsigned_of_size<copied_bytes>>;
    constexpr int words = sizeof(Value) / copied_bytes;
    const uint32_t first = (column_ - ptx::lane_id()) * words + ptx::lane_id();
    const int count = int(warp_items_) * words - int(ptx::lane_id());
    const Word *from = reinterpret_cast<const Word *>(values_from()) + first;
    Word *to = reinterpret_cast<Word *>(&storage_.values[0]) + first;
#pragma unroll 8
    for (int r = 0; r < rows * words; ++r)
      if (r * warp_threads < count) ptx::copy_async<copied_bytes>(to + r * warp_threads, from + r * warp_threads);
#endif
  }

  __device__ void finish_values(const Rank &rank) {
#if __CUDA_ARCH__ >= 800
    if constexpr (copies_values) {
      if (lie_there()) return ptx::wait_for_copies();
    }
#endif
    if constexpr (stages_values) {
      const Value *from = values_from() + column_;
#pragma unroll 8
      for (int r = 0; r < rows; ++r) {
        const int i = r * warp_threads;
        if (rank.has(r)) storage_.values[column_ + i] = lie_there() ? from[i] : value_in(from, column_, i);
      }
    }
  }

  // ---- where runs go

  __device__ void look_back() {
    const uint32_t digit = threadIdx.x, before = storage_.offsets[digit], count = storage_.high_offsets[digit];
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
    // Where values are staged, more pays if all tiles begin at the same time. For SM 12.0 the compiler would spill.
    constexpr int window = !stages_values || __CUDA_ARCH__ >= 1200 ? 4 : 12;
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
  __device__ bool is_wide() const {
    return JIG_RADIX_SORT_FORCE == 3 || call_.num_items > uint64_t(~uint32_t(0));
  }

  // Whether the tile is out of order, if that is asked for. Batch keys of a thread at a time; what is left, or has
  // places that are wide, one by one.
  __device__ bool write(bool checks) {
    const bool compares = checks && !is_indexed() && part_.pass > 0;
    // Those of passes that have been left out are in no order.
    if (compares) compared_ &= Bits(~Bits(0)) << range_.first(call_.control->low_pass);
    bool is_wrong = false;
    uint32_t first = 0;
    const uint32_t batched = can_batch() && !is_wide() ? tile_items_ : 0;
#pragma unroll 1
    for (; first + write_batch * threads <= batched; first += write_batch * threads)
      is_wrong |= write_batch_of<uint32_t, write_batch>(first + threadIdx.x, compares);
#pragma unroll 1
    for (uint32_t slot = first + threadIdx.x; slot < tile_items_; slot += threads)
      is_wrong |= write_batch_of<uint64_t, 1>(slot, compares);
    return is_wrong || (checks && is_indexed() && !order().is_kept(tile_items_));
  }

  template <class Place, int Batch> __device__ bool write_batch_of(uint32_t slot, bool compares) {
    Key *keys_to = static_cast<Key *>(step_.keys_to());
    const Kept *from = keys() + slot;
    bool is_wrong = false;
    array<Kept, Batch> kept;
    array<Place, Batch> places;
#pragma unroll
    for (int k = 0; k < Batch; ++k) kept[k] = from[k * threads];
#pragma unroll
    for (int k = 0; k < Batch; ++k) places[k] = place<Place>(kept[k], slot + k * threads);
    if (compares) {
#pragma unroll
      for (int k = 0; k < Batch; ++k)
        is_wrong |= !in_order(kept[k], from[k * threads + 1]);
    }
    const bool leaves = step_.is_last();
    if constexpr (has_records) {
      write_records(kept, places);
    } else {
#pragma unroll
      for (int k = 0; k < Batch; ++k) keys_to[places[k]] = leaves ? Keys::leave(kept[k]) : Key(kept[k]);
      if constexpr (has_values) write_values(order().indices + slot, places);
    }
    return is_wrong;
  }

  // Single records may go anywhere, several to aligned arrays only.
  __device__ bool can_batch() const {
    if constexpr (!has_records) return true;
    else return step_.is_last() || RecordArrays(step_.keys_to(), step_.values_to(), 0).is_aligned;
  }

  template <class Place, int Batch>
  __device__ void write_records(const array<Kept, Batch> &kept, const array<Place, Batch> &places) {
    Key *keys_to = static_cast<Key *>(step_.keys_to());
    Value *values_to = static_cast<Value *>(step_.values_to());
    if (step_.is_last()) {
#pragma unroll
      for (int k = 0; k < Batch; ++k) {
        keys_to[places[k]] = Keys::leave(kept[k]);
        values_to[places[k]] = bit_cast<Value>(uint32_t(kept[k] >> 32));
      }
    } else {
      const RecordArrays records(keys_to, values_to, call_.num_items);
      if constexpr (Batch == 1) records.store(places[0], kept[0]);
      else records.store(places, kept);
    }
  }

  template <class Place> __device__ Place place(const Kept &kept, uint32_t slot) {
    const uint32_t address = digit_.address(kept, ptx::kept_shared_address(storage_.offsets));
    const uint32_t low = ptx::shared_at<uint32_t>(address);
    if (sizeof(Place) == 4 || !is_wide()) return low + slot;
    return (uint64_t(ptx::shared_at<uint32_t>(address + sizeof storage_.offsets)) << 32 | low) + slot;
  }

  template <class Place, int Batch>
  __device__ void write_values(const uint16_t *indices, const array<Place, Batch> &places) {
    const Value *from = values_from();
    Value *to = static_cast<Value *>(step_.values_to());
    array<Value, Batch> values;
#pragma unroll
    for (int k = 0; k < Batch; ++k) {
      const uint32_t index = indices[k * threads];
      if constexpr (stages_values) values[k] = storage_.values[index];
      else values[k] = lie_there() ? from[index] : value_in(from, 0, index);
    }
#pragma unroll
    for (int k = 0; k < Batch; ++k) to[places[k]] = values[k];
  }

  // Whether a key may be followed by the next one.
  __device__ bool in_order(Kept kept, Kept next) const {
    if constexpr (Keys::is_exact) return Bits((kept ^ flip_) & compared_) <= Bits((next ^ flip_) & compared_);
    else return true;
  }

  // Behind the tile's last key: what may follow any.
  __device__ void put_end() {
    if constexpr (Keys::is_exact) keys()[tile_items_] = Kept(~flip_);
  }

  // ---- keys of one digit

  // Writes the tile of the output by where each digit's keys begin.
  __device__ void fill() {
    constexpr int vector_items = 4;
    if (threadIdx.x < radix_digits) {
      const uint64_t begin = call_.control->bins(part_.pass, 0)[threadIdx.x];
      const uint64_t before = begin > tile_first_ ? begin - tile_first_ : 0;
      storage_.offsets[threadIdx.x] = uint32_t(min_of(before, uint64_t(tile_items_)));
    }
    __syncthreads();
    Key *to = static_cast<Key *>(step_.keys_to()) + tile_first_;
    const bool is_aligned = reinterpret_cast<uintptr_t>(to) % vector_items == 0;
#pragma unroll 1
    for (uint32_t i = threadIdx.x * vector_items; i < tile_items_; i += threads * vector_items) {
      array<Key, vector_items> keys;
      uint32_t digit = digit_at(i);
#pragma unroll
      for (int k = 0; k < vector_items; ++k) {
        while (digit < radix_digits - 1 && storage_.offsets[digit + 1] <= i + k) ++digit;
        keys[k] = Keys::leave(Kept(digit ^ flip_));
      }
      if (is_aligned && i + vector_items <= tile_items_) {
        *reinterpret_cast<uint32_t *>(to + i) = bit_cast<uint32_t>(keys);
      } else {
#pragma unroll
        for (int k = 0; k < vector_items; ++k)
          if (i + k < tile_items_) to[i + k] = keys[k];
      }
    }
  }

  // The last digit that begins there or before.
  __device__ uint32_t digit_at(uint32_t place) const {
    uint32_t digit = 0;
#pragma unroll
    for (int step = radix_digits / 2; step > 0; step /= 2)
      if (storage_.offsets[digit + step] <= place) digit += step;
    return digit;
  }

  TempStorage &storage_;
  const KeysIn &keys_in_;
  const ValuesIn &values_in_;
  const RadixSortCall &call_;
  const RadixSortPart &part_;
  RadixRange range_;
  RadixSortStep step_;
  Bits flip_, compared_;  // the bits that tiles are checked by; all that are below the range are the same
  RadixDigit<Keys> digit_;
  uint64_t tile_first_;   // the tile's first item
  uint32_t tile_items_, warp_items_;
  uint32_t column_;  // which of the tile's the first key of this lane is; the next is a row after it
};

}  // namespace jig
