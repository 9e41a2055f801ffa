/* How merge sort is tuned.
 *
 * Small tiles for small inputs, where it counts how long a block takes; for large ones as many items for
 * a thread as leave it in 64 registers or so, an odd number, so that threads that take neighbouring
 * parts of shared memory are in different banks, and as many blocks as share a multiprocessor's shared
 * memory, so that others go on while some wait. */
#include "policy/merge_sort.h"

#include "policy/shared_memory.h"
#include "spec/type.h"
#include "util/integer.h"

typedef struct shape {
  int threads, items, min_blocks;
} shape;

typedef struct split_row {
  int threads;
} split_row;

/* Of records: keys, with values or their places. */
typedef struct row {
  uint32_t max_bytes;
  shape small_block, merge, large_block, merge4;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* bytes  small block   merge        large block   merge by four */
    {     4, {512,  4, 4}, {128, 9, 12}, {512, 33, 2}, {128, 33, 8}},
    {     8, {512,  2, 4}, {128, 7, 10}, {256, 23, 3}, {256, 19, 4}},
    {    12, {512,  2, 4}, {128, 9, 8}, {256, 17, 3}, {256, 13, 4}},
    {    16, {512,  2, 4}, {128, 9, 8}, {256, 17, 2}, {256, 11, 3}},
    {    32, {256,  2, 2}, {256, 2, 3}, {128,  7, 4}, {128,  7, 4}},
    {    64, {256,  1, 2}, {256, 1, 2}, {128,  3, 3}, {128,  3, 3}},
    {   ANY, {128,  1, 1}, {128, 1, 1}, {128,  1, 1}, {128,  1, 1}},
};
/* clang-format on */

/* Of keys that are too large for registers: a comparison waits for memory, and so a thread has few items.
 */
static const row placed_keys = {16, {512, 2, 2}, {256, 2, 4}, {512, 4, 2}, {256, 3, 4}};

/* Of a struct of two such members. */
static uint32_t pair_bytes(uint32_t first, uint32_t first_align, uint32_t second, uint32_t second_align) {
  const uint32_t align = first_align > second_align ? first_align : second_align;
  return (uint32_t)align_up(align_up(first, second_align) + second, align);
}

/* record_layout in templates/jig/agent/merge_sort/sort_record.cuh is the same. */
merge_sort_record merge_sort_record_of(const jig_type *key, const jig_type *value) {
  enum { LARGEST_MOVED_VALUE = 8, PLACE_BYTES = 8, WORD = 4 };
  merge_sort_record record = {.bytes = key->size};
  if (value == NULL) return record;
  record.has_places = value->size > LARGEST_MOVED_VALUE;
  const uint32_t bytes = record.has_places ? PLACE_BYTES : value->size;
  const uint32_t align = record.has_places ? WORD : value->align;
  const uint32_t packed =
      pair_bytes(key->size, key->align < WORD ? key->align : WORD, bytes, align < WORD ? align : WORD);
  record.bytes = pair_bytes(key->size, key->align, bytes, align);
  if (packed < record.bytes) record.bytes = packed;
  return record;
}

static uint32_t record_bytes(const spec *s) {
  const jig_iter *values = spec_find(s, "values_in")->iter;
  return merge_sort_record_of(&spec_find(s, "keys_in")->iter->type, values != NULL ? &values->type : NULL)
      .bytes;
}

/* Small keys take a register and a load each, as words do, and so do small values: pairs of both are as
 * those of words are, and others of small keys as something larger. */
static const row *find_row(const spec *s) {
  enum { PAIR_OF_WORDS = 8 };
  const row *r = table;
  const jig_iter *keys = spec_find(s, "keys_in")->iter;
  uint32_t bytes = record_bytes(s);
  if (keys->kind == JIG_ITER_COUNTING && keys->type.kind == JIG_KIND_OPAQUE)
    return &placed_keys; /* spec_placed() */
  if (spec_find(s, "values_in")->iter != NULL) {
    if (bytes <= 4)
      bytes = PAIR_OF_WORDS;
    else if (keys->type.size < 4)
      bytes += 4;
  }
  while (bytes > r->max_bytes) ++r;
  return r;
}

int merge_sort_min_blocks(int sm, int threads, int bytes, int wanted) {
  const bool is_small = sm == 86 || sm == 89 || sm >= 120;
  const int room = KIBIBYTE * (sm < 80 ? 64 : is_small ? 100 : sm < 90 ? 164 : 228);
  const int by_room = room / (bytes + KIBIBYTE), by_threads = multiprocessor_threads(sm) / threads;
  const int most = by_room < by_threads ? by_room : by_threads;
  return wanted < most ? wanted : most > 1 ? most : 1;
}

/* What a warp has behind its items: as block/merge_sort.cuh says, which puts a thread's items to shared
 * memory by whole words if they fill them. */
static uint32_t margin_items(uint32_t bytes, int items) {
  const uint32_t all = bytes * (uint32_t)items;
  if (!(all % 16 == 0 && bytes < 16) && !(all % 8 == 0 && bytes < 8)) return 1;
  uint32_t margin = 16; /* a power of two, so that this is 16 over what it has in common with the size */
  for (uint32_t size = bytes; size % 2 == 0; size /= 2) margin /= 2;
  return margin;
}

/* A tile and what is beside it: room for an item of each thread, or behind each warp's, and a few words.
 */
static int tile_bytes(const spec *s, shape of) {
  enum { OTHER_BYTES = 64, MAX_WARPS = 32, WARP_THREADS = 32 };
  const uint32_t bytes = record_bytes(s);
  const int margins = of.threads / WARP_THREADS * (int)margin_items(bytes, of.items);
  int beside = of.items > MAX_WARPS ? of.items : MAX_WARPS;
  if (beside < margins) beside = margins;
  const int items = of.threads * of.items + beside;
  return (int)align_up((uint32_t)items * bytes + OTHER_BYTES, 128);
}

static merge_sort_block_tuning tune_block(const spec *s, int sm, shape to) {
  enum { MOST_BYTES_OF_SM_75 = 64 * 1024 };
  if (sm < 80 && tile_bytes(s, to) > MOST_BYTES_OF_SM_75) to.threads /= 2;
  /* The compiler takes more registers for these GPUs; two blocks have enough all the same, unless there
   * are NaNs to be looked for. */
  const int always = type_has_nan(&spec_find(s, "keys_in")->iter->type) ? 1 : 2;
  if (sm >= 100 && to.min_blocks > always) to.min_blocks = to.min_blocks * 3 / 4;
  const int bytes = tile_bytes(s, to);
  const int blocks = merge_sort_min_blocks(sm, to.threads, bytes, to.min_blocks);
  return (merge_sort_block_tuning){
      .threads = to.threads, .items = to.items, .min_blocks = blocks, .shared_bytes = bytes};
}

/* Blocks have a power of two of threads, as they merge runs of twice as many each time; an odd number of
 * items has no bank conflicts. */
static policy choose_small_block(const spec *s, int sm, tuning_told *told) {
  shape to = find_row(s)->small_block;
  tuning_take(told, &merge_sort_small_block_space, &to);
  return merge_sort_block_tuning_pack(tune_block(s, sm, to));
}

const policy_space merge_sort_small_block_space = {
    .choose = choose_small_block,
    .knobs = {KNOB(shape, threads, 128, 256, 512, 1024), KNOB(shape, items, 1, 2, 3, 4, 5, 7),
              KNOB(shape, min_blocks, 1, 2, 3, 4, 6, 8)}};

/* is_order in templates/jig/core/less.cuh is the same. */
static bool is_sure(const spec *s) {
  const jig_op *op = spec_find(s, "compare")->op;
  return type_is_number(&spec_find(s, "keys_in")->iter->type) && (op == NULL || op_is_well_known(op));
}

static merge_sort_block_tuning tune_merge(const spec *s, int sm, tuning_told *told) {
  shape of = find_row(s)->merge;
  /* Small keys take more registers there, and must not spill them. */
  if (sm >= 120 && spec_find(s, "keys_in")->iter->type.size < 4 && of.min_blocks > 8) of.min_blocks = 8;
  tuning_take(told, &merge_sort_merge_space, &of);
  return tune_block(s, sm, of);
}

static policy choose_merge(const spec *s, int sm, tuning_told *told) {
  const merge_sort_block_tuning to = tune_merge(s, sm, told);
  return merge_sort_merge_tuning_pack((merge_sort_merge_tuning){.threads = to.threads,
                                                                .items = to.items,
                                                                .min_blocks = to.min_blocks,
                                                                .shared_bytes = to.shared_bytes,
                                                                .is_sure = is_sure(s)});
}

const policy_space merge_sort_merge_space = {
    .choose = choose_merge,
    .knobs = {KNOB(shape, threads, 128, 256, 512), KNOB(shape, items, 1, 2, 3, 5, 7, 9, 11, 13, 15),
              KNOB(shape, min_blocks, 1, 2, 3, 4, 6, 8, 10, 12)}};

/* Some keys alone take more registers than other records of that size, and must not spill them. */
static shape large_block_of(const spec *s) {
  const jig_type *key = &spec_find(s, "keys_in")->iter->type;
  shape of = find_row(s)->large_block;
  if (spec_find(s, "values_in")->iter != NULL) return of;
  if (key->kind == JIG_KIND_F16 || key->kind == JIG_KIND_BF16 || key->kind == JIG_KIND_F64) of.items -= 2;
  if (key->kind == JIG_KIND_I128 || key->kind == JIG_KIND_U128) of = (shape){512, 9, 1};
  return of;
}

static policy choose_large_block(const spec *s, int sm, tuning_told *told) {
  shape to = large_block_of(s);
  tuning_take(told, &merge_sort_large_block_space, &to);
  return merge_sort_block_tuning_pack(tune_block(s, sm, to));
}

const policy_space merge_sort_large_block_space = {
    .choose = choose_large_block,
    .knobs = {KNOB(shape, threads, 128, 256, 512),
              KNOB(shape, items, 1, 3, 5, 7, 9, 11, 13, 17, 19, 23, 29, 33),
              KNOB(shape, min_blocks, 1, 2, 3, 4, 6)}};

/* Tiles of such passes are whole vectors, whatever their items; and both pairs of runs that they have
 * parts of are merged side by side, each by whole threads, which takes one more than there are items for.
 */
static int merge4_tile_items(shape to) {
  return (to.threads - 1) * to.items / 16 * 16;
}

static shape merge4_of(const spec *s, tuning_told *told) {
  shape to = find_row(s)->merge4;
  tuning_take(told, &merge_sort_merge4_space, &to);
  return to;
}

/* What it splits into are the tiles of both kernels that merge. */
static policy choose_split(const spec *s, int sm, tuning_told *told) {
  enum {
    THREADS = 256,
    WARP_THREADS = 32,
    OTHER_BYTES = WARP_THREADS * 4 + 2 * 16,
    LEAST_ALIGNMENT = 16
  };
  const int alignment = larger((int)spec_find(s, "keys_in")->iter->type.align, LEAST_ALIGNMENT);
  const int warp_bytes = WARP_THREADS * (int)record_bytes(s) + OTHER_BYTES + alignment;
  split_row to = {.threads = record_bytes(s) <= 64 ? THREADS : THREADS / 4};
  tuning_take(told, &merge_sort_split_space, &to);
  const int threads = to.threads;
  const merge_sort_block_tuning merge = tune_merge(s, sm, told);
  return merge_sort_split_tuning_pack((merge_sort_split_tuning){
      .threads = threads,
      .min_blocks = 1,
      .tile_items = merge4_tile_items(merge4_of(s, told)),
      .merge_tile_items = merge.threads * merge.items,
      .shared_bytes = (int)align_up((uint32_t)(threads / WARP_THREADS * warp_bytes), 128)});
}

const policy_space merge_sort_split_space = {.choose = choose_split,
                                             .knobs = {KNOB(split_row, threads, 64, 128, 256, 512)}};

static policy choose_merge4(const spec *s, int sm, tuning_told *told) {
  enum { OTHER_BYTES = 8 * 16 + 128 };
  const shape to = merge4_of(s, told);
  /* Where keys have NaNs, merging reads on behind the last thread's items. */
  const bool has_margin = type_has_nan(&spec_find(s, "keys_in")->iter->type);
  const uint32_t items = (uint32_t)((to.threads + has_margin) * to.items);
  const int bytes = (int)align_up(items * record_bytes(s) + OTHER_BYTES, 128);
  const int blocks = merge_sort_min_blocks(sm, to.threads, bytes, to.min_blocks);
  return merge_sort_merge4_tuning_pack((merge_sort_merge4_tuning){.threads = to.threads,
                                                                  .items = to.items,
                                                                  .min_blocks = blocks,
                                                                  .shared_bytes = bytes,
                                                                  .tile_items = merge4_tile_items(to)});
}

static bool has_merge4_tiles(const spec *s, int sm, const policy *p) {
  (void)s;
  (void)sm;
  return merge_sort_merge4_tuning_of(p).tile_items > 0;
}

const policy_space merge_sort_merge4_space = {
    .choose = choose_merge4,
    .knobs = {KNOB(shape, threads, 64, 128, 256, 512),
              KNOB(shape, items, 1, 3, 5, 7, 9, 11, 13, 17, 19, 23, 29, 33),
              KNOB(shape, min_blocks, 1, 2, 3, 4, 6, 8)},
    .allows = has_merge4_tiles};
