// A stable merge sort of a logical warp's keys with values beside them: that of merge_sort.cuh over both as one
// item. Of large values it is better to sort indices, and to exchange the values by these.
//
// Constructors, who calls, valid_items and `less` are as there; TempStorage may be used again after a call.
#pragma once
#include <jig/warp/merge_sort.cuh>
#include <jig/thread/keyed.cuh>

namespace jig {

template <class Key, int ItemsPerThread, class Value, int Threads = warp_threads>
class WarpMergeSortPairs {
  using Implementation = WarpMergeSort<keyed<Key, Value>, ItemsPerThread, Threads>;
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;

 public:
  using TempStorage = typename Implementation::TempStorage;
  __device__ WarpMergeSortPairs() : sort_() {}
  __device__ explicit WarpMergeSortPairs(TempStorage &storage) : sort_(storage) {}

  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less) {
    split_keys(sort_.Sort(join_keys(keys, values), by_key<Less>{less}), keys, values);
  }
  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less, int valid_items) {
    split_keys(sort_.Sort(join_keys(keys, values), by_key<Less>{less}, valid_items), keys, values);
  }
  template <class Less> __device__ void StableSort(Keys &keys, Values &values, Less less) {
    Sort(keys, values, less);
  }
  template <class Less> __device__ void StableSort(Keys &keys, Values &values, Less less, int valid_items) {
    Sort(keys, values, less, valid_items);
  }

 private:
  Implementation sort_;
};

}  // namespace jig
