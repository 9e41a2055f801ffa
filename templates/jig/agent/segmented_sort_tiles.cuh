// Sorts large segments by tiles, of which blocks take one after the other: first the digits of all keys are counted,
// then each pass puts tiles in order of one digit, and each run of one digit where it belongs (onesweep, as
// in radix_sort_pass.cuh).
//
// One launch does all of it. Tiles are numbered by passes, of all segments one pass after the other; who takes one
// waits until all tiles of its segment are through the pass before. So nobody waits for a tile that has not been
// taken by a block that runs, whatever the blocks' order.
//
// Where the runs of earlier tiles end is found out by decoupled look-back: a word for each digit and tile
// says how many of its keys the tile has, or the tiles up to it have, and by which step, so that no step needs
// them cleared.
#pragma once
#include <jig/agent/segmented_sort_items.cuh>

namespace jig {

template <class Policy, class Keys, class Value> class AgentSegmentedSortTiles {
  using Key = typename Keys::Key;
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr bool has_values = !is_same<Value, none>;
  using Storage = SegmentedSortStorage<Policy, Keys, has_values>;
  using Team = RadixTeam<Keys, has_values>;
  using Items = typename Team::Items;
  static_assert(threads >= radix_digits, "every digit has a thread");
  // Of the counters of all digits, where there is room for keys otherwise: one for every few lanes, so that these
  // do not get in each other's way.
  static constexpr int copies_that_fit(int n) {
    return n > 1 && sizeof(Storage::keys) < size_t(n) * Keys::max_passes * radix_digits * 4 ? copies_that_fit(n / 2) : n;
  }
  static constexpr int copies = copies_that_fit(8);
  static_assert(sizeof(Storage::keys) >= size_t(copies) * Keys::max_passes * radix_digits * 4,
                "the counters have room");
  static constexpr int count_batch = sizeof(Bits) <= 8 ? 8 : 4;
  static constexpr uint64_t is_total = uint64_t(1) << 63, count_mask = (uint64_t(1) << 56) - 1;

 public:
  __device__ AgentSegmentedSortTiles(Storage &storage, const SegmentedSortCall &call)
      : storage_(storage),
        call_(call),
        passes_(call.sort),
        flip_(radix_flip<Bits>(call.sort.is_signed, call.sort.is_descending)) {}

  // All large segments, with the other blocks. Ends with a barrier.
  __device__ void Run() {
    const uint32_t tiles = min_of(uint32_t(call_.control->large), call_.max_tiles);
    if (tiles == 0) return;
    for (uint32_t ticket = first_ticket(); ticket < tiles * (1 + passes_.count); ticket = next_ticket()) {
      if (threadIdx.x == 0) storage_.next[0] = take_ticket();
      const int phase = ticket / tiles;
      tile_ = ticket % tiles;
      const uint32_t owner = call_.tile_owners[tile_];
      if (owner == no_segment) continue;
      segment_ = call_.large + owner;
      bins_ = call_.bins + uint64_t(owner) * passes_.range.passes() * radix_digits;
      const uint64_t offset = uint64_t(tile_ - segment_->first_tile) * call_.tile_items;
      first_ = segment_->begin + offset;
      num_items_ = int(min_of(segment_->length - offset, uint64_t(call_.tile_items)));
      if (phase == 0) count();
      else pass(phase - 1);
    }
  }

 private:
  // ---- which tile

  __device__ uint32_t take_ticket() const { return ptx::count_relaxed_gpu(&call_.control->tiles_taken); }
  __device__ uint32_t first_ticket() {
    if (threadIdx.x == 0) storage_.next[0] = take_ticket();
    return next_ticket();
  }
  __device__ uint32_t next_ticket() {
    __syncthreads();
    const uint32_t ticket = storage_.next[0];
    __syncthreads();
    return ticket;
  }

  // ---- counting

  __device__ uint32_t *counters() { return reinterpret_cast<uint32_t *>(storage_.keys); }

  __device__ void count() {
    const int count = passes_.range.passes() * radix_digits;
    for (int i = threadIdx.x; i < count * copies; i += threads) counters()[i] = 0;
    if (threadIdx.x < radix_digits) state_of(tile_) = 0;
    __syncthreads();
    const uint32_t copy = ptx::kept_shared_address(counters()) + 4 * (threadIdx.x % copies);
    const Key *from = static_cast<const Key *>(call_.sort.keys_in) + first_;
#pragma unroll 1
    for (int base = threadIdx.x; base < num_items_; base += threads * count_batch) {
      array<Bits, count_batch> bits;
#pragma unroll
      for (int k = 0; k < count_batch; ++k)
        if (base + k * threads < num_items_) bits[k] = Bits(Keys::bits(Keys::enter(from[base + k * threads])) ^ flip_);
#pragma unroll 1
      for (int p = 0; p < passes_.range.passes(); ++p) {
        const uint32_t mask = (1u << passes_.range.count(p)) - 1, shift = passes_.range.first(p);
#pragma unroll
        for (int k = 0; k < count_batch; ++k)
          if (base + k * threads < num_items_)
            ptx::add_shared(copy + (p * radix_digits + (uint32_t(bits[k] >> shift) & mask)) * copies * 4, 1);
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += threads) {
      uint32_t sum = 0;
#pragma unroll
      for (int c = 0; c < copies; ++c) sum += counters()[i * copies + (c + threadIdx.x) % copies];
      if (sum > 0) ptx::add_relaxed_gpu(&bins_[i], sum);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      storage_.step = ptx::count_relaxed_gpu(&segment_->counted);
      __threadfence();
    }
    __syncthreads();
    if (storage_.step == segment_->tiles - 1) begin_passes();
  }

  // By the block whose tile is the last one that is counted: a warp for each pass.
  __device__ void begin_passes() {
    for (int p = threadIdx.x / warp_threads; p < passes_.range.passes(); p += warps) {
      const bool skipped = radix_begin_digits(bins_ + p * radix_digits, segment_->length);
      if (ptx::lane_id() == 0) segment_->step[p] = skipped ? skipped_step : 0;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    number_steps();
    __threadfence();
    ptx::store_relaxed_gpu(&segment_->done, 1);
  }

  // At least one; and of two buffers an odd number, the last one of which may be a pass that only copies.
  __device__ void number_steps() {
    const int passes = passes_.range.passes();
    uint32_t needed = 0, steps = 0;
    for (int p = 0; p < passes; ++p) needed += segment_->step[p] != skipped_step;
    bool adds_one = call_.sort.keeps_parity ? needed % 2 == 0 : needed == 0;
    for (int p = 0; p < passes; ++p) {
      if (segment_->step[p] == skipped_step && !adds_one) continue;
      adds_one = adds_one && segment_->step[p] != skipped_step;
      segment_->step[p] = uint8_t(steps++);
    }
    segment_->step[passes] = adds_one ? uint8_t(steps++) : skipped_step;
    segment_->steps = steps;
  }

  // ---- a pass

  __device__ uint64_t &state_of(uint32_t tile) const {
    return call_.states[uint64_t(tile) * radix_digits + threadIdx.x];
  }

  // Waits until the tile's turn has come.
  __device__ void begin(int pass) {
    if (threadIdx.x == 0) {
      while (ptx::load_relaxed_gpu(&segment_->done) == 0) continue;
      __threadfence();
      const uint32_t step = segment_->step[pass];
      if (step != skipped_step) {
        while (ptx::load_relaxed_gpu(&segment_->done) < 1 + step * segment_->tiles) continue;
        __threadfence();
      }
      storage_.step = step;
      storage_.steps = segment_->steps;
    }
    __syncthreads();
  }

  __device__ void pass(int pass) {
    begin(pass);
    if (storage_.step == skipped_step) return;
    const RadixSortStep step{call_.sort, storage_.step, storage_.steps};
    const RadixDigit<Keys> digit = passes_.template digit<Keys>(pass, flip_);
    const WarpTeam all{0, warps};
    const Team team = storage_.team(all, num_items_);
    const Items loaded = storage_.items(all, 0), moved = storage_.items(all, 1);
    const Key *from = static_cast<const Key *>(step.keys_from()) + first_;
    const bool is_first = step.is_first();
    const bool is_unsure = team.fill(loaded, passes_.range.end - passes_.range.begin == int(sizeof(Bits) * 8),
                                     [&](int i) { return is_first ? Keys::enter(from[i]) : Kept(from[i]); });
    bool matches = __syncthreads_or(is_unsure || JIG_RADIX_SORT_FORCE == 1);
    RadixRankMode mode;
#pragma unroll 1
    for (bool is_new = true;; is_new = false) {
      mode = team.count(loaded, digit);
      if (is_new && threadIdx.x < radix_digits) publish(team, digit(loaded.keys[0]), mode);
      __syncthreads();
      if (mode == RankIsIndex) break;
      team.move(loaded, moved, digit, matches ? RankByMatching : mode);
      __syncthreads();
      if (matches || !__syncthreads_or(JIG_RADIX_SORT_FORCE == 2 || !is_right(team, moved, pass))) break;
      matches = true;
    }
    if (threadIdx.x < radix_digits) look_back(pass);
    __syncthreads();
    const bool is_moved = mode != RankIsIndex;
    write(storage_.items(all, is_moved), storage_.items(all, !is_moved), digit, step);
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence();
    ptx::count_relaxed_gpu(&segment_->done);
  }

  // Whether adding has kept the keys' order: by this digit and those before it, all of whose bits are in order if it
  // has; or by indices.
  __device__ bool is_right(const Team &team, const Items &items, int pass) const {
    const RadixRange &range = passes_.range;
    if (pass == range.passes()) return has_values ? team.in_order(items, flip_, Bits(0)) : true;
    const int first = has_values ? range.first(pass) : range.begin;
    return team.in_order(items, flip_, radix_mask<Bits>(first, range.first(pass) + range.count(pass) - first));
  }

  // How many keys of this thread's digit the tile has. Their number stays in shared memory with that of lower ones,
  // as ranking takes registers.
  __device__ void publish(const Team &team, uint32_t only_digit, RadixRankMode mode) {
    const uint32_t digit = threadIdx.x, all = num_items_;
    uint32_t before, count;
    if (mode == RankIsIndex) {
      before = digit > only_digit ? all : 0;
      count = digit == only_digit ? all : 0;
    } else {
      before = team.before(digit);
      count = (digit + 1 < radix_digits ? team.before(digit + 1) : all) - before;
    }
    const uint64_t state = uint64_t(storage_.step + 1) << 56 | count;
    ptx::store_relaxed_gpu(&state_of(tile_), tile_ == segment_->first_tile ? is_total | state : state);
    storage_.offsets[digit] = uint64_t(count) << 32 | before;
  }

  // Where this thread's digit's keys go, less their places in the tile.
  __device__ void look_back(int pass) {
    const uint32_t digit = threadIdx.x, first_tile = segment_->first_tile;
    const uint64_t mine = storage_.offsets[digit], before = uint32_t(mine), count = mine >> 32;
    const uint64_t step = uint64_t(storage_.step + 1) << 56;
    uint64_t earlier = 0;
    if (tile_ != first_tile) {
      earlier = take_earlier(step);
      ptx::store_relaxed_gpu(&state_of(tile_), is_total | step | (earlier + count));
    }
    const uint64_t begin = pass < passes_.range.passes() ? bins_[pass * radix_digits + digit] : 0;
    storage_.offsets[digit] = segment_->begin + begin + earlier - before;
  }

  // How many keys of this thread's digit the segment's tiles before this one have.
  __device__ uint64_t take_earlier(uint64_t step) const {
    constexpr int window = 4;
    const uint64_t step_mask = ~(is_total | count_mask);
    uint64_t earlier = 0;
    uint32_t next = tile_ - 1;
    while (true) {
      uint64_t words[window];
#pragma unroll
      for (int k = 0; k < window; ++k)
        words[k] = next >= segment_->first_tile + k ? ptx::load_relaxed_gpu(&state_of(next - k)) : 0;
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if ((words[k] & step_mask) != step) break;
        earlier += words[k] & count_mask;
        --next;
        if (words[k] & is_total) return earlier;
      }
    }
  }

  __device__ void write(const Items &items, const Items &other, const RadixDigit<Keys> &digit,
                        const RadixSortStep &step) {
    Key *keys_to = static_cast<Key *>(step.keys_to());
    const bool leaves = step.is_last();
#pragma unroll 4
    for (int i = threadIdx.x; i < num_items_; i += threads) {
      const Kept kept = items.keys[i];
      keys_to[storage_.offsets[digit(kept)] + i] = leaves ? Keys::leave(kept) : Key(kept);
    }
    if constexpr (has_values) {
      const ItemValues<Value, Kept> values(static_cast<const Value *>(step.values_from()) + first_, other.keys);
      values.stage(WarpTeam{0, warps}, num_items_);
      Value *values_to = static_cast<Value *>(step.values_to());
#pragma unroll 4
      for (int i = threadIdx.x; i < num_items_; i += threads)
        values_to[storage_.offsets[digit(items.keys[i])] + i] = values[items.indices[i]];
    }
  }

  Storage &storage_;
  const SegmentedSortCall &call_;
  SegmentedSortPasses passes_;
  Bits flip_;
  uint32_t tile_;
  LargeSegment *segment_;
  uint64_t *bins_;
  uint64_t first_;  // the tile's first item
  int num_items_;
};

}  // namespace jig
