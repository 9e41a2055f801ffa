// Device-wide search for the places of needles in a range that is in order, in one launch: for few needles, and for
// many.
#pragma once
#include <jig/agent/binary_search/binary_search.cuh>
#include <jig/agent/binary_search/search_few.cuh>
#include <jig/core/count.cuh>

namespace jig {

template <class Policy, int Bound, class In, class Needles, class Out, class UpperOut, class Compare, class Count>
__device__ void binary_search_few(const In &in, const Needles &needles, const Out &out, const UpperOut &upper_out,
                                  const Compare &compare, uint64_t num_items, Count num_needles, uint64_t, uint32_t,
                                  int) {
  using Less = less_of<Compare>;
  ptx::wait_for_prerequisite_grids();
  SearchFew<Policy, Bound, In, Needles, Less>{{in, less_of_op<Compare>::of(compare), num_items}, needles, num_needles}
      .Run(out, upper_out);
}

template <class Policy, int Bound, int Share, class In, class Needles, class Out, class UpperOut, class Compare,
          class Count>
__device__ void binary_search(const In &in, const Needles &needles, const Out &out, const UpperOut &upper_out,
                              const Compare &compare, uint64_t num_items, Count needle_count, uint64_t share,
                              uint32_t tile_needles, int sweeps) {
  using Agent = AgentBinarySearch<Policy, Share, Bound, In, Needles, less_of<Compare>>;
  __shared__ typename Agent::TempStorage storage;
  const less_of<Compare> &less = less_of_op<Compare>::of(compare);
  ptx::wait_for_prerequisite_grids();
  const uint64_t num_needles = needle_count;
  if constexpr (is_same<Count, DeviceCount>) share = ceil_div(num_needles, uint64_t(gridDim.x));
  Agent agent(storage, in, needles, less, num_items, num_needles);
  if (!sweeps || !agent.RunInOrder(out, upper_out, share)) agent.RunTiles(out, upper_out, share, tile_needles);
}

}  // namespace jig
