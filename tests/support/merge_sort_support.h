/* Calling jig_merge_sort() in tests, by both phases, with everything checked around it; keys in many
 * orders; and what the host makes of them. */
#ifndef JIG_TESTS_MERGE_SORT_SUPPORT_H
#define JIG_TESTS_MERGE_SORT_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "algorithm/merge_sort_plan.h"

/* Runs a sort: queries the size, takes poisoned temp storage of just that size, launches and waits. */
void run_merge_sort(const jig_merge_sort_args *args);

/* In items: the tiles of each kernel, and from how many on tiles are large, passes merge by four, and
 * one of these searches in brackets. */
typedef struct merge_sort_marks {
  size_t small_tile, merge_tile, large_tile, merge4_tile, large_from, four_from, brackets_from;
} merge_sort_marks;
merge_sort_marks merge_sort_marks_of(const jig_merge_sort_args *args);

/* ---- keys */

typedef enum order_pattern {
  ORDER_RANDOM,
  ORDER_FEW, /* four different ones */
  ORDER_EQUAL,
  ORDER_SORTED,
  ORDER_REVERSED,
  ORDER_NEARLY_SORTED,
  ORDER_ODD_LAST, /* all equal but for the last, which comes before them */
  ORDER_SAWTOOTH, /* ascending runs of 1000 */
  ORDER_PATTERNS
} order_pattern;

/* Ranks of items in that order, below 2^31. */
uint32_t *ranks_of(order_pattern pattern, size_t count, uint64_t seed);

/* Items of any built-in type whose values rise with their ranks, as far as the type can tell them apart.
 */
void *items_of_ranks(jig_type type, const uint32_t *ranks, size_t count);

/* ---- the host's side */

/* As qsort()'s, of two keys. NaNs come last, and are equal. */
typedef int (*key_order)(const void *a, const void *b);
key_order order_of_kind(jig_type_kind kind);

/* The indices of keys in stable order, malloc'ed. */
size_t *stable_order(const void *keys, size_t size, size_t count, key_order order);

/* Sorts two inputs that lie one behind the other, each by itself. */
void sort_each(void *items, size_t size, const size_t counts[2], key_order order);

typedef struct merge_sort_case {
  jig_type key, value; /* value of kind NONE: there are none */
  const void *keys;    /* on the host */
  size_t count;
  jig_op op;       /* of kind NONE: < */
  key_order order; /* the same on the host */
  bool in_place;
  size_t offset; /* of all arrays off their alignment, in items */
  const char *what;
} merge_sort_case;

/* Runs a sort of these keys, with random values, and compares with the host's. */
void check_merge_sort(const merge_sort_case *c);

#endif
