// Segments of an input, as iterators of offsets tell them.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Where a segment's items are, and where what comes of them goes to.
struct Segment {
  uint64_t in, out, length;
};

template <class Begins, class Ends, class OutBegins> struct Segments {
  using Offset = typename Begins::value_type;
  const Begins &begins;
  const Ends &ends;
  const OutBegins &out_begins;

  __device__ Segment operator[](uint64_t i) const {
    const int64_t begin = int64_t(begins[i]), end = int64_t(ends[i]);
    Segment s = {uint64_t(begin), uint64_t(begin), end > begin ? uint64_t(end - begin) : 0};
    if constexpr (!is_same<OutBegins, none>) s.out = uint64_t(out_begins[i]);
    return s;
  }

  // Where a segment begins and ends, as it is said.
  struct Bounds {
    typename Begins::value_type begin;
    typename Ends::value_type end;

    // Whether it has more than so many items: fewer instructions than its length takes.
    __device__ bool is_longer(uint64_t items) const {
      if constexpr (is_same<decltype(begin), decltype(end)> && sizeof begin == 4)
        return end > begin && uint32_t(end) - uint32_t(begin) > uint32_t(min_of(items, uint64_t(~0u)));
      else
        return int64_t(end) > int64_t(begin) && uint64_t(end) - uint64_t(begin) > items;
    }
  };
  __device__ Bounds bounds(uint64_t i) const { return {begins[i], ends[i]}; }
};

// The same where those are empty that have so many items or fewer.
template <class Begins, class Ends, class OutBegins> struct LongSegments : Segments<Begins, Ends, OutBegins> {
  uint64_t short_items;

  __device__ LongSegments(const Segments<Begins, Ends, OutBegins> &all, uint64_t items)
      : Segments<Begins, Ends, OutBegins>(all), short_items(items) {}
  __device__ Segment operator[](uint64_t i) const {
    Segment s = Segments<Begins, Ends, OutBegins>::operator[](i);
    if (s.length <= short_items) s.length = 0;
    return s;
  }
};

}  // namespace jig
