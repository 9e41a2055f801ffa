// The entry point of a merge sort's blocks that sort tiles.
#pragma once
#include <jig/kernel/merge_sort/merge_sort_block.cuh>
#include <jig/kernel/merge_sort/merge_sort_entry.cuh>

JIG_MERGE_SORT_ENTRY(jig_merge_sort_large_block, merge_sort_block)
