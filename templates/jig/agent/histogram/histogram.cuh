// What a block does in a histogram: it counts in shared memory, in copies of each counter that lanes take turns
// with, and adds what it has counted to the counts. Where there are more counters than have room, each block has
// a window of them or, where even windows are too many, a cache of those that many samples are in.
//
// Samples of a byte are counted by what they are, and their bins found in the end.
#pragma once
#include <jig/agent/histogram/histogram_call.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

template <class Counter> __device__ void add_count(void *counts, uint32_t bin, uint32_t count) {
  using Word = conditional<sizeof(Counter) == 8, uint64_t, uint32_t>;
  ptx::add_relaxed_gpu(static_cast<Word *>(counts) + bin, Word(count));
}

// What a kernel counts in, so that each holds no more code than it takes: all counters, of so few samples that no
// thread has more than one unit of them, or of more; or a window of them; or whatever there is, and bins that are found
// in any way. Of more than few bytes, or bins between any levels, one counts in all, as they take longer by kernels of
// their own.
enum class HistogramRoom { few, all, window, any, one };

template <class Policy, HistogramRoom Room, int Channels, int Active, bool IsRange, class Counter, class Level,
          class In>
class AgentHistogram {
  static constexpr int items = Policy::items, unroll = Policy::unroll;
  using Sample = typename In::value_type;
  using Loaded = typename items_of<In, items>::type;
  static_assert(items % Channels == 0, "a unit is whole pixels");
  static constexpr bool is_byte = sizeof(Sample) == 1;
  static constexpr int byte_values = 256;
  // Whether units have words of channels that are not counted alone.
  static constexpr bool has_idle_words = is_same<In, Pointer<Sample>> && !is_byte &&
                                         is_same<Loaded, packed_vector<Sample, items>> &&
                                         (Channels - Active) * int(sizeof(Sample)) >= 4;
  // Whether the host chooses how bins are found, and one of the ways is multiplication.
  static constexpr bool has_ways = !IsRange && !is_byte && is_integer<Sample> && is_integer<Level>,
                        may_multiply = has_ways && !is_widest<Sample, Level>;
  // Where samples are counted: a block has all counters in shared memory, or a window of them, or it has to look.
  enum Mode { in_whole, in_window, in_any };
  static constexpr bool is_one = Room == HistogramRoom::one, is_any = Room == HistogramRoom::any || is_one,
                        is_few = Room == HistogramRoom::few;
  static constexpr Mode mode = is_any ? in_any : Room == HistogramRoom::window ? in_window : in_whole;
  static constexpr bool multiplies = may_multiply && !is_any;

 public:
  __device__ AgentHistogram(const In &in, const HistogramCall &call, uint32_t shared)
      : in_(in), call_(call), shared_(shared), block_(blockIdx.x), blocks_(gridDim.x), window_first_(0),
        window_(call.window), stride_(call.replicas * 4), mine_(shared + (threadIdx.x & (call.replicas - 1)) * 4) {
    if (call.windows == 1) return;
    block_ = blockIdx.x / call.windows;
    blocks_ = gridDim.x / call.windows;
    window_first_ = blockIdx.x % call.windows * call.window;
    window_ = min_of(call.window, call.counters - window_first_);
  }

  __device__ void Run() {
    const bool clears = call_.clears != histogram_is_cleared;
    ClearShared();
    if (clears || has_cache()) ptx::wait_for_prerequisite_grids();
    if (clears) ptx::launch_dependent_grids();
    if constexpr (is_few) LoadAhead();
    if (clears && blockIdx.x == 0) HandOn();
    StageLevels();
    __syncthreads();
    if (call_.clears == histogram_clears_in_cluster) {
      if (blockIdx.x == 0) ptx::cluster_arrive();
      else ptx::cluster_arrive_relaxed();
    }
    uint64_t first = 0;
    bool is_first = true, is_last;
#pragma unroll 1
    do {
      const uint32_t count = min_of(uint64_t(call_.round), call_.num_units - first);
      is_last = is_few || first + count == call_.num_units;
      // Bytes of units are on their way, and need no more than to be counted.
      if (is_first && !is_byte) CountEnds();
      CountUnits(first, count);
      if (is_first && is_byte) CountEnds();
      if (is_first) WaitForCounts();
      __syncthreads();
      if (!has_cache()) Flush(is_last);
      else EmptyCache();
      if (!is_last) __syncthreads();
      is_first = false;
      first += count;
    } while (!is_last);
  }

 private:
  __device__ bool has_cache() const { return is_any && !is_byte && call_.window == 0; }

  // What is in shared memory: counters, or a cache's.
  __device__ void ClearShared() const {
    const uint32_t words = !has_cache() ? (window_ + 1) * call_.replicas : 2 << call_.cache_bits;
    for (uint32_t i = threadIdx.x; i < (words + 3) / 4; i += blockDim.x)
      ptx::shared_at<uint4>(shared_ + i * 16) = uint4{0, 0, 0, 0};
  }

  // By so many threads, of which this is number `thread`.
  __device__ void ClearCounts(uint32_t thread, uint32_t some) const {
#pragma unroll
    for (int c = 0; c < Active; ++c) {
      Counter *counts = static_cast<Counter *>(call_.channels[c].counts);
      for (uint32_t i = thread; i < call_.channels[c].bins; i += some) counts[i] = 0;
    }
  }

  // The first block clears the counts, and tells the others. Where the cluster's barrier does not do that, one warp
  // does both, and waits for no other: the last one, as it has samples last.
  __device__ void HandOn() const {
    if (call_.clears == histogram_clears_in_cluster || gridDim.x == 1) return ClearCounts(threadIdx.x, blockDim.x);
    const uint32_t i = blockDim.x - 1 - threadIdx.x;
    if (i >= warp_threads) return;
    ClearCounts(i, warp_threads);
    __syncwarp();
    ptx::fence_gpu();
    for (uint32_t other = i; other < gridDim.x - 1; other += warp_threads) call_.cleared[other].publish(0, call_.tag);
  }

  __device__ void WaitForCounts() const {
    if (call_.clears == histogram_clears_in_cluster) {
      ptx::cluster_wait();
    } else if (call_.clears == histogram_is_cleared) {
      ptx::wait_for_prerequisite_grids();
    } else if (blockIdx.x > 0 && threadIdx.x == 0) {
      TileState<uint32_t> &state = call_.cleared[blockIdx.x - 1];
      uint32_t nothing;
      while (!state.template try_take<true>(nothing, call_.tag)) continue;
      state.retire(call_.tag);
    }
  }

  __device__ void StageLevels() {
#pragma unroll
    for (int c = 0; c < Active; ++c) {
      const HistogramChannel &channel = call_.channels[c];
      const Level *given = static_cast<const Level *>(channel.levels);
      levels_[c] = {given, channel.bins, 0, false};
      if constexpr (IsRange && !is_byte) {
        if (call_.level_bytes == 0) continue;
        const uint32_t height = tree_height(channel.bins);
        Level *tree = &ptx::shared_at<Level>(shared_ + channel.level_offset);
        for (uint32_t p = threadIdx.x; p <= 1u << height; p += blockDim.x)
          tree[p] = given[tree_level(p, height, channel.bins)];
        levels_[c] = {tree, channel.bins, height, true};
      }
    }
  }

  // The counter of a channel's bin 0.
  __device__ uint32_t FirstOf(int c) const { return c == 0 ? 0 : call_.channels[c].first; }

  __device__ void CountUnits(uint64_t first, uint32_t count) {
    const bool is_whole = call_.windows == 1 && call_.window > 0, is_window = call_.window > 0;
    if constexpr (is_few) {
      if (is_ahead_) CountUnit<mode, multiplies>(ahead_);
    } else if constexpr (!is_any) Count<mode, multiplies, unroll>(first, count);
    else if (is_one && (is_byte || is_whole)) Count<in_whole, false, unroll>(first, count);
    else if (is_one && is_window) Count<in_window, false, unroll>(first, count);
    else if (may_multiply && call_.windows == 1 && call_.window > 0) Count<in_whole, false, 1>(first, count);
    else Count<in_any, false, 1>(first, count);
  }

  // A unit alone is on its way while counters are cleared.
  __device__ void LoadAhead() {
    const uint32_t unit = block_ * blockDim.x + threadIdx.x;
    is_ahead_ = unit < call_.num_units;
    if (is_ahead_) ahead_ = LoadUnit(Place(unit));
  }

  // Of so many units those of this block. As soon as one is counted, the one that takes its place is under way. Bins
  // that have to be computed in one way or another are computed for a unit at a time.
  template <Mode M, bool Multiply, int Units> __device__ void Count(uint64_t first, uint32_t count) {
    const uint32_t row = blocks_ * blockDim.x;
    uint32_t next = block_ * blockDim.x + threadIdx.x;
    Loaded held[Units];
    bool holds[Units] = {};
#pragma unroll 1
    do {
#pragma unroll
      for (int u = 0; u < Units; ++u) {
        if (holds[u]) CountUnit<M, Multiply>(held[u]);
        holds[u] = next < count;
        if (holds[u]) held[u] = LoadUnit(Place(first + next));
        next += row;
      }
    } while (holds[0]);
  }

  // A unit whose first sample is in that place. By single samples, only those that are counted are loaded.
  __device__ Loaded LoadUnit(uint64_t place) const {
    if constexpr (has_idle_words) {
      if (!Vectorizes()) {
        Loaded samples{};
#pragma unroll
        for (int k = 0; k < items; ++k)
          if (k % Channels < Active) samples.set(k, in_.data[place + k]);
        return samples;
      }
    }
    return load_items<items>(in_, place, Vectorizes());
  }

  static constexpr bool IsIdle(int word) {
    for (int k = word * 4 / int(sizeof(Sample)); k <= (word * 4 + 3) / int(sizeof(Sample)); ++k)
      if (k % Channels < Active) return false;
    return true;
  }

  // Keeps words of a vector that are not counted until the others are: as soon as nobody reads them, the compiler uses
  // their registers for something else, which has to wait for the load.
  __device__ Loaded KeepIdleWords(Loaded samples) const {
    if constexpr (has_idle_words) {
#pragma unroll
      for (int w = 0; w < Loaded::words; ++w)
        if (IsIdle(w)) samples.word[0] |= samples.word[w] & call_.zero;
    }
    return samples;
  }

  // Of pointers the host knows the alignment of units.
  __device__ bool Vectorizes() const {
    if constexpr (is_same<In, Pointer<Sample>>) return call_.vectorize != 0;
    else return call_.vectorize != 0 && can_load_vectors<items>(in_);
  }

  __device__ uint64_t Place(uint64_t unit) const {
    if (call_.num_rows == 1) return call_.head + unit * items;
    uint64_t row = __umul64hi(unit, call_.row_scale), rest = unit - row * call_.row_units;
    if (rest >= call_.row_units) ++row, rest -= call_.row_units;
    return row * call_.row_stride + call_.head + rest * items;
  }

  // Of bytes.
  static __device__ bool AllSame(const Loaded &samples) {
    bool same = samples.word[0] == __funnelshift_r(samples.word[0], samples.word[0], 8);
#pragma unroll
    for (int w = 1; w < Loaded::words; ++w) same = same && samples.word[w] == samples.word[0];
    return same;
  }

  template <Mode M, bool Multiply> __device__ void CountUnit(const Loaded &loaded) {
    const Loaded samples = KeepIdleWords(loaded);
    if constexpr (IsRange && !is_byte) {
#pragma unroll
      for (int c = 0; c < Active; ++c) Search<M>(c, samples);
    } else {
      if constexpr (is_byte && Channels == 1 && is_same<Loaded, packed_vector<Sample, items>>) {
        if (AllSame(samples)) return CountSample<M, Multiply>(0, samples[0], items);
      }
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (k % Channels < Active) CountSample<M, Multiply>(k % Channels, samples[k]);
    }
  }

  // One channel's samples of a unit, together.
  template <Mode M> __device__ void Search(int c, const Loaded &samples) {
    constexpr int count = items / Channels;
    array<histogram_key<Sample, Level>, count> keys;
#pragma unroll
    for (int k = 0; k < count; ++k) keys[k] = static_cast<histogram_key<Sample, Level>>(samples[k * Channels + c]);
    const array<uint32_t, count> bins = range_bins(levels_[c], keys);
    const auto low = static_cast<histogram_key<Sample, Level>>(levels_[c].lowest()),
               high = static_cast<histogram_key<Sample, Level>>(levels_[c].highest());
#pragma unroll
    for (int k = 0; k < count; ++k)
      CountBin<M>(keys[k] >= low && keys[k] < high, FirstOf(c) + bins[k]);
  }

  // What is before and behind the units of each row: a thread for each pixel, beginning with the last threads, which
  // have the fewest units. So many bits of a thread's number say which of a row's pixels.
  __device__ void CountEnds() {
    const uint64_t behind = call_.row_units * items;
    const uint32_t ends = uint32_t(call_.row_samples - behind), pixels = ends / Channels;
    if (ends == 0) return;
    const uint32_t bits = pixels > 1 ? warp_threads - __clz(pixels - 1) : 0;
    const uint64_t threads = uint64_t(blocks_) * blockDim.x;
#pragma unroll 1
    for (uint64_t i = threads - 1 - (block_ * blockDim.x + threadIdx.x); i >> bits < call_.num_rows; i += threads) {
      const uint32_t sample = (uint32_t(i) & (1u << bits) - 1) * Channels;
      if (sample < ends) CountPixel((i >> bits) * call_.row_stride + (sample < call_.head ? sample : sample + behind));
    }
  }

  __device__ void CountPixel(uint64_t first) {
#pragma unroll
    for (int c = 0; c < Active; ++c) CountSample<mode, multiplies>(c, static_cast<Sample>(in_[first + c]));
  }

  template <Mode M, bool Multiply> __device__ void CountSample(int c, Sample x, uint32_t times = 1) {
    if constexpr (is_byte) {
      ptx::add_shared(mine_ + (bit_cast<uint8_t>(x) + uint32_t(c) * byte_values) * stride_, times);
    } else {
      uint32_t bin = 0;
      const bool is_in = histogram_bin<IsRange, Multiply>(call_, c, levels_[c], x, bin);
      CountBin<M>(is_in, FirstOf(c) + bin, times);
    }
  }

  // What is in no bin has a counter behind the others: a branch would have samples wait for one another.
  template <Mode M> __device__ void CountBin(bool is_in, uint32_t counter, uint32_t times = 1) {
    if constexpr (M == in_whole) {
      ptx::add_shared(mine_ + (is_in ? counter : window_) * stride_, times);
    } else if constexpr (M == in_window) {
      const uint32_t i = counter - window_first_;
      ptx::add_shared(mine_ + (is_in && i < window_ ? i : window_) * stride_, 1);
    } else if (!has_cache()) {
      const uint32_t i = counter - window_first_;
      if (is_in && i < window_) ptx::add_shared(mine_ + i * stride_, 1);
    } else if (is_in) {
      CountCached(counter);
    }
  }

  // A sample where there are more counters than windows are for. Shared memory has room for some: for each slot the
  // first one that belongs there, so that what many samples are in has one. Others are added to the counts at once, by
  // lanes that have the same together.
  __device__ void CountCached(uint32_t counter) {
    const uint32_t slot = counter * 0x9e3779b1u >> (32 - call_.cache_bits), mine = counter + 1;
    uint32_t *tag = &ptx::shared_at<uint32_t>(shared_ + slot * 4);
    uint32_t held = *static_cast<volatile uint32_t *>(tag);
    if (held == 0) {
      held = atomicCAS(tag, 0u, mine);
      if (held == 0) held = mine;
    }
    if (held == mine) {
      ptx::add_shared(shared_ + ((1u << call_.cache_bits) + slot) * 4, 1);
    } else {
      const uint32_t lanes = __match_any_sync(__activemask(), counter);
      if ((lanes & ptx::lanes_below()) == 0) AddTo(counter, __popc(lanes));
    }
  }

  __device__ void EmptyCache() const {
    const uint32_t slots = 1u << call_.cache_bits;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < slots; i += blockDim.x) {
      uint32_t &tag = ptx::shared_at<uint32_t>(shared_ + i * 4);
      uint32_t &count = ptx::shared_at<uint32_t>(shared_ + (slots + i) * 4);
      if (tag != 0) AddTo(tag - 1, count);
      tag = count = 0;
    }
  }

  __device__ void AddTo(uint32_t counter, uint32_t count) const {
    int c = 0;
#pragma unroll
    for (int k = 1; k < Active; ++k)
      if (counter >= call_.channels[k].first) c = k;
    add_count<Counter>(call_.channels[c].counts, counter - call_.channels[c].first, count);
  }

  // Adds all counters to the counts, and clears them for another round. Blocks begin in different places. Lanes have
  // counters side by side, for which additions go to memory together.
  __device__ void Flush(bool is_last) const {
    const uint32_t turn = block_ * call_.turn >> 16;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < window_; i += blockDim.x) {
      const uint32_t counter = i + turn < window_ ? i + turn : i + turn - window_;
      const uint32_t sum = call_.replicas >= 4 ? TakeFours(counter, is_last) : TakeFew(counter, is_last);
      if constexpr (is_byte && Active == 1) AddByte(counter, sum);  // three were 2 % slower
      else if (sum > 0) AddCounter(window_first_ + counter, sum);
    }
  }

  // The sum of a counter's replicas, four at a time. Each lane begins with others: other banks.
  __device__ uint32_t TakeFours(uint32_t counter, bool is_last) const {
    const uint32_t fours = call_.replicas / 4;
    uint32_t sum = 0;
#pragma unroll 4
    for (uint32_t k = 0; k < fours; ++k) {
      uint4 &four = ptx::shared_at<uint4>(shared_ + counter * stride_ + (k + threadIdx.x & fours - 1) * 16);
      sum += four.x + four.y + (four.z + four.w);
      if (!is_last) four = uint4{0, 0, 0, 0};
    }
    return sum;
  }

  __device__ uint32_t TakeFew(uint32_t counter, bool is_last) const {
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t r = 0; r < call_.replicas; ++r) {
      uint32_t &word = ptx::shared_at<uint32_t>(shared_ + counter * stride_ + r * 4);
      sum += word;
      if (!is_last) word = 0;
    }
    return sum;
  }

  __device__ void AddCounter(uint32_t counter, uint32_t sum) const {
    uint32_t bin;
    if constexpr (!is_byte) AddTo(counter, sum);
    else if (BinOfByte(counter, bin)) add_count<Counter>(call_.channels[counter / byte_values].counts, bin, sum);
  }

  // The bin of a byte's value, if it is in any.
  __device__ bool BinOfByte(uint32_t counter, uint32_t &bin) const {
    const int c = counter / byte_values;
    const uint8_t byte = uint8_t(counter);
    const Sample x = is_same<Sample, bool> ? Sample(byte != 0) : Sample(byte);
    return histogram_bin<IsRange, false>(call_, c, levels_[c], x, bin);
  }

  // The same by whole warps: where bins have several bytes' values each, neighbours are added up first. Channels' bins
  // are apart.
  __device__ void AddByte(uint32_t counter, uint32_t sum) const {
    const int c = counter / byte_values;
    uint32_t bin = 0;
    const bool is_in = BinOfByte(counter, bin);
    if (call_.channels[0].bins <= byte_values / 2)
      sum = SumOfBin(is_in ? counter - uint8_t(counter) << 1 | bin : ~0u, sum);
    if (is_in && sum > 0) add_count<Counter>(call_.channels[c].counts, bin, sum);
  }

  // What neighbours have in one bin, in the first of them; in others 0. A bin may have several rows of neighbours, with
  // others between them: counters go on from the last byte to the first one, and so do signed bytes in their middle.
  static __device__ uint32_t SumOfBin(uint32_t bin, uint32_t sum) {
    const uint32_t lane = ptx::lane_id(), before = __shfl_up_sync(full_warp, bin, 1);
    const bool is_first = lane == 0 || before != bin;
    const uint32_t behind = __ballot_sync(full_warp, is_first) & ~1u << lane;
    const uint32_t end = behind == 0 ? warp_threads : __ffs(int(behind)) - 1;
#pragma unroll
    for (uint32_t delta = 1; delta < warp_threads; delta *= 2) {
      const uint32_t further = __shfl_down_sync(full_warp, sum, delta);
      if (lane + delta < end) sum += further;
    }
    return is_first ? sum : 0;
  }

  const In &in_;
  const HistogramCall &call_;
  const uint32_t shared_;
  uint32_t block_, blocks_, window_first_, window_;
  const uint32_t stride_, mine_;
  bool is_ahead_;
  Loaded ahead_;
  HistogramLevels<Level> levels_[Active];
};

}  // namespace jig
