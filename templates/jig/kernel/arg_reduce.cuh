// Device-wide minimum or maximum with its index, in one launch. The program defines jig_policy,
// jig_in_t, jig_value_out_t, jig_index_out_t and jig_op_t (minimum or maximum).
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

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_arg_reduce(const jig_in_t in, const jig_value_out_t value_out, const jig_index_out_t index_out,
               uint64_t num_items, jig::Tagged<jig::indexed_value<jig_in_t::value_type>> *partials,
               uint64_t tag) {
  using op = jig::arg_extreme<jig_op_t>;
  jig::arg_reduce<jig_policy, op>(in, value_out, index_out, num_items, partials, tag);
}
