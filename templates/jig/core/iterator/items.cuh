// For iterators without vectors to load: runs of a few items, loaded one by one.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

constexpr int loose_items = 4;
template <class T> using loose_run = array<T, loose_items>;

template <class In>
__device__ loose_run<typename In::value_type> load_loose_run(const In &in, uint64_t i) {
  loose_run<typename In::value_type> run;
#pragma unroll
  for (int k = 0; k < loose_items; ++k) run[k] = in[i + k];
  return run;
}

}  // namespace jig
