// The entry point of what writes a sorted top-k.
#pragma once
#include <jig/kernel/top_k/top_k_gather.cuh>
#include <jig/kernel/top_k/top_k_entry.cuh>

JIG_TOP_K_ENTRY(jig_top_k_gather, top_k_gather)
