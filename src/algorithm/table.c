/* Every algorithm, a row each. */
#include "jit/algorithm.h"

extern const algorithm reduce_algorithm, arg_reduce_algorithm, scan_algorithm, select_algorithm,
    unique_algorithm, partition_algorithm, three_way_partition_algorithm;

const algorithm *const algorithm_table[] = {
    &reduce_algorithm,
    &arg_reduce_algorithm,
    &scan_algorithm,
    &select_algorithm,
    &unique_algorithm,
    &partition_algorithm,
    &three_way_partition_algorithm,
    NULL,
};
