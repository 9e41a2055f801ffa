// The entry point of a top-k's sample.
#pragma once
#include <jig/kernel/top_k/top_k_sample.cuh>
#include <jig/kernel/top_k/top_k_entry.cuh>

JIG_TOP_K_ENTRY(jig_top_k_sample, top_k_sample)
