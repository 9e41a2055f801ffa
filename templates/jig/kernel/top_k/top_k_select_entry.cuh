// The entry point of a top-k's search by all blocks.
#pragma once
#include <jig/kernel/top_k/top_k_select.cuh>
#include <jig/kernel/top_k/top_k_entry.cuh>

JIG_TOP_K_ENTRY(jig_top_k_select, top_k_select)
