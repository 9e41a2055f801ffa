#include "policy/gather.h"

#include "policy/shared_memory.h"

/* Enough warps to wait for memory, with registers for the words that each has under way. */
policy gather_policy(const spec *s, int sm) {
  enum { THREADS = 256, BLOCKS = 4 };
  (void)s;
  return gather_tuning_pack((gather_tuning){
      .threads = THREADS, .min_blocks = smaller(BLOCKS, multiprocessor_threads(sm) / THREADS)});
}
