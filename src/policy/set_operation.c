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

enum { ANY = 1 << 30 };

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

policy set_single_wave_policy(const spec *s, int sm) {
  return make_policy(s, sm, find_row(s)->single_wave);
}

policy set_lookback_policy(const spec *s, int sm) {
  return make_policy(s, sm, find_row(s)->lookback);
}

policy set_split_policy(const spec *s, int sm) {
  enum { THREADS = 128 };
  (void)sm;
  const chain_tuning to = find_row(s)->lookback;
  return set_split_tuning_pack(
      (set_split_tuning){.threads = THREADS, .min_blocks = 1, .tile_items = to.threads * to.rows});
}
