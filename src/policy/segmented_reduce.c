/* How segmented reduce and segmented arg-reduce are tuned. Measured on SM 9.0 only, see
 * docs/tuning-log.md. */
#include "policy/segmented_reduce.h"

#include "policy/shared_memory.h"

enum {
  THREADS = 256,
  /* Of accumulators of more bytes than that a block has fewer. */
  MANY_THREADS_BYTES = 128,
  FEW_THREADS = 128,
  /* What a thread holds at once, and what the results of a tile's items take. */
  LANE_BYTES = 64,
  MOST_LANE_ITEMS = 16,
  RESULTS_BYTES = 32 * KIBIBYTE,
  VECTOR_BYTES = 16,
  MOST_FEW_ROWS = 8,
  /* Of a group: what a thread loads one by one. */
  GROUP_ITEMS = 8,
  SM_WITH_FEWEST_BLOCKS = 100,
};

/* Of an arg-reduce it is an item and its index. */
static int accum_bytes(const spec *s) {
  const spec_slot *accum = spec_find(s, "accum");
  if (accum != NULL) return (int)accum->type->size;
  return round_up((int)spec_find(s, "in")->iter->type.size + (int)sizeof(uint64_t), sizeof(uint64_t));
}

/* A multiple of the input's vectors, if it is not less. */
static int lane_items(int item, int vector, int threads, int accum) {
  const int items = smaller(smaller(larger(LANE_BYTES / item, 1), MOST_LANE_ITEMS),
                            larger(RESULTS_BYTES / (threads * accum), 1));
  return items < vector ? items : items / vector * vector;
}

static int unroll_of(int bytes) {
  return bytes <= VECTOR_BYTES ? 4 : bytes <= 2 * VECTOR_BYTES ? 2 : 1;
}

/* A fourth block of a multiprocessor makes small segments faster by a tenth, and all else slower: its
 * threads have too few registers. Nothing is spilled, on any GPU. */
static int blocks_of(int held_bytes, int accum, int sm) {
  const bool is_small = held_bytes <= LANE_BYTES;
  if (sm >= 100) return is_small ? 2 : 1;
  if (is_small && accum <= (sm == 90 ? 8 : 4)) return 3;
  return held_bytes <= 2 * LANE_BYTES ? 2 : 1;
}

/* Blocks share out a fold that has the same bits on every GPU, so there are as many everywhere. */
static int shape_sm(const spec *s, int sm) {
  return spec_is_gpu_to_gpu(s) ? SM_WITH_FEWEST_BLOCKS : sm;
}

policy segmented_reduce_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int item = (int)in->type.size, accum = accum_bytes(s), vector = (int)iter_vector_items(in);
  const int threads = accum > MANY_THREADS_BYTES ? FEW_THREADS : THREADS;
  const int items = lane_items(item, vector, threads, accum);
  return segmented_reduce_tuning_pack((segmented_reduce_tuning){
      .threads = threads,
      .min_blocks = blocks_of(items * larger(item, accum), accum, shape_sm(s, sm)),
      .unroll = unroll_of(larger(vector * item, accum)),
      .unroll_items = 1,
      .lane_items = items,
      .few_rows = smaller(unroll_of(larger(vector * item, accum)) * vector, MOST_FEW_ROWS)});
}

/* What a thread loads at once fits the registers of as many threads as a multiprocessor has room for. */
policy segmented_reduce_groups_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int item = (int)in->type.size, vector = (int)iter_vector_items(in) * item, accum = accum_bytes(s);
  const int largest = larger(vector, accum);
  const int blocks = largest <= VECTOR_BYTES       ? multiprocessor_threads(sm) / THREADS
                     : largest <= 4 * VECTOR_BYTES ? 2
                                                   : 1;
  return segmented_reduce_tuning_pack((segmented_reduce_tuning){
      .threads = THREADS,
      .min_blocks = blocks,
      .unroll = (unroll_of(largest) + 1) / 2,
      .unroll_items = larger(item, accum) <= 4 ? GROUP_ITEMS : unroll_of(largest),
      .lane_items = 1,
      .tiny_vectors = larger(unroll_of(largest) / 2, 1)});
}

policy segmented_reduce_starts_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return segmented_reduce_tuning_pack((segmented_reduce_tuning){
      .threads = THREADS, .min_blocks = 2, .unroll = 1, .unroll_items = 1, .lane_items = 1});
}
