/* How set operations are tuned: a tile has `rows` keys for each thread, and they lie in shared memory with
 * 2 bytes beside each. */
#include "policy/set_operation.h"

typedef struct row {
  uint32_t max_bytes; /* of a key */
  chain_tuning single_wave, lookback;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* bytes  single wave   look-back */
    {     2, {256, 15, 4}, {256, 19, 4}},
    {     4, {256, 15, 4}, {256, 15, 4}},
    {     8, {256, 11, 4}, {256, 11, 4}},
    {    16, {256,  7, 3}, {256,  7, 3}},
    {    32, {256,  3, 2}, {256,  3, 2}},
    {    64, {128,  3, 2}, {128,  3, 2}},
    {   ANY, {128,  1, 1}, {128,  1, 1}},
};
/* clang-format on */

static const row *find_row(const spec *s) {
  const row *r = table;
  while (spec_find(s, "first_keys_in")->iter->type.size > r->max_bytes) ++r;
  return r;
}

policy set_single_wave_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->single_wave);
}

policy set_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->lookback);
}

policy set_split_policy(const spec *s, int sm) {
  enum { THREADS = 128 };
  (void)sm;
  const chain_tuning to = find_row(s)->lookback;
  return set_split_tuning_pack(
      (set_split_tuning){.threads = THREADS, .min_blocks = 1, .tile_items = to.threads * to.rows});
}
