#include "engine/plan_limits.h"

const plan_limits plan_limits_default = {
    .segment_part_bits = 10,
    .segment_reach = 16,
    .segment_most_short = UINT64_MAX,
    .radix_sort_max_portion = ((uint64_t)1 << 30) - 1,
    .radix_sort_max_cluster = ~0U,
    .radix_sort_least_local = UINT64_MAX,
    .merge_sort_least_apart = (1 << 24) + 1,
    .radix_sort_top_passes = 0,
    .segmented_sort_max_segments = (uint64_t)1 << 31,
    .segmented_sort_parts = 2,
    .segmented_sort_wide_items = (uint64_t)1 << 30,
    .top_k_forced_mistake = TOP_K_NO_MISTAKE,
    .top_k_most_single = UINT64_MAX,
    .top_k_least_index_width = 0,
    .segmented_reduce_most_few = UINT64_MAX,
    .segmented_reduce_few_items = UINT64_MAX,
    .segmented_top_k_part_items = 0,
    .histogram_block_samples = UINT64_MAX,
    .histogram_max_cluster = ~0U,
    .merge_least_largest = UINT64_MAX,
};
