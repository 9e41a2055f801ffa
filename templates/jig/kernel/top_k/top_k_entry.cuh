// The entry points of a top-k's kernels, which all take the same. The program defines jig_policy, jig_order,
// jig_keys_in_t, jig_keys_out_t, jig_values_in_t, jig_values_out_t and jig_decomposer_t; and macros of any name,
// perhaps.
#pragma once

#define JIG_TOP_K_ENTRY(jig_name, jig_kernel)                                                                    \
  extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,                                \
                                               jig::policy_min_blocks<jig_policy>)                             \
  jig_name(const jig_keys_in_t jig_keys_in, const jig_keys_out_t jig_keys_out,                                 \
           const jig_values_in_t jig_values_in, const jig_values_out_t jig_values_out,                         \
           const __grid_constant__ jig::TopKCall jig_call) {                                                   \
    using jig_keys_t = jig::top_k_keys<jig_order, jig_keys_in_t, jig_decomposer_t>;                            \
    const jig::TopKSink<jig_keys_t::Bits, jig_keys_in_t, jig_keys_out_t, jig_values_in_t, jig_values_out_t>    \
        jig_sink = {jig_call, jig_keys_in, jig_keys_out, jig_values_in, jig_values_out};                       \
    jig::jig_kernel<jig_policy, jig_keys_t>(jig_sink);                                                         \
  }
