// Which items of a tile are selected, or which of two classes of selected items they belong to.
//
// What a rule offers a tile:
//   classes              how many classes of selected items there are; no item is of two
//   begin(in, first, n)  of n items, this warp's begin with item `first`
//   load(r, first)       loads what the rule goes by beside the items, for row r; the lane's run there
//                        begins with item `first`
//   masks(r, first, run) of that run, loaded: for each class a mask of the items that belong to it. By all
//                        lanes of a warp, row after row
//   class_of(in, i)      the class of item i, found by itself; `classes` if it is not selected
// Everything is asked for before the tile is published: what the rule reads may be overwritten then.
#pragma once
#include <jig/core/load_run.cuh>

namespace jig {

template <int Classes> using class_masks = array<uint32_t, Classes>;

// How many items of each class there are.
template <int Classes> struct class_counts {
  uint64_t count[Classes];
};

struct add_counts {
  template <int Classes>
  __device__ class_counts<Classes> operator()(const class_counts<Classes> &a,
                                              const class_counts<Classes> &b) const {
    class_counts<Classes> sum;
#pragma unroll
    for (int c = 0; c < Classes; ++c) sum.count[c] = a.count[c] + b.count[c];
    return sum;
  }
};

// A mask of the items of a run that pass a test.
template <class Run, class Test> __device__ uint32_t mask_of(const Run &run, const Test &test) {
  uint32_t mask = 0;
#pragma unroll
  for (int k = 0; k < Run::size; ++k) mask |= uint32_t(bool(test(run[k]))) << k;
  return mask;
}

// By a test of the items.
template <class In, class Test> struct ItemRule {
  static constexpr int classes = 1;
  Test test;

  __device__ void begin(const In &, uint64_t, uint64_t) {}
  __device__ void load(int, uint64_t) {}
  __device__ class_masks<1> masks(int, uint64_t, const typename In::run_type &run) const {
    return {{mask_of(run, test)}};
  }
  __device__ int class_of(const In &in, uint64_t i) const { return bool(test(in[i])) ? 0 : 1; }
};

// By two of them; what passes both belongs to the first class.
template <class In, class First, class Second> struct TwoTestsRule {
  static constexpr int classes = 2;
  First first;
  Second second;

  __device__ void begin(const In &, uint64_t, uint64_t) {}
  __device__ void load(int, uint64_t) {}
  __device__ class_masks<2> masks(int, uint64_t, const typename In::run_type &run) const {
    const uint32_t passed = mask_of(run, first);
    return {{passed, mask_of(run, second) & ~passed}};
  }
  __device__ int class_of(const In &in, uint64_t i) const {
    const typename In::value_type item = in[i];
    return bool(first(item)) ? 0 : bool(second(item)) ? 1 : 2;
  }
};

struct is_true {
  template <class T> __device__ bool operator()(const T &flag) const { return static_cast<bool>(flag); }
};

// By flags beside the items, or a test of them.
template <class In, class Flags, class Test, int Rows> struct FlagRule {
  static constexpr int classes = 1, run_items = In::run_items;
  const Flags &flags;
  Test test;
  typename items_of<Flags, run_items>::type loaded[Rows];

  __device__ void begin(const In &, uint64_t, uint64_t) {}
  __device__ void load(int r, uint64_t first) {
    loaded[r] = load_items<run_items>(flags, first, can_load_runs<run_items>(flags));
  }
  __device__ class_masks<1> masks(int r, uint64_t, const typename In::run_type &) const {
    return {{mask_of(loaded[r], test)}};
  }
  __device__ int class_of(const In &, uint64_t i) const { return bool(test(flags[i])) ? 0 : 1; }
};

}  // namespace jig
