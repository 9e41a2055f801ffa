// The entry point of the search for where the tiles of a large merge begin.
#pragma once
#include <jig/kernel/merge/merge_entry.cuh>

JIG_MERGE_ENTRY(jig_merge_split, merge_split)
