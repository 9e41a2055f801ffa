#include "algorithm/packed_args.h"

#include "util/integer.h"

void packed_begin(packed_args *packed) {
  packed->used = 0;
  packed->count = 0;
}

static unsigned char *next_place(packed_args *packed, value_layout layout) {
  unsigned char *place = packed->bytes + packed->used;
  packed_value(packed, place);
  packed->used = align_up(packed->used + layout.size, PACKED_ALIGNMENT);
  place[0] = 0;
  return place;
}

static const value_layout none = {1, 1};

void packed_iter(packed_args *packed, const jig_iter *iter) {
  const bool exists = iter != NULL && iter->kind != JIG_ITER_NONE;
  unsigned char *place = next_place(packed, exists ? iter_layout(iter) : none);
  if (exists) iter_pack(iter, place);
}

void packed_op(packed_args *packed, const jig_op *op) {
  const bool exists = op != NULL && op->kind != JIG_OP_NONE;
  unsigned char *place = next_place(packed, exists ? op_layout(op) : none);
  if (exists) op_pack(op, place);
}

void packed_value(packed_args *packed, void *value) {
  packed->parameters[packed->count++] = value;
}
