// What is special about a tile of a large segment: its digits are counted first, then each pass puts each run of one
// digit where it belongs (onesweep, as in radix_sort_pass.cuh).
//
// Tiles are numbered by passes, of all segments one pass after the other; who takes one waits until all tiles of
// its segment are through the pass before. So nobody waits for a tile that has not been taken by a block that
// runs, whatever the blocks' order.
//
// Where the runs of earlier tiles end is found out by decoupled look-back: a word for each digit and tile
// says how many of its keys the tile has, or the tiles up to it have, and whether by an even step. A tile's word is
// that of the step before until it is told, and never older, so that no step needs them cleared.
//
// A block that has a segment by itself takes its tiles in order, and waits for nobody. If the highest digit that
// differs leaves parts that the block can sort, that is the only one that tiles are put in order of: the parts are
// sorted then, as many at a time as fit, and have been moved twice.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_items.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

template <class Policy, class Keys, bool HasIndices, class KeysIn> class SegmentedSortTile {
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
  static constexpr uint8_t fitting_step = 1;  // before steps are numbered: of a pass that leaves no more than fits
  // Flags of SegmentedSortWords.
  static constexpr uint64_t is_total = uint64_t(1) << 63, is_odd = uint64_t(1) << 62, count_mask = is_odd - 1;

 public:
  __device__ SegmentedSortTile(Storage &storage, const KeysIn &keys_in, const SegmentedSortCall &call)
      : storage_(storage),
        tile_(storage.tile),
        work_(storage.work[0]),
        keys_in_(keys_in),
        call_(call),
        passes_{call.sort} {}

  // How many tiles there are.
  static __device__ uint32_t count(const SegmentedSortCall &call) {
    return min_of(uint32_t(call.control->large), call.max_tiles);
  }
  // How often each is taken.
  __device__ uint32_t rounds() const { return 1 + passes_.count(); }

  // By a whole block, one of those, or a segment that the block has by itself: fills in what is to be sorted. Does what
  // comes before the first pass; or waits until the tile's turn has come in a pass. Whether there is a pass to do; of
  // a segment by itself next() tells. Begins behind a barrier, and has some.
  __device__ bool begin(bool is_single_tile, uint32_t taken, uint32_t tiles) {
    if (threadIdx.x == 0) {
      if (is_single_tile) settle_single_tile(call_.long_list[taken]);
      else settle(taken % tiles, int(taken / tiles) - 1);
    }
    __syncthreads();
    if (tile_.segment == nullptr) return false;
    if (work_.first_pass >= 0) return work_.step != skipped_step;
    count_digits();
    __syncthreads();
    return false;
  }

  // Whether it is a tile, that is put in order of a digit.
  __device__ bool is_tile() const { return !tile_.is_group; }

  // The next tile of a segment that the block has by itself, or group; whether there is one. It begins and ends with a
  // barrier, too.
  __device__ bool next() {
    if (threadIdx.x == 0) step_single_tile();
    __syncthreads();
    if (work_.step == skipped_step) return false;
    if (is_tile() && tile_.number == 0 && threadIdx.x < radix_digits)
      storage_.running[threadIdx.x] = uint32_t(digit_begin());
    return true;
  }

  // By one thread, when all of the block have written and met at a barrier.
  __device__ void end() const {
    if (tile_.is_single_tile) return;
    __threadfence();
    ptx::count_relaxed_gpu(&tile_.segment->done);
  }

  // How many keys of this thread's digit the tile has. Their number stays in shared memory with that of lower ones,
  // as ranking takes registers.
  __device__ void publish(const RadixWarpGroup<Keys, HasIndices> &warp_group, uint32_t only_digit, RadixRankMode mode) {
    const uint32_t digit = threadIdx.x, all = work_.num_items;
    uint32_t before, count;
    if (mode == RankIsIndex) {
      before = digit > only_digit ? all : 0;
      count = digit == only_digit ? all : 0;
    } else {
      before = warp_group.before(digit);
      count = (digit + 1 < radix_digits ? warp_group.before(digit + 1) : all) - before;
    }
    storage_.offsets[digit] = uint64_t(count) << 32 | before;
    if (tile_.is_single_tile) return;
    const bool is_first = tile_.number == tile_.segment->first_tile;
    states().store(state_of(tile_.number), (is_first ? is_total : 0) | mark() | count);
  }

  // Where this thread's digit's keys go, less their places in the tile.
  __device__ void look_back() {
    const uint32_t digit = threadIdx.x;
    const uint64_t mine = storage_.offsets[digit], before = uint32_t(mine), count = mine >> 32;
    uint64_t begin;
    if (tile_.is_single_tile) {
      begin = storage_.running[digit];
      storage_.running[digit] = uint32_t(begin + count);
    } else {
      begin = digit_begin();
      if (tile_.number != tile_.segment->first_tile) {
        const uint64_t earlier = take_earlier();
        states().store(state_of(tile_.number), is_total | mark() | (earlier + count));
        begin += earlier;
      }
    }
    storage_.offsets[digit] = tile_.segment->begin + begin - before;
  }

 private:
  __device__ SegmentedSortWords bins() const { return {call_.bins, call_.has_wide_words}; }
  __device__ SegmentedSortWords states() const { return {call_.states, call_.has_wide_words}; }
  __device__ uint64_t first_bin(uint32_t owner) const {
    return uint64_t(owner) * passes_.range().passes() * radix_digits;
  }
  // How many of the segment's keys have digits lower than this thread's.
  __device__ uint64_t digit_begin() const {
    const int pass = work_.first_pass;
    return passes_.is_copy(pass) ? 0 : bins().load(tile_.bins + pass * radix_digits + threadIdx.x);
  }

  // The items of a tile of a segment in a pass.
  __device__ WarpGroupWork work_of(const LargeSegment &segment, uint32_t tile, int pass, uint32_t step) const {
    const uint64_t offset = uint64_t(tile) * call_.tile_items;
    const int num_items = int(min_of(segment.length - offset, uint64_t(call_.tile_items)));
    return {segment.begin + offset, num_items, pass, pass + 1, step, pass < 0 ? 0 : segment.steps};
  }

  __device__ void settle(uint32_t number, int pass) {
    const uint32_t owner = call_.tile_owners[number];
    tile_.segment = nullptr;
    if (owner == no_segment) return;
    LargeSegment &segment = call_.large[owner];
    const uint32_t tile = number - segment.first_tile, step = pass < 0 ? 0 : await_turn(segment, pass);
    tile_ = {&segment, first_bin(owner), number, false, false};
    work_ = work_of(segment, tile, pass, step);
  }

  __device__ void settle_single_tile(const ulonglong2 &listed) {
    const uint32_t owner = call_.max_large + blockIdx.x;
    const uint32_t tiles = uint32_t(ceil_div(listed.y, uint64_t(call_.tile_items)));
    LargeSegment &segment = call_.large[owner];
    segment.begin = listed.x;
    segment.length = listed.y;
    segment.tiles = tiles;
    tile_ = {&segment, first_bin(owner), tiles, true, false};
    work_ = {listed.x, int(listed.y), -1, 0, 0, 0};
  }

  // The next tile, or the first one of the next pass that there is.
  __device__ void step_single_tile() {
    const LargeSegment &segment = *tile_.segment;
    int pass = work_.first_pass;
    uint32_t step = work_.step;
    if (tile_.is_group) return begin_group(uint32_t(work_.first - segment.begin) + work_.num_items);
    if (++tile_.number >= segment.tiles) {
      tile_.number = 0;
      if (pass == segment.top) return begin_group(0);
#pragma unroll 1
      do ++pass;
      while (pass < passes_.count() && segment.step[pass] == skipped_step);
      step = pass < passes_.count() ? segment.step[pass] : skipped_step;
    }
    work_ = work_of(segment, tile_.number, pass, step);
  }

  // From a key on that a digit begins with: those of as many digits as a block has room for. When all tiles have been
  // written, `running` is where digits end.
  __device__ void begin_group(uint32_t first) {
    const LargeSegment &segment = *tile_.segment;
    constexpr int most = Storage::max_items;
    const uint32_t length = uint32_t(segment.length);
    uint32_t digits = 0, end = length;
    if (length - first > uint32_t(most)) {
#pragma unroll 1
      for (uint32_t more = radix_digits / 2; more > 0; more /= 2)
        if (int(storage_.running[digits + more - 1] - first) <= most) digits += more;
      end = storage_.running[digits - 1];
    }
    tile_.is_group = true;
    const uint32_t step = first < length ? 1 : skipped_step;
    work_ = {segment.begin + first, int(end - first), 0, segment.top + 1, step, segment.steps};
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
#pragma unroll 1
    for (int i = threadIdx.x; i < count * copies; i += threads) counters()[i] = 0;
    if (threadIdx.x < radix_digits && !tile_.is_single_tile) states().store(state_of(tile_.number), is_odd);
    __syncthreads();
    const uint32_t copy = ptx::kept_shared_address(counters()) + 4 * (threadIdx.x % copies);
    const auto from = radix_input_from<Key>(keys_in_, call_.sort.keys_in, work_.first);
#pragma unroll 1
    for (int base = threadIdx.x; base < work_.num_items; base += threads * count_batch) {
      array<Bits, count_batch> bits;
#pragma unroll
      for (int k = 0; k < count_batch; ++k)
        bits[k] = Bits(Keys::bits(Keys::enter(from[min_of(base + k * threads, work_.num_items - 1)])) ^ flip);
#pragma unroll 1
      for (int p = 0; p < passes_.range().passes(); ++p) {
        const uint32_t mask = (1u << passes_.range().count(p)) - 1, shift = passes_.range().first(p);
#pragma unroll
        for (int k = 0; k < count_batch; ++k)
          if (base + k * threads < work_.num_items)
            ptx::add_shared(copy + (p * radix_digits + (uint32_t(bits[k] >> shift) & mask)) * copies * 4, 1);
      }
    }
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += threads) {
      uint32_t sum = 0;
#pragma unroll
      for (int c = 0; c < copies; ++c) sum += counters()[i * copies + (c + threadIdx.x) % copies];
      if (tile_.is_single_tile) bins().store(tile_.bins + i, sum);
      else if (sum > 0) bins().add(tile_.bins + i, sum);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      work_.step = tile_.is_single_tile ? tile_.segment->tiles - 1 : ptx::count_relaxed_gpu(&tile_.segment->counted);
      __threadfence();
    }
    __syncthreads();
    if (work_.step == tile_.segment->tiles - 1) begin_passes();
  }

  // By the block whose tile is the last one that is counted: a warp for each pass.
  __device__ void begin_passes() {
#pragma unroll 1
    for (int p = threadIdx.x / warp_threads; p < passes_.range().passes(); p += warps) {
      const uint64_t most = begin_digits(tile_.bins + p * radix_digits);
      const uint8_t step = most == tile_.segment->length ? skipped_step : most <= Storage::max_items ? fitting_step : 0;
      if (ptx::lane_id() == 0) tile_.segment->step[p] = step;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    number_steps();
    __threadfence();
    ptx::store_relaxed_gpu(&tile_.segment->done, 1);
  }

  // As radix_begin_digits(), a few digits of a lane at a time. How many keys a digit has at most.
  __device__ uint64_t begin_digits(uint64_t first) const {
    constexpr int own = 2;
    uint64_t before = 0, most = 0;
#pragma unroll 1
    for (int base = 0; base < radix_digits; base += own * warp_threads) {
      const uint64_t i = first + base + ptx::lane_id() * own, a = bins().load(i), b = bins().load(i + 1);
      uint64_t end = inclusive_sum(a + b);
      bins().store(i, before + end - b - a);
      bins().store(i + 1, before + end - b);
      before += __shfl_sync(full_warp, end, warp_threads - 1);
      most = max_of(most, max_of(a, b));
    }
#pragma unroll
    for (int delta = 1; delta < warp_threads; delta *= 2) most = max_of(most, __shfl_xor_sync(full_warp, most, delta));
    return most;
  }

  // At least one; and of two buffers an odd number, the last one of which may be a pass that only copies.
  __device__ void number_steps() {
    const int passes = passes_.range().passes();
    uint32_t needed = 0, steps = 0;
#pragma unroll 1
    for (int p = 0; p < passes; ++p) needed += tile_.segment->step[p] != skipped_step;
    tile_.segment->top = skipped_step;
    if (tile_.is_single_tile && !call_.sort.keeps_parity && needed > 2 && begin_top()) return;
    bool adds_one = call_.sort.keeps_parity ? needed % 2 == 0 : needed == 0;
#pragma unroll 1
    for (int p = 0; p < passes; ++p) {
      if (tile_.segment->step[p] == skipped_step && !adds_one) continue;
      adds_one = adds_one && tile_.segment->step[p] != skipped_step;
      tile_.segment->step[p] = uint8_t(steps++);
    }
    tile_.segment->step[passes] = adds_one ? uint8_t(steps++) : skipped_step;
    tile_.segment->steps = steps;
  }

  // Whether the highest digit that differs leaves parts that fit; of all passes only that is done then.
  __device__ bool begin_top() {
    LargeSegment &segment = *tile_.segment;
    const int passes = passes_.range().passes();
    int top = passes - 1;
#pragma unroll 1
    while (segment.step[top] == skipped_step) --top;
    if (segment.step[top] != fitting_step) return false;
#pragma unroll 1
    for (int p = 0; p <= passes; ++p) segment.step[p] = p == top ? 0 : skipped_step;
    segment.top = uint8_t(top);
    segment.steps = 2;
    return true;
  }

  // ---- a pass

  // Which of all states is this thread's digit's.
  static __device__ uint64_t state_of(uint32_t tile) { return uint64_t(tile) * radix_digits + threadIdx.x; }
  __device__ uint64_t mark() const { return work_.step % 2 ? is_odd : 0; }

  // How many keys of this thread's digit the segment's tiles before this one have.
  __device__ uint64_t take_earlier() const {
    constexpr int window = 4;
    uint64_t earlier = 0;
    uint32_t next = tile_.number - 1;
    while (true) {
      uint64_t words[window];
#pragma unroll
      for (int k = 0; k < window; ++k)
        words[k] = next >= tile_.segment->first_tile + k ? states().load(state_of(next - k)) : mark() ^ is_odd;
#pragma unroll
      for (int k = 0; k < window; ++k) {
        if ((words[k] & is_odd) != mark()) break;
        earlier += words[k] & count_mask;
        --next;
        if (words[k] & is_total) return earlier;
      }
    }
  }

  Storage &storage_;
  SegmentedSortTileState &tile_;
  WarpGroupWork &work_;
  const KeysIn &keys_in_;
  const SegmentedSortCall &call_;
  SegmentedSortPasses passes_;
};

}  // namespace jig
