// The smallest or largest item of a segment, and where it is. An accumulator has the item's position among all
// items; the result has its index in the segment.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/reduce/arg_reduce.cuh>
#include <jig/warp/reduce_redux.cuh>

namespace jig {

// What orders items of up to four bytes as an extreme does, as words of which the least is the best one's.
template <class Extreme> struct arg_key {
  static constexpr bool exists = false;
};
template <bool Max, bool PropagateNan> struct arg_key_of {
  static constexpr bool exists = true;
  template <class T> static __device__ uint32_t Of(T x) {
    uint32_t key;
    if constexpr (is_floating_point<T>) {
      const uint32_t bits = __float_as_uint(x == T(0) ? T(0) : x);
      key = bits ^ (uint32_t(int32_t(bits) >> 31) | 0x80000000u);
      if (Max) key = ~key;
      return x == x ? key : PropagateNan ? 0 : ~uint32_t(0);
    } else {
      key = uint32_t(x) ^ (T(-1) < T(0) ? 0x80000000u : 0);
      return Max ? ~key : key;
    }
  }
};
template <bool P> struct arg_key<arg_extreme<minimum<P>>> : arg_key_of<false, P> {};
template <bool P> struct arg_key<arg_extreme<maximum<P>>> : arg_key_of<true, P> {};

template <class T, class ValueOut, class IndexOut, class Op> struct ArgReduceRule {
  using op_type = Op;
  using Accum = indexed_value<T>;
  const ValueOut &value_out;
  const IndexOut &index_out;
  Op op;

  __device__ Accum lift(const T &item, uint64_t i) const { return {item, i}; }
  template <class, class Vector> __device__ Accum fold(const Vector &vector, uint64_t i) const {
    T best = vector[0];
    int at = 0;
#pragma unroll
    for (int k = 1; k < Vector::size; ++k) {  // of items that are as good the first one
      const T item = vector[k];
      if (!op.better(item, best)) continue;
      best = item;
      at = k;
    }
    return {best, i + at};
  }
  // Of single items so many apart, the first at i, of which there are those before `left`: one at least. No index is
  // carried along with 64 bits.
  static constexpr bool folds_apart = true;
  template <int Apart, class Item, int Rows>
  __device__ Accum FoldApart(const Item (&items)[Rows], uint64_t i, int left) const {
    T best = items[0][0];
    int at = 0;
#pragma unroll
    for (int u = 1; u < Rows; ++u) {
      const T item = items[u][0];
      if (!((u * Apart < left) & op.better(item, best))) continue;
      best = item;
      at = u * Apart;
    }
    return {best, i + at};
  }
  static constexpr bool folds_lanes = arg_key<Op>::exists && (is_integer<T> || is_same<T, float>) && sizeof(T) <= 4 &&
                                      has_redux<uint32_t, minimum<true>>;
  // What all lanes have, in every one of them: of the lanes of the best value that of the least index.
  __device__ Accum FoldLanes(const Accum &value) const {
    const uint32_t key = arg_key<Op>::Of(value.value), high = uint32_t(value.index >> 32), low = uint32_t(value.index);
    bool is_best = key == ptx::redux_min(key, full_warp);
    const uint32_t high_of = is_best ? high : ~uint32_t(0), least_high = ptx::redux_min(high_of, full_warp);
    is_best &= high == least_high;
    const uint32_t low_of = is_best ? low : ~uint32_t(0), least_low = ptx::redux_min(low_of, full_warp);
    is_best &= low == least_low;
    const int best = __ffs(__ballot_sync(full_warp, is_best)) - 1;
    return {Lanes<T>::Broadcast(value.value, best), uint64_t(least_high) << 32 | least_low};
  }
  // If all items are NaNs that are ignored, the result is that of no items.
  __device__ void Store(uint64_t segment, Accum value, uint64_t begin) const {
    if constexpr (has_identity<Op>) value = op(Op::template identity<Accum>(), value);
    put(segment, value.value, value.index == ~uint64_t(0) ? value.index : value.index - begin);
  }
  __device__ void StoreEmpty(uint64_t segment) const {
    if constexpr (has_identity<Op>) {
      const Accum value = Op::template identity<Accum>();
      put(segment, value.value, value.index);
    } else {
      index_out.store(segment, static_cast<typename IndexOut::value_type>(int64_t(-1)));
    }
  }

 private:
  __device__ void put(uint64_t segment, const T &value, uint64_t index) const {
    if constexpr (!is_same<ValueOut, none>) value_out.store(segment, value);
    index_out.store(segment, static_cast<typename IndexOut::value_type>(int64_t(index)));
  }
};

template <class T, bool Max, bool PropagateNan, class ValueOut, class IndexOut, class Compare>
__device__ auto arg_reduce_rule(const ValueOut &value_out, const IndexOut &index_out, const Compare &compare) {
  const auto op = arg_operator<T, Compare, Max, PropagateNan>(compare);
  using Op = decltype(arg_operator<T, Compare, Max, PropagateNan>(compare));
  return ArgReduceRule<T, ValueOut, IndexOut, Op>{value_out, index_out, op};
}

}  // namespace jig
