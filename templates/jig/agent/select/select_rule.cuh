// Which items of a tile are selected, or which of two classes of selected items they belong to.
//
// What a rule offers a tile:
//   classes              how many classes of selected items there are; no item is of two
//   beside               an iterator of what it goes by beside the items, or none
//   Beside               that type, or jig::none
//   compares             whether it goes by the item before, too: the first lane puts the one before the
//                        warp's into `before`
//   masks(first, is_of_input, vector, beside)  of a vector that begins with item `first`, and what is beside it: for
//                        each class a mask of the items that belong to it. By all lanes of a warp, row after
//                        row; of what is no vector of the input, but holds items of it all the same, anything
//   masks_after(previous, first, vector, items)  if it compares: the same by one lane, given the item before, of a
//                        vector whose first `items` items are the input's
//   class_of(in, i)      the class of item i, found by itself; `classes` if it is not selected
// Everything is asked for before the tile is published: what the rule reads may be overwritten then.
#pragma once
#include <jig/core/fields.cuh>
#include <jig/core/load_vector.cuh>
#include <jig/core/operator.cuh>
#include <jig/thread/mask_of.cuh>

namespace jig {

template <int Classes> using class_masks = array<uint32_t, Classes>;

// How many items of each class there are.
template <int Classes> struct class_counts {
  uint64_t count[Classes];
};

// The same of each of a warp's rows, which are a vector of each lane: number row * Classes + c is of class c.
template <int Rows, int Classes, int VectorItems>
using row_counts = fields<(warp_threads * VectorItems < 256 ? 8 : 16), Rows * Classes>;

struct add_counts {
  template <class T> static __device__ T identity() { return {}; }
  template <int Classes>
  __device__ class_counts<Classes> operator()(const class_counts<Classes> &a,
                                              const class_counts<Classes> &b) const {
    class_counts<Classes> sum;
#pragma unroll
    for (int c = 0; c < Classes; ++c) sum.count[c] = a.count[c] + b.count[c];
    return sum;
  }
};

template <> constexpr bool has_identity<add_counts> = true;
template <> constexpr bool takes_any_bytes<add_counts> = true;

// By a test of the items.
template <class In, class Test> struct ItemRule {
  static constexpr int classes = 1;
  static constexpr bool compares = false;
  using Beside = none;
  Test test;
  none beside;

  template <class Vector> __device__ class_masks<1> masks(uint64_t, bool, const Vector &vector, none) const {
    return {{mask_of(vector, test)}};
  }
  __device__ int class_of(const In &in, uint64_t i) const { return bool(test(in[i])) ? 0 : 1; }
};

// By two of them; what passes both belongs to the first class.
template <class In, class First, class Second> struct TwoTestsRule {
  static constexpr int classes = 2;
  static constexpr bool compares = false;
  using Beside = none;
  First first;
  Second second;
  none beside;

  template <class Vector> __device__ class_masks<2> masks(uint64_t, bool, const Vector &vector, none) const {
    const uint32_t passed = mask_of(vector, first);
    return {{passed, mask_of(vector, second) & ~passed}};
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
template <class In, class Flags, class Test> struct FlagRule {
  static constexpr int classes = 1;
  static constexpr bool compares = false;
  using Beside = Flags;
  const Flags &beside;
  Test test;

  template <class Vector, class FlagVector>
  __device__ class_masks<1> masks(uint64_t, bool, const Vector &, const FlagVector &flags) const {
    return {{mask_of(flags, test)}};
  }
  __device__ int class_of(const In &, uint64_t i) const { return bool(test(beside[i])) ? 0 : 1; }
};

}  // namespace jig
