// The entry point of a top-k by one block.
#pragma once
#include <jig/kernel/top_k/top_k_block.cuh>
#include <jig/kernel/top_k/top_k_entry.cuh>

JIG_TOP_K_ENTRY(jig_top_k_block, top_k_block)
