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

template <class Policy, class Accum, class In, class Out, class Init, class InitIn, class Op, class Count>
__device__ void reduce(const In &in, const Out &out, const Init &init, const InitIn &init_in, Op op, Count num_items,
                       even_share ranges, TileState<Accum> *partials, uint64_t tag) {
  constexpr bool has_init = !is_same<Init, none> || !is_same<InitIn, none>;
  using Agent = AgentReduce<Policy, Accum, In, Op>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Accum result;
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(Agent::units(count), Agent::block_units);
  if (!blocks.has_this()) return;
  if constexpr (!has_identity<Op> && has_init) {
    if (count == 0) {
      if (threadIdx.x == 0)
        out.store(0, static_cast<typename Out::value_type>(reduce_init<Accum>(init, init_in)));
      return;
    }
  } else if constexpr (!has_identity<Op>) {
    if (has_none<Count>(count)) return; // nothing to write; a host that knows does not launch
  }
  ranges = share_of<Count, Agent>(ranges, count, blocks.count());
  if (!Agent(storage, in, count, ranges, op, blocks.count()).Reduce(result, partials, tag)) return;
  if constexpr (has_init) result = op(reduce_init<Accum>(init, init_in), result);
  out.store(0, static_cast<typename Out::value_type>(result));
}

}  // namespace jig
