/* Calling jig_segmented_sort() in tests, by both phases, with everything checked around it. */
#ifndef JIG_TESTS_SEGMENTED_SORT_SUPPORT_H
#define JIG_TESTS_SEGMENTED_SORT_SUPPORT_H

#include "radix_sort_support.h"
#include "segments.h"

/* Runs a sort: queries the size, takes poisoned temp storage of just that size, launches and waits. */
void run_segmented_sort(jig_engine *engine, const jig_segmented_sort_args *args);

/* What a segment has at most, in items: for it to be sorted at once; of the first class; for it to be
 * sorted by a block; and of few segments, for it to be compared, and to be sorted at once by either
 * kernel. */
typedef struct segmented_sort_marks {
  size_t small, first, block, compared, few, few_long;
} segmented_sort_marks;
segmented_sort_marks segmented_sort_marks_of(jig_type key, jig_type value);

/* Segments of lengths around all of these, and some longer ones, in any order and with gaps. */
segment_list segments_around(const segmented_sort_marks *marks);

/* Segments of which each has a block of the first kernel: one list for each number below this, of some by
 * which all are sorted, and of some that leaves others. */
enum { SEGMENTED_SORT_FEW_LISTS = 6 };
segment_list few_segments(jig_type key, jig_type value, int number);

/* Runs a sort of the segments of these keys, with random values, and compares with the host's. What is in
 * no segment must not be written. */
void check_segmented_sort(const sort_case *c, const segment_list *list);

/* The same of random keys or others, for all that the case says besides. */
void check_segmented_pattern(sort_case c, const segment_list *list, key_pattern pattern);

#endif
