/* How adjacent difference is tuned: as copy is, a vector for each thread, and on a multiprocessor as many
 * threads as it has room for, as long as what a thread holds fits its registers. On an H200 that is as
 * fast as a copy. Items of 8 bytes that are only subtracted have two vectors where L2 has room for all;
 * with an operator, such as a division, registers spilled. Other GPUs: not measured. */
#include "policy/adjacent_difference.h"

#include "policy/shared_memory.h"

enum { THREADS = 256, SINGLE_UNROLL = 4, IN_L2_UNROLL = 2, REGISTERS = 65536 };

/* Items of 8 bytes that are only subtracted: two vectors fit the registers that threads have if a
 * multiprocessor has all that it has room for. Of 4 bytes two were slower up to 2^20 items. */
static bool are_light(const spec *s, int items, int item_bytes) {
  return spec_find(s, "op")->op == NULL && spec_find(s, "in")->iter->kind == JIG_ITER_POINTER &&
         spec_find(s, "out")->iter->kind == JIG_ITER_POINTER && items == 2 && item_bytes == 8;
}

/* Blocks of a multiprocessor whose threads each have so many bytes of items at a time, and what comes of
 * them, in registers. */
static int blocks_of(int bytes, int sm) {
  if (bytes <= VECTOR_BYTES) return multiprocessor_threads(sm) / THREADS;
  return bytes <= 4 * VECTOR_BYTES ? REGISTERS / (4 * VECTOR_BYTES * THREADS) : 1;
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const int items = vector_items(in, out);
  const int item_bytes = larger((int)in->type.size, (int)out->type.size);
  const int unroll = items == 1 && item_bytes < VECTOR_BYTES ? SINGLE_UNROLL : 1;
  vector_tuning to = {.threads = THREADS,
                      .items = items,
                      .unroll = are_light(s, items, item_bytes) ? IN_L2_UNROLL : unroll,
                      .min_blocks = blocks_of(items * unroll * item_bytes, sm)};
  tuning_take(told, &adjacent_difference_space, &to);
  return vector_tuning_pack(to);
}

const policy_space adjacent_difference_space = {.choose = choose, .knobs = VECTOR_KNOBS};

/* ---- the same of items whose size is no power of two */

static int staged_bytes(const spec *s) {
  return (int)(spec_find(s, "in")->iter->type.size + spec_find(s, "out")->iter->type.size);
}

bool adjacent_difference_is_staged(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  return in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER &&
         vectors_are_staged(in->type.size, staged_bytes(s)) &&
         vectors_are_staged(out->type.size, staged_bytes(s));
}

static policy choose_staged(const spec *s, int sm, tuning_told *told) {
  (void)sm;
  return staged_vectors(staged_bytes(s), &adjacent_difference_staged_space, told);
}

static bool staged_allows(const spec *s, int sm, const policy *p) {
  (void)sm;
  return staged_vectors_fit(staged_bytes(s), p);
}

const policy_space adjacent_difference_staged_space = {
    .choose = choose_staged, .knobs = VECTOR_KNOBS, .allows = staged_allows};
