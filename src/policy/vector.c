#include "policy/vector.h"

#include "policy/shared_memory.h"

int vector_items(const jig_iter *in, const jig_iter *out) {
  const jig_iter *source = iter_source(in);
  const int of_in = (int)iter_vector_items(in), of_out = (int)iter_vector_items(out);
  if (out->kind != JIG_ITER_POINTER || iter_loads_each(source)) return 1;
  if (source->kind != JIG_ITER_POINTER && source->kind != JIG_ITER_ZIP) return of_out; /* computed */
  return in->kind == JIG_ITER_POINTER ? smaller(of_in, of_out) : of_in;
}
