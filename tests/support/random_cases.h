/* Random calls: a case for each algorithm, which draws types, operators, iterators, counts and items,
 * makes the call, and compares. What differs is told by random_fail(). */
#ifndef JIG_TESTS_RANDOM_CASES_H
#define JIG_TESTS_RANDOM_CASES_H

#include "random_run.h"

/* Every algorithm's. */
/* clang-format off */
#define RANDOM_CASES(X)                                                                              \
  X(adjacent_difference) X(arg_reduce) X(binary_search) X(bulk) X(copy) X(copy_batched) X(find_if)   \
  X(for_each) X(histogram) X(is_sorted) X(memcpy_batched) X(merge) X(merge_sort) X(min_max)          \
  X(non_trivial_runs) X(nth_element) X(partition) X(radix_sort) X(reduce) X(reduce_by_key)           \
  X(reverse) X(run_length_encode) X(scan) X(scan_by_key) X(segmented_arg_reduce) X(segmented_reduce) \
  X(segmented_scan) X(segmented_sort) X(segmented_top_k) X(select) X(set_operation)                  \
  X(three_way_partition) X(top_k) X(transform) X(unique)
/* clang-format on */
#define RANDOM_CASE(name) void random_##name(void);
RANDOM_CASES(RANDOM_CASE)
#undef RANDOM_CASE

/* ---- what they share */

/* How many items, drawn from the data: none, some, about a power of two or a small multiple, any number
 * up to the limit, or less of large items. */
extern size_t random_limit;
size_t data_count(size_t item_size);

/* An integer that has every index of so many items, and their number: of a small one they are less. */
item_kind random_index(size_t *count);

/* Until places_free(). */
void *new_items(const item_kind *k, item_mix mix, size_t count);
void *keys_in_runs(const item_kind *k, size_t count);
void *picked(const item_kind *k, const void *items, const size_t *order, size_t count);

/* Neighbours that belong to one run: equal ones, or such that the later one does not come before the
 * earlier. Where the run that begins with item i ends. */
jig_op run_op(const item_kind *k, bool rises);
size_t run_end(const item_kind *k, const void *keys, size_t i, size_t count, bool rises);

/* A test, or another one, and what it says of an item. */
jig_op test_op(const item_kind *k, bool other);
bool passes(const item_kind *k, const void *items, size_t i, bool other);

/* An output of one item, an integer. */
void check_number(const place_output *out, int128 number, const char *what);
/* An output of which only some items are written. */
void place_check_some(const place_output *out, const void *wanted, const bool *written, bool keeps_others,
                      const char *what);

/* ---- segments */

typedef struct segment_case {
  size_t count, items;
  int64_t *begins, *ends;
  jig_iter begin_offsets, end_offsets; /* of kind NONE: rows of one size */
  bool one_array;
} segment_case;

/* Few, many, short, long and empty ones; of offsets in one array, or of two in any order, with gaps. */
typedef enum segment_rule { SEGMENTS_OVERLAP, SEGMENTS_DISJOINT } segment_rule;
segment_case random_segments(size_t items, segment_rule rule);
/* These, or rows of `row` items. */
segment_case segments_or_rows(size_t item_size, size_t *row, segment_rule rule);
size_t segment_length(const segment_case *s, size_t i);
size_t random_length(size_t most);

#endif
