// Segments of an input, as iterators of offsets tell them.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Where a segment's items are, and where what comes of them goes to.
struct Segment {
  uint64_t in, out, length;
};

template <class Begins, class Ends, class OutBegins> struct Segments {
  const Begins &begins;
  const Ends &ends;
  const OutBegins &out_begins;

  __device__ Segment operator[](uint64_t i) const {
    const int64_t begin = int64_t(begins[i]), end = int64_t(ends[i]);
    Segment s = {uint64_t(begin), uint64_t(begin), end > begin ? uint64_t(end - begin) : 0};
    if constexpr (!is_same<OutBegins, none>) s.out = uint64_t(out_begins[i]);
    return s;
  }
};

}  // namespace jig
