// Where an item belongs among those of a run that is in order, found by halving. A run is anything with an
// operator[], in registers, shared or global memory. What `less` says decides what is found, and nothing else: the
// search ends, and what it finds lies within the run. Where two runs meet is found by merge_path() in merge.cuh.
#pragma once
#include <jig/core/less.cuh>

namespace jig {

// How many of the first `count` items pass `is_before`, given that those which do come first.
template <class Index, class Run, class IsBefore>
__device__ Index partition_point(const Run &run, Index count, IsBefore is_before) {
  Index first = 0;
#pragma unroll 1
  while (count > 0) {
    const Index half = count / 2;
    const bool passes = is_before(run[first + half]);
    first = passes ? first + half + 1 : first;
    count = passes ? count - half - 1 : half;
  }
  return first;
}

// The first place at which x could be put in: before all items that are equal to it.
template <class Index, class Run, class T, class Less = less_than>
__device__ Index lower_bound(const Run &run, Index count, const T &x, Less less = Less()) {
  return partition_point(run, count, [&](const auto &item) { return bool(less(item, x)); });
}

// The last place at which x could be put in: behind all items that are equal to it.
template <class Index, class Run, class T, class Less = less_than>
__device__ Index upper_bound(const Run &run, Index count, const T &x, Less less = Less()) {
  return partition_point(run, count, [&](const auto &item) { return !less(x, item); });
}

}  // namespace jig
