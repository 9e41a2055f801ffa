/* How radix sort is tuned.
 *
 * Few items are sorted by one block, or by the blocks of one cluster where a GPU has them: as many as one
 * may have everywhere, or twice that on GPUs with large clusters. One block has a kernel of its own,
 * which takes less time to compile. For more there is a kernel that counts digits, with as many
 * copies of its counters as a multiprocessor has room for, and one for each pass: its tiles should be as
 * large as two resident blocks can have them, since long runs of one digit are what makes writing fast,
 * but keys have to stay in registers, where there is room for 48 words. On an H200 fewer threads with
 * more rows are better than the reverse, and anything that spills is far slower. Where items are 8 bytes
 * or more, a local sort takes the place of all passes but those of the highest digits, if these leave few
 * keys in a bucket: three blocks to a multiprocessor if they have room. Other GPUs: not measured. */
#include "policy/radix_sort.h"

#include "policy/cluster.h"
#include "policy/shared_memory.h"

enum {
  COUNTER_BYTES = 256 * 4, /* of a warp, or of a pass */
  WARP_THREADS = 32,
  MAX_COPIES = 32,
  PASS_THREADS = 384,
  PASS_BLOCKS = 2,
  PASS_REGISTERS = 48, /* for keys */
  /* jig::AgentRadixSortPass has two more rows of counters and a few words beside what it has of items. */
  PASS_OTHER_BYTES = 2 * COUNTER_BYTES + 256 + 1024,
  PASS_BATCH = 4, /* rows that are ranked at a time */
  /* How many digits of a tile are taken to be frequent at most (jig::RadixChoice), and from how many
   * 256ths of the tile on. With four equal digits adding takes as long as ballots. */
  PASS_FREQUENT = 2,
  PASS_FREQUENT_SHARE = 72,
  CLUSTER_FREQUENT = 4,
  CLUSTER_FREQUENT_SHARE = 32,
  CLUSTER_THREADS = 512,
  CLUSTER_REGISTERS = 16,
  CLUSTER_ROWS = 8,
  CLUSTER_OTHER_BYTES = COUNTER_BYTES + 256,
  HISTOGRAM_THREADS = 1024,
  HISTOGRAM_OTHER_BYTES = 512,
  /* Of what a block sorts by itself after the highest digits: a bucket of 4096 keys, as 2^28 keys have by
   * two digits, should fit. */
  LOCAL_ITEMS = 4608,
  LOCAL_WORD_BYTES = 4,
  LOCAL_OTHER_BYTES = 4 * COUNTER_BYTES + 512,
  LOCAL_BATCH = 4,
  LOCAL_THREADS = 384,
  LOCAL_BLOCKS = 3,
  /* Of less not much can be saved. */
  LEAST_LOCAL_BYTES = 8,
  LEAST_LOCAL_VALUE = 4,
  /* Of fewer items the launches that leave at once, 2 us each for what is sorted by all passes, are too
   * much; pairs of 4 bytes each gain less, and keys of 4 with wide values more. */
  LEAST_LOCAL = 1 << 18,
  LEAST_LOCAL_WIDE = 1 << 17,
  LEAST_LOCAL_NARROW = 1 << 22,
  /* Values up to this size go through shared memory; in passes wide ones do, too, where a multiprocessor
   * has as much of it. More threads would leave each with few rows of these. */
  STAGED_BYTES = 8,
  WIDE_STAGED_BYTES = 16,
  WIDE_KIBIBYTES = 128,
  WIDE_PASS_THREADS = 256,
  /* Of what a decomposer makes of a key. */
  MAX_FIELD_BYTES = 16,
  /* Where a key was in its tile; in a pass there is a bit more for each. */
  INDEX_BYTES = 2,
};

/* Of larger keys it is what their fields make that is sorted. */
static int key_bytes(const spec *s) {
  return smaller((int)spec_find(s, "key")->type->size, MAX_FIELD_BYTES);
}

static int key_words(const spec *s) {
  return (key_bytes(s) + 3) / 4;
}

/* Whether all sorts have an index beside each key, not only those by some of their bits. */
static bool always_has_index(const spec *s) {
  return spec_find(s, "value")->type != NULL || spec_find(s, "decomposer")->op != NULL;
}

/* Of a value that goes through shared memory, as those up to that size do; else 0. */
static int staged_bytes(const spec *s, int most) {
  const jig_type *value = spec_find(s, "value")->type;
  return value != NULL && value->size <= (size_t)most ? (int)value->size : 0;
}

/* Rows in steps, if there are as many; one at least. */
static int rows_in_steps(int rows, int step) {
  return rows > step ? rows / step * step : larger(rows, 1);
}

/* Of a cluster, or a block by itself, as many rows as a block has at most. */
typedef struct cluster_row {
  int threads, rows, cluster;
} cluster_row;

static policy make_cluster(const spec *s, int sm, cluster_row to) {
  const int threads = to.threads, cluster = to.cluster;
  /* Each item is in two places; or in three, for other blocks to write to one of them at any time. */
  const int places = cluster > 1 ? 3 : 2;
  const int row_bytes = places * threads * key_bytes(s);
  const int indexed_bytes = row_bytes + places * threads * INDEX_BYTES;
  const int fixed = (threads / WARP_THREADS + cluster) * COUNTER_BYTES + CLUSTER_OTHER_BYTES;
  const int room = (shared_kibibytes(sm) - 1) * KIBIBYTE - fixed;
  const int indexed_rows = rows_in_steps(smaller(to.rows, room / indexed_bytes), 4);
  const int rows =
      always_has_index(s) ? indexed_rows : rows_in_steps(smaller(to.rows, room / row_bytes), 4);
  const int items = larger(rows * row_bytes, indexed_rows * indexed_bytes);
  return radix_sort_cluster_tuning_pack(
      (radix_sort_cluster_tuning){.threads = threads,
                                  .rows = rows,
                                  .indexed_rows = indexed_rows,
                                  .cluster = cluster,
                                  .frequent_digits = CLUSTER_FREQUENT,
                                  .frequent_share = CLUSTER_FREQUENT_SHARE,
                                  .shared_bytes = round_up(fixed + items, KIBIBYTE)});
}

static policy choose_block(const spec *s, int sm, tuning_told *told) {
  cluster_row to = {.threads = CLUSTER_THREADS,
                    .rows = smaller(CLUSTER_REGISTERS / key_words(s), CLUSTER_ROWS),
                    .cluster = 1};
  tuning_take(told, &radix_sort_block_space, &to);
  return make_cluster(s, sm, to);
}

/* Where there are no clusters it is as small as can be, as nothing takes it. */
static policy choose_cluster(const spec *s, int sm, tuning_told *told) {
  const int cluster = most_cluster_blocks(sm);
  cluster_row to = {.threads = CLUSTER_THREADS,
                    .rows = cluster > 1 ? smaller(CLUSTER_REGISTERS / key_words(s), CLUSTER_ROWS) : 1,
                    .cluster = cluster};
  tuning_take(told, &radix_sort_cluster_space, &to);
  return make_cluster(s, sm, to);
}

/* Indices have 16 bits; rows with them are no more than others, in the same batches. */
static bool cluster_has_rows(const spec *s, int sm, const policy *p) {
  enum { MOST_INDEXED = 1 << 16, BATCH = 4 };
  const radix_sort_cluster_tuning to = radix_sort_cluster_tuning_of(p);
  const int batch = to.rows % BATCH == 0 ? BATCH : to.rows;
  (void)s;
  return to.cluster <= most_cluster_blocks(sm) &&
         to.cluster * to.threads * to.indexed_rows <= MOST_INDEXED && to.indexed_rows <= to.rows &&
         to.indexed_rows % batch == 0;
}

/* Every digit has a thread, and a launch may have half as many threads, and half again. */
const policy_space radix_sort_block_space = {
    .choose = choose_block,
    .knobs = {KNOB(cluster_row, threads, 256, 512, 1024), KNOB(cluster_row, rows, 1, 2, 4, 8, 12, 16)},
    .allows = cluster_has_rows};
const policy_space radix_sort_cluster_space = {
    .choose = choose_cluster,
    .knobs = {KNOB(cluster_row, threads, 256, 512, 1024), KNOB(cluster_row, rows, 1, 2, 4, 8, 12, 16),
              KNOB(cluster_row, cluster, 1, 2, 4, 8, 16)},
    .allows = cluster_has_rows};

typedef struct histogram_row {
  int threads, copies;
} histogram_row;

static policy choose_histogram(const spec *s, int sm, tuning_told *told) {
  const int passes = key_bytes(s);
  const int most = (shared_kibibytes(sm) - 1) * KIBIBYTE - HISTOGRAM_OTHER_BYTES;
  histogram_row to = {.threads = HISTOGRAM_THREADS, .copies = MAX_COPIES};
  while (to.copies * passes * COUNTER_BYTES > most) to.copies /= 2;
  tuning_take(told, &radix_sort_histogram_space, &to);
  return radix_sort_histogram_tuning_pack((radix_sort_histogram_tuning){
      .threads = to.threads,
      .copies = to.copies,
      .can_be_local = radix_sort_can_be_local(s),
      .shared_bytes = to.copies * passes * COUNTER_BYTES + HISTOGRAM_OTHER_BYTES});
}

/* It has one block of a multiprocessor, as counters are added up by each; passes share out its threads.
 */
const policy_space radix_sort_histogram_space = {
    .choose = choose_histogram,
    .knobs = {KNOB(histogram_row, threads, 256, 512, 1024),
              KNOB(histogram_row, copies, 1, 2, 4, 8, 16, 32)}};

/* What a pass is made of: how many words of keys a thread has room for, as far as shared memory has it.
 */
typedef struct pass_row {
  int threads, min_blocks, registers;
} pass_row;

/* Half as many rows at a time take longer, but less than a tile of a seventh fewer rows does. */
static int pass_batch(int most_rows) {
  if (most_rows < 2 * PASS_BATCH) return smaller(larger(most_rows, 1), PASS_BATCH);
  const int whole = most_rows / PASS_BATCH * PASS_BATCH,
            halves = most_rows / (PASS_BATCH / 2) * (PASS_BATCH / 2);
  return 7 * (halves - whole) >= halves ? PASS_BATCH / 2 : PASS_BATCH;
}

static policy choose_pass(const spec *s, int sm, tuning_told *told) {
  const bool takes_wide = shared_kibibytes(sm) >= WIDE_KIBIBYTES;
  const int staged = staged_bytes(s, takes_wide ? WIDE_STAGED_BYTES : STAGED_BYTES);
  /* Half of what an SM 75 has is too little. Wider keys take registers for digits, too. */
  pass_row to = {.threads = staged > STAGED_BYTES ? WIDE_PASS_THREADS : PASS_THREADS,
                 .min_blocks = sm < 80 ? 1 : PASS_BLOCKS,
                 .registers = key_words(s) > 2 ? PASS_REGISTERS * 2 / 3 : PASS_REGISTERS};
  tuning_take(told, &radix_sort_pass_space, &to);
  const int row_bytes = to.threads * key_bytes(s);
  const int indexed_bytes = to.threads * (key_bytes(s) + staged + INDEX_BYTES) + to.threads / 8;
  const int fixed = to.threads / WARP_THREADS * COUNTER_BYTES + PASS_OTHER_BYTES;
  const int blocks = to.min_blocks;
  const int room = (shared_kibibytes(sm) / blocks - 1) * KIBIBYTE - fixed;
  const int registers = to.registers;
  /* Values of 4 bytes travel with keys of 4 bytes, in the same registers and places. */
  const int words = key_bytes(s) == 4 && staged == 4 ? 2 : key_words(s);
  const int most_indexed = smaller(registers / words, room / indexed_bytes);
  const int batch = pass_batch(most_indexed);
  const int indexed_rows = rows_in_steps(most_indexed, batch);
  const int rows = always_has_index(s)
                       ? indexed_rows
                       : rows_in_steps(smaller(registers / words, room / row_bytes), batch);
  const int plain = round_up(fixed + rows * row_bytes, KIBIBYTE);
  const int indexed = round_up(fixed + indexed_rows * indexed_bytes, KIBIBYTE);
  return radix_sort_pass_tuning_pack(
      (radix_sort_pass_tuning){.threads = to.threads,
                               .rows = rows,
                               .indexed_rows = indexed_rows,
                               .min_blocks = blocks,
                               .staged_bytes = staged,
                               .batch = batch,
                               .plain_bytes = always_has_index(s) ? indexed : plain,
                               .frequent_digits = PASS_FREQUENT,
                               .frequent_share = PASS_FREQUENT_SHARE,
                               .shared_bytes = larger(plain, indexed)});
}

static bool pass_has_rows(const spec *s, int sm, const policy *p) {
  const radix_sort_pass_tuning to = radix_sort_pass_tuning_of(p);
  (void)s;
  (void)sm;
  return to.batch > 0 && to.rows % to.batch == 0 && to.indexed_rows % to.batch == 0;
}

/* Every digit has a thread. */
const policy_space radix_sort_pass_space = {
    .choose = choose_pass,
    .knobs = {KNOB(pass_row, threads, 256, 384, 512, 768), KNOB(pass_row, min_blocks, 1, 2, 3, 4),
              KNOB(pass_row, registers, 16, 24, 32, 40, 48, 56, 64)},
    .allows = pass_has_rows};

bool radix_sort_can_be_local(const spec *s) {
  const jig_type *value = spec_find(s, "value")->type;
  const int bytes = key_bytes(s);
  return bytes >= LEAST_LOCAL_BYTES || (bytes >= 4 && value != NULL && value->size >= LEAST_LOCAL_VALUE);
}

typedef struct local_row {
  int threads, items, min_blocks;
} local_row;

static policy choose_local(const spec *s, int sm, tuning_told *told) {
  local_row to = {.threads = LOCAL_THREADS, .items = LOCAL_ITEMS, .min_blocks = LOCAL_BLOCKS};
  tuning_take(told, &radix_sort_local_space, &to);
  const int staged = staged_bytes(s, STAGED_BYTES);
  const int threads = to.threads, item_bytes = key_bytes(s) + staged + LOCAL_WORD_BYTES;
  const int fixed = threads / WARP_THREADS * COUNTER_BYTES + LOCAL_OTHER_BYTES;
  const int room = (shared_kibibytes(sm) - 1) * KIBIBYTE - fixed;
  const int most = smaller(to.items / threads, room / (threads * item_bytes));
  const int rows = rows_in_steps(most, LOCAL_BATCH);
  const int bytes = round_up(fixed + threads * rows * item_bytes, KIBIBYTE);
  const int blocks = shared_kibibytes(sm) * KIBIBYTE / (bytes + KIBIBYTE);
  const bool is_wide = key_bytes(s) <= 4 && staged == 0;
  const bool is_narrow = key_bytes(s) + staged <= 8 && staged > 0;
  return radix_sort_local_tuning_pack(
      (radix_sort_local_tuning){.threads = threads,
                                .rows = rows,
                                .min_blocks = larger(smaller(blocks, to.min_blocks), 1),
                                .batch = rows % LOCAL_BATCH == 0 ? LOCAL_BATCH : 1,
                                .least_items = is_narrow ? LEAST_LOCAL_NARROW
                                               : is_wide ? LEAST_LOCAL_WIDE
                                                         : LEAST_LOCAL,
                                .shared_bytes = bytes});
}

static bool local_has_rows(const spec *s, int sm, const policy *p) {
  (void)s;
  (void)sm;
  return radix_sort_local_tuning_of(p).rows > 0;
}

/* Of what has a local sort. */
const policy_space radix_sort_local_space = {
    .choose = choose_local,
    .knobs = {KNOB(local_row, threads, 256, 384, 512), KNOB(local_row, items, 3072, 4608, 6144, 9216),
              KNOB(local_row, min_blocks, 1, 2, 3, 4)},
    .allows = local_has_rows};
