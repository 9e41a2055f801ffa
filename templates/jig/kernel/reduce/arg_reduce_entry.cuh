// The entry point of an arg-reduce. The program defines jig_policy, jig_in_t, jig_value_out_t,
// jig_index_out_t, jig_compare_t, jig_op (0: the minimum, 1: the maximum) and jig_nan (0: propagated, 1: ignored);
// and macros of any name, perhaps.
#pragma once
#include <jig/kernel/reduce/arg_reduce.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_arg_reduce(const jig_in_t jig_in, const jig_value_out_t jig_value_out,
               const jig_index_out_t jig_index_out, const jig_compare_t jig_compare, uint64_t jig_num_items,
               jig::Tagged<jig::indexed_value<jig_in_t::value_type>> *jig_partials, uint64_t jig_tag) {
  jig::arg_reduce<jig_policy>(
      jig_in, jig_value_out, jig_index_out,
      jig::arg_operator<jig_in_t::value_type, jig_compare_t, jig_op == 1, jig_nan == 0>(jig_compare),
      jig_num_items, jig_partials, jig_tag);
}
