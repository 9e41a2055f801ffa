/* How for-each and bulk are tuned. What the operator takes is not known, so that the compiler may take as
 * many registers as it likes. */
#include "policy/for_each.h"

#include "policy/shared_memory.h"

enum { THREADS = 256, UNROLL = 4, MAX_BYTES = 64 };

policy for_each_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const bool copies = spec_find(s, "mode")->choice != 0;
  const int items = copies && !iter_loads_each(in) ? (int)iter_vector_items(in) : 1;
  const int bytes = items * (int)in->type.size;
  (void)sm;
  return vector_tuning_pack((vector_tuning){.threads = THREADS,
                                            .items = items,
                                            .unroll = smaller(UNROLL, larger(1, MAX_BYTES / bytes)),
                                            .min_blocks = 1});
}

policy bulk_policy(const spec *s, int sm) {
  (void)s;
  (void)sm;
  return vector_tuning_pack(
      (vector_tuning){.threads = THREADS, .items = 1, .unroll = UNROLL, .min_blocks = 1});
}
