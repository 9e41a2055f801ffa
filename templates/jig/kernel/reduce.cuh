// Device-wide reduce in one launch.
#pragma once
#include <jig/agent/reduce.cuh>

namespace jig {

template <class Policy, class Accum, class In, class Out, class Init, class Op>
__device__ void reduce(const In &in, const Out &out, const Init &init, Op op, uint64_t num_items,
                       even_share ranges, Tagged<Accum> *partials, uint64_t tag) {
  using Agent = AgentReduce<Policy, Accum, In, Op>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Accum result;
  if constexpr (!has_identity<Op> && !is_same<Init, none>) {
    if (num_items == 0) {  // without an init there is nothing to write, and no launch
      if (threadIdx.x == 0) out.store(0, static_cast<typename Out::value_type>(static_cast<Accum>(init)));
      return;
    }
  }
  if (!Agent(storage, in, num_items, ranges, op).Reduce(result, partials, tag)) return;
  if constexpr (!is_same<Init, none>) result = op(static_cast<Accum>(init), result);
  out.store(0, static_cast<typename Out::value_type>(result));
}

}  // namespace jig
