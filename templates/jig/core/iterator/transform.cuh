// op(base[i]): an operator over another input iterator, loaded as wide as that one allows.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class Base, class Op, class Result> struct Transform {
  using value_type = Result;
  static constexpr int run_items = Base::run_items;
  using run_type = array<Result, run_items>;

  Base base;
  Op op;

  __device__ Result operator[](uint64_t i) const { return op(base[i]); }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ run_type load_run(uint64_t i, bool vectorize) const {
    auto raw = base.load_run(i, vectorize);
    run_type run;
#pragma unroll
    for (int k = 0; k < run_items; ++k) run[k] = op(raw[k]);
    return run;
  }
};

}  // namespace jig
