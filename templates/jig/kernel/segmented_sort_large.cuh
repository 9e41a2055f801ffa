// The second launch of a segmented sort: what the first one has listed, from the longest segments on.
#pragma once
#include <jig/agent/segmented_sort_team.cuh>
#include <jig/agent/segmented_sort_tiles.cuh>
#include <jig/kernel/radix_sort.cuh>

namespace jig {

// Segments of the list that teams of so many warps take, one after the other. Ends with a barrier.
template <class Keys, class Value, class Storage>
__device__ void sort_listed(Storage &storage, const SegmentedSortCall &call, int list) {
  const int warps = 1 << list, warp = threadIdx.x / warp_threads;
  const WarpTeam team{warp & ~(warps - 1), warps};
  const uint32_t count = min_of(call.control->counts[list], call.capacities[list]);
  const uint32_t teams = Storage::warps / warps * gridDim.x;
  uint32_t taken = warp / warps * gridDim.x + blockIdx.x;
  while (taken < count) {
    if (team.thread() == 0) storage.next[team.first] = teams + ptx::count_relaxed_gpu(&call.control->taken[list]);
    const ListedSegment segment = ListedSegment::unpack(call.lists[list][taken]);
    const auto radix_team = storage.team(team, segment.length);
    AgentSegmentedSortTeam<Keys, Value>(radix_team, storage.items(team, 0), storage.items(team, 1), call.sort,
                                        segment.begin).Run();
    team.sync();
    taken = storage.next[team.first];
    team.sync();
  }
  __syncthreads();
}

template <class Policy, class Keys, class Value>
__device__ void segmented_sort_large(const SegmentedSortCall &call) {
  using Storage = SegmentedSortStorage<Policy, Keys, !is_same<Value, none>>;
  static_assert(sizeof(Storage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char memory[];
  Storage &storage = *reinterpret_cast<Storage *>(memory);
  ptx::wait_for_prerequisite_grids();
  AgentSegmentedSortTiles<Policy, Keys, Value>(storage, call).Run();
#pragma unroll 1
  for (int list = call.classes - 1; list >= 0; --list) sort_listed<Keys, Value>(storage, call, list);
}

}  // namespace jig
