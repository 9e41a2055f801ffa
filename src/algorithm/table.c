/* Every algorithm, a row each. */
#include "jit/algorithm.h"

extern const algorithm reduce_algorithm, arg_reduce_algorithm, scan_algorithm, scan_by_key_algorithm,
    segmented_scan_algorithm, reduce_by_key_algorithm, run_length_encode_algorithm,
    non_trivial_runs_algorithm, select_algorithm, unique_algorithm, partition_algorithm,
    three_way_partition_algorithm, radix_sort_algorithm, segmented_sort_algorithm, merge_sort_algorithm,
    merge_algorithm, top_k_algorithm, copy_algorithm, adjacent_difference_algorithm,
    memcpy_batched_algorithm, copy_batched_algorithm, transform_algorithm, for_each_algorithm,
    bulk_algorithm, histogram_algorithm;

const algorithm *const algorithm_table[] = {
    &reduce_algorithm,
    &arg_reduce_algorithm,
    &scan_algorithm,
    &scan_by_key_algorithm,
    &segmented_scan_algorithm,
    &reduce_by_key_algorithm,
    &run_length_encode_algorithm,
    &non_trivial_runs_algorithm,
    &select_algorithm,
    &unique_algorithm,
    &partition_algorithm,
    &three_way_partition_algorithm,
    &radix_sort_algorithm,
    &segmented_sort_algorithm,
    &merge_sort_algorithm,
    &merge_algorithm,
    &top_k_algorithm,
    &copy_algorithm,
    &adjacent_difference_algorithm,
    &memcpy_batched_algorithm,
    &copy_batched_algorithm,
    &transform_algorithm,
    &for_each_algorithm,
    &bulk_algorithm,
    &histogram_algorithm,
    NULL,
};
