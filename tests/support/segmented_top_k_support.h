/* Calling jig_segmented_top_k() in tests, by both phases, with everything checked around it. */
#ifndef JIG_TESTS_SEGMENTED_TOP_K_SUPPORT_H
#define JIG_TESTS_SEGMENTED_TOP_K_SUPPORT_H

#include "radix_sort_support.h"
#include "segments.h"

/* Runs a top-k: queries the size, takes poisoned temp storage of just that size, launches and waits. */
void run_segmented_top_k(const jig_segmented_top_k_args *args);

/* In items: what a segment has at most that a warp ranks; the tile of a warp that looks through one; what
 * a warp and a block have room for in shared memory. */
typedef struct segmented_top_k_marks {
  size_t small, tile, warp, block;
} segmented_top_k_marks;
segmented_top_k_marks segmented_top_k_marks_of(jig_type key);

/* Segments of lengths around all of these, and some longer ones, in any order and with gaps. */
segment_list segments_around_marks(const segmented_top_k_marks *marks);

typedef struct segmented_top_k_case {
  jig_type key, value; /* value of kind NONE: there are none */
  const void *keys;
  size_t k;
  jig_top_k_choice choice;
  bool is_sorted;
  bool is_fixed;                       /* all segments are of one size: no offsets are told */
  bool iterates_keys, iterates_values; /* these inputs are no pointers */
  size_t offset;                       /* of all arrays off their alignment, in items */
  const char *what;
} segmented_top_k_case;

/* Runs a top-k of the segments of these keys, with values by which items are told apart, and compares
 * with the host's: those items and no others, in order if that was asked for, and nothing else is
 * written. */
void check_segmented_top_k(const segmented_top_k_case *c, const segment_list *list);

/* The same with keys of a pattern, which begins anew in every segment. */
void check_segmented_top_k_pattern(segmented_top_k_case c, const segment_list *list, key_pattern pattern);

/* So many segments of one size, side by side. */
segment_list segments_of_size(size_t count, size_t size);

#endif
