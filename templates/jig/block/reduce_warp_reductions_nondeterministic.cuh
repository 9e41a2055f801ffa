// Block reduce by warps in which the first lane of every warp folds its value into one word by an atomic operation, in
// the order in which warps happen to come. Two barriers, one value of shared memory. Types of up to 8 bytes, and
// operators that are commutative.
#pragma once
#include <jig/warp/reduce.cuh>

namespace jig {

template <class T, int Threads> class BlockReduceWarpReductionsNondeterministic {
  static_assert(sizeof(T) <= 8, "folded by atomic operations");
  using Word = conditional<(sizeof(T) <= 4), uint32_t, uint64_t>;
  using Warp = WarpReduceShuffle<T, warp_threads>;

 public:
  struct TempStorage {
    Word result;
  };
  __device__ BlockReduceWarpReductionsNondeterministic(TempStorage &storage, unsigned thread)
      : storage_(storage), thread_(thread) {}

  template <class Op> __device__ T Reduce(T input, Op op) {
    if constexpr (Threads % warp_threads != 0) {
      return Reduce(input, op, Threads);
    } else {
      typename Warp::TempStorage none;
      return combine(Warp(none).Reduce(input, op), op, Threads);
    }
  }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    typename Warp::TempStorage none;
    input = Warp(none).Reduce(input, op, valid_threads - thread_ / warp_threads * warp_threads);
    return combine(input, op, valid_threads);
  }

 private:
  template <class Op> __device__ T combine(T warp_result, Op op, int valid_threads) {
    if constexpr (Threads <= warp_threads) return warp_result;
    if (thread_ == 0) storage_.result = word_of(warp_result);
    __syncthreads();
    if (thread_ % warp_threads == 0 && thread_ > 0 && thread_ < valid_threads) fold(warp_result, op);
    __syncthreads();
    return value_of(storage_.result);
  }

  // By one atomic operation where there is one.
  template <class Op> __device__ void fold(T value, Op op) {
    constexpr bool is_word = is_integer<T> && sizeof(T) == sizeof(Word);
    if constexpr (is_floating_point<T> && is_same<Op, plus>)
      atomicAdd(reinterpret_cast<T *>(&storage_.result), value);
    else if constexpr (is_word && (is_any_of<Op, plus, bit_and, bit_or, bit_xor> || is_minimum<Op> || is_maximum<Op>))
      fold_integer<Op>(value);
    else
      fold_anew(value, op);
  }

  template <class Op> __device__ void fold_integer(T value) {
    using Ordered = conditional<(T(-1) < T(0)), conditional<sizeof(T) == 4, int32_t, int64_t>, Word>;
    auto *const ordered = reinterpret_cast<Ordered *>(&storage_.result);
    if constexpr (is_same<Op, plus>) atomicAdd(&storage_.result, Word(value));
    else if constexpr (is_same<Op, bit_and>) atomicAnd(&storage_.result, Word(value));
    else if constexpr (is_same<Op, bit_or>) atomicOr(&storage_.result, Word(value));
    else if constexpr (is_same<Op, bit_xor>) atomicXor(&storage_.result, Word(value));
    else if constexpr (is_minimum<Op>) atomicMin(ordered, Ordered(value));
    else atomicMax(ordered, Ordered(value));
  }

  // Anew whenever another warp has been faster.
  template <class Op> __device__ void fold_anew(T value, Op op) {
    Word before, found = *static_cast<volatile Word *>(&storage_.result);
    do {
      before = found;
      found = atomicCAS(&storage_.result, before, word_of(op(value_of(before), value)));
    } while (found != before);
  }

  static __device__ Word word_of(T value) {
    Word word = 0;
    memcpy(&word, &value, sizeof(T));
    return word;
  }
  static __device__ T value_of(Word word) {
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
