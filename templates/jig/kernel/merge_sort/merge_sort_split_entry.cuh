// The entry point of a merge sort's search for where tiles begin.
#pragma once
#include <jig/kernel/merge_sort/merge_sort_split.cuh>
#include <jig/kernel/merge_sort/merge_sort_entry.cuh>

JIG_MERGE_SORT_ENTRY(jig_merge_sort_split, merge_sort_split)
