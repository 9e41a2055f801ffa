/* Policies: the numbers that tune a program and never change its results.
 *
 * Each algorithm has a table of rows in a file of its own. Among the rows that fit a spec, the one with
 * the highest architecture at or below the target's is taken; a row for SM 75, the oldest supported,
 * always fits. */
#ifndef JIG_POLICY_POLICY_H
#define JIG_POLICY_POLICY_H

#include <string.h>

#include "spec/spec.h"

enum { POLICY_MAX_VALUES = 10, POLICY_OLDEST_SM = 75 };

/* Named numbers, the first of them "threads", the threads of a block. All of them are constants of
 * `policy` in device code; the host goes by some of them too when it launches. */
typedef struct policy {
  int count;
  const char *const *names;
  int values[POLICY_MAX_VALUES];
} policy;

static inline unsigned policy_threads(const policy *p) {
  return (unsigned)p->values[0];
}

/* The value of that name; `otherwise` if there is none. */
static inline int policy_value(const policy *p, const char *name, int otherwise) {
  for (int i = 0; i < p->count; ++i)
    if (strcmp(p->names[i], name) == 0) return p->values[i];
  return otherwise;
}

/* An algorithm's policy for a spec on an architecture (90 is SM 9.0, at least 75). */
typedef policy (*policy_choose)(const spec *s, int sm);

enum { REDUCE_THREADS, REDUCE_UNROLL, REDUCE_LANE_RUNS, REDUCE_MIN_BLOCKS };
policy reduce_policy(const spec *s, int sm);

/* The kernels of algorithms that hand results from tile to tile, in this order, and what tunes each. */
enum { CHAIN_WAVE, CHAIN_LARGE, CHAIN_KERNELS }; /* the latter: look-back or ring */
enum { CHAIN_THREADS, CHAIN_ROWS, CHAIN_MIN_BLOCKS, CHAIN_RUN_ITEMS };

/* Whether a ring can have these tiles copied: of SM 90 and later, but SM 120 has less shared memory. */
static inline bool ring_can_copy(const jig_iter *in, int sm) {
  const uint32_t size = in->type.size;
  return sm >= 90 && sm < 120 && in->kind == JIG_ITER_POINTER && size <= 16 && (size & (size - 1)) == 0;
}

policy scan_wave_policy(const spec *s, int sm);
policy scan_lookback_policy(const spec *s, int sm);
policy scan_ring_policy(const spec *s, int sm);
bool scan_ring_fits(const spec *s, int sm);
policy by_key_wave_policy(const spec *s, int sm);
policy by_key_lookback_policy(const spec *s, int sm);
policy by_key_ring_policy(const spec *s, int sm);
bool by_key_ring_fits(const spec *s, int sm);
policy run_length_wave_policy(const spec *s, int sm);
policy run_length_lookback_policy(const spec *s, int sm);
policy run_length_ring_policy(const spec *s, int sm);
bool run_length_ring_fits(const spec *s, int sm);

enum { SEGMENTED_THREADS, SEGMENTED_ROWS, SEGMENTED_MIN_BLOCKS };
policy segmented_scan_policy(const spec *s, int sm);
policy segmented_scan_long_policy(const spec *s, int sm);
policy segmented_scan_ring_policy(const spec *s, int sm);
bool segmented_scan_ring_fits(const spec *s, int sm);

/* The kernels of radix sort, in this order, and what tunes the first and the last. */
enum { RADIX_SORT_CLUSTER, RADIX_SORT_HISTOGRAM, RADIX_SORT_PASS, RADIX_SORT_KERNELS };
enum {
  RADIX_SORT_THREADS,
  RADIX_SORT_ROWS,
  RADIX_SORT_INDEXED_ROWS,
  RADIX_SORT_MIN_BLOCKS,
  RADIX_SORT_BATCH,
  RADIX_SORT_PLAIN_BYTES /* of shared memory, where keys have no indices */
};
policy radix_sort_cluster_policy(const spec *s, int sm);
policy radix_sort_histogram_policy(const spec *s, int sm);
policy radix_sort_pass_policy(const spec *s, int sm);

/* The kernels of segmented sort, in this order, and what tunes both; and the first one besides. */
enum { SEGMENTED_SORT_SMALL, SEGMENTED_SORT_LARGE, SEGMENTED_SORT_KERNELS };
enum {
  SEGMENTED_SORT_THREADS,
  SEGMENTED_SORT_WARP_ITEMS,
  SEGMENTED_SORT_MIN_BLOCKS,
  SEGMENTED_SORT_SMALL_ITEMS
};
policy segmented_sort_small_policy(const spec *s, int sm);
policy segmented_sort_large_policy(const spec *s, int sm);

/* What merge sort moves about: a key, with its value or, of a large one, with the place where that is. */
typedef struct merge_sort_record {
  uint32_t bytes;
  bool has_places;
} merge_sort_record;
merge_sort_record merge_sort_record_of(const jig_type *key,
                                       const jig_type *value); /* value may be NULL */

/* As many blocks of a multiprocessor as are wanted, or as it has shared memory and threads for. */
int merge_sort_min_blocks(int sm, int threads, int bytes, int wanted);

/* The kernels of merge sort, in this order, and what tunes each. */
enum {
  MERGE_SORT_SMALL_BLOCK,
  MERGE_SORT_MERGE,
  MERGE_SORT_LARGE_BLOCK,
  MERGE_SORT_SPLIT,
  MERGE_SORT_MERGE4,
  MERGE_SORT_KERNELS
};
enum { MERGE_SORT_THREADS, MERGE_SORT_ITEMS, MERGE_SORT_MIN_BLOCKS }; /* not of the split */
policy merge_sort_small_block_policy(const spec *s, int sm);
policy merge_sort_merge_policy(const spec *s, int sm);
policy merge_sort_large_block_policy(const spec *s, int sm);
policy merge_sort_split_policy(const spec *s, int sm);
policy merge_sort_merge4_policy(const spec *s, int sm);

/* The kernels of merge, in this order, and what tunes the first and the last. */
enum { MERGE_SMALL, MERGE_SPLIT, MERGE_LARGE, MERGE_KERNELS };
enum { MERGE_THREADS, MERGE_ITEMS };
policy merge_small_policy(const spec *s, int sm);
policy merge_split_policy(const spec *s, int sm);
policy merge_large_policy(const spec *s, int sm);

/* The kernels of top-k, in this order, and what tunes all of them; then what else tunes some. */
enum { TOP_K_BLOCK, TOP_K_SAMPLE, TOP_K_PASS, TOP_K_SELECT, TOP_K_GATHER, TOP_K_KERNELS };
enum { TOP_K_THREADS, TOP_K_MIN_BLOCKS, TOP_K_ITEMS };
enum { TOP_K_MOST_ITEMS = 3 };                  /* of the first, that one block takes */
enum { TOP_K_MOST_SAMPLES = 3, TOP_K_STRETCH }; /* of the second */
policy top_k_block_policy(const spec *s, int sm);
policy top_k_sample_policy(const spec *s, int sm);
policy top_k_pass_policy(const spec *s, int sm);
policy top_k_select_policy(const spec *s, int sm);
policy top_k_gather_policy(const spec *s, int sm);

/* Of select, unique and the partitions. */
policy select_wave_policy(const spec *s, int sm);
policy select_lookback_policy(const spec *s, int sm);
policy select_ring_policy(const spec *s, int sm);
bool select_ring_fits(const spec *s, int sm);

#endif
