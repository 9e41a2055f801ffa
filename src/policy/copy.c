/* How copy is tuned.
 *
 * A thread has one vector of 16 bytes of the larger items, and a multiprocessor all the threads it has
 * room for. On an H200 that copies as fast as the driver does; threads with more vectors each, of which
 * there are fewer then, were 2 to 6 % slower, and 64 bytes of neighbours for a thread on one side half as
 * fast. Where one side has no vectors, threads have single items, some of them at once, so that a warp's
 * are neighbours. Other GPUs: not measured. */
#include "policy/copy.h"

enum { VECTOR_BYTES = 16, MAX_BYTES = 64, THREADS = 256, SINGLE_UNROLL = 4, MOST_COMPUTED = 4 };

static unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}
static unsigned larger(unsigned a, unsigned b) {
  return a > b ? a : b;
}

/* What an iterator's items are made of, before any operator. */
static const jig_iter *source_of(const jig_iter *iter) {
  while (iter->kind == JIG_ITER_TRANSFORM) iter = iter->base;
  return iter;
}

/* Neighbours that a thread loads and stores at once. */
static unsigned vector_items(const jig_iter *in, const jig_iter *out) {
  const jig_iter *source = source_of(in);
  const unsigned of_in = iter_run_items(in), of_out = iter_run_items(out);
  if (out->kind != JIG_ITER_POINTER || iter_loads_each(source)) return 1;
  if (source->kind != JIG_ITER_POINTER && source->kind != JIG_ITER_ZIP) return of_out; /* computed */
  return in->kind == JIG_ITER_POINTER ? smaller(of_in, of_out) : of_in;
}

policy copy_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const unsigned items = vector_items(in, out);
  const unsigned bytes = items * larger(in->type.size, out->type.size);
  const bool is_small = sm == 86 || sm == 89 || sm >= 120;
  const int most = sm < 80 ? 1024 : is_small ? 1536 : 2048; /* threads of a multiprocessor */
  /* What is only moved stays as it was loaded. Many items that are computed take registers. */
  const bool is_moved = in->kind == JIG_ITER_POINTER && in->type.kind == out->type.kind;
  const int share = is_moved || items <= MOST_COMPUTED ? 1 : 2;
  return copy_tuning_pack((copy_tuning){.threads = THREADS,
                                        .items = (int)items,
                                        .unroll = items == 1 && bytes < VECTOR_BYTES ? SINGLE_UNROLL : 1,
                                        .min_blocks = bytes <= MAX_BYTES ? most / THREADS / share : 1});
}
