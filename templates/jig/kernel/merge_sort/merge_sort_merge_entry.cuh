// The entry point of a merge sort's passes that merge runs by two.
#pragma once
#include <jig/kernel/merge_sort/merge_sort_merge.cuh>
#include <jig/kernel/merge_sort/merge_sort_entry.cuh>

JIG_MERGE_SORT_ENTRY(jig_merge_sort_merge, merge_sort_merge)
