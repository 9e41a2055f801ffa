/* How set operations are tuned.
 *
 * A tile has `rows` keys for each thread, which lie in shared memory with 2 bytes beside each: it is as
 * large as a block's static shared memory allows, since on an H200 large tiles were faster even where they
 * leave room for fewer threads. Few items want smaller ones, on all multiprocessors. Other GPUs: not
 * measured. */
#include "policy/set_operation.h"

#include "policy/merge_sort.h"

typedef struct row {
  uint32_t max_bytes; /* of a key */
  chain_tuning single_wave, lookback;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* bytes  single wave   look-back */
    {     2, {256, 19, 4}, {256, 27, 5}},
    {     4, {256, 19, 4}, {256, 27, 5}},
    {     8, {256, 19, 3}, {256, 19, 4}},
    {    16, {256,  9, 3}, {256,  9, 4}},
    {    32, {256,  4, 3}, {256,  5, 4}},
    {    64, {128,  4, 3}, {128,  5, 4}},
    {   128, {128,  2, 3}, {128,  2, 4}},
    {   ANY, {128,  1, 3}, {128,  1, 4}},
};
/* clang-format on */

static const row *find_row(const spec *s) {
  const row *r = table;
  while (spec_find(s, "first_keys_in")->iter->type.size > r->max_bytes) ++r;
  return r;
}

static policy make_policy(const spec *s, int sm, chain_tuning to) {
  enum { PLACE_BYTES = 2, OTHER_BYTES = 256 };
  const int key = (int)spec_find(s, "first_keys_in")->iter->type.size;
  const int bytes = to.threads * to.rows * (key + PLACE_BYTES) + OTHER_BYTES;
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
