// Device-wide minimum or maximum with its index, in one launch. The program names policy, in_t,
// value_out_t, index_out_t, op_t (minimum or maximum).
#pragma once
#include <jig/agent/reduce.cuh>
#include <jig/core/arg.cuh>

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
  if constexpr (!is_same<ValueOut, none>) value_out.store(0, result.value);
  index_out.store(0, int64_t(find_index(result, in, num_items, Op())));
}

}  // namespace jig

extern "C" __global__ void __launch_bounds__(policy::threads, policy::min_blocks)
jig_arg_reduce(const in_t in, const value_out_t value_out, const index_out_t index_out,
               uint64_t num_items, jig::Tagged<jig::indexed_value<in_t::value_type>> *partials,
               uint64_t tag) {
  jig::arg_reduce<policy, jig::arg_extreme<op_t>>(in, value_out, index_out, num_items, partials, tag);
}
