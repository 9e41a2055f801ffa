#include "policy/gather.h"

#include "policy/shared_memory.h"

/* Enough warps to wait for memory, with registers for the words that each has under way. */
static policy choose(const spec *s, int sm, tuning_told *told) {
  enum { THREADS = 256, BLOCKS = 4 };
  gather_tuning to = {.threads = THREADS,
                      .min_blocks = smaller(BLOCKS, multiprocessor_threads(sm) / THREADS)};
  (void)s;
  tuning_take(told, &gather_space, &to);
  return gather_tuning_pack(to);
}

const policy_space gather_space = {.choose = choose,
                                   .knobs = {KNOB(gather_tuning, threads, 64, 128, 256, 512),
                                             KNOB(gather_tuning, min_blocks, 1, 2, 3, 4, 6, 8, 12, 16)}};
