// The entry point of a merge sort's passes that merge runs by four.
#pragma once
#include <jig/kernel/merge_sort/merge_sort_merge4.cuh>
#include <jig/kernel/merge_sort/merge_sort_entry.cuh>

JIG_MERGE_SORT_ENTRY(jig_merge_sort_merge4, merge_sort_merge4)
