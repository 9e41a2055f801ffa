/* How copy is tuned.
 *
 * A thread has one vector of 16 bytes of the larger items, and a multiprocessor all the threads it has
 * room for. On an H200 that copies as fast as the driver does; threads with more vectors each, of which
 * there are fewer then, were 2 to 6 % slower, and 64 bytes of neighbours for a thread on one side half as
 * fast. Where one side has no vectors, threads have single items, some of them at once, so that a warp's
 * are neighbours. Other GPUs: not measured. */
#include "policy/copy.h"

#include "policy/shared_memory.h"
#include "policy/vector.h"

enum { MAX_BYTES = 64, THREADS = 256, SINGLE_UNROLL = 4, MOST_COMPUTED = 4 };

policy copy_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const int items = vector_items(in, out);
  const int bytes = items * larger((int)in->type.size, (int)out->type.size);
  /* What is only moved stays as it was loaded. Many items that are computed take registers. */
  const bool is_moved = in->kind == JIG_ITER_POINTER && in->type.kind == out->type.kind;
  const int share = is_moved || items <= MOST_COMPUTED ? 1 : 2;
  return copy_tuning_pack(
      (copy_tuning){.threads = THREADS,
                    .items = items,
                    .unroll = items == 1 && bytes < VECTOR_BYTES ? SINGLE_UNROLL : 1,
                    .min_blocks = bytes <= MAX_BYTES ? multiprocessor_threads(sm) / THREADS / share : 1});
}
