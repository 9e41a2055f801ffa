/* How top-k is tuned. */
#ifndef JIG_POLICY_TOP_K_H
#define JIG_POLICY_TOP_K_H

#include "policy/space.h"

/* Its kernels, in this order. The last does what the first does, with more items of each thread; or
 * counts bytes. */
enum {
  TOP_K_BLOCK,
  TOP_K_SAMPLE,
  TOP_K_PASS,
  TOP_K_SELECT,
  TOP_K_GATHER,
  TOP_K_LARGE_BLOCK,
  TOP_K_KERNELS
};

/* Of the selection; the policies of those before it begin with it. */
#define TOP_K_TUNING(FIELD) FIELD(threads) FIELD(min_blocks) FIELD(items)
POLICY_STRUCT(top_k_tuning, TOP_K_TUNING);

/* most_items: that one block takes where there are no clusters. cluster: how many blocks find it
 * together; few_items: of each thread, before there are more blocks; cluster_items: that each takes.
 * counts: whether keys, which are bytes without values, are counted, by the larger blocks alone. */
#define TOP_K_BLOCK_TUNING(FIELD) \
  TOP_K_TUNING(FIELD) FIELD(most_items) FIELD(cluster) FIELD(few_items) FIELD(cluster_items) FIELD(counts)
POLICY_STRUCT(top_k_block_tuning, TOP_K_BLOCK_TUNING);
#define TOP_K_SAMPLE_TUNING(FIELD) TOP_K_TUNING(FIELD) FIELD(most_samples) FIELD(stretch) FIELD(cluster)
POLICY_STRUCT(top_k_sample_tuning, TOP_K_SAMPLE_TUNING);
/* finish_items: that one cluster searches. */
#define TOP_K_SELECT_TUNING(FIELD) TOP_K_TUNING(FIELD) FIELD(cluster) FIELD(finish_items)
POLICY_STRUCT(top_k_select_tuning, TOP_K_SELECT_TUNING);
#define TOP_K_GATHER_TUNING(FIELD) FIELD(threads) FIELD(min_blocks) FIELD(counts)
POLICY_STRUCT(top_k_gather_tuning, TOP_K_GATHER_TUNING);

extern const policy_space top_k_block_space, top_k_sample_space, top_k_pass_space, top_k_select_space,
    top_k_gather_space, top_k_large_block_space;

#endif
