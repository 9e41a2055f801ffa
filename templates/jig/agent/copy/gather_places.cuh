// Moves items that are too large for registers to an output, once a list has the places of all that go there. By all
// warps of the grid, which take so few items at a time that there are some for each.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Items 0 .. count - 1 of the output; place_at(i) is where item i of it lies.
template <int Threads, class Out, class PlaceAt>
__device__ void gather_places(const Out &out, uint64_t count, const PlaceAt &place_at) {
  constexpr int items = items_at_once<Out>, warps = Threads / warp_threads;
  const uint64_t step = uint64_t(gridDim.x) * warps * items;
#pragma unroll 1
  for (uint64_t i = (uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads) * items; i < count; i += step)
    store_by_warp(out, i, int(min_of(count - i, uint64_t(items))), [&](int k) { return place_at(i + k); });
}

}  // namespace jig
