// For iterators that have no wide loads: vectors of a few items, loaded one by one.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

constexpr int loose_items = 4;
template <class T> using loose_vector = array<T, loose_items>;

template <class In> __device__ loose_vector<typename In::value_type> load_loose_vector(const In &in, uint64_t i) {
  loose_vector<typename In::value_type> vector;
#pragma unroll
  for (int k = 0; k < loose_items; ++k) vector[k] = in[i + k];
  return vector;
}

}  // namespace jig
