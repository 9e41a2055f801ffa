// What a block does in a histogram: it counts in shared memory, in copies of each counter that lanes take turns
// with, and adds what it has counted to the counts. Where there are more counters than have room, each block has
// a window of them, or none, and then it adds to the counts at once.
//
// Samples of a byte are counted by what they are, and their bins found in the end.
#pragma once
#include <jig/agent/histogram/histogram_call.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Counter> __device__ void add_count(void *counts, uint32_t bin, uint32_t count) {
  using Word = conditional<sizeof(Counter) == 8, unsigned long long, unsigned>;
  atomicAdd(static_cast<Word *>(counts) + bin, Word(count));
}

template <class Policy, int Channels, int Active, bool IsRange, class Counter, class Level, class In>
class AgentHistogram {
  static constexpr int threads = Policy::threads, items = Policy::items, unroll = Policy::unroll;
  using Sample = typename In::value_type;
  using Loaded = typename items_of<In, items>::type;
  static_assert(items % Channels == 0, "a unit is whole pixels");
  static constexpr bool is_byte = sizeof(Sample) == 1;
  static constexpr int byte_values = 256;
  // Counters have 32 bits: a block adds them to the counts before one of them can overflow.
  static constexpr uint64_t round_steps = (uint64_t(1) << 31) / (threads * items * unroll);

 public:
  __device__ AgentHistogram(const In &in, const HistogramCall &call, uint32_t shared)
      : in_(in), call_(call), shared_(shared), block_(blockIdx.x / call.windows), blocks_(gridDim.x / call.windows),
        window_first_(blockIdx.x % call.windows * call.window), stride_(call.replicas * 4),
        mine_(shared + (threadIdx.x & (call.replicas - 1)) * 4) {
    window_ = min_of(call.window, call.counters - window_first_);
  }

  __device__ void Run() {
    if (call_.is_cluster) {
      ptx::wait_for_prerequisite_grids();
      ClearCounts();
      ptx::cluster_arrive();
    }
    StageLevels();
    if (call_.window > 0) ClearCounters();
    __syncthreads();
    const uint64_t round = uint64_t(blocks_) * threads * unroll * round_steps;
    bool is_first = true;
#pragma unroll 1
    for (uint64_t first = 0; is_first || first < call_.num_units; first += round) {
      const uint64_t end = min_of(first + round, call_.num_units);
      if (AllMultiply()) Count<true>(first, end);
      else Count<false>(first, end);
      if (is_first) CountEnds();
      if (run_length_ > 0) AddRun();
      if (is_first) WaitForCounts();
      if (call_.window > 0) Flush();
      is_first = false;
    }
  }

 private:
  __device__ void ClearCounts() const {
#pragma unroll
    for (int c = 0; c < Active; ++c) {
      Counter *counts = static_cast<Counter *>(call_.channels[c].counts);
      for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < call_.channels[c].bins; i += gridDim.x * blockDim.x)
        counts[i] = 0;
    }
  }

  __device__ void WaitForCounts() const {
    if (call_.is_cluster) ptx::cluster_wait();
    else ptx::wait_for_prerequisite_grids();
    __syncthreads();
  }

  __device__ void ClearCounters() const {
    for (uint32_t i = threadIdx.x; i < window_ * call_.replicas; i += blockDim.x)
      ptx::shared_at<uint32_t>(shared_ + i * 4) = 0;
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

  __device__ bool AllMultiply() const {
    if constexpr (IsRange || is_byte || !is_integer<Sample> || !is_integer<Level> || is_widest<Sample, Level>)
      return false;
    bool all = true;
#pragma unroll
    for (int c = 0; c < Active; ++c) all = all && call_.channels[c].way == histogram_multiply;
    return all;
  }

  // Of units first .. end - 1 those of this block; the next ones are under way while some are counted. Bins that have
  // to be computed in one way or another are computed for a unit at a time.
  template <bool Multiply> __device__ void Count(uint64_t first, uint64_t end) {
    constexpr bool is_plain = Multiply || IsRange || is_byte || !(is_integer<Sample> && is_integer<Level>);
    constexpr int units = is_plain ? unroll : 1;
    const uint64_t step = uint64_t(blocks_) * threads * units;
    uint64_t unit = first + uint64_t(block_) * threads * units + threadIdx.x;
    Loaded next[units];
    Load(next, unit, end);
#pragma unroll 1
    while (unit < end) {
      Loaded now[units];
#pragma unroll
      for (int u = 0; u < units; ++u) now[u] = next[u];
      const uint64_t here = unit;
      unit += step;
      Load(next, unit, end);
#pragma unroll
      for (int u = 0; u < units; ++u)
        if (here + u * threads < end) CountUnit<Multiply>(now[u]);
    }
  }

  template <int Units> __device__ void Load(Loaded (&into)[Units], uint64_t unit, uint64_t end) const {
#pragma unroll
    for (int u = 0; u < Units; ++u)
      if (unit + u * threads < end) into[u] = load_items<items>(in_, Place(unit + u * threads), Vectorizes());
  }

  // Of pointers the host knows the alignment of units.
  __device__ bool Vectorizes() const {
    if constexpr (is_same<In, Pointer<Sample>>) return call_.vectorize != 0;
    else return call_.vectorize != 0 && can_load_vectors<items>(in_);
  }

  __device__ uint64_t Place(uint64_t unit) const {
    if (call_.num_rows == 1) return call_.head + unit * items;
    const uint64_t row = unit / call_.row_units;
    return row * call_.row_stride + call_.head + (unit - row * call_.row_units) * items;
  }

  template <bool Multiply> __device__ void CountUnit(const Loaded &samples) {
    if constexpr (IsRange && !is_byte) {
#pragma unroll
      for (int c = 0; c < Active; ++c) Search(c, samples);
    } else {
#pragma unroll
      for (int k = 0; k < items; ++k)
        if (k % Channels < Active) CountSample<Multiply>(k % Channels, samples[k]);
    }
  }

  // One channel's samples of a unit, together.
  __device__ void Search(int c, const Loaded &samples) {
    constexpr int count = items / Channels;
    const HistogramChannel &channel = call_.channels[c];
    array<histogram_key<Sample, Level>, count> keys;
#pragma unroll
    for (int k = 0; k < count; ++k) keys[k] = static_cast<histogram_key<Sample, Level>>(samples[k * Channels + c]);
    const array<uint32_t, count> bins = range_bins(levels_[c], keys);
    const auto low = static_cast<histogram_key<Sample, Level>>(levels_[c].lowest()),
               high = static_cast<histogram_key<Sample, Level>>(levels_[c].highest());
#pragma unroll
    for (int k = 0; k < count; ++k)
      if (keys[k] >= low && keys[k] < high) CountBin(channel.first + bins[k]);
  }

  // What is before and behind the units of each row.
  __device__ void CountEnds() {
    const uint64_t tail = call_.head + call_.row_units * items;
#pragma unroll 1
    for (uint64_t row = uint64_t(block_) * threads + threadIdx.x; row < call_.num_rows;
         row += uint64_t(blocks_) * threads) {
      const uint64_t place = row * call_.row_stride;
      CountPixels(place, place + call_.head);
      CountPixels(place + tail, place + call_.row_samples);
    }
  }

  __device__ void CountPixels(uint64_t first, uint64_t end) {
#pragma unroll 1
    for (uint64_t i = first; i < end; i += Channels) {
#pragma unroll
      for (int c = 0; c < Active; ++c) CountSample<false>(c, static_cast<Sample>(in_[i + c]));
    }
  }

  template <bool Multiply> __device__ void CountSample(int c, Sample x) {
    if constexpr (is_byte) {
      ptx::add_shared(mine_ + (bit_cast<uint8_t>(x) + uint32_t(c) * byte_values) * stride_, 1);
    } else {
      uint32_t bin;
      if (histogram_bin<IsRange, Multiply>(call_, c, levels_[c], x, bin))
        CountBin(call_.channels[c].first + bin);
    }
  }

  __device__ void CountBin(uint32_t counter) {
    if (call_.window == 0) {
      if (counter != run_ && run_length_ > 0) {
        AddRun();
        run_length_ = 0;
      }
      run_ = counter;
      ++run_length_;
    } else {
      const uint32_t i = counter - window_first_;
      if (i < window_) ptx::add_shared(mine_ + i * stride_, 1);
    }
  }

  // Adds a run of samples in one bin to its count; lanes that have the same do so together.
  __device__ void AddRun() {
    if (call_.window > 0) return;
    if (!call_.is_cluster && !has_waited_) ptx::wait_for_prerequisite_grids();
    has_waited_ = true;
    const uint32_t lanes = __match_any_sync(__activemask(), uint64_t(run_length_) << 32 | run_);
    if ((lanes & ptx::lanes_below()) == 0) AddTo(run_, run_length_ * __popc(lanes));
  }

  __device__ void AddTo(uint32_t counter, uint32_t count) const {
    int c = 0;
#pragma unroll
    for (int k = 1; k < Active; ++k)
      if (counter >= call_.channels[k].first) c = k;
    add_count<Counter>(call_.channels[c].counts, counter - call_.channels[c].first, count);
  }

  // Adds all counters to the counts, and clears them; blocks begin in different places.
  __device__ void Flush() const {
    __syncthreads();
    const uint32_t turn = uint32_t(uint64_t(block_) * window_ / blocks_);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < window_; i += blockDim.x) {
      const uint32_t counter = i + turn < window_ ? i + turn : i + turn - window_;
      uint32_t sum = 0;
#pragma unroll 4
      for (uint32_t r = 0; r < call_.replicas; ++r) {
        const uint32_t replica = (r + threadIdx.x) & (call_.replicas - 1);
        uint32_t &word = ptx::shared_at<uint32_t>(shared_ + counter * stride_ + replica * 4);
        sum += word;
        word = 0;
      }
      if (sum > 0) AddCounter(window_first_ + counter, sum);
    }
    __syncthreads();
  }

  __device__ void AddCounter(uint32_t counter, uint32_t sum) const {
    if constexpr (is_byte) {
      const int c = counter / byte_values;
      const uint8_t byte = uint8_t(counter);
      const Sample x = is_same<Sample, bool> ? Sample(byte != 0) : Sample(byte);
      uint32_t bin;
      if (histogram_bin<IsRange, false>(call_, c, levels_[c], x, bin))
        add_count<Counter>(call_.channels[c].counts, bin, sum);
    } else {
      AddTo(counter, sum);
    }
  }

  const In &in_;
  const HistogramCall &call_;
  const uint32_t shared_, block_, blocks_, window_first_, stride_, mine_;
  uint32_t window_;
  HistogramLevels<Level> levels_[Active];
  uint32_t run_ = 0, run_length_ = 0;
  bool has_waited_ = false;
};

}  // namespace jig
