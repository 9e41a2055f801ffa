/* Calling jig_top_k() in tests, by both phases, with everything checked around it; and what the host
 * makes of the same keys. */
#ifndef JIG_TESTS_TOP_K_SUPPORT_H
#define JIG_TESTS_TOP_K_SUPPORT_H

#include "algorithm/top_k_plan.h"
#include "radix_sort_support.h"

/* Runs a top-k: queries the size, takes poisoned temp storage of just that size, launches and waits. */
void run_top_k(const jig_top_k_args *args);

/* How many items one block takes at most. */
size_t top_k_alone(jig_type key);

typedef struct top_k_case {
  jig_type key, value; /* value of kind NONE: there are none */
  const void *keys;
  size_t count, k;
  jig_top_k_choice choice;
  bool is_sorted;
  size_t offset; /* of all arrays off their alignment, in items */
  const char *what;
} top_k_case;

/* Runs a top-k of these keys, with values by which items are told apart, and compares with the host's:
 * those items and no others, in order if that was asked for. */
void check_top_k(const top_k_case *c);

/* The same with keys of a pattern. */
void check_top_k_pattern(top_k_case c, key_pattern pattern);

#endif
