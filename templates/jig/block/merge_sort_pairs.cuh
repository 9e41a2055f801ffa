// A stable merge sort of a block's keys with values beside them; by any order as merge_sort.cuh does it, of both as one
// item, and of whole tiles by a well-known order in rounds of its own (merge_pair_rounds.cuh). Of large values it is
// better to sort indices, and to exchange the values by these.
//
// Constructors, who calls, valid_items and `less` are as in merge_sort.cuh; TempStorage may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/merge_pair_rounds.cuh>
#include <jig/block/merge_sort.cuh>

namespace jig {

template <class Key, int DimX, int ItemsPerThread, class Value, int DimY = 1, int DimZ = 1>
class BlockMergeSortPairs {
  static constexpr int threads = DimX * DimY * DimZ;
  using Any = BlockMergeSort<keyed<Key, Value>, DimX, ItemsPerThread, DimY, DimZ>;
  using Rounds = MergePairRounds<Key, Value, threads, ItemsPerThread>;
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;
  union TempStorage {
    typename Any::TempStorage any;
    typename Rounds::TempStorage rounds;
  };

  __device__ BlockMergeSortPairs() : BlockMergeSortPairs(private_storage()) {}
  __device__ explicit BlockMergeSortPairs(TempStorage &storage) : storage_(storage) {}

  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less) {
    if constexpr (is_order<Less, Key>)
      Rounds(storage_.rounds, linear_thread_id<DimX, DimY, DimZ>()).Sort(keys, values, less);
    else split_keys(Any(storage_.any).Sort(join_keys(keys, values), by_key<Less>{less}), keys, values);
  }
  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less, int valid_items) {
    split_keys(Any(storage_.any).Sort(join_keys(keys, values), by_key<Less>{less}, valid_items), keys, values);
  }
  template <class Less> __device__ void StableSort(Keys &keys, Values &values, Less less) {
    Sort(keys, values, less);
  }
  template <class Less> __device__ void StableSort(Keys &keys, Values &values, Less less, int valid_items) {
    Sort(keys, values, less, valid_items);
  }

 private:
  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
};

}  // namespace jig
