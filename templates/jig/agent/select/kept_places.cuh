// How items that are too large for registers are selected: tiles keep their places in temp storage, and another kernel
// moves these items, with all warps of the GPU for however few there are (agent/copy/gather_places.cuh).
#pragma once
#include <jig/agent/copy/gather_places.cuh>
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/places.cuh>

namespace jig {

// Whether a sink, or none, is one of such items.
template <class Sink> constexpr bool sink_takes_places = takes_places<typename Sink::FirstOut>;
template <> constexpr bool sink_takes_places<none> = false;

// In temp storage: how many items are selected, of each class; and a list for each class of a sink of such items, then
// for those of a sink of such values. A list has room for all items. The same as kept_places in
// src/algorithm/selection.h.
struct KeptPlaces {
  uint64_t *counts;
  item_place *lists;
  uint64_t room;
};

// Takes the places instead. What goes to one output from both of its ends is one list, too.
template <class Sink> class KeptSink {
 public:
  static constexpr int classes = Sink::classes;
  template <int C> static constexpr bool reversed = Sink::template reversed<C>;

  __device__ KeptSink(const Sink &sink, const KeptPlaces &kept, int first_list) : sink_(sink) {
#pragma unroll
    for (int c = 0; c < classes; ++c)
      lists_[c].data = kept.lists + (first_list + (is_shared && c > 0 ? 0 : c)) * kept.room;
  }
  template <int C> __device__ const Pointer<item_place> &out() const { return lists_[C]; }
  template <int C> __device__ uint64_t first(uint64_t before, int count) const {
    return sink_.template first<C>(before, count);
  }

  // Moves the items, `counts` of each selected class and `left` in all.
  template <int Threads, int Selected, int C = 0>
  __device__ void Gather(const uint64_t *counts, uint64_t left) const {
    const uint64_t count = C < Selected && !is_shared ? counts[C < Selected ? C : 0] : left;
    gather_places<Threads>(sink_.template out<C>(), count, [&](uint64_t i) { return lists_[C].data[i]; });
    if constexpr (C + 1 < classes && !is_shared) Gather<Threads, Selected, C + 1>(counts, left - count);
  }

 private:
  static constexpr bool is_shared = Sink::template reversed<classes - 1>;

  const Sink &sink_;
  Pointer<item_place> lists_[classes];
};

// The counts go there, too.
template <class CountOut> struct KeptCounts {
  using value_type = uint64_t;
  const CountOut &out;
  uint64_t *counts;

  __device__ void store(int c, uint64_t count) const {
    counts[c] = count;
    out.store(c, static_cast<typename CountOut::value_type>(count));
  }
};

}  // namespace jig
