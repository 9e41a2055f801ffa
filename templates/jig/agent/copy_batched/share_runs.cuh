// Runs of units, one or a few for each lane of a warp, shared out evenly: whatever their lengths, lanes always have
// neighbouring units to copy, and all lanes have some until the end.
//
// For a window of 1024 units at a time, a bit in shared memory tells of each unit whether a run begins there; so the
// run that a unit is in is found by counting bits.
//
// What a way of copying offers:
//   Run              where a run's units are
//   begin_at(run, i) the same if the run's first unit is number i of all
//   Piece            a unit on its way
//   load(run, i, is_there)  unit i of all, which is in that run; without branches where it can be, so that several are
//                    loaded at once
//   store(piece)     if it is there
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// What a way of copying has where a unit is so many bytes or items further than the one before.
template <uint32_t Step> struct RunsBySteps {
  struct Run {
    uint64_t from, to;
  };
  static __device__ Run begin_at(const Run &run, uint32_t i) {
    return {run.from - uint64_t(i) * Step, run.to - uint64_t(i) * Step};
  }
};

template <class Run, int Runs> struct SharedRuns {
  Run runs[Runs * warp_threads];
  uint32_t begins[warp_threads];
};

// Copies the units of each lane's runs, so many of each. By a whole warp.
template <int Unroll, int Runs, class Copy>
__device__ void share_runs(SharedRuns<typename Copy::Run, Runs> &shared, const array<uint32_t, Runs> &counts,
                           const array<typename Copy::Run, Runs> &mine, const Copy &copy) {
  constexpr uint32_t window = warp_threads * warp_threads;
  const uint32_t lane = ptx::lane_id();
  int place = 0;
  uint32_t count = 0;
#pragma unroll
  for (int r = 0; r < Runs; ++r) {
    place += __popc(__ballot_sync(full_warp, counts[r] > 0) & ptx::lanes_below());
    count += counts[r];
  }
  uint32_t total = inclusive_sum(count);
  array<uint32_t, Runs> begins;
  begins[0] = total - count;
  total = __shfl_sync(full_warp, total, warp_threads - 1);
#pragma unroll
  for (int r = 0; r < Runs; ++r) {
    if (r > 0) begins[r] = begins[r - 1] + counts[r - 1];
    if (counts[r] > 0) shared.runs[place++] = copy.begin_at(mine[r], begins[r]);
  }
  int begun = -1;  // runs that have begun, less one
#pragma unroll 1
  for (uint32_t first = 0; first < total; first += window) {
    shared.begins[lane] = 0;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < Runs; ++r) {
      const uint32_t bit = begins[r] - first;
      if (counts[r] > 0 && bit < window)
        ptx::or_shared(ptx::shared_address(&shared.begins[bit / warp_threads]), 1u << bit % warp_threads);
    }
    __syncwarp();
    const int rows = ceil_div(min_of(window, total - first), uint32_t(warp_threads));
#pragma unroll 1
    for (int row = 0; row < rows; row += Unroll) {
      typename Copy::Piece pieces[Unroll];
#pragma unroll
      for (int u = 0; u < Unroll; ++u) {
        // No shuffles: the compiler would not load the next piece before this one is there.
        const uint32_t bits = shared.begins[row + u], i = first + (row + u) * warp_threads + lane;
        pieces[u] = copy.load(shared.runs[begun + __popc(bits & (ptx::lanes_below() | 1u << lane))], i, i < total);
        begun += __popc(bits);
      }
#pragma unroll
      for (int u = 0; u < Unroll; ++u) copy.store(pieces[u]);
    }
    __syncwarp();
  }
}

}  // namespace jig
