/* Calling jig_radix_sort() in tests, by both phases, with everything checked around it; keys of many
 * kinds; and what the host makes of them. */
#ifndef JIG_TESTS_RADIX_SORT_SUPPORT_H
#define JIG_TESTS_RADIX_SORT_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "algorithm/radix_sort_plan.h"
#include "numbers.h"

/* Runs a sort with an engine, NULL being the default one: queries the size, takes poisoned temp storage
 * of just that size, launches and waits. */
void run_radix_sort(jig_engine *engine, const jig_radix_sort_args *args);

/* An engine whose kernels are compiled with one more option. */
jig_engine *engine_with_option(const char *option);

/* In items: what a block by itself takes at most; the largest tile of a pass; and from how many on all
 * tiles are as large as that. And how many blocks may sort together. */
typedef struct radix_sort_marks {
  size_t alone, tile, resident, blocks;
} radix_sort_marks;
radix_sort_marks radix_sort_marks_of(jig_type key,
                                     jig_type value); /* value of kind NONE: there are none */

/* ---- keys */

typedef enum key_pattern {
  KEYS_RANDOM,
  KEYS_FEW, /* four different ones */
  KEYS_EQUAL,
  KEYS_SORTED,
  KEYS_REVERSED,
  KEYS_NEARLY_SORTED,
  KEYS_ODD_LAST,   /* all equal but for the last */
  KEYS_MOSTLY_ONE, /* two of three are the same */
  KEYS_ONE_DIGIT,  /* differ in one byte only */
  KEY_PATTERNS
} key_pattern;

/* Keys of any built-in type: all bits random, among floating-point ones NaNs and zeros of both signs. */
void *keys_of(jig_type type, key_pattern pattern, size_t count, uint64_t seed);
const char *key_pattern_name(key_pattern pattern);

/* ---- the host's side */

/* A key's bits as a number that is ordered as the keys are to be. */
uint128 ordered_key_bits(jig_type key, jig_sort_order order, const void *keys, size_t i);

typedef struct sort_case {
  jig_engine *engine;  /* NULL: the default one */
  jig_type key, value; /* value of kind NONE: there are none */
  const void *keys;
  size_t count;
  jig_sort_order order;
  int begin_bit, end_bit;
  bool has_buffers;
  size_t offset;                       /* of all arrays off their alignment, in items */
  bool iterates_keys, iterates_values; /* these inputs are no pointers */
  const char *what;
} sort_case;

/* The indices of a case's keys first .. first + count - 1, in order. */
void sort_on_host(const sort_case *c, size_t first, size_t count, size_t *order);

/* An input in memory, by an iterator that is a pointer or not. */
jig_iter sort_input(const void *memory, jig_type type, bool iterates);

/* Runs a sort of these keys, with random values, and compares with the host's; or of keys like that. */
void check_radix_sort(const sort_case *c);
void check_radix_sort_of(sort_case c, key_pattern pattern);

#endif
