#include "policy/vector.h"

#include "policy/shared_memory.h"

/* The same on the input's side: what is computed of no items in memory is so of any number. */
static int input_items(const jig_iter *in, int of_out) {
  const jig_iter *source = iter_source(in);
  int items = of_out;
  if (iter_loads_each(source)) return 1;
  if (source->kind == JIG_ITER_ZIP_TRANSFORM) {
    for (unsigned k = 0; k < iter_base_count(source); ++k)
      items = smaller(items, input_items(iter_base_at(source, k), of_out));
    return items;
  }
  if (!iter_is_pointed(source) && source->kind != JIG_ITER_ZIP) return of_out;
  const int of_in = (int)iter_vector_items(in);
  return iter_is_pointed(source) ? smaller(of_in, of_out) : of_in;
}

/* Of several outputs, as many as suit each of them. */
static int output_items(const jig_iter *out) {
  if (iter_is_pointed(out)) return (int)iter_vector_items(out);
  if (out->kind != JIG_ITER_ZIP) return 1;
  int items = output_items(iter_base_at(out, 0));
  for (unsigned k = 1; k < iter_base_count(out); ++k)
    items = smaller(items, output_items(iter_base_at(out, k)));
  return items;
}

int vector_items(const jig_iter *in, const jig_iter *out) {
  const int of_out = output_items(out);
  return of_out > 1 ? input_items(in, of_out) : 1;
}

/* ---- what warps bring to shared memory, and store from there: by small blocks, which have no barrier */

enum {
  PIXEL_BYTES = 3,
  STAGED_BYTES = 192, /* of a thread */
  MOST_STAGED_BYTES = 144,
  STAGED_THREADS = 64,
  STAGED_BLOCKS = 16,
};

/* Lanes that take such items from shared memory are in different banks, or two to four of them in one. */
bool vectors_are_staged(uint32_t size, int bytes) {
  const uint32_t power = size & -size;
  return size > PIXEL_BYTES && size != power && power <= VECTOR_BYTES && bytes <= MOST_STAGED_BYTES;
}

policy staged_vectors(int bytes, const policy_space *space, tuning_told *told) {
  vector_tuning to = {.threads = STAGED_THREADS,
                      .items = 1,
                      .unroll = larger(STAGED_BYTES / bytes, 1),
                      .min_blocks = STAGED_BLOCKS};
  tuning_take(told, space, &to);
  return vector_tuning_pack(to);
}

/* Shared memory that needs no leave. */
bool staged_vectors_fit(int bytes, const policy *p) {
  enum { MOST_SHARED_BYTES = 40 * 1024 };
  const vector_tuning to = vector_tuning_of(p);
  return to.threads * to.unroll * bytes <= MOST_SHARED_BYTES;
}
