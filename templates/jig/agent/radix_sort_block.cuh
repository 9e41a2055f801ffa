// What a block does that sorts all there is by itself: every pass in shared memory.
//
// Values stay where they are until the end. Keys have their indices beside them where there are values, or where
// keys that count as equal differ in other bits. Whether adding has ranked them all in the right order
// (radix_rank.cuh) is looked at once, at the end; if it has not, all is done again by matching.
#pragma once
#include <jig/agent/radix_rank.cuh>
#include <jig/agent/radix_sort.cuh>

namespace jig {

// A launch may have less threads than Policy::threads, but radix_digits at least.
template <class Policy, class Keys, class Value> class AgentRadixSortBlock {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int max_warps = Policy::threads / warp_threads, rows = Policy::rows;
  static constexpr int max_items = Policy::threads * rows, max_indexed = Policy::threads * Policy::indexed_rows;
  static constexpr bool has_values = !is_same<Value, none>;
  // Keys have their indices beside them whatever bits the sort looks at.
  static constexpr bool always_indexed = has_values || !Keys::is_exact;
  static_assert(Policy::threads >= radix_digits, "every digit has a thread");
  static constexpr int batch = rows % 4 == 0 ? 4 : rows;
  using Rank = RadixRank<Keys, rows, batch>;

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

 public:
  struct alignas(1024) TempStorage {
    uint32_t counters[max_warps][radix_digits];
    uint32_t warp_totals[radix_digits / warp_threads];
    RadixChoice<Policy::crowds> choice;
    Items items[2];
  };

  // `used_rows` of a warp's rows have keys, at most Policy::rows, or Policy::indexed_rows.
  __device__ AgentRadixSortBlock(TempStorage &storage, const RadixSortCall &call, int used_rows)
      : storage_(storage),
        call_(call),
        range_{call.begin_bit, call.end_bit},
        is_indexed_(always_indexed || range_.end - range_.begin < int(sizeof(Bits) * 8)),
        flip_(radix_flip<Bits>(call.is_signed, call.is_descending)),
        warps_(blockDim.x / warp_threads),
        num_items_(int(call.num_items)) {
    const int piece = warp_threads * used_rows, first = threadIdx.x / warp_threads * piece;
    column_ = first + ptx::lane_id();
    warp_items_ = max_of(min_of(piece, num_items_ - first), 0);
  }

  __device__ void Run() {
    bool matches = JIG_RADIX_SORT_FORCE == 1;
#pragma unroll 1
    while (true) {
      matches = __syncthreads_or(load() || matches);
      const Items &sorted = *sort(matches);
      if (matches || !__syncthreads_or(JIG_RADIX_SORT_FORCE == 2 || !in_order(sorted))) return write(sorted);
      matches = true;
    }
  }

 private:
  __device__ bool has(int row) const { return row * warp_threads + int(ptx::lane_id()) < warp_items_; }

  // Each thread its own; whether there are keys that count as equal and are not the same, without an index to
  // tell them apart.
  __device__ bool load() {
    const Key *from = static_cast<const Key *>(call_.keys_in);
    bool has_twin = false;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!has(r)) continue;
      const int i = column_ + r * warp_threads;
      const Kept kept = Keys::enter(from[i]);
      has_twin = has_twin || Keys::has_twin(kept);
      storage_.items[0].keys[i] = kept;
      if (is_indexed_) storage_.items[0].index(i) = uint16_t(i);
    }
    return has_twin && !is_indexed_;
  }

  // From one place to another and back; where they are in the end.
  __device__ const Items *sort(bool matches) {
    int from = 0;
#pragma unroll 1
    for (int p = 0; p < range_.passes(); ++p) {
      const RadixDigit<Keys> digit(range_.first(p), range_.count(p), flip_);
      if (rank(storage_.items[from], storage_.items[from ^ 1], digit, matches)) from ^= 1;
      __syncthreads();
    }
    return &storage_.items[from];
  }

  // Whether keys had to be moved.
  __device__ bool rank(Items &from, Items &to, const RadixDigit<Keys> &digit, bool matches) {
    const Rank rank(digit, warp_items_,
                    ptx::kept_shared_address(storage_.counters[threadIdx.x / warp_threads]));
    array<Kept, rows> kept;
    rank.for_whole_rows([&](int r) { kept[r] = from.keys[column_ + r * warp_threads]; });
    clear_counters(storage_.counters, warps_);
    if (threadIdx.x == 0) storage_.choice.reset();
    __syncthreads();
    rank.for_whole_rows([&](int r) { rank.count(kept[r]); });
    for_batches(rank, rank.whole_rows(), from, [&](const array<Kept, batch> &keys, int first) {
#pragma unroll
      for (int k = 0; k < batch; ++k) rank.count(keys[k], first + k);
    });
    __syncthreads();
    if (threadIdx.x < radix_digits) {
      const RadixCounters counters{storage_.counters, storage_.warp_totals};
      const uint32_t count = counters.sum(warps_);
      storage_.choice.see(threadIdx.x, count, num_items_, Policy::crowd_share);
      counters.scan(warps_, count);
    }
    __syncthreads();
    const uint32_t mode = matches ? RankByMatching : storage_.choice.mode();
    if (mode == RankByAdding) add(rank, kept, from, to);
    if (mode == RankByAdding || mode == RankWithCrowds)
      add_from(rank, mode == RankByAdding ? rank.whole_rows() : 0, from, to);
    else if (mode == RankByMatching) match(rank, from, to);
    return mode != RankIsIndex;
  }

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

  // Rows from one on, whether there are crowds or not.
  __device__ void add_from(const Rank &rank, int first_row, const Items &from, Items &to) {
    if (first_row >= rank.used_rows()) return;
    auto crowds = rank.crowds_of(storage_.choice);
    for_batches(rank, first_row, from, [&](const array<Kept, batch> &keys, int first) {
      array<uint32_t, batch> slots;
#pragma unroll
      for (int k = 0; k < batch; ++k) slots[k] = rank.add_with_crowds(keys[k], first + k, crowds);
      put_batch(to, slots, from, keys, first);
    });
  }

  __device__ void match(const Rank &rank, const Items &from, Items &to) {
#pragma unroll 1
    for (int r = 0; r < rank.used_rows(); ++r) {
      const Kept key = has(r) ? from.keys[column_ + r * warp_threads] : Kept{};
      const uint32_t slot = rank.match(key, r);
      if (has(r)) put(to, slot, from, key, r);
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

  __device__ void put(Items &to, uint32_t slot, const Items &from, Kept kept, int row) {
    to.keys[slot] = kept;
    if (is_indexed_) put_index(to, slot, from, row);
  }
  __device__ void put_index(Items &to, uint32_t slot, const Items &from, int row) const {
    to.index(slot) = from.index(column_ + row * warp_threads);
  }

  // Of this thread's part; by the bits that the sort looks at.
  __device__ bool in_order(const Items &items) const {
    const Bits mask = radix_mask<Bits>(range_.begin, range_.end - range_.begin);
    bool sorted = true;
    for (int i = threadIdx.x; i + 1 < num_items_; i += blockDim.x) {
      const Bits a = (Keys::bits(items.keys[i]) ^ flip_) & mask;
      const Bits b = (Keys::bits(items.keys[i + 1]) ^ flip_) & mask;
      sorted = sorted && (a < b || (a == b && (!is_indexed_ || items.index(i) < items.index(i + 1))));
    }
    return sorted;
  }

  __device__ void write(const Items &items) const {
    Key *keys_out = static_cast<Key *>(call_.keys_out);
    for (int i = threadIdx.x; i < num_items_; i += blockDim.x) {
      keys_out[i] = Keys::leave(items.keys[i]);
      if constexpr (has_values)
        static_cast<Value *>(call_.values_out)[i] =
            static_cast<const Value *>(call_.values_in)[items.index(i)];
    }
  }

  TempStorage &storage_;
  const RadixSortCall &call_;
  RadixRange range_;
  bool is_indexed_;
  Bits flip_;
  int warps_, num_items_;
  int column_, warp_items_;  // as in radix_sort_pass.cuh
};

}  // namespace jig
