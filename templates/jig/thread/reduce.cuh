// Folds the items one thread holds, in order, into one accumulator: each half of them, then the two
// halves. The operator only has to be associative, the chain of dependent operations is log2(N) long,
// and a floating-point sum of N terms errs by O(log N) (pairwise summation; Higham, 1993).
#pragma once
#include <jig/core/operator.cuh>
#include <jig/core/vector.cuh>
#include <jig/thread/mask_of.cuh>

namespace jig {

// Items First .. First + Count - 1 of the vector.
template <class Accum, int First, int Count, class Op, class Vector>
__device__ Accum thread_reduce_span(const Vector &vector, Op op) {
  if constexpr (Count == 1) {
    return static_cast<Accum>(vector[First]);
  } else {
    constexpr int left = Count / 2;
    return op(thread_reduce_span<Accum, First, left>(vector, op),
              thread_reduce_span<Accum, First + left, Count - left>(vector, op));
  }
}

// Sums of 8- and 16-bit integers, four or two items an instruction; a vector's sum always fits 32 bits.
template <class T>
constexpr bool is_narrow_integer = is_any_of<T, bool, int8_t, uint8_t, int16_t, uint16_t>;

template <class T, int N> __device__ int32_t thread_sum_integers(const packed_vector<T, N> &vector) {
  int32_t sum = 0;
#pragma unroll
  for (int w = 0; w < vector.words; ++w) {
    if constexpr (is_same<T, int8_t>) sum = ptx::add_bytes(vector.word[w], sum);
    else if constexpr (is_any_of<T, bool, uint8_t>) sum = ptx::add_unsigned_bytes(vector.word[w], sum);
    else if constexpr (is_same<T, int16_t>) sum = ptx::add_halves(vector.word[w], sum);
    else sum = ptx::add_unsigned_halves(vector.word[w], sum);
  }
  return sum;
}

// Sums of halves, two an instruction where there is one: the even and the odd items apart, then both.
template <class T> __device__ uint32_t add_pairs(uint32_t a, uint32_t b) {
  if constexpr (is_same<T, f16>) {
    return ptx::add_f16x2(a, b);
  } else {
#if __CUDA_ARCH__ >= 800
    return ptx::add_bf16x2(a, b);
#else
    const T even = T::from_bits(uint16_t(a)) + T::from_bits(uint16_t(b));
    const T odd = T::from_bits(uint16_t(a >> 16)) + T::from_bits(uint16_t(b >> 16));
    return uint32_t(odd.bits) << 16 | even.bits;
#endif
  }
}

template <class T, int N> __device__ T thread_sum_halves(const packed_vector<T, N> &vector) {
  array<uint32_t, N / 2> pairs = vector.word;
#pragma unroll
  for (int stride = 1; stride < N / 2; stride *= 2) {
#pragma unroll
    for (int i = 0; i + stride < N / 2; i += 2 * stride) {
      pairs[i] = add_pairs<T>(pairs[i], pairs[i + stride]);
    }
  }
  return T::from_bits(uint16_t(pairs[0])) + T::from_bits(uint16_t(pairs[0] >> 16));
}

// Minima and maxima of 8- and 16-bit numbers, two an instruction where there is one. A byte is the high one of a
// 16-bit number then, of which the low one makes no difference but between equal ones.
template <class T>
using pair_item = conditional<is_same<T, int8_t>, int16_t, conditional<is_same<T, uint8_t>, uint16_t, T>>;
template <class Op> constexpr bool is_extreme = false;
template <bool PropagateNan> constexpr bool is_extreme<minimum<PropagateNan>> = true;
template <bool PropagateNan> constexpr bool is_extreme<maximum<PropagateNan>> = true;

template <class Op, class T, int N> __device__ T thread_extreme(const packed_vector<T, N> &vector) {
  constexpr int words = packed_vector<T, N>::words;
  array<uint32_t, words> pairs = vector.word;
  if constexpr (sizeof(T) == 1) {
#pragma unroll
    for (int w = 0; w < words; ++w) pairs[w] = Op::template pairs<pair_item<T>>(pairs[w], pairs[w] << 8);
  }
#pragma unroll
  for (int stride = 1; stride < words; stride *= 2) {
#pragma unroll
    for (int i = 0; i + stride < words; i += 2 * stride)
      pairs[i] = Op::template pairs<pair_item<T>>(pairs[i], pairs[i + stride]);
  }
  const uint32_t both = Op::template pairs<pair_item<T>>(pairs[0], pairs[0] << 16);
  if constexpr (is_half<T>) return T::from_bits(uint16_t(both >> 16));
  else return T(both >> (32 - 8 * sizeof(T)));
}

// What is computed to be true or false is counted by its bits.
struct counts_as_one {
  __device__ bool operator()(bool x) const { return x; }
};

template <class Accum, class Op, class Vector> __device__ Accum thread_reduce(const Vector &vector, Op op) {
  if constexpr (is_same<Op, plus> && is_integer<Accum> && sizeof(Accum) >= 4 && is_same<decltype(vector[0]), bool>)
    return static_cast<Accum>(__popc(mask_of(vector, counts_as_one())));
  else if constexpr (Vector::size == 1)
    return static_cast<Accum>(vector[0]);
  else
    return thread_reduce_span<Accum, 0, Vector::size>(vector, op);
}

template <class Accum, class Op, class T, int N>
__device__ Accum thread_reduce(const packed_vector<T, N> &vector, Op op) {
  if constexpr (is_same<Op, plus> && is_integer<Accum> && sizeof(Accum) >= 4 && is_narrow_integer<T> &&
                N * sizeof(T) % 4 == 0) {
    return static_cast<Accum>(thread_sum_integers(vector));
  } else if constexpr (is_same<Op, plus> && is_same<Accum, T> && is_half<T> && N % 2 == 0) {
    return thread_sum_halves(vector);
  } else if constexpr (is_extreme<Op> && is_same<Accum, T> && are_compared_in_pairs<pair_item<T>> &&
                       N * sizeof(T) % 4 == 0) {
    return thread_extreme<Op>(vector);
  } else {
    return thread_reduce_span<Accum, 0, N>(vector, op);
  }
}

}  // namespace jig
