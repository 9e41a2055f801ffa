// What a segmented reduce makes of items and of what they come to. A rule has
//
//   op_type, op                the operator, over accumulators
//   lift(item, i)              an item as an accumulator, given its position
//   fold<Accum>(vector, i)     neighbouring items, given the first one's position
//   Store(s, value, begin)     puts the result of segment s where it belongs, whose first item has that position
//   StoreEmpty(s)              the same if it has no items
#pragma once
#include <jig/thread/reduce.cuh>

namespace jig {

// A reduce, with an initial value or none.
template <class Accum, class Out, class Op, bool HasInit> struct ReduceRule {
  using op_type = Op;
  const Out &out;
  Op op;
  Accum init;

  static constexpr bool folds_apart = false, folds_lanes = false;  // by an operation of the rule's own
  template <class T> __device__ Accum lift(const T &item, uint64_t) const { return static_cast<Accum>(item); }
  template <class As, class Vector> __device__ Accum fold(const Vector &vector, uint64_t) const {
    return thread_reduce<As>(vector, op);
  }
  __device__ void Store(uint64_t segment, const Accum &value, uint64_t) const {
    if constexpr (HasInit) put(segment, op(init, without_nan(value)));
    else put(segment, without_nan(value));
  }
  __device__ void StoreEmpty(uint64_t segment) const {
    if constexpr (HasInit) put(segment, without_nan(init));
    else if constexpr (has_identity<Op>) put(segment, Op::template identity<Accum>());
  }

 private:
  // What is nothing but NaNs that are passed over counts as no items.
  __device__ Accum without_nan(const Accum &value) const {
    if constexpr (passes_over_nans<Op, Accum>) return op(value, Op::template identity<Accum>());
    else return value;
  }
  __device__ void put(uint64_t segment, const Accum &value) const {
    out.store(segment, static_cast<typename Out::value_type>(value));
  }
};

// By value, or from an iterator; the other one is `none`.
template <class Accum, class Out, class Init, class InitIn, class Op>
__device__ auto reduce_rule(const Out &out, const Init &init, const InitIn &init_in, const Op &op) {
  if constexpr (!is_same<InitIn, none>)
    return ReduceRule<Accum, Out, Op, true>{out, op, static_cast<Accum>(init_in[0])};
  else if constexpr (!is_same<Init, none>)
    return ReduceRule<Accum, Out, Op, true>{out, op, static_cast<Accum>(init)};
  else
    return ReduceRule<Accum, Out, Op, false>{out, op, Accum{}};
}

}  // namespace jig
