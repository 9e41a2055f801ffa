// The entry point of a merge of many items.
#pragma once
#include <jig/kernel/merge/merge_entry.cuh>

JIG_MERGE_ENTRY(jig_merge_large, merge_block)
