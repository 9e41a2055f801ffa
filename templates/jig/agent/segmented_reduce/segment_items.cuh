// The items of all segments, one segment after the other, as if there were nothing else in the input. So segments
// can be shared out together with items, whatever lies between them, and in whatever order they are there.
#pragma once
#include <jig/core/tile_state.cuh>
#include <jig/core/types.cuh>

namespace jig {

// What the kernels are given beside iterators and the operator.
struct SegmentedReduceCall {
  uint64_t *starts;  // where each segment begins among all items, and where the last one ends; nullptr: they adjoin
  uint64_t num_segments;
  uint64_t segment_size;   // without offsets
  uint64_t least_share;    // of a block: items and segments
  uint64_t part_items;     // of a part of a segment, if these are of one size and cut alike
  int32_t parts;           // so many; 0: they are not
  int32_t lanes;           // of each segment of a group
  int32_t tiny_vectors;    // of each segment, if a thread has some; otherwise 0
  uint64_t tag;
  const uint64_t *num_segments_in;  // where num_segments is, if only the GPU knows it
};

// The items of a segment, by their indices in the input.
struct SegmentSpan {
  uint64_t begin, end;

  __device__ uint64_t length() const { return int64_t(end) > int64_t(begin) ? end - begin : 0; }
  __device__ bool IsLonger(uint64_t than) const { return int64_t(end - begin) > int64_t(than); }
  // Ends where it begins, or behind that, even if offsets are in no order.
  __device__ SegmentSpan inside(const SegmentSpan &all) const {
    const uint64_t last = min_of(end, all.end);
    return {min_of(max_of(begin, all.begin), last), last};
  }
};

// In which of up to 2^15 equal shares a place lies: about which is told by rounded numbers, and then mended. A division
// of 64 bits is a call, which takes long and is much to compile.
__device__ inline unsigned index_of_share(uint64_t place, uint64_t size) {
  const unsigned about = unsigned(__fdividef(float(place), float(size)));
  const int64_t left = int64_t(place - about * size);
  return about - (left < 0) + (left >= int64_t(size));
}

// ceil(items / shares), of up to 2^15 shares, by divisions of 32 bits; `least` where that is more, without a division.
__device__ inline uint64_t size_of_share(uint64_t items, unsigned shares, uint64_t least) {
  if (items <= least * shares) return least;
  const uint64_t all = items + (shares - 1);
  const unsigned high = unsigned(all >> 32), middle = high % shares << 16 | unsigned(all >> 16 & 0xffff),
                 low = middle % shares << 16 | unsigned(all & 0xffff);
  return (uint64_t(high / shares) << 32) + (uint64_t(middle / shares) << 16) + low / shares;
}

// Where they are said to be.
template <class Begins, class Ends> class SegmentOffsets {
 public:
  __device__ SegmentOffsets(const Begins &begins, const Ends &ends) : begins_(begins), ends_(ends) {}

  __device__ uint64_t begin(uint64_t segment) const { return uint64_t(int64_t(begins_[segment])); }
  __device__ uint64_t end(uint64_t segment) const { return uint64_t(int64_t(ends_[segment])); }
  __device__ SegmentSpan span(uint64_t segment) const { return {begin(segment), end(segment)}; }

 private:
  const Begins &begins_;
  const Ends &ends_;
};

// Given by offsets; `Adjoin`: each segment begins where the one before ends, so that an item's position is its index in
// the input. Nothing that offsets may say makes a position be outside of first() .. end().
template <class Begins, class Ends, bool Adjoin> class SegmentItems {
 public:
  static constexpr bool adjoin = Adjoin;

  __device__ SegmentItems(const Begins &begins, const Ends &ends, const SegmentedReduceCall &call)
      : begins_(begins), ends_(ends), starts_(call.starts), count_(call.num_segments) {
    first_ = adjoin ? offset(begins, 0) : 0;
    end_ = max_of(adjoin ? offset(ends, count_ - 1) : starts_[count_], first_);
  }

  __device__ uint64_t count() const { return count_; }
  __device__ uint64_t first() const { return first_; }
  __device__ uint64_t end() const { return end_; }
  __device__ uint64_t end(uint64_t segment) const {
    return inside(adjoin ? offset(ends_, segment) : starts_[segment + 1]);
  }
  __device__ uint64_t start(uint64_t segment) const { return segment > 0 ? end(segment - 1) : first_; }
  // What is to be added to the positions of a segment's items.
  __device__ uint64_t shift(uint64_t segment) const {
    return adjoin ? 0 : offset(begins_, segment) - starts_[segment];
  }

 private:
  template <class Offsets> static __device__ uint64_t offset(const Offsets &offsets, uint64_t segment) {
    return uint64_t(int64_t(offsets[segment]));
  }
  __device__ uint64_t inside(uint64_t position) const { return min_of(max_of(position, first_), end_); }

  const Begins &begins_;
  const Ends &ends_;
  const uint64_t *starts_;
  uint64_t count_, first_, end_;
};

// Of one size, side by side.
template <> class SegmentItems<none, none, true> {
 public:
  static constexpr bool adjoin = true;

  __device__ SegmentItems(const none &, const none &, const SegmentedReduceCall &call)
      : count_(call.num_segments), size_(call.segment_size) {}

  __device__ uint64_t count() const { return count_; }
  __device__ uint64_t first() const { return 0; }
  __device__ uint64_t end() const { return count_ * size_; }
  __device__ uint64_t end(uint64_t segment) const { return (segment + 1) * size_; }
  __device__ uint64_t start(uint64_t segment) const { return segment * size_; }
  __device__ uint64_t shift(uint64_t) const { return 0; }

 private:
  uint64_t count_, size_;
};

}  // namespace jig
