// Items in global memory that many bytes apart: a field of an array of structs, a column of a matrix.
#pragma once
#include <jig/core/iterator/items.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

template <class T> struct Strided {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  T *data;
  int64_t stride;

  __device__ T operator[](uint64_t i) const {
    if constexpr (is_wide<T>) return load_item(at(i));
    else return *at(i);
  }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }
  __device__ void store(uint64_t i, const T &value) const {
    if constexpr (is_wide<T>) copy_item(at(i), &value);
    else *at(i) = value;
  }
  __device__ T &reference(uint64_t i) const { return *at(i); }

 private:
  __device__ T *at(uint64_t i) const {
    return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(data) + i * uint64_t(stride));
  }
};

}  // namespace jig
