#include "algorithm/packed_args.h"

#include "util/integer.h"

/* A call whose iterators and operators take more than PARAMETER_MAX_SIZE has been refused before. */
static unsigned char *next_place(packed_args *packed, value_layout layout) {
  unsigned char *place = packed->bytes + packed->used;
  packed->used = align_up(packed->used + layout.size, PACKED_ALIGNMENT);
  return place;
}

/* jig::none, a byte. */
static void *pack_none(packed_args *packed) {
  unsigned char *place = next_place(packed, (value_layout){1, 1});
  place[0] = 0;
  return place;
}

static void *pack_slot(packed_args *packed, const spec_slot *slot) {
  if (slot->iter != NULL) {
    unsigned char *place = next_place(packed, iter_layout(slot->iter));
    iter_pack(slot->iter, place);
    return place;
  }
  if (slot->op == NULL) return pack_none(packed);
  unsigned char *place = next_place(packed, op_layout(slot->op));
  place[0] = 0;
  op_pack(slot->op, place);
  return place;
}

static void *pack(packed_args *packed, const kernel_parameter *p, const spec *s, const void *values) {
  void *member = (unsigned char *)(uintptr_t)values + p->offset;
  if (p->kind == PARAMETER_SLOT) return pack_slot(packed, &s->slots[p->slot]);
  if (p->kind == PARAMETER_VALUE || p->kind == PARAMETER_COUNT) return member;
  void *pointed = *(void **)member;
  return pointed != NULL ? pointed : pack_none(packed);
}

void packed_args_fill(packed_args *packed, const kernel_parameter *list, const spec *s,
                      const void *values) {
  packed->used = 0;
  for (int i = 0; list[i].kind != PARAMETERS_END; ++i)
    packed->parameters[i] = pack(packed, &list[i], s, values);
}
