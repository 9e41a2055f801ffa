// op(base[i]): an operator over another input iterator, loaded as wide as that one allows.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// A run as the base has loaded it: each item is transformed when it is needed, so that what waits to be
// folded takes no more registers than what was loaded.
template <class Run, class Op, class Result> struct transform_run {
  static constexpr int size = Run::size;
  Run raw;
  const Op *op;
  __device__ Result operator[](int i) const { return (*op)(raw[i]); }
};

template <class Base, class Op, class Result> struct Transform {
  using value_type = Result;
  static constexpr int run_items = Base::run_items;
  using run_type = transform_run<typename Base::run_type, Op, Result>;

  Base base;
  Op op;

  __device__ Result operator[](uint64_t i) const { return op(base[i]); }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ run_type load_run(uint64_t i, bool vectorize) const {
    return {base.load_run(i, vectorize), &op};
  }
};

}  // namespace jig
