/* How set operations are tuned.
 *
 * A tile has `rows` keys for each thread, which lie in shared memory with 2 bytes beside each: it is as
 * large as a block's static shared memory allows, since on an H200 large tiles were faster even where
 * they leave room for fewer threads. Few items want smaller ones, on all multiprocessors. Other GPUs: not
 * measured. */
#include "policy/set_operation.h"

#include "policy/merge_sort.h"
#include "policy/shared_memory.h"
#include "spec/type.h"

typedef struct row {
  uint32_t max_bytes; /* of a key in registers */
  chain_tuning single_wave, lookback;
} row;

enum { ANY = 1 << 30, FEW_ROWS = 4 };

/* clang-format off */
static const row table[] = {
    /* bytes  single wave   look-back */
    {     4, {256, 19, 3}, {256, 27, 5}},
    {     8, {256, 19, 3}, {256, 19, 4}},
    {    16, {256,  9, 3}, {256,  9, 4}},
    {    32, {256,  4, 3}, {256,  5, 4}},
    {    64, {128,  4, 3}, {128,  5, 4}},
    {   128, {128,  2, 3}, {128,  2, 4}},
    {   ANY, {128,  1, 3}, {128,  1, 4}},
};
/* clang-format on */

/* What a key takes while it is loaded: a register for each part that is aligned by itself. */
static const row *find_row(const spec *s) {
  const jig_type *key = &spec_find(s, "first_keys_in")->iter->type;
  const uint32_t bytes = key->align < 4 ? key->size / key->align * 4 : key->size;
  const row *r = table;
  while (bytes > r->max_bytes) ++r;
  return r;
}

/* Whether keys are numbers in memory. What is computed takes registers, as keys do that are put together
 * from bytes. */
static bool is_plain(const spec *s) {
  const jig_iter *first = spec_find(s, "first_keys_in")->iter,
                 *second = spec_find(s, "second_keys_in")->iter;
  return first->kind == JIG_ITER_POINTER && second->kind == JIG_ITER_POINTER &&
         type_is_number(&first->type);
}

static policy make_policy(const spec *s, int sm, chain_tuning to) {
  enum { PLACE_BYTES = 2, OTHER_BYTES = 256 };
  const int key = (int)spec_find(s, "first_keys_in")->iter->type.size;
  const int bytes = to.threads * to.rows * (key + PLACE_BYTES) + OTHER_BYTES;
  /* What is compiled for SM 100 and later takes more registers. */
  if (sm >= 100) to.min_blocks = larger(to.min_blocks * 3 / 4, 1);
  if (!is_plain(s)) to.min_blocks = larger(to.min_blocks / 2, 1);
  to.min_blocks = merge_sort_min_blocks(sm, to.threads, bytes, to.min_blocks);
  return chain_tuning_pack(to);
}

/* A tile's keys with their places lie in shared memory that a block has without asking; places have 16
 * bits, and a thread's keys a bit each. */
static bool allows(const spec *s, int sm, const policy *p) {
  enum { OTHER_BYTES = 1024, MOST_ROWS = 32, MOST_PLACE = 0xffff };
  const chain_tuning to = chain_tuning_of(p);
  const int key = (int)spec_find(s, "first_keys_in")->iter->type.size, items = to.threads * to.rows;
  (void)sm;
  return to.rows <= MOST_ROWS && (items + 1) * key <= MOST_PLACE &&
         items * (key + (int)sizeof(uint16_t)) + OTHER_BYTES <= STATIC_SHARED_BYTES;
}

#define SET_KNOBS                                                           \
  {                                                                         \
    KNOB(chain_tuning, threads, 64, 128, 256, 512),                         \
        KNOB(chain_tuning, rows, 1, 2, 4, 5, 7, 9, 11, 15, 19, 23, 27, 31), \
        KNOB(chain_tuning, min_blocks, 1, 2, 3, 4, 5, 6)                    \
  }

bool set_has_few(const spec *s) {
  return find_row(s)->single_wave.rows > FEW_ROWS;
}

static policy choose_single_wave(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s)->single_wave;
  tuning_take(told, &set_single_wave_space, &to);
  return make_policy(s, sm, to);
}

const policy_space set_single_wave_space = {
    .choose = choose_single_wave, .knobs = SET_KNOBS, .allows = allows};

/* As many blocks of as many threads, so that either kernel may do what takes few rows. */
static policy choose_few(const spec *s, int sm, tuning_told *told) {
  const policy single_wave = choose_single_wave(s, sm, told);
  const chain_tuning most = chain_tuning_of(&single_wave);
  chain_tuning to = most;
  to.rows = FEW_ROWS;
  tuning_take(told, &set_few_space, &to);
  to.rows = smaller(to.rows, most.rows);
  return chain_tuning_pack(to);
}

const policy_space set_few_space = {
    .choose = choose_few, .knobs = {KNOB(chain_tuning, rows, 1, 2, 4, 5, 7)}, .allows = allows};

static chain_tuning lookback_of(const spec *s, tuning_told *told) {
  chain_tuning to = find_row(s)->lookback;
  tuning_take(told, &set_lookback_space, &to);
  return to;
}

static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
  return make_policy(s, sm, lookback_of(s, told));
}

const policy_space set_lookback_space = {.choose = choose_lookback, .knobs = SET_KNOBS, .allows = allows};

/* What it splits into are the look-back's tiles. */
static policy choose_split(const spec *s, int sm, tuning_told *told) {
  set_split_tuning to = {.threads = 128, .min_blocks = 1};
  const chain_tuning lookback = lookback_of(s, told);
  (void)sm;
  tuning_take(told, &set_split_space, &to);
  to.tile_items = lookback.threads * lookback.rows;
  return set_split_tuning_pack(to);
}

const policy_space set_split_space = {.choose = choose_split,
                                      .knobs = {KNOB(set_split_tuning, threads, 64, 128, 256, 512)}};
