// The entry point of a reduce. The program defines jig_policy, jig_accum_t, jig_in_t, jig_out_t, jig_init_t,
// jig_init_in_t and jig_op_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/reduce/reduce.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_reduce(const jig_in_t jig_in, const jig_out_t jig_out, const jig_init_t jig_init,
           const jig_init_in_t jig_init_in, const jig_op_t jig_op, uint64_t jig_num_items, jig::even_share jig_ranges,
           jig::Tagged<jig_accum_t> *jig_partials, uint64_t jig_tag) {
  jig::reduce<jig_policy>(jig_in, jig_out, jig_init, jig_init_in, jig_op, jig_num_items, jig_ranges,
                          jig_partials, jig_tag);
}
