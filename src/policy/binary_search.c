#include "policy/binary_search.h"

#include <jig/binary_search.h>

#include "policy/shared_memory.h"
#include "spec/type.h"
#include "util/integer.h"

/* A search is a chain of loads: what counts is how many of them are under way at once, and that what is
 * loaded stays in L1 until the next step. On an H200 four blocks of 256 threads with 8 needles each, or 4
 * of 8 bytes, were the best for needles in order and within 10 % of the best for others. SM 75 has 64 KiB
 * of shared memory for all blocks of a multiprocessor. Two places of a needle, and other items than plain
 * numbers, take more registers; SM 75 and SM 120 do not get along with 64 of them.
 *
 * Of needles in order in as many items, a warp's 6 rows of 32 among 255 items, or of 8 bytes 3 rows among
 * 127, were the best of those tried. */
enum { THREADS = 256, LANE_BYTES = 32, MAX_NEEDLES = 8, SAMPLE_BYTES = 16384 };
enum { SWEEP_ROWS = 6, SWEEP_BITS = 8, WIDE_SWEEP_ROWS = 3, WIDE_SWEEP_BITS = 7 };

/* Whether a search takes few registers: for one place of a needle, among plain numbers. */
static bool takes_few(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const bool is_plain = type_is_number(&in->type) && in->kind == JIG_ITER_POINTER &&
                        spec_find(s, "needles_in")->iter->kind == JIG_ITER_POINTER;
  return is_plain && in->type.size <= 8 && spec_find(s, "bound")->choice != JIG_BOUND_EQUAL_RANGE &&
         sm >= 80 && sm < 120;
}

/* How many blocks a multiprocessor has room for. */
static int blocks_of(const spec *s, int sm) {
  const size_t size = spec_find(s, "in")->iter->type.size;
  if (size > 32) return 1;
  if (size > 8) return 2;
  return takes_few(s, sm) ? 4 : 3;
}

static binary_search_tuning tuning_of(const spec *s, int sm) {
  const size_t item = spec_find(s, "in")->iter->type.size;
  const size_t bytes = sm < 80 ? SAMPLE_BYTES / 2 : SAMPLE_BYTES;
  int bits = 1;
  while (item << (bits + 1) <= bytes) ++bits;
  binary_search_tuning to = {.threads = THREADS,
                             .needles = item <= 8 ? (int)min_of(MAX_NEEDLES, LANE_BYTES / item) : 1,
                             .sample_bits = bits,
                             .sweep_rows = item <= 4   ? SWEEP_ROWS
                                           : item <= 8 ? WIDE_SWEEP_ROWS
                                                       : 0,
                             .sweep_bits = item <= 4 ? SWEEP_BITS : WIDE_SWEEP_BITS,
                             .min_blocks = blocks_of(s, sm)};
  return to;
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  binary_search_tuning to = tuning_of(s, sm);
  tuning_take(told, &binary_search_space, &to);
  return binary_search_tuning_pack(to);
}

#define SEARCH_KNOBS                                          \
  KNOB(binary_search_tuning, threads, 128, 256, 512),         \
      KNOB(binary_search_tuning, needles, 1, 2, 4, 6, 8, 12), \
      KNOB(binary_search_tuning, min_blocks, 1, 2, 3, 4, 6, 8)

const policy_space binary_search_space = {.choose = choose, .knobs = {SEARCH_KNOBS}};

/* One needle of a thread leaves registers for as many threads as a multiprocessor has room for, so that
 * no thread has two, one after the other, as long as there are no more needles. The sample has an item
 * for each thread; what shared memory does not take is L1's. */
static policy choose_row(const spec *s, int sm, tuning_told *told) {
  binary_search_tuning to = tuning_of(s, sm);
  if (takes_few(s, sm) && spec_find(s, "compare")->op == NULL)
    to.min_blocks = larger(to.min_blocks, multiprocessor_threads(sm) / to.threads);
  tuning_take(told, &binary_search_row_space, &to);
  while (to.sample_bits > 1 && 1 << to.sample_bits > to.threads) --to.sample_bits;
  return binary_search_tuning_pack(to);
}

const policy_space binary_search_row_space = {.choose = choose_row, .knobs = {SEARCH_KNOBS}};

/* As many warps as a multiprocessor has room for in the other kernel, which is faster with more needles.
 */
static policy choose_few(const spec *s, int sm, tuning_told *told) {
  binary_search_few_tuning to = {.threads = THREADS, .min_blocks = blocks_of(s, sm)};
  tuning_take(told, &binary_search_few_space, &to);
  return binary_search_few_tuning_pack(to);
}

const policy_space binary_search_few_space = {
    .choose = choose_few,
    .knobs = {KNOB(binary_search_few_tuning, threads, 128, 256, 512),
              KNOB(binary_search_few_tuning, min_blocks, 1, 2, 3, 4, 6)}};
