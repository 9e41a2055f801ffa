#include "algorithm/packed_args.h"

#include "util/integer.h"

/* A call whose iterators and operators take more than PARAMETER_MAX_SIZE has been refused before. */
static unsigned char *next_place(packed_args *packed, value_layout layout) {
  unsigned char *place = packed->bytes + packed->used;
  packed->used = align_up(packed->used + layout.size, PACKED_ALIGNMENT);
  return place;
}

/* jig::none, or an operator without a state: a byte. */
static void *none(void) {
  static unsigned char nothing;
  return &nothing;
}

/* What is a pointer is passed from where it is. */
static void *pack_iter(packed_args *packed, const jig_iter *iter) {
  if (iter_is_pointed(iter)) return (void *)(uintptr_t)&iter->pointer;
  const value_layout layout = iter_layout(iter);
  unsigned char *place = next_place(packed, layout);
  iter_pack(iter, place, layout.size);
  return place;
}

static void *pack_slot(packed_args *packed, const spec_slot *slot) {
  if (slot->iter != NULL) return pack_iter(packed, slot->iter);
  if (slot->op == NULL || !op_has_state(slot->op)) return none();
  unsigned char *place = next_place(packed, op_layout(slot->op));
  op_pack(slot->op, place);
  return place;
}

static void *pack(packed_args *packed, const kernel_parameter *p, const spec *s, const void *values) {
  void *member = (unsigned char *)(uintptr_t)values + p->offset;
  if (p->kind == PARAMETER_SLOT) return pack_slot(packed, &s->slots[p->slot]);
  if (p->kind == PARAMETER_VALUE || p->kind == PARAMETER_COUNT) return member;
  void *pointed = *(void **)member;
  return pointed != NULL ? pointed : none();
}

void packed_args_fill(packed_args *packed, const kernel_parameter *list, const spec *s,
                      const void *values) {
  packed->used = 0;
  for (int i = 0; list[i].kind != PARAMETERS_END; ++i)
    packed->parameters[i] = pack(packed, &list[i], s, values);
}
