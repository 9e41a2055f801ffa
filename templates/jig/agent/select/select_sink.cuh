// Where the classes of a tile's items go. Behind the classes that a rule selects there may be one more, of
// all the others.
//
// What a sink offers: `classes`; FirstOut, the type of the first output; and of class C
//   out<C>()               its output
//   reversed<C>            whether its items go from the end of the output to the front
//   first<C>(before, n)    where the first of n items of it is stored, or the last one if reversed, given
//                          how many were before them
#pragma once
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <class Out> struct SelectSink {
  static constexpr int classes = 1;
  using FirstOut = Out;
  const Out &selected;

  template <int C> static constexpr bool reversed = false;
  template <int C> __device__ const Out &out() const { return selected; }
  template <int C> __device__ uint64_t first(uint64_t before, int) const { return before; }
};

// What is not selected goes to an output of its own, or backwards to the end of the same one.
template <class Out, class Rejected> struct PartitionSink {
  static constexpr int classes = 2;
  static constexpr bool shared = is_same<Rejected, none>;
  using FirstOut = Out;
  const Out &selected;
  const Rejected &rejected;
  uint64_t num_items;

  template <int C> static constexpr bool reversed = C == 1 && shared;
  template <int C> __device__ const auto &out() const {
    if constexpr (C == 0 || shared) return selected;
    else return rejected;
  }
  template <int C> __device__ uint64_t first(uint64_t before, int count) const {
    return reversed<C> ? num_items - before - count : before;
  }
};

template <class First, class Second, class Unselected> struct ThreeWaySink {
  static constexpr int classes = 3;
  using FirstOut = First;
  const First &first_out;
  const Second &second_out;
  const Unselected &unselected;

  template <int C> static constexpr bool reversed = false;
  template <int C> __device__ const auto &out() const {
    if constexpr (C == 0) return first_out;
    else if constexpr (C == 1) return second_out;
    else return unselected;
  }
  template <int C> __device__ uint64_t first(uint64_t before, int) const { return before; }
};

}  // namespace jig
