// The entry point of a top-k's pass.
#pragma once
#include <jig/kernel/top_k/top_k_pass.cuh>
#include <jig/kernel/top_k/top_k_entry.cuh>

JIG_TOP_K_ENTRY(jig_top_k_pass, top_k_pass)
