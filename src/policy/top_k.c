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
 * longer. With 8 items for each thread instead of 16, f32 takes 9.0 instead of 9.8 us at 2^16.
 *
 * Bytes without values are counted, by blocks as a histogram's. */
#include "policy/top_k.h"

#include "policy/cluster.h"
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
  MAX_BLOCK_ITEMS = 8,    /* more are more to unroll for few */
  LARGE_BLOCK_ITEMS = 32, /* 1024 threads of 16, which are up to a tenth faster, have too few registers */
  COUNT_THREADS = 1024,
  /* That a thread has under way, and that it counts before others help. */
  COUNT_ITEMS = 32,
  COUNT_FEW = 16,
  MAX_FIELD_BYTES = 16,
  /* Of keys that one block looks through faster than others can be told to help. */
  SINGLE_TILE_BYTES = 128 * 1024,
  SINGLE_TILE_ITEMS = 32 * 1024,
  /* Of a thread, before a cluster has more blocks. */
  CLUSTER_FEW = 4,
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

/* Whether how many there are of each key tells all of the result. */
static bool counts_keys(const spec *s) {
  const spec_slot *keys = spec_find(s, "keys_in");
  return keys != NULL && keys->iter->type.size == 1 && spec_find(s, "order")->choice == 0 &&
         spec_find(s, "values_in")->iter == NULL;
}

/* Threads, blocks of a cluster and samples are powers of two: digits are shared out to threads and
 * blocks, and samples counted by halves. */
#define TOP_K_THREADS(row) KNOB(row, threads, 256, 512, 1024)
#define TOP_K_ITEMS(row) KNOB(row, items, 2, 4, 8, 16, 32)
#define TOP_K_CLUSTER(row) KNOB(row, cluster, 1, 2, 4, 8, 16)

/* Whether there are such clusters. */
static bool has_cluster(const spec *s, int sm, const policy *p) {
  (void)s;
  return policy_value(p, "cluster", 1) <= most_cluster_blocks(sm);
}

/* Blocks that count are no cluster. */
static bool has_larger_blocks(const spec *s, int sm, const policy *p) {
  return policy_value(p, "counts", 0) != 0 ? policy_value(p, "cluster", 1) == 1 : has_cluster(s, sm, p);
}

typedef struct block_row {
  int threads, items, cluster, few_items, counts;
} block_row;

static policy make_block(const spec *s, block_row to) {
  return top_k_block_tuning_pack(
      (top_k_block_tuning){.threads = to.threads,
                           .min_blocks = 1,
                           .items = to.items,
                           .most_items = smaller(SINGLE_TILE_BYTES / key_bytes(s), SINGLE_TILE_ITEMS),
                           .cluster = to.cluster,
                           .few_items = to.few_items,
                           .cluster_items = to.threads * to.items,
                           .counts = to.counts});
}

static policy choose_block(const spec *s, int sm, tuning_told *told) {
  block_row to = {.threads = BLOCK_THREADS,
                  .items = smaller(thread_items(s), MAX_BLOCK_ITEMS),
                  .cluster = most_cluster_blocks(sm),
                  .few_items = CLUSTER_FEW,
                  .counts = counts_keys(s)};
  tuning_take(told, &top_k_block_space, &to);
  return make_block(s, to);
}

/* Of wider keys, and without clusters, it is no faster than the kernels for many: then it takes no more
 * than the other. */
static policy choose_large_block(const spec *s, int sm, tuning_told *told) {
  const int cluster = key_bytes(s) <= 4 ? most_cluster_blocks(sm) : 1;
  block_row to = {.threads = BLOCK_THREADS,
                  .items = cluster > 1 ? LARGE_BLOCK_ITEMS : smaller(thread_items(s), MAX_BLOCK_ITEMS),
                  .cluster = cluster,
                  .few_items = CLUSTER_FEW};
  if (counts_keys(s))
    to = (block_row){.threads = COUNT_THREADS,
                     .items = COUNT_ITEMS,
                     .cluster = 1,
                     .few_items = COUNT_FEW,
                     .counts = 1};
  tuning_take(told, &top_k_large_block_space, &to);
  return make_block(s, to);
}

const policy_space top_k_block_space = {
    .choose = choose_block,
    .knobs = {TOP_K_THREADS(block_row), TOP_K_ITEMS(block_row), TOP_K_CLUSTER(block_row),
              KNOB(block_row, few_items, 1, 2, 4, 8, 16)},
    .allows = has_cluster};

const policy_space top_k_large_block_space = {
    .choose = choose_large_block,
    .knobs = {TOP_K_THREADS(block_row), TOP_K_ITEMS(block_row), TOP_K_CLUSTER(block_row)},
    .allows = has_larger_blocks};

typedef struct sample_row {
  int threads, cluster, most_samples, stretch;
} sample_row;

static policy choose_sample(const spec *s, int sm, tuning_told *told) {
  const int cluster = most_cluster_blocks(sm);
  const int bytes = smaller(key_bytes(s), MAX_FIELD_BYTES);
  /* A block by itself holds no more wide keys than it has registers for, and reads the others again. */
  sample_row to = {.threads = cluster > 1 || bytes > 4 ? SAMPLE_THREADS : LONE_SAMPLE_THREADS,
                   .cluster = cluster,
                   .most_samples = SAMPLES,
                   .stretch = STRETCH};
  tuning_take(told, &top_k_sample_space, &to);
  const int items = larger(to.most_samples / to.threads / to.cluster, 1);
  return top_k_sample_tuning_pack((top_k_sample_tuning){.threads = to.threads,
                                                        .min_blocks = 1,
                                                        .items = smaller(items, 2 * THREAD_BYTES / bytes),
                                                        .most_samples = to.most_samples,
                                                        .stretch = to.stretch,
                                                        .cluster = to.cluster});
}

const policy_space top_k_sample_space = {
    .choose = choose_sample,
    .knobs = {TOP_K_THREADS(sample_row), TOP_K_CLUSTER(sample_row),
              KNOB(sample_row, most_samples, 4096, 8192, 16384, 32768, 65536),
              KNOB(sample_row, stretch, 64, 128, 256, 512, 1024)},
    .allows = has_cluster};

static policy choose_pass(const spec *s, int sm, tuning_told *told) {
  top_k_tuning to = {.threads = GRID_THREADS, .min_blocks = GRID_BLOCKS, .items = thread_items(s)};
  (void)sm;
  tuning_take(told, &top_k_pass_space, &to);
  return top_k_tuning_pack(to);
}

const policy_space top_k_pass_space = {
    .choose = choose_pass,
    .knobs = {TOP_K_THREADS(top_k_tuning), KNOB(top_k_tuning, min_blocks, 1, 2, 3, 4),
              TOP_K_ITEMS(top_k_tuning)}};

typedef struct select_row {
  int threads, min_blocks, items, cluster, finish_items; /* the last of each block of a cluster */
} select_row;

static policy choose_select(const spec *s, int sm, tuning_told *told) {
  /* Of keys of 16 bytes, or of 8 that are no integers (order 0), a search holds more than two blocks have
   * registers; on SM 7.5 of all that are one number with their index, too. */
  const int bytes = key_bytes(s);
  const bool is_wide =
      bytes > 8 || (bytes == 8 && spec_find(s, "order")->choice != 0) || (bytes <= 4 && sm < 80);
  select_row to = {.threads = GRID_THREADS,
                   .min_blocks = is_wide ? 1 : GRID_BLOCKS,
                   .items = thread_items(s) / 2,
                   .cluster = most_cluster_blocks(sm),
                   .finish_items = FINISH_ITEMS};
  tuning_take(told, &top_k_select_space, &to);
  return top_k_select_tuning_pack((top_k_select_tuning){.threads = to.threads,
                                                        .min_blocks = to.min_blocks,
                                                        .items = to.items,
                                                        .cluster = to.cluster,
                                                        .finish_items = to.finish_items * to.cluster});
}

const policy_space top_k_select_space = {
    .choose = choose_select,
    .knobs = {TOP_K_THREADS(select_row), KNOB(select_row, min_blocks, 1, 2, 3, 4),
              TOP_K_ITEMS(select_row), TOP_K_CLUSTER(select_row),
              KNOB(select_row, finish_items, 2048, 4096, 8192, 16384, 32768)},
    .allows = has_cluster};

static policy choose_gather(const spec *s, int sm, tuning_told *told) {
  top_k_gather_tuning to = {.threads = GATHER_THREADS, .min_blocks = 1, .counts = counts_keys(s)};
  (void)sm;
  tuning_take(told, &top_k_gather_space, &to);
  return top_k_gather_tuning_pack(to);
}

const policy_space top_k_gather_space = {
    .choose = choose_gather, .knobs = {KNOB(top_k_gather_tuning, threads, 64, 128, 256, 512)}};
