// The entry point of a merge of few items, whose blocks search for themselves.
#pragma once
#include <jig/kernel/merge/merge_entry.cuh>

JIG_MERGE_ENTRY(jig_merge_small, merge_block)
