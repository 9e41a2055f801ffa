// Device-wide minimum or maximum with its index, in one launch.
#pragma once
#include <jig/agent/reduce/arg_reduce.cuh>

namespace jig {

template <class Policy, bool Max, bool PropagateNan, class In, class ValueOut, class IndexOut, class Compare,
          class Accum, class Count>
__device__ void arg_reduce(const In &in, const ValueOut &value_out, const IndexOut &index_out, const Compare &compare,
                           Count num_items, TileState<Accum> *partials, uint64_t tag) {
  const auto op = arg_operator<typename In::value_type, Compare, Max, PropagateNan>(compare);
  using Op = decltype(arg_operator<typename In::value_type, Compare, Max, PropagateNan>(compare));
  using Agent = AgentReduce<Policy, Accum, Indexed<In>, Op>;
  using Index = typename IndexOut::value_type;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  const ActiveBlocks<Count> blocks(Agent::units(count), Agent::block_units);
  if (!blocks.has_this()) return;
  if constexpr (!has_identity<Op>) {
    if (count == 0) {
      if (threadIdx.x == 0) index_out.store(0, Index(-1));
      return;
    }
  }
  const Indexed<In> items{in};
  Accum result;
  if (!Agent(storage, items, count, {}, op, blocks.count()).Reduce(result, partials, tag)) return;
  result = find_item(result, in, count, op);
  if constexpr (!is_same<ValueOut, none>) value_out.store(0, result.value);
  index_out.store(0, static_cast<Index>(int64_t(result.index)));
}

}  // namespace jig
