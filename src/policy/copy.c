/* How copy is tuned.
 *
 * What counts is bytes in flight: on SM 90 some 48 KiB a multiprocessor, which four blocks of 256 threads
 * with 64 bytes each have. Vectors of 16 bytes on both sides are what loads and stores take best; where
 * one side has none, each thread has single items instead, so that a warp's are neighbours. */
#include "policy/copy.h"

enum { VECTOR_BYTES = 16, MAX_BYTES = 64, THREADS = 256, MIN_BLOCKS = 4, MAX_UNROLL = 8 };

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
  const unsigned of_in = iter_run_items(in), of_out = iter_run_items(out), most = larger(of_in, of_out);
  if (out->kind != JIG_ITER_POINTER || iter_loads_each(source)) return 1;
  if (source->kind == JIG_ITER_ZIP) return of_in;
  if (source->kind != JIG_ITER_POINTER) return of_out; /* it is computed from an index */
  const bool fits = most * in->type.size <= MAX_BYTES && most * out->type.size <= MAX_BYTES;
  return in->kind == JIG_ITER_POINTER && fits ? most : of_in;
}

policy copy_policy(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const unsigned items = vector_items(in, out);
  const unsigned bytes = items * larger(in->type.size, out->type.size);
  unsigned unroll = 1;
  while (unroll < MAX_UNROLL && 2 * unroll * larger(bytes, VECTOR_BYTES / 2) <= MAX_BYTES) unroll *= 2;
  (void)sm;
  return copy_tuning_pack((copy_tuning){.threads = THREADS,
                                        .items = (int)items,
                                        .unroll = (int)unroll,
                                        .min_blocks = bytes <= MAX_BYTES ? MIN_BLOCKS : 1});
}
