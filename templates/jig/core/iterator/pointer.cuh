// An iterator over T in global memory.
//
// What every input iterator offers, and agents rely on:
//   value_type       the type of an item
//   run_items        how many items a run has
//   operator[](i)    item i
//   vectorizable()   whether runs can be loaded by whole vectors; the same for every thread
//   load_run(i, v)   the run of items i .. i + run_items - 1, i being a multiple of run_items, by
//                    vector loads if v, which must be false where vectorizable() is
// An output iterator has value_type and store(i, value).
#pragma once
#include <jig/core/run.cuh>

namespace jig {

template <class T> struct Pointer {
  using value_type = T;
  static constexpr int vector_bytes = 16;
  // The shortest run that fills whole vectors, unless that is long.
  static constexpr int whole_items = vector_bytes / gcd(sizeof(T), vector_bytes);
  static constexpr int run_items = whole_items * sizeof(T) <= 64 ? whole_items : 1;
  static constexpr bool has_vectors = run_items == whole_items;
  using run_type = packed_run<T, run_items>;

  T *data;

  __device__ T operator[](uint64_t i) const { return data[i]; }
  __device__ bool vectorizable() const {
    return has_vectors && reinterpret_cast<uintptr_t>(data) % vector_bytes == 0;
  }
  __device__ run_type load_run(uint64_t i, bool vectorize) const {
    if constexpr (has_vectors) {
      if (vectorize) return load_vectors(reinterpret_cast<const uint4 *>(data + i));
    }
    run_type run{};
#pragma unroll
    for (int k = 0; k < run_items; ++k) run.set(k, data[i + k]);
    return run;
  }
  __device__ void store(uint64_t i, const T &value) const { data[i] = value; }

 private:
  static __device__ run_type load_vectors(const uint4 *source) {
    constexpr int vectors = sizeof(run_type) / vector_bytes;
    if constexpr (vectors == 1) {
      return bit_cast<run_type>(*source);
    } else {
      array<uint4, vectors> raw;
#pragma unroll
      for (int v = 0; v < vectors; ++v) raw[v] = source[v];
      return bit_cast<run_type>(raw);
    }
  }
};

}  // namespace jig
