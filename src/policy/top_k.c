/* How top-k is tuned.
 *
 * Of many items, what counts is the pass over the input: it has 64 bytes of each thread under way, and
 * registers for twice that, which leaves room for 1024 threads of a multiprocessor. On an H200 other
 * shapes of the pass are as fast within some percent.
 *
 * Of few, what counts is how long the steps of a search take, of which there is one for each digit. f32
 * on an H100 at 2^16: clusters of 16 blocks of 512 threads with digits of 9 bits 9.5 to 11.2 us; 8
 * bits 10.1 to 12.7, 10 bits 10.3 to 12.0; 1024 threads 10.0 to 12.2, 256 threads 9.1 to 12.1; 8
 * blocks 9.4 to 12.8. At 2^13 one block takes 8.5, a cluster 9.8. With more than its threads hold, read
 * again from memory or from shared memory, a cluster takes as long at 2^18 as the kernels for many, or
 * longer. */
#include "policy/top_k.h"

#include "policy/shared_memory.h"

enum {
  BLOCK_THREADS = 512,
  SAMPLE_THREADS = 512,
  LONE_SAMPLE_THREADS = 1024,
  GRID_THREADS = 512,
  GRID_BLOCKS = 2,
  GATHER_THREADS = 256,
  /* Of keys, for each thread. */
  THREAD_BYTES = 64,
  /* What a thread has beside them does not get smaller with them. */
  MAX_THREAD_ITEMS = 16,
  MAX_FIELD_BYTES = 16,
  /* Of keys that one block looks through faster than others can be told to help. */
  SINGLE_TILE_BYTES = 128 * 1024,
  SINGLE_TILE_ITEMS = 32 * 1024,
  /* Of a thread, before a cluster has more blocks. */
  CLUSTER_FEW = 4,
  PORTABLE_CLUSTER = 8,
  FINISH_ITEMS = 8 * 1024,
  SAMPLES = 16 * 1024,
  /* A sample has one of so many items, or of more. */
  STRETCH = 256,
};

/* Of nth_element, too, whose keys are its items. Of structs of which kernels have places it is what these
 * are known by. */
static int key_bytes(const spec *s) {
  const spec_slot *keys = spec_find(s, "keys_in");
  const jig_type *key = &(keys != NULL ? keys : spec_find(s, "in"))->iter->type;
  return key->kind != JIG_KIND_STRUCT && spec_find(s, "decomposer")->op != NULL ? MAX_FIELD_BYTES
                                                                                : (int)key->size;
}

/* Of the pass; a whole number of vectors, as far as there are vectors. */
static int thread_items(const spec *s) {
  const int bits = smaller(key_bytes(s), MAX_FIELD_BYTES);
  const int items = THREAD_BYTES / (bits < 4 ? 4 : bits);
  return smaller(items, MAX_THREAD_ITEMS);
}

/* Blocks that search together: more than every GPU with clusters has, where one has them. */
static int blocks_of_cluster(int sm) {
  if (sm < 90) return 1;
  return sm < 120 ? 2 * PORTABLE_CLUSTER : PORTABLE_CLUSTER;
}

policy top_k_block_policy(const spec *s, int sm) {
  return top_k_block_tuning_pack(
      (top_k_block_tuning){.threads = BLOCK_THREADS,
                           .min_blocks = 1,
                           .items = thread_items(s),
                           .most_items = smaller(SINGLE_TILE_BYTES / key_bytes(s), SINGLE_TILE_ITEMS),
                           .cluster = blocks_of_cluster(sm),
                           .few_items = CLUSTER_FEW,
                           .cluster_items = BLOCK_THREADS * thread_items(s)});
}

policy top_k_sample_policy(const spec *s, int sm) {
  const int cluster = blocks_of_cluster(sm);
  const int bytes = smaller(key_bytes(s), MAX_FIELD_BYTES);
  /* A block by itself holds no more wide keys than it has registers for, and reads the others again. */
  const int threads = cluster > 1 || bytes > 4 ? SAMPLE_THREADS : LONE_SAMPLE_THREADS;
  const int most_items = 2 * THREAD_BYTES / bytes;
  return top_k_sample_tuning_pack((top_k_sample_tuning){.threads = threads,
                                                        .min_blocks = 1,
                                                        .items =
                                                            smaller(SAMPLES / threads / cluster, most_items),
                                                        .most_samples = SAMPLES,
                                                        .stretch = STRETCH,
                                                        .cluster = cluster});
}

policy top_k_pass_policy(const spec *s, int sm) {
  (void)sm;
  return top_k_tuning_pack(
      (top_k_tuning){.threads = GRID_THREADS, .min_blocks = GRID_BLOCKS, .items = thread_items(s)});
}

policy top_k_select_policy(const spec *s, int sm) {
  const int cluster = blocks_of_cluster(sm);
  /* Of keys of 16 bytes, or of 8 that are no integers (order 0), a search holds more than two blocks have registers. */
  const int bytes = key_bytes(s);
  const bool is_wide = bytes > 8 || (bytes == 8 && spec_find(s, "order")->choice != 0);
  return top_k_select_tuning_pack((top_k_select_tuning){.threads = GRID_THREADS,
                                                        .min_blocks = is_wide ? 1 : GRID_BLOCKS,
                                                        .items = thread_items(s) / 2,
                                                        .cluster = cluster,
                                                        .finish_items = FINISH_ITEMS * cluster});
}

policy top_k_gather_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return top_k_gather_tuning_pack((top_k_gather_tuning){.threads = GATHER_THREADS, .min_blocks = 1});
}
