// What the kernels of a segmented top-k have in common: where segments are, what the kernels are told, and what the
// first one finds out for the second.
//
// The first kernel looks at all segments. Of short ones it finds the results on the spot; others it lists by how
// many warps they take (a class for each power of two). Those that would keep a block busy when all others are
// through are cut into parts. The second kernel takes what is listed, from the longest on. Of a part it finds
// what may be in the segment's result; who is the last with a segment's parts finds the result among that. Segments of
// which more is wanted than shared memory has room for are in a list of their own, for the third kernel.
//
// Where all segments have one size, and are not cut, there is nothing to list: one of the kernels does it all.
#pragma once
#include <jig/agent/top_k/top_k.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

constexpr int segmented_top_k_classes = 5;
// Of the classes, and of segments for the third kernel.
constexpr int segmented_top_k_lists = segmented_top_k_classes + 1;

struct SegmentedTopKControl;
struct CutSegment;

// The same as segmented_top_k_call in src/algorithm/segmented_top_k_plan.h.
struct SegmentedTopKCall {
  uint64_t num_segments, segment_size, k;
  SegmentedTopKControl *control;              // null: nothing is listed
  uint64_t *lists[segmented_top_k_lists];      // of numbers of segments
  uint64_t *parts;                            // of segments that are cut: which of these << 32 | which part
  CutSegment *cuts;
  // The candidates that parts leave, k for each: bits of keys, and which item of the segment.
  void *bits;
  uint64_t *indices;
  void *records;        // twice as many TopKRecords as there are, for results that do not fit shared memory
  uint64_t record_count;
  uint64_t part_items;  // what a part has at most
  uint64_t tag;
  uint32_t capacities[segmented_top_k_lists];
  uint32_t max_parts;
  int32_t each;  // segments of a warp of the first kernel
  int32_t log_warps;  // of a warp group, where all segments take as many
  int32_t is_signed, is_descending, is_sorted;
  int32_t are_records_by_segment;  // those of segment s begin at s * k; otherwise at its first item's place
  const uint64_t *num_segments_in;  // where num_segments is, if only the GPU knows it
};

// The same as in src/algorithm/segmented_top_k_plan.c. There when `start` is.
struct alignas(256) SegmentedTopKControl {
  TileState<uint32_t> start;
  uint64_t cut;  // how many segments are cut, << 32, and their parts
  uint32_t counts[segmented_top_k_lists], taken[segmented_top_k_lists];
  uint32_t parts_taken;
};

// The same as there.
struct alignas(16) CutSegment {
  uint64_t segment, begin, length;
  uint32_t first_part, parts;  // of all parts
  uint32_t done;               // parts
};

struct TopKSegment {
  uint64_t begin, length;
};

// Where segments are; without offsets all have one size.
template <class Begins, class Ends> struct TopKSegments {
  const Begins &begins;
  const Ends &ends;
  uint64_t size;

  static constexpr bool are_of_one_size = is_same<Begins, none>;
  __device__ TopKSegment operator[](uint64_t s) const {
    if constexpr (are_of_one_size) {
      return {s * size, size};
    } else {
      const int64_t begin = int64_t(begins[s]), end = int64_t(ends[s]);
      return {uint64_t(begin), end > begin ? uint64_t(end - begin) : 0};
    }
  }
};

// Whether shared memory for `capacity` items is enough to find so many of a segment's: for all of them, or for
// those that are wanted, twice over.
__device__ inline bool segmented_top_k_fits(uint64_t length, uint64_t wanted, uint64_t capacity) {
  return length <= capacity || 2 * min_of(length, wanted) <= capacity;
}

// The list that a segment belongs into: a class, of so many warps that it has less than two tiles more than they have
// at once, each with a tile and a capacity. src/algorithm/segmented_top_k_plan.c finds the same.
__device__ inline int segmented_top_k_list_of(uint64_t length, uint64_t wanted, uint64_t tile, uint64_t capacity) {
  constexpr int last = segmented_top_k_classes - 1;
  if (!segmented_top_k_fits(length, wanted, capacity << last)) return segmented_top_k_classes;
  int c = 0;
#pragma unroll 1
  while (c < last && (length >= 2 * tile << c || !segmented_top_k_fits(length, wanted, capacity << c))) ++c;
  return c;
}

// A segmented top-k's results: where the one of a place goes, and the item that it is.
template <class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut> struct SegmentedTopKSink {
  using Bits = typename Keys::Bits;
  using Input = KeysIn;
  const KeysIn &keys_in;
  const KeysOut &keys_out;
  const ValuesIn &values_in;
  const ValuesOut &values_out;
  Keys keys;

  __device__ void store(uint64_t to, Bits bits, uint64_t item) const {
    keys_out.store(to, keys.key_of(bits, keys_in, item));
    if constexpr (!is_same<ValuesIn, none>) values_out.store(to, values_in[item]);
  }
};

}  // namespace jig
