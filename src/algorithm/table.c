/* Every algorithm, a row each: what it is, and the steps of its calls. */
#include "algorithm/call.h"
#include "jit/algorithm.h"

#define ALGORITHMS(ROW)     \
  ROW(reduce)               \
  ROW(arg_reduce)           \
  ROW(scan)                 \
  ROW(scan_by_key)          \
  ROW(segmented_scan)       \
  ROW(reduce_by_key)        \
  ROW(run_length_encode)    \
  ROW(non_trivial_runs)     \
  ROW(select)               \
  ROW(unique)               \
  ROW(partition)            \
  ROW(three_way_partition)  \
  ROW(radix_sort)           \
  ROW(segmented_sort)       \
  ROW(merge_sort)           \
  ROW(merge)                \
  ROW(top_k)                \
  ROW(segmented_top_k)      \
  ROW(nth_element)          \
  ROW(copy)                 \
  ROW(adjacent_difference)  \
  ROW(memcpy_batched)       \
  ROW(copy_batched)         \
  ROW(transform)            \
  ROW(for_each)             \
  ROW(bulk)                 \
  ROW(histogram)            \
  ROW(segmented_reduce)     \
  ROW(segmented_arg_reduce) \
  ROW(find_if)              \
  ROW(binary_search)        \
  ROW(min_max)              \
  ROW(set_operation)        \
  ROW(is_sorted)            \
  ROW(reverse)

#define DECLARE(name)                      \
  extern const algorithm name##_algorithm; \
  extern const call_steps name##_steps;
ALGORITHMS(DECLARE)

#define ALGORITHM(name) &name##_algorithm,
const algorithm *const algorithm_table[] = {ALGORITHMS(ALGORITHM) NULL};

#define STEPS(name) &name##_steps,
const call_steps *const call_table[] = {ALGORITHMS(STEPS) NULL};
