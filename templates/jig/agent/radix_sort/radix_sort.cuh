// What the kernels of a radix sort have in common: what they are told, and where the passes' keys lie.
//
// Least significant digit first; a pass puts all keys in order of one digit and keeps the order of those
// that have the same. How many keys there are of each digit is counted for all passes beforehand. Passes
// in which all keys have one digit are left out; as only the GPU knows which, it also decides which way
// the others go. Where there is a local sort (radix_sort_local.cuh) and the highest digits are enough for it, only
// their passes are done; the local sort is the last step then.
#pragma once
#include <jig/core/radix.cuh>
#include <jig/core/tile_state.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// The same as radix_sort_call in src/algorithm/radix_parts.h.
struct RadixSortCall {
  const void *keys_in, *values_in;
  void *keys_out, *values_out;
  // In between, in turn with the outputs.
  void *keys_other, *values_other;
  struct RadixSortControl *control;
  uint32_t *states;
  uint64_t num_items, tag;
  uint32_t state_tiles;  // of each of the two arrays of states
  int32_t begin_bit, end_bit, is_signed, is_descending;
  int32_t portions;  // parts of the input that each have a launch of their own for a pass
  // Whether there have to be as many passes as there are digits, or an even number less; otherwise there is
  // one at least.
  int32_t keeps_parity;
  const uint64_t *num_items_in;  // where num_items is, if only the GPU knows it
  const uint64_t *rows;          // of a sort of rows (radix_rows.cuh): the order that they are in; null: their own
  int32_t word;                  // the word of their fields that they are sorted by
  // Keys that a block of the local kernel can sort by itself (radix_sort_local.cuh); 0: there is no such launch.
  int32_t local_items;
  int32_t forced_top_passes;  // by so many digits, whatever keys there are, before that launch; 0: as keys are
};

constexpr int radix_max_passes = 32;
constexpr uint32_t skipped_pass = ~uint32_t(0);

// The same as in src/algorithm/radix_sort_plan.c. The bins follow: for each pass where the keys of each digit
// go, for a portion, and for the one after it.
struct alignas(256) RadixSortControl {
  TileState<uint32_t> start;  // there when bins and draws are 0
  uint32_t draws, steps;      // blocks that are done; passes that are not skipped
  uint32_t step[radix_max_passes];  // which of those a pass is, or skipped_pass
  // Passes that are not skipped, if a local sort of buckets comes after them; else 0. They begin with low_pass.
  uint32_t top_passes, low_pass;
  uint32_t is_uneven;  // whether many keys of a bucket have the same next digits

  __device__ uint64_t *bins(int pass, int portion) {
    return reinterpret_cast<uint64_t *>(this + 1) + (pass * 2 + portion % 2) * radix_digits;
  }
};

// Where a step reads, and where it writes.
struct RadixSortStep {
  const RadixSortCall &call;
  uint32_t step, steps;

  __device__ bool is_first() const { return step == 0; }
  __device__ bool is_last() const { return step + 1 == steps; }
  __device__ const void *keys_from() const { return is_first() ? call.keys_in : keys_after(step - 1); }
  __device__ void *keys_to() const { return keys_after(step); }
  __device__ const void *values_from() const {
    return is_first() ? call.values_in : values_after(step - 1);
  }
  __device__ void *values_to() const { return values_after(step); }
  // What the last step does not write.
  __device__ void *keys_beside() const { return keys_to() == call.keys_out ? call.keys_other : call.keys_out; }
  __device__ void *values_beside() const {
    return values_to() == call.values_out ? call.values_other : call.values_out;
  }

 private:
  __device__ bool is_out(uint32_t s) const { return (steps - 1 - s) % 2 == 0; }
  __device__ void *keys_after(uint32_t s) const { return is_out(s) ? call.keys_out : call.keys_other; }
  __device__ void *values_after(uint32_t s) const {
    return is_out(s) ? call.values_out : call.values_other;
  }
};

// The type of an input that lies at a pointer, which RadixSortCall has.
template <class In> constexpr bool is_pointed = is_same<In, none>;

// Item i of an input: of what lies at `pointer`, or of an iterator over items of that size.
template <class Item, class In>
__device__ Item radix_input(const In &in, const void *pointer, uint64_t i) {
  if constexpr (is_pointed<In>) return static_cast<const Item *>(pointer)[i];
  else return bit_cast<Item>(typename In::value_type(in[i]));
}

// The items of an iterator from `first` on.
template <class Item, class In> struct RadixInputFrom {
  const In &in;
  uint64_t first;

  __device__ Item operator[](int64_t i) const { return radix_input<Item>(in, nullptr, first + i); }
};

// The items of an input from `first` on: a pointer, or an object that is indexed like one.
template <class Item, class In>
__device__ auto radix_input_from(const In &in, const void *pointer, uint64_t first) {
  if constexpr (is_pointed<In>) return static_cast<const Item *>(pointer) + first;
  else return RadixInputFrom<Item, In>{in, first};
}

// Replaces a pass's counts by what comes before them, by a warp that others have told them; whether one of
// them is of all items, so that the pass is not needed.
__device__ inline bool radix_begin_digits(uint64_t *bins, uint64_t num_items) {
  constexpr int lane_digits = radix_digits / warp_threads;
  uint64_t counts[lane_digits], total = 0;
  bool has_all = false;
  bins += ptx::lane_id() * lane_digits;
#pragma unroll
  for (int k = 0; k < lane_digits; ++k) {
    counts[k] = ptx::load_relaxed_gpu(&bins[k]);
    total += counts[k];
    has_all = has_all || counts[k] == num_items;
  }
  uint64_t begin = inclusive_sum(total);
  begin -= total;
#pragma unroll
  for (int k = 0; k < lane_digits; ++k) {
    bins[k] = begin;
    begin += counts[k];
  }
  return __any_sync(full_warp, has_all);
}

}  // namespace jig
