// Runs of units, one for each lane of a warp, shared out evenly: whatever their lengths, lanes always have neighbouring
// units to copy, and all lanes have some until the end.
//
// For a window of 1024 units at a time, a bit in shared memory tells of each unit whether a run begins there; so the run
// that a unit is in is found by counting bits.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

struct SharedRuns {
  ulonglong2 runs[warp_threads];  // where unit 0 of all would be, if each were in this run
  uint32_t begins[warp_threads];
};

// Copies `count` units from one place to another. By a whole warp. A unit is Step apart from the next; `unit` has a
// type Loaded, load(from) and store(to, loaded); some loads come before the stores.
template <int Unroll, int Step, class Unit>
__device__ void share_runs(SharedRuns &shared, uint32_t count, uint64_t from, uint64_t to, const Unit &unit) {
  constexpr uint32_t window = warp_threads * warp_threads;
  const uint32_t lane = ptx::lane_id(), lanes = __ballot_sync(full_warp, count > 0);
  if (lanes == 0) return;
  uint32_t total = inclusive_sum(count);
  const uint32_t begin = total - count;
  total = __shfl_sync(full_warp, total, warp_threads - 1);
  if (count > 0)
    shared.runs[__popc(lanes & ptx::lanes_below())] =
        ulonglong2{from - uint64_t(begin) * Step, to - uint64_t(begin) * Step};
  int begun = -1;  // runs that have begun, less one
#pragma unroll 1
  for (uint32_t first = 0; first < total; first += window) {
    shared.begins[lane] = 0;
    __syncwarp();
    const uint32_t place = begin - first;
    if (count > 0 && place < window)
      ptx::or_shared(ptx::shared_address(&shared.begins[place / warp_threads]), 1u << place % warp_threads);
    __syncwarp();
    const uint32_t begins = shared.begins[lane];
    const int rows = ceil_div(min_of(window, total - first), uint32_t(warp_threads));
#pragma unroll 1
    for (int row = 0; row < rows; row += Unroll) {
      typename Unit::Loaded loaded[Unroll];
      uint64_t places[Unroll];
#pragma unroll
      for (int u = 0; u < Unroll; ++u) {
        const uint32_t bits = __shfl_sync(full_warp, begins, row + u);
        const uint32_t i = first + (row + u) * warp_threads + lane;
        const ulonglong2 run = shared.runs[begun + __popc(bits & (ptx::lanes_below() | 1u << lane))];
        begun += __popc(bits);
        places[u] = run.y + uint64_t(i) * Step;
        if (i < total) loaded[u] = unit.load(run.x + uint64_t(i) * Step);
      }
#pragma unroll
      for (int u = 0; u < Unroll; ++u)
        if (first + (row + u) * warp_threads + lane < total) unit.store(places[u], loaded[u]);
    }
    __syncwarp();
  }
}

}  // namespace jig
