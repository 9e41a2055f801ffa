// Device-wide merge sort: tiles are sorted by a block each, and then the runs that they are merged, by two
// or by four, until there is one.
#pragma once
#include <jig/agent/merge_sort/merge_sort.cuh>

namespace jig {

// Runs an agent in the block's dynamic shared memory, as `run` says.
template <class Agent, int SharedBytes, class Records, class Less, class Run>
__device__ void run_merge_sort(const Records &records, const Less &less, const MergeSortPart &part, Run run) {
  static_assert(sizeof(typename Agent::TempStorage) <= SharedBytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  Agent agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), records, less, part);
  run(agent);
}

}  // namespace jig
