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
  /* Of a block each for more segments than threads: four blocks are faster than three or five, and their
   * threads hold what no more bytes of an accumulator take. */
  MORE_BLOCKS = 4,
  MORE_BLOCKS_ACCUM_BYTES = 16,
  /* Of a large arg-reduce of items whose lanes fold them by `redux`, which takes long and no registers.
   */
  ARG_ITEM_BYTES = 4,
  ARG_BLOCKS = 3,
  ARG_LANE_BYTES = 16,
  /* Of a group: what a thread loads one by one. */
  GROUP_ITEMS = 8,
  SM_WITH_FEWEST_BLOCKS = 100,
  /* Of parts of segments of one size: blocks for which every multiprocessor has room; of larger
   * accumulators that was not measured. */
  PARTS_THREADS = 128,
  PARTS_BLOCKS = 8,
  PARTS_ACCUM_BYTES = 8,
};

/* Of an arg-reduce it is an item and its index. */
static int accum_bytes(const spec *s) {
  const spec_slot *accum = spec_find(s, "accum");
  if (accum != NULL) return (int)accum->type->size;
  return round_up((int)spec_find(s, "in")->iter->type.size + (int)sizeof(uint64_t), sizeof(uint64_t));
}

/* Of what a thread loads at once, or of an accumulator. */
static int largest_bytes(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return larger((int)iter_vector_items(in) * (int)in->type.size, accum_bytes(s));
}

/* A multiple of the input's vectors, if it is not less. */
static int lane_items(int item, int vector, int threads, int accum, int lane_bytes) {
  const int items = smaller(smaller(larger(lane_bytes / item, 1), MOST_LANE_ITEMS),
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

typedef struct shares_row {
  int threads, min_blocks, unroll, lane_bytes;
} shares_row;

static shares_row find_shares_row(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int item = (int)in->type.size, accum = accum_bytes(s), vector = (int)iter_vector_items(in);
  const int threads = accum > MANY_THREADS_BYTES ? FEW_THREADS : THREADS;
  const int items = lane_items(item, vector, threads, accum, LANE_BYTES);
  return (shares_row){.threads = threads,
                      .min_blocks = blocks_of(items * larger(item, accum), accum, shape_sm(s, sm)),
                      .unroll = unroll_of(largest_bytes(s)),
                      .lane_bytes = LANE_BYTES};
}

static policy make_shares(const spec *s, shares_row to) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int vector = (int)iter_vector_items(in);
  return segmented_reduce_tuning_pack((segmented_reduce_tuning){
      .threads = to.threads,
      .min_blocks = to.min_blocks,
      .unroll = to.unroll,
      .unroll_items = 1,
      .lane_items = lane_items((int)in->type.size, vector, to.threads, accum_bytes(s), to.lane_bytes),
      .few_rows = smaller(to.unroll * vector, MOST_FEW_ROWS)});
}

/* A tile's results lie in shared memory that a block has without asking. */
static bool has_room(const spec *s, int sm, const policy *p) {
  const segmented_reduce_tuning to = segmented_reduce_tuning_of(p);
  (void)sm;
  return to.threads * to.lane_items * accum_bytes(s) <= RESULTS_BYTES;
}

#define SHARES_KNOBS                                                                                 \
  {                                                                                                  \
    KNOB(shares_row, threads, 64, 128, 256, 512), KNOB(shares_row, min_blocks, 1, 2, 3, 4, 5, 6, 8), \
        KNOB(shares_row, unroll, 1, 2, 3, 4, 6, 8),                                                  \
        KNOB(shares_row, lane_bytes, 16, 32, 48, 64, 96, 128)                                        \
  }

static policy choose_shares(const spec *s, shares_row to, tuning_told *told, const policy_space *space) {
  tuning_take(told, space, &to);
  return make_shares(s, to);
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  return choose_shares(s, find_shares_row(s, sm), told, &segmented_reduce_space);
}

const policy_space segmented_reduce_space = {.choose = choose, .knobs = SHARES_KNOBS, .allows = has_room};

static policy choose_arg(const spec *s, int sm, tuning_told *told) {
  shares_row to = find_shares_row(s, sm);
  if (sm == 90 && spec_find(s, "in")->iter->type.size == ARG_ITEM_BYTES) {
    to.min_blocks = ARG_BLOCKS;
    to.lane_bytes = ARG_LANE_BYTES;
  }
  return choose_shares(s, to, told, &segmented_arg_reduce_space);
}

const policy_space segmented_arg_reduce_space = {
    .choose = choose_arg, .knobs = SHARES_KNOBS, .allows = has_room};

static policy choose_few_apart(const spec *s, int sm, tuning_told *told) {
  return choose_shares(s, find_shares_row(s, sm), told, &segmented_reduce_few_apart_space);
}

const policy_space segmented_reduce_few_apart_space = {
    .choose = choose_few_apart, .knobs = SHARES_KNOBS, .allows = has_room};

/* Threads hold loads and nothing else, so that there are more blocks. */
static policy choose_few(const spec *s, int sm, tuning_told *told) {
  shares_row to = find_shares_row(s, sm);
  to.min_blocks = largest_bytes(s) <= VECTOR_BYTES ? MORE_BLOCKS : 2;
  return choose_shares(s, to, told, &segmented_reduce_few_space);
}

const policy_space segmented_reduce_few_space = {
    .choose = choose_few, .knobs = SHARES_KNOBS, .allows = has_room};

static policy choose_blocks(const spec *s, int sm, tuning_told *told) {
  return choose_shares(s, find_shares_row(s, sm), told, &segmented_reduce_blocks_space);
}

const policy_space segmented_reduce_blocks_space = {
    .choose = choose_blocks, .knobs = SHARES_KNOBS, .allows = has_room};

/* On all GPUs alike: what has the same bits on every GPU is shared out alike. */
bool segmented_reduce_has_more_blocks(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int item = (int)in->type.size, accum = accum_bytes(s), vector = (int)iter_vector_items(in);
  const int items = lane_items(item, vector, THREADS, accum, LANE_BYTES);
  /* An arg-reduce has no accumulators of items. */
  const bool is_arg = spec_find(s, "accum") == NULL;
  return accum <= MORE_BLOCKS_ACCUM_BYTES && (is_arg || items * larger(item, accum) <= LANE_BYTES);
}

static policy choose_more_shares(const spec *s, int sm, tuning_told *told, const policy_space *space) {
  shares_row to = find_shares_row(s, sm);
  to.min_blocks = MORE_BLOCKS;
  return choose_shares(s, to, told, space);
}

static policy choose_more_blocks(const spec *s, int sm, tuning_told *told) {
  return choose_more_shares(s, sm, told, &segmented_reduce_more_blocks_space);
}

const policy_space segmented_reduce_more_blocks_space = {
    .choose = choose_more_blocks, .knobs = SHARES_KNOBS, .allows = has_room};

static policy choose_half_blocks(const spec *s, int sm, tuning_told *told) {
  return choose_more_shares(s, sm, told, &segmented_reduce_half_blocks_space);
}

const policy_space segmented_reduce_half_blocks_space = {
    .choose = choose_half_blocks, .knobs = SHARES_KNOBS, .allows = has_room};

bool segmented_reduce_has_parts(const spec *s) {
  return spec_find(s, "begin_offsets")->iter == NULL && accum_bytes(s) <= PARTS_ACCUM_BYTES;
}

/* What takes time are the instructions of a warp beside its loads, so few warps load much each. */
static policy choose_parts(const spec *s, int sm, tuning_told *told) {
  shares_row to = find_shares_row(s, sm);
  to.threads = PARTS_THREADS;
  to.min_blocks = PARTS_BLOCKS;
  if (to.unroll > 1) to.unroll *= 2;
  return choose_shares(s, to, told, &segmented_reduce_parts_space);
}

const policy_space segmented_reduce_parts_space = {
    .choose = choose_parts, .knobs = SHARES_KNOBS, .allows = has_room};

/* What a thread loads at once fits the registers of as many threads as a multiprocessor has room for. */
static policy choose_groups(const spec *s, int sm, tuning_told *told, const policy_space *space) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int item = (int)in->type.size, accum = accum_bytes(s), largest = largest_bytes(s);
  const int blocks = largest <= VECTOR_BYTES       ? multiprocessor_threads(sm) / THREADS
                     : largest <= 4 * VECTOR_BYTES ? 2
                                                   : 1;
  segmented_reduce_tuning to = {
      .threads = THREADS,
      .min_blocks = blocks,
      .unroll = (unroll_of(largest) + 1) / 2,
      .unroll_items = larger(item, accum) <= 4 ? GROUP_ITEMS : unroll_of(largest),
      .lane_items = 1,
      .tiny_vectors = larger(unroll_of(largest) / 2, 1)};
  tuning_take(told, space, &to);
  return segmented_reduce_tuning_pack(to);
}

static policy choose_items(const spec *s, int sm, tuning_told *told) {
  return choose_groups(s, sm, told, &segmented_reduce_items_space);
}
static policy choose_vectors(const spec *s, int sm, tuning_told *told) {
  return choose_groups(s, sm, told, &segmented_reduce_vectors_space);
}
static policy choose_tiny(const spec *s, int sm, tuning_told *told) {
  return choose_groups(s, sm, told, &segmented_reduce_tiny_space);
}

#define GROUPS_SPACE(choose_, ...)                                            \
  {                                                                           \
    .choose = (choose_), .knobs = {                                           \
      KNOB(segmented_reduce_tuning, threads, 64, 128, 256, 512),              \
      KNOB(segmented_reduce_tuning, min_blocks, 1, 2, 3, 4, 5, 6, 8, 12, 16), \
      __VA_ARGS__                                                             \
    }                                                                         \
  }
const policy_space segmented_reduce_items_space = GROUPS_SPACE(
                       choose_items, KNOB(segmented_reduce_tuning, unroll_items, 1, 2, 4, 6, 8, 12, 16)),
                   segmented_reduce_vectors_space = GROUPS_SPACE(
                       choose_vectors, KNOB(segmented_reduce_tuning, unroll, 1, 2, 3, 4, 6, 8)),
                   segmented_reduce_tiny_space = GROUPS_SPACE(
                       choose_tiny, KNOB(segmented_reduce_tuning, tiny_vectors, 1, 2, 3, 4, 6, 8));

/* It only adds up lengths. */
static policy choose_starts(const spec *s, int sm, tuning_told *told) {
  segmented_reduce_tuning to = {
      .threads = THREADS, .min_blocks = 2, .unroll = 1, .unroll_items = 1, .lane_items = 1};
  (void)s;
  (void)sm;
  tuning_take(told, &segmented_reduce_starts_space, &to);
  return segmented_reduce_tuning_pack(to);
}

const policy_space segmented_reduce_starts_space = {
    .choose = choose_starts,
    .knobs = {KNOB(segmented_reduce_tuning, threads, 128, 256, 512, 1024),
              KNOB(segmented_reduce_tuning, min_blocks, 1, 2, 3, 4)}};
