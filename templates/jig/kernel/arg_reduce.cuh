// Device-wide minimum or maximum with its index, in one launch.
#pragma once
#include <jig/agent/arg_reduce.cuh>

namespace jig {

template <class Policy, class Op, class In, class ValueOut, class IndexOut, class Accum>
__device__ void arg_reduce(const In &in, const ValueOut &value_out, const IndexOut &index_out,
                           uint64_t num_items, Tagged<Accum> *partials, uint64_t tag) {
  using Agent = AgentReduce<Policy, Accum, Indexed<In>, Op>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const Indexed<In> items{in};
  Accum result;
  if (!Agent(storage, items, num_items, {}, Op()).Reduce(result, partials, tag)) return;
  result = find_item(result, in, num_items, Op());
  if constexpr (!is_same<ValueOut, none>) value_out.store(0, result.value);
  index_out.store(0, int64_t(result.index));
}

}  // namespace jig
