// What is special about a tile of a large segment: its digits are counted first, then each pass puts each run of one
// digit where it belongs (onesweep, as in radix_sort_pass.cuh).
//
// Tiles are numbered by passes, of all segments one pass after the other; who takes one waits until all tiles of
// its segment are through the pass before. So nobody waits for a tile that has not been taken by a block that
// runs, whatever the blocks' order.
//
// Where the runs of earlier tiles end is found out by decoupled look-back: a word for each digit and tile
// says how many of its keys the tile has, or the tiles up to it have, and by which step, so that no step needs
// them cleared.
#pragma once
#include <jig/agent/segmented_sort_items.cuh>

namespace jig {

template <class Policy, class Keys, bool HasIndices> class SegmentedSortTile {
  using Key = typename Keys::Key;
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  using Storage = SegmentedSortStorage<Policy, Keys, HasIndices>;
  static_assert(threads >= radix_digits, "every digit has a thread");
  // Of the counters of all digits, where there is room for keys otherwise: one for every few lanes, so that these
  // do not get in each other's way.
  static constexpr int copies_that_fit(int n) {
    const bool fits = sizeof(Storage::keys) >= size_t(n) * Keys::max_passes * radix_digits * 4;
    return n > 1 && !fits ? copies_that_fit(n / 2) : n;
  }
  static constexpr int copies = copies_that_fit(8);
  static_assert(sizeof(Storage::keys) >= size_t(copies) * Keys::max_passes * radix_digits * 4,
                "the counters have room");
  static constexpr int count_batch = 4;
  static constexpr uint64_t is_total = uint64_t(1) << 63, count_mask = (uint64_t(1) << 56) - 1;

 public:
  __device__ SegmentedSortTile(Storage &storage, const SegmentedSortCall &call)
      : storage_(storage), tile_(storage.tile), call_(call), passes_{call.sort} {}

  // How many tiles there are, times how often each is taken.
  __device__ uint32_t count() const { return tiles() * (1 + passes_.count()); }

  // By a whole block, number `taken` of these: fills in storage.tile. Does what comes before the first pass; or
  // waits until the tile's turn has come in a pass. Whether there is a pass to do. Begins behind a barrier, and
  // has one.
  __device__ bool begin(uint32_t taken) {
    if (threadIdx.x == 0) settle(taken);
    __syncthreads();
    if (tile_.segment == nullptr) return false;
    if (tile_.pass >= 0) return tile_.step != skipped_step;
    count_digits();
    return false;
  }

  // By one thread, when all of the block have written and met at a barrier.
  __device__ void end() const {
    __threadfence();
    ptx::count_relaxed_gpu(&tile_.segment->done);
  }

  // How many keys of this thread's digit the tile has. Their number stays in shared memory with that of lower ones,
  // as ranking takes registers.
  __device__ void publish(const RadixTeam<Keys, HasIndices> &team, uint32_t only_digit, RadixRankMode mode) {
    const uint32_t digit = threadIdx.x, all = tile_.num_items;
    uint32_t before, count;
    if (mode == RankIsIndex) {
      before = digit > only_digit ? all : 0;
      count = digit == only_digit ? all : 0;
    } else {
      before = team.before(digit);
      count = (digit + 1 < radix_digits ? team.before(digit + 1) : all) - before;
    }
    const uint64_t state = uint64_t(tile_.step + 1) << 56 | count;
    const bool is_first = tile_.number == tile_.segment->first_tile;
    ptx::store_relaxed_gpu(&state_of(tile_.number), is_first ? is_total | state : state);
    storage_.offsets[digit] = uint64_t(count) << 32 | before;
  }

  // Where this thread's digit's keys go, less their places in the tile.
  __device__ void look_back() {
    const uint32_t digit = threadIdx.x, first_tile = tile_.segment->first_tile;
    const uint64_t mine = storage_.offsets[digit], before = uint32_t(mine), count = mine >> 32;
    const uint64_t mark = uint64_t(tile_.step + 1) << 56;
    uint64_t earlier = 0;
    if (tile_.number != first_tile) {
      earlier = take_earlier(mark);
      ptx::store_relaxed_gpu(&state_of(tile_.number), is_total | mark | (earlier + count));
    }
    const uint64_t begin = !passes_.is_copy(tile_.pass) ? tile_.bins[tile_.pass * radix_digits + digit] : 0;
    storage_.offsets[digit] = tile_.segment->begin + begin + earlier - before;
  }

 private:
  __device__ uint32_t tiles() const { return min_of(uint32_t(call_.control->large), call_.max_tiles); }

  __device__ void settle(uint32_t taken) {
    const uint32_t number = taken % tiles(), owner = call_.tile_owners[number];
    tile_.segment = nullptr;
    if (owner == no_segment) return;
    LargeSegment &segment = call_.large[owner];
    const uint64_t offset = uint64_t(number - segment.first_tile) * call_.tile_items;
    const int pass = int(taken / tiles()) - 1;
    tile_ = {&segment,
             call_.bins + uint64_t(owner) * passes_.range().passes() * radix_digits,
             segment.begin + offset,
             int(min_of(segment.length - offset, uint64_t(call_.tile_items))),
             pass,
             number,
             pass < 0 ? 0 : await_turn(segment, pass)};
  }

  // The step that the pass is, when its turn has come.
  static __device__ uint32_t await_turn(LargeSegment &segment, int pass) {
    while (ptx::load_relaxed_gpu(&segment.done) == 0) continue;
    __threadfence();
    const uint32_t step = segment.step[pass];
    if (step == skipped_step) return step;
    while (ptx::load_relaxed_gpu(&segment.done) < 1 + step * segment.tiles) continue;
    __threadfence();
    return step;
  }

  // ---- before the first pass

  __device__ uint32_t *counters() { return reinterpret_cast<uint32_t *>(storage_.keys); }

  __device__ void count_digits() {
    const Bits flip = radix_flip<Bits>(call_.sort.is_signed, call_.sort.is_descending);
    const int count = passes_.range().passes() * radix_digits;
    for (int i = threadIdx.x; i < count * copies; i += threads) counters()[i] = 0;
    if (threadIdx.x < radix_digits) state_of(tile_.number) = 0;
    __syncthreads();
    const uint32_t copy = ptx::kept_shared_address(counters()) + 4 * (threadIdx.x % copies);
    const Key *from = static_cast<const Key *>(call_.sort.keys_in) + tile_.first;
#pragma unroll 1
    for (int base = threadIdx.x; base < tile_.num_items; base += threads * count_batch) {
      array<Bits, count_batch> bits;
#pragma unroll
      for (int k = 0; k < count_batch; ++k)
        if (base + k * threads < tile_.num_items)
          bits[k] = Bits(Keys::bits(Keys::enter(from[base + k * threads])) ^ flip);
#pragma unroll 1
      for (int p = 0; p < passes_.range().passes(); ++p) {
        const uint32_t mask = (1u << passes_.range().count(p)) - 1, shift = passes_.range().first(p);
#pragma unroll
        for (int k = 0; k < count_batch; ++k)
          if (base + k * threads < tile_.num_items)
            ptx::add_shared(copy + (p * radix_digits + (uint32_t(bits[k] >> shift) & mask)) * copies * 4, 1);
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += threads) {
      uint32_t sum = 0;
#pragma unroll
      for (int c = 0; c < copies; ++c) sum += counters()[i * copies + (c + threadIdx.x) % copies];
      if (sum > 0) ptx::add_relaxed_gpu(&tile_.bins[i], sum);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      tile_.step = ptx::count_relaxed_gpu(&tile_.segment->counted);
      __threadfence();
    }
    __syncthreads();
    if (tile_.step == tile_.segment->tiles - 1) begin_passes();
  }

  // By the block whose tile is the last one that is counted: a warp for each pass.
  __device__ void begin_passes() {
    for (int p = threadIdx.x / warp_threads; p < passes_.range().passes(); p += warps) {
      const bool skipped = radix_begin_digits(tile_.bins + p * radix_digits, tile_.segment->length);
      if (ptx::lane_id() == 0) tile_.segment->step[p] = skipped ? skipped_step : 0;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    number_steps();
    __threadfence();
    ptx::store_relaxed_gpu(&tile_.segment->done, 1);
  }

  // At least one; and of two buffers an odd number, the last one of which may be a pass that only copies.
  __device__ void number_steps() {
    const int passes = passes_.range().passes();
    uint32_t needed = 0, steps = 0;
    for (int p = 0; p < passes; ++p) needed += tile_.segment->step[p] != skipped_step;
    bool adds_one = call_.sort.keeps_parity ? needed % 2 == 0 : needed == 0;
    for (int p = 0; p < passes; ++p) {
      if (tile_.segment->step[p] == skipped_step && !adds_one) continue;
      adds_one = adds_one && tile_.segment->step[p] != skipped_step;
      tile_.segment->step[p] = uint8_t(steps++);
    }
    tile_.segment->step[passes] = adds_one ? uint8_t(steps++) : skipped_step;
    tile_.segment->steps = steps;
  }

  // ---- a pass

  __device__ uint64_t &state_of(uint32_t tile) const {
    return call_.states[uint64_t(tile) * radix_digits + threadIdx.x];
  }

  // How many keys of this thread's digit the segment's tiles before this one have.
  __device__ uint64_t take_earlier(uint64_t mark) const {
    constexpr int window = 4;
    const uint64_t mark_bits = ~(is_total | count_mask);
    uint64_t earlier = 0;
    uint32_t next = tile_.number - 1;
    while (true) {
      uint64_t words[window];
#pragma unroll
      for (int k = 0; k < window; ++k)
        words[k] = next >= tile_.segment->first_tile + k ? ptx::load_relaxed_gpu(&state_of(next - k)) : 0;
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if ((words[k] & mark_bits) != mark) break;
        earlier += words[k] & count_mask;
        --next;
        if (words[k] & is_total) return earlier;
      }
    }
  }

  Storage &storage_;
  TileInPass &tile_;
  const SegmentedSortCall &call_;
  SegmentedSortPasses passes_;
};

}  // namespace jig
