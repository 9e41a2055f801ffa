// What the kernels of a merge sort have in common: what they are told, and what a block does to store a tile.
#pragma once
#include <jig/agent/merge_sort/sort_record.cuh>
#include <jig/core/ptx.cuh>
#include <jig/thread/merge.cuh>

namespace jig {

// The same as merge_sort_part in src/algorithm/merge_sort.c.
struct MergeSortPart {
  const void *from;  // records; NULL: the input, of kernels that sort tiles; or the outputs, keys and values apart
  void *to;          // records; NULL: the output, unless there is a kernel that gathers
  void *copies;      // of large values that the output may overwrite; NULL: of none
  // What has been found for where tiles begin: in each of four runs; or, 64 bits, in the first of two. Tile 0 begins
  // at 0, whatever is there. NULL: nobody has searched, blocks do.
  uint32_t *splits;
  uint64_t num_items;
  uint64_t run;           // items of each run but the last
  uint64_t tiles;         // of a group of runs that are merged
  // A launch searches for where every tile begins whose number is a multiple of step; between two of those whose
  // numbers are multiples of bracket, for which that is known; 0: of none it is.
  uint32_t step, bracket;
  uint32_t ways;  // so many runs are merged
  const uint64_t *num_items_in;  // where num_items is, if only the GPU knows it
};

// The items of a tile are in shared memory, from `tile` on, and go where items `first` and up belong. By
// all threads of a block.
template <int Threads, class Records>
__device__ void store_records(uint32_t tile, int count, const Records &records, const MergeSortPart &part,
                              uint64_t first) {
  using Record = typename Records::Record;
  auto record_at = [&](int i) { return ptx::shared_at<Record>(tile + i * int(sizeof(Record))); };
  Record *to = static_cast<Record *>(part.to);
  if (Records::are_stored_whole || Records::are_gathered || to != nullptr) {
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += Threads) to[first + i] = record_at(i);
  } else if constexpr (!Records::are_gathered) {
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += Threads) records.store(first + i, record_at(i), part.copies);
  }
}

}  // namespace jig
