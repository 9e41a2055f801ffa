// A histogram, in one launch by itself, or after that of histogram_init(): by the kernel for what it counts in. Where
// one is for all, the others do nothing.
#pragma once
#include <jig/agent/histogram/histogram.cuh>

namespace jig {

// The call where only the GPU knows how many pixels there are in the one row, and `given` has that number.
template <int Channels, int Items> __device__ HistogramCall counted_call(HistogramCall given) {
  given.row_samples = given.num_row_pixels * Channels;
  given.num_rows = min_of(given.num_rows, given.row_samples);  // of nothing none
  given.head = uint32_t(min_of(uint64_t(given.head), given.row_samples));
  given.num_units = given.row_units = (given.row_samples - given.head) / Items;
  return given;
}

template <class Policy, HistogramRoom Room, bool Counted, int Channels, int Active, bool IsRange, class Counter,
          class Level, class In>
__device__ void histogram(const In &in, const HistogramCall &given) {
  constexpr bool is_one = IsRange || sizeof(typename In::value_type) == 1;
  if constexpr (!is_one || Room == HistogramRoom::few || Room == HistogramRoom::all) {
    constexpr HistogramRoom room = is_one && Room == HistogramRoom::all ? HistogramRoom::one : Room;
    using Agent = AgentHistogram<Policy, room, Channels, Active, IsRange, histogram_word<Counter>, Level, In>;
    const HistogramCall counted = Counted ? counted_call<Channels, Policy::items>(given) : given;
    const HistogramCall &call = Counted ? counted : given;
    extern __shared__ __align__(16) unsigned char storage[];
    Agent(in, call, ptx::kept_shared_address(storage)).Run();
  }
}

}  // namespace jig
