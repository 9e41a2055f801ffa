/* Calls of every algorithm with counts of any size, for tests without a GPU: pointers lead nowhere. */
#ifndef JIG_TESTS_COUNT_CASES_H
#define JIG_TESTS_COUNT_CASES_H

#include <jig/jig.h>

/* A call of one count, or of two. */
typedef struct count_case {
  const char *name;
  const char *function;     /* what errors begin with */
  const char *arguments[2]; /* that count; NULL: there is only one of them */
  /* The largest of what they count in memory, bytes; 0: nothing is in memory. */
  uint64_t item_bytes[2];
  /* Powers of two from which on there are too many of them for certain. */
  unsigned fails_from[2];
  /* Of temp storage for each item of the first, if there are many: so many bytes or more. */
  uint64_t temp_bytes;
  jig_status (*call)(jig_engine *engine, void *storage, size_t *bytes, uint64_t n, uint64_t m);
  uint64_t works_to; /* up to so many all calls work; 0: WORKS_TO */
  /* If the second count is one of each of the first: the largest that there is. */
  uint64_t most_of_each;
} count_case;
#define WORKS_TO ((uint64_t)1 << 36)

/* Ends with a name that is NULL. */
extern const count_case count_cases[];

/* 0 to 100, and around every power of two up to the last number there is. In ascending order. */
enum { COUNTS_NEAR_POWERS = 101 + 57 * 3 + 1 };
void counts_near_powers(uint64_t counts[COUNTS_NEAR_POWERS]);

/* Of any magnitude; as often as not near a power of two, or near `near`. */
uint64_t random_count(uint64_t *seed, uint64_t near);

#endif
