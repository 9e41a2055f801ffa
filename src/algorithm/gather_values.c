#include "algorithm/gather_values.h"

#include <jig/copy.h>

#include "algorithm/transform.h"
#include "spec/type.h"

#define INDEX(bytes, integer)                                                      \
  {                                                                                \
    .type = {.kind = JIG_KIND_OPAQUE, .size = bytes, .align = bytes}, .counted = { \
      .kind = JIG_ITER_COUNTING,                                                   \
      .type = {.kind = integer, .size = bytes, .align = bytes}                     \
    }                                                                              \
  }
const gather_index gather_index64 = INDEX(8, JIG_KIND_U64), gather_index32 = INDEX(4, JIG_KIND_U32);

void gather_describe(gather_values *g, const jig_iter *values_in, const gather_index *index,
                     bool only_some, bool counted) {
  static const jig_op is_sorted = {.kind = JIG_OP_SOURCE, .source = "return ~x != 0;"},
                      /* A transform reads what it does not store, too. */
      or_first = {.kind = JIG_OP_SOURCE, .source = "return ~x != 0 ? x : 0;"};
  g->values = *values_in;
  if (values_in->kind == JIG_ITER_POINTER) /* whatever they are */
    g->values.type = jig_opaque(values_in->type.size, values_in->type.align);
  g->indices = jig_pointer(NULL, index->counted.type);
  g->places = only_some ? jig_iter_transform(&g->indices, or_first, g->indices.type) : g->indices;
  g->in = jig_permutation(&g->values, &g->places);
  g->stencil = jig_iter_transform(&g->indices, is_sorted, jig_type_of_kind(JIG_KIND_BOOL));
  g->out = jig_pointer(NULL, g->values.type);
  transform_describe(&g->in, only_some ? &g->stencil : NULL, &g->out, counted, &g->s);
}

static jig_status check_count(call *c, void *num_items) {
  return transform_check(c, *(const uint64_t *)num_items);
}

jig_status gather_prepare(call *c, gather_values *g, uint64_t num_items) {
  g->c = *c;
  const jig_status status = call_program(&g->c, &g->s, check_count, &num_items);
  c->in_memory = c->in_memory && g->c.in_memory;
  c->slow_since = g->c.slow_since;
  return status;
}

jig_status gather_clear(const call *c, void *indices, uint64_t num_items) {
  return call_fill(c, indices, 0xff, num_items * sizeof(uint64_t), "marking what is not sorted");
}

jig_status gather_launch(gather_values *g, void *indices, const jig_iter *values_out,
                         item_count num_items) {
  g->indices.pointer = indices;
  if (g->places.kind == JIG_ITER_POINTER) g->places.pointer = indices;
  g->out.pointer = values_out->pointer;
  return transform_launch(&g->c, num_items);
}
