// The entry point of a merge sort's blocks that sort the tiles of few items.
#pragma once
#include <jig/kernel/merge_sort/merge_sort_block.cuh>
#include <jig/kernel/merge_sort/merge_sort_entry.cuh>

JIG_MERGE_SORT_ENTRY(jig_merge_sort_small_block, merge_sort_block)
