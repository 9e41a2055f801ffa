/* How merge sort is tuned. */
#ifndef JIG_POLICY_MERGE_SORT_H
#define JIG_POLICY_MERGE_SORT_H

#include "policy/space.h"

/* What it moves about: a key, with its value or, of a large one, with the place where that is. */
typedef struct merge_sort_record {
  uint32_t bytes;
  bool has_places;
} merge_sort_record;
merge_sort_record merge_sort_record_of(const jig_type *key,
                                       const jig_type *value); /* value may be NULL */

/* As many blocks of a multiprocessor as are wanted, or as it has shared memory and threads for. */
int merge_sort_min_blocks(int sm, int threads, int bytes, int wanted);

/* Its kernels, in this order. */
enum {
  MERGE_SORT_SMALL_BLOCK,
  MERGE_SORT_MERGE,
  MERGE_SORT_LARGE_BLOCK,
  MERGE_SORT_SPLIT,
  MERGE_SORT_MERGE4,
  MERGE_SORT_GATHER, /* of keys or values that are too large for registers; of others: */
  MERGE_SORT_SPLIT_APART = MERGE_SORT_GATHER, /* the same as above for keys and values apart, */
  MERGE_SORT_MERGE4_APART,                    /* where outputs have those of many items in between */
  MERGE_SORT_KERNELS
};

/* Of both that sort blocks; the policies of those that merge begin with it. */
#define MERGE_SORT_BLOCK_TUNING(FIELD) FIELD(threads) FIELD(items) FIELD(min_blocks) FIELD(shared_bytes)
POLICY_STRUCT(merge_sort_block_tuning, MERGE_SORT_BLOCK_TUNING);

#define MERGE_SORT_MERGE_TUNING(FIELD) MERGE_SORT_BLOCK_TUNING(FIELD) FIELD(is_sure)
POLICY_STRUCT(merge_sort_merge_tuning, MERGE_SORT_MERGE_TUNING);
#define MERGE_SORT_MERGE4_TUNING(FIELD) MERGE_SORT_BLOCK_TUNING(FIELD) FIELD(tile_items)
POLICY_STRUCT(merge_sort_merge4_tuning, MERGE_SORT_MERGE4_TUNING);
#define MERGE_SORT_SPLIT_TUNING(FIELD) \
  FIELD(threads) FIELD(min_blocks) FIELD(tile_items) FIELD(merge_tile_items) FIELD(shared_bytes)
POLICY_STRUCT(merge_sort_split_tuning, MERGE_SORT_SPLIT_TUNING);

extern const policy_space merge_sort_small_block_space, merge_sort_merge_space,
    merge_sort_large_block_space, merge_sort_split_space, merge_sort_merge4_space;

#endif
