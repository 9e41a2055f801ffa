// Device-wide reduce in one launch.
#pragma once
#include <jig/agent/reduce/reduce.cuh>

namespace jig {

// The initial value: by value, or from an iterator. The other one is `none`.
template <class Accum, class Init, class InitIn>
__device__ Accum reduce_init(const Init &init, const InitIn &init_in) {
  if constexpr (!is_same<InitIn, none>)
    return static_cast<Accum>(init_in[0]);
  else
    return static_cast<Accum>(init);
}

template <class Policy, class Accum, class In, class Out, class Init, class InitIn, class Op>
__device__ void reduce(const In &in, const Out &out, const Init &init, const InitIn &init_in, Op op, uint64_t num_items,
                       even_share ranges, TileState<Accum> *partials, uint64_t tag) {
  constexpr bool has_init = !is_same<Init, none> || !is_same<InitIn, none>;
  using Agent = AgentReduce<Policy, Accum, In, Op>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Accum result;
  if constexpr (!has_identity<Op> && has_init) {
    if (num_items == 0) {  // without an init there is nothing to write, and no launch
      if (threadIdx.x == 0)
        out.store(0, static_cast<typename Out::value_type>(reduce_init<Accum>(init, init_in)));
      return;
    }
  }
  if (!Agent(storage, in, num_items, ranges, op).Reduce(result, partials, tag)) return;
  if constexpr (has_init) result = op(reduce_init<Accum>(init, init_in), result);
  out.store(0, static_cast<typename Out::value_type>(result));
}

}  // namespace jig
