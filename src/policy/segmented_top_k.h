/* How segmented top-k is tuned. */
#ifndef JIG_POLICY_SEGMENTED_TOP_K_H
#define JIG_POLICY_SEGMENTED_TOP_K_H

#include "policy/space.h"

/* Its kernels, in this order; those from SEGMENTED_TOP_K_EVEN on are of segments that have one size. */
enum {
  SEGMENTED_TOP_K_SMALL,
  SEGMENTED_TOP_K_LARGE,
  SEGMENTED_TOP_K_WHOLE, /* the same of fewer items, none of whose segments is cut */
  SEGMENTED_TOP_K_SEARCH,
  SEGMENTED_TOP_K_EVEN,
  SEGMENTED_TOP_K_ROWS,
  SEGMENTED_TOP_K_CLUSTERS,
  SEGMENTED_TOP_K_LONG_ROWS, /* by fewer blocks each, whose threads hold more */
  SEGMENTED_TOP_K_KERNELS
};

/* small_items: what a segment has at most that a few lanes sort, a power of two. tile and capacity are a
 * warp's of the second kernel, which the first one's lists go by. */
#define SEGMENTED_TOP_K_SMALL_TUNING(FIELD) \
  FIELD(threads) FIELD(min_blocks) FIELD(small_items) FIELD(tile) FIELD(capacity)
POLICY_STRUCT(segmented_top_k_small_tuning, SEGMENTED_TOP_K_SMALL_TUNING);
/* Of the kernel for what is listed, and of that for segments of one size, which are not. items: of a
 * thread's tile; capacity: items that each warp has room for in shared memory, a power of
 * two. */
#define SEGMENTED_TOP_K_LARGE_TUNING(FIELD) \
  FIELD(threads) FIELD(min_blocks) FIELD(items) FIELD(capacity) FIELD(shared_bytes)
POLICY_STRUCT(segmented_top_k_large_tuning, SEGMENTED_TOP_K_LARGE_TUNING);
#define SEGMENTED_TOP_K_SEARCH_TUNING(FIELD) \
  FIELD(threads) FIELD(min_blocks) FIELD(items) FIELD(capacity) FIELD(shared_bytes)
POLICY_STRUCT(segmented_top_k_search_tuning, SEGMENTED_TOP_K_SEARCH_TUNING);
/* items: that a thread holds; capacity: of a list. cluster: how many blocks hold a row together;
 * few_items: of each thread, before there are more of them, or a cluster in the place of a block. waves:
 * how many times what is resident there may be, before other kernels are faster. */
#define SEGMENTED_TOP_K_ROWS_TUNING(FIELD) \
  FIELD(threads)                           \
  FIELD(min_blocks)                        \
  FIELD(items) FIELD(capacity) FIELD(shared_bytes) FIELD(cluster) FIELD(few_items) FIELD(waves)
POLICY_STRUCT(segmented_top_k_rows_tuning, SEGMENTED_TOP_K_ROWS_TUNING);

extern const policy_space segmented_top_k_small_space, segmented_top_k_large_space,
    segmented_top_k_search_space, segmented_top_k_even_space, segmented_top_k_rows_space,
    segmented_top_k_clusters_space, segmented_top_k_long_rows_space;

#endif
