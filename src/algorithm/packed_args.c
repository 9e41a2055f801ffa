#include "algorithm/packed_args.h"

#include "util/integer.h"

void packed_begin(packed_args *packed) {
  packed->used = 0;
  packed->count = 0;
}

/* A call whose iterators and operators take more than PARAMETER_MAX_SIZE has been refused before. One
 * more than there is room for goes over the first. */
static unsigned char *next_place(packed_args *packed, value_layout layout) {
  if (packed->count == PACKED_MAX_PARAMETERS) packed->used = 0;
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
  if (packed->count < PACKED_MAX_PARAMETERS)
    packed->parameters[packed->count++] = value;
  else
    packed->parameters[0] = NULL;
}
