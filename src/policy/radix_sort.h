/* How radix sort is tuned. */
#ifndef JIG_POLICY_RADIX_SORT_H
#define JIG_POLICY_RADIX_SORT_H

#include "policy/space.h"

/* Its kernels, in this order. */
enum {
  RADIX_SORT_BLOCK,
  RADIX_SORT_CLUSTER,
  RADIX_SORT_HISTOGRAM,
  RADIX_SORT_PASS,
  RADIX_SORT_LOCAL, /* only specs of radix_sort_can_be_local() have it */
  RADIX_SORT_KERNELS
};

/* Whether sorts by the highest digits alone, and then of buckets by themselves, can pay. */
bool radix_sort_can_be_local(const spec *s);

/* What the policies of the block, the cluster and the pass begin with. */
#define RADIX_SORT_TILE_TUNING(FIELD) FIELD(threads) FIELD(rows) FIELD(indexed_rows)
POLICY_STRUCT(radix_sort_tile_tuning, RADIX_SORT_TILE_TUNING);

#define RADIX_SORT_CLUSTER_TUNING(FIELD) \
  RADIX_SORT_TILE_TUNING(FIELD)          \
  FIELD(cluster) FIELD(frequent_digits) FIELD(frequent_share) FIELD(shared_bytes)
POLICY_STRUCT(radix_sort_cluster_tuning, RADIX_SORT_CLUSTER_TUNING);
#define RADIX_SORT_HISTOGRAM_TUNING(FIELD) \
  FIELD(threads) FIELD(copies) FIELD(can_be_local) FIELD(shared_bytes)
POLICY_STRUCT(radix_sort_histogram_tuning, RADIX_SORT_HISTOGRAM_TUNING);

/* staged_bytes: of a value in shared memory, or 0. plain_bytes: of that, where keys have no indices. */
#define RADIX_SORT_PASS_TUNING(FIELD) \
  RADIX_SORT_TILE_TUNING(FIELD)       \
  FIELD(min_blocks)                   \
  FIELD(staged_bytes)                 \
  FIELD(batch) FIELD(plain_bytes) FIELD(frequent_digits) FIELD(frequent_share) FIELD(shared_bytes)
POLICY_STRUCT(radix_sort_pass_tuning, RADIX_SORT_PASS_TUNING);

/* least_items: of as many items and more a sort may have this launch. */
#define RADIX_SORT_LOCAL_TUNING(FIELD) \
  FIELD(threads) FIELD(rows) FIELD(min_blocks) FIELD(batch) FIELD(least_items) FIELD(shared_bytes)
POLICY_STRUCT(radix_sort_local_tuning, RADIX_SORT_LOCAL_TUNING);

extern const policy_space radix_sort_block_space, radix_sort_cluster_space, radix_sort_histogram_space,
    radix_sort_pass_space, radix_sort_local_space;

#endif
