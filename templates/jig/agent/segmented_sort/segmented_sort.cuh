// What the kernels of a segmented sort have in common: what they are told, and what the first one finds out for
// the second.
//
// The first kernel looks at all segments. It sorts short ones on the spot, and lists the others: those that fit a
// block's shared memory, or a part of it, by how many warps it takes (a class for each power of two); longer ones
// that a block sorts by itself, tile after tile; and large ones, that is, such as would keep a block busy when all
// others are through. Of these it makes tiles, which the second kernel sorts in passes.
//
// How much of each list there is only the GPU knows. So the second kernel has as many blocks as the GPU has
// room for, and they take what there is by number, one after the other.
#pragma once
#include <jig/agent/radix_sort/radix_sort.cuh>

namespace jig {

constexpr int segmented_sort_classes = 5;

struct SegmentedSortControl;
struct LargeSegment;

// Numbers of 30 bits with two flags above them, or of 62 bits if there may be greater ones; the flags are those of
// words of 64 bits either way.
struct SegmentedSortWords {
  void *words;
  int32_t are_wide;

  // Without a branch: of two small words that are side by side, each of which is written by itself, one is taken.
  __device__ uint64_t load(uint64_t i) const {
    const uint64_t both = ptx::load_relaxed_gpu(static_cast<uint64_t *>(words) + (are_wide ? i : i / 2));
    const uint32_t word = uint32_t(i % 2 ? both >> 32 : both);
    return are_wide ? both : uint64_t(word & ~number_mask) << 32 | (word & number_mask);
  }
  __device__ void store(uint64_t i, uint64_t word) const {
    const uint32_t small = uint32_t(word >> 32 & ~number_mask) | uint32_t(word);
    if (are_wide) ptx::store_relaxed_gpu(static_cast<uint64_t *>(words) + i, word);
    else ptx::store_relaxed_gpu(static_cast<uint32_t *>(words) + i, small);
  }
  __device__ void add(uint64_t i, uint32_t number) const {
    if (are_wide) ptx::add_relaxed_gpu(static_cast<uint64_t *>(words) + i, number);
    else ptx::fetch_add_relaxed_gpu(static_cast<uint32_t *>(words) + i, number);
  }

 private:
  static constexpr uint32_t number_mask = (1u << 30) - 1;
};

// The same as segmented_sort_call in src/algorithm/segmented_sort_plan.h.
struct SegmentedSortCall {
  RadixSortCall sort;  // of which control, states and all about portions is not used
  SegmentedSortControl *control;  // nullptr: there are short segments only
  uint64_t *lists[segmented_sort_classes];
  ulonglong2 *long_list;  // of segments that a block sorts by itself: begin and length
  LargeSegment *large;    // and, behind as many as there may be, one for each block that sorts a long segment
  void *bins;             // of each of these, of each pass: how many keys of each digit; then, of lower ones
  void *states;           // of each tile, of each digit
  uint32_t *tile_owners;  // which large segment each tile is of
  uint32_t capacities[segmented_sort_classes];
  uint32_t max_long, max_large, max_tiles, tile_items;
  uint32_t class_items;   // what a segment of the first class has at most; of each other, twice as many
  uint32_t long_items;    // what a segment has at most that is not large
  int32_t classes, each;  // segments of a warp of the first kernel
  int32_t tiny_items;     // what a segment has at most that is sorted in registers, if its keys can be
  int32_t has_wide_words;
};

// Segments that a warp lists as one number.
struct ListedSegment {
  uint64_t begin;
  uint32_t length;

  static __device__ uint64_t pack(uint64_t begin, uint64_t length) { return begin << 16 | length; }
  static __device__ ListedSegment unpack(uint64_t word) {
    return {uint64_t(int64_t(word) >> 16), uint32_t(word & 0xffff)};
  }
};

// The same as in src/algorithm/segmented_sort_plan.c.
struct alignas(256) SegmentedSortControl {
  TileState<uint32_t> start;  // there when all else is 0
  uint64_t large;             // how many large segments, << 32, and their tiles
  uint32_t counts[segmented_sort_classes + 1];  // how long the lists are, the last one that of long segments
  uint32_t taken[segmented_sort_classes + 2];   // how many of them, and of tiles
};

constexpr uint8_t skipped_step = 0xff;
constexpr uint32_t no_segment = ~uint32_t(0);

// The same as in src/algorithm/segmented_sort_plan.c.
struct alignas(16) LargeSegment {
  uint64_t begin, length;
  uint32_t first_tile, tiles;
  uint32_t counted;  // tiles whose digits are
  uint32_t done;     // tiles, of all passes so far; what comes before the first pass counts as one
  uint32_t steps;    // passes that are not skipped
  uint8_t step[radix_max_passes + 1];  // which of those a pass is, or skipped_step
  uint8_t top;  // the only pass, if its digits leave parts that a block can sort; else skipped_step
};

// The passes that there may be. If the result has to be in keys_out after all and lies there to begin with, there
// is one that only copies.
struct SegmentedSortPasses {
  const RadixSortCall &call;

  __device__ RadixRange range() const { return {call.begin_bit, call.end_bit}; }
  __device__ int count() const { return range().passes() + (call.keeps_parity ? 1 : 0); }
  // Whether it is not there for a digit.
  __device__ bool is_copy(int pass) const { return pass == range().passes(); }

  template <class Keys> __device__ RadixDigit<Keys> digit(int pass) const {
    if (is_copy(pass)) return {range().begin, 0, 0};
    const auto flip = radix_flip<typename Keys::Bits>(call.is_signed, call.is_descending);
    return {range().first(pass), range().count(pass), flip};
  }
};

}  // namespace jig
