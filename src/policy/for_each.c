/* How for-each and bulk are tuned. What the operator takes is not known, so that the compiler may take as
 * many registers as it likes. */
#include "policy/for_each.h"

#include "policy/shared_memory.h"

enum { THREADS = 256, UNROLL = 4, MAX_BYTES = 64 };

static policy choose(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const bool copies = spec_find(s, "mode")->choice != 0;
  const int items = copies && !iter_loads_each(in) ? (int)iter_vector_items(in) : 1;
  const int bytes = items * (int)in->type.size;
  (void)sm;
  vector_tuning to = {.threads = THREADS,
                      .items = items,
                      .unroll = smaller(UNROLL, larger(1, MAX_BYTES / bytes)),
                      .min_blocks = 1};
  tuning_take(told, &for_each_space, &to);
  return vector_tuning_pack(to);
}

const policy_space for_each_space = {.choose = choose, .knobs = VECTOR_KNOBS};

static policy choose_bulk(const spec *s, int sm, tuning_told *told) {
  vector_tuning to = {.threads = THREADS, .items = 1, .unroll = UNROLL, .min_blocks = 1};
  (void)s;
  (void)sm;
  tuning_take(told, &bulk_space, &to);
  return vector_tuning_pack(to);
}

const policy_space bulk_space = {.choose = choose_bulk, .knobs = VECTOR_KNOBS};
