// What makes a reduce find a minimum or maximum together with where it is.
//
// The values are items with their indices. Of equal values (-0 and 0 are equal) the one with the smaller
// index is kept, so the operators are commutative. Numbers without an order of the caller's have operators of
// their own: a NaN comes before every number if NaNs are propagated, and is never taken otherwise. The identity is
// the extreme that every value reaches, at an index that every index is below; as a signed number that is -1.
#pragma once
#include <jig/agent/reduce/reduce.cuh>
#include <jig/core/iterator/indexed.cuh>
#include <jig/core/less.cuh>

namespace jig {

template <class Extreme> struct arg_extreme;

// Whether a value is better than another, and of two items which comes first; without short-circuits, as
// branches of a few instructions cost more than they skip. A NaN is the best value if NaNs are propagated,
// and the worst if not.
#define JIG_ARG_EXTREME(EXTREME, BETTER, SAME_OR_WORSE)                                            \
  template <bool P> struct arg_extreme<EXTREME<P>> {                                               \
    using extreme = EXTREME<P>;                                                                    \
    template <class T> static __device__ bool better(T a, T b) {                                   \
      if constexpr (is_integer<T>) return a BETTER b;                                              \
      else return !(a SAME_OR_WORSE b) & (P ? b == b : a == a);                                    \
    }                                                                                              \
    template <class T>                                                                             \
    __device__ indexed_value<T> operator()(indexed_value<T> a, indexed_value<T> b) const {         \
      const bool earlier = b.index < a.index;                                                      \
      return better(b.value, a.value) | (earlier & !better(a.value, b.value)) ? b : a;             \
    }                                                                                              \
    template <class Accum> static __device__ Accum identity() {                                    \
      return {extreme::template identity<decltype(Accum::value)>(), ~uint64_t(0)};                 \
    }                                                                                              \
  };                                                                                               \
  template <bool P> constexpr bool is_well_known<arg_extreme<EXTREME<P>>> = true;
JIG_ARG_EXTREME(minimum, <, >=)
JIG_ARG_EXTREME(maximum, >, <=)
#undef JIG_ARG_EXTREME

// While vectors are folded it is enough to know the first vector that holds the best value.
template <class Accum, class Extreme, class Vector, class T>
__device__ Accum thread_reduce(const indexed_vector<Vector, T> &vector, arg_extreme<Extreme>) {
  return {thread_reduce<T>(vector.values, Extreme()), vector.first};
}

// And once, in the end, where in that vector it is, and the item itself: of items that compare equal, such as
// the zeros, the fold may have kept another. Items past the last whole vector were indexed one by one.
template <class Extreme, class In, class T>
__device__ indexed_value<T> find_item(const indexed_value<T> &best, const In &in, uint64_t num_items,
                                      arg_extreme<Extreme> op) {
  if (best.index >= num_items / In::vector_items * In::vector_items) return best;
  const auto vector = in.load_vector(best.index, in.vectorizable());
  indexed_value<T> found = best;
#pragma unroll
  for (int k = In::vector_items - 1; k >= 0; --k) {
    const T item = vector[k];
    if (!op.better(best.value, item)) found = {item, best.index + k};
  }
  return found;
}

// The first item by an order, or the last one (Max), of all that are equal by it the first one. It has no identity.
template <class Less, bool Max> struct arg_order {
  static constexpr bool commutative = true;
  Less less;

  template <class T> __device__ bool better(const T &a, const T &b) const {
    if constexpr (Max) return less(b, a);
    else return less(a, b);
  }
  template <class T>
  __device__ indexed_value<T> operator()(const indexed_value<T> &a, const indexed_value<T> &b) const {
    const bool swapped = b.index < a.index;
    if constexpr (sizeof(T) > 64) {  // once more of the order is less than two more items
      return (swapped ? !better(a.value, b.value) : better(b.value, a.value)) ? b : a;
    }
    const indexed_value<T> earlier = swapped ? b : a, later = swapped ? a : b;
    return better(later.value, earlier.value) ? later : earlier;
  }
};

template <class Accum, class Less, bool Max, class Vector, class T>
__device__ Accum thread_reduce(const indexed_vector<Vector, T> &vector, arg_order<Less, Max> op) {
  Accum best = vector[0];
#pragma unroll
  for (int k = 1; k < Vector::size; ++k) {
    const T item = vector.values[k];
    if (op.better(item, best.value)) best = {item, vector.first + k};
  }
  return best;
}

template <class Less, bool Max, class In, class T>
__device__ indexed_value<T> find_item(const indexed_value<T> &best, const In &, uint64_t, arg_order<Less, Max>) {
  return best;
}

// The operator for items of type T, and an order, or none.
template <class T, class Order, bool Max, bool PropagateNan>
__device__ auto arg_operator(const Order &order) {
  if constexpr (!is_same<Order, none> || !is_number<T>)
    return arg_order<less_of<Order>, Max>{less_of_op<Order>::of(order)};
  else if constexpr (Max) return arg_extreme<maximum<PropagateNan>>{};
  else return arg_extreme<minimum<PropagateNan>>{};
}

}  // namespace jig
