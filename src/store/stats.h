/* v1/stats: what the user's directory has been good for, added up by all that use it.
 *
 *   stats = 5 numbers of 20 decimal digits, each with a newline: store_stats in its order
 *
 * Whoever adds to it holds a lock on it, and writes all numbers at one stroke. What cannot be added, as
 * the file is busy, waits for the next time; what a process has counted that is killed is lost. */
#ifndef JIG_STORE_STATS_H
#define JIG_STORE_STATS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct store_stats {
  uint64_t hits, misses; /* programs that calls wanted: all in the cache, or not */
  uint64_t found, built; /* of their kernels, those from the cache, and those that were compiled */
  uint64_t build_us;     /* what these took */
} store_stats;

/* The sum of two. */
store_stats stats_sum(const store_stats *a, const store_stats *b);

/* Adds to the file in an open v1, made if need be. False if that was not to be had at once. */
bool stats_add(int version, const store_stats *change);

/* What it says; zeros if there is none, or a malformed one. */
store_stats stats_read(int version);

#endif
