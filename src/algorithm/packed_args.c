#include "algorithm/packed_args.h"

#include "util/integer.h"

/* jig::none, or an operator without a state: a byte. */
static void *none(void) {
  static unsigned char nothing;
  return &nothing;
}

/* A call whose iterators and operators take more than PARAMETER_MAX_SIZE has been refused before. What is
 * a pointer is passed from where it is. */
static void *pack_slot(packed_args *packed, const spec_slot *slot) {
  if (slot->iter != NULL && iter_is_pointed(slot->iter)) return (void *)(uintptr_t)&slot->iter->pointer;
  if (slot->iter == NULL && (slot->op == NULL || !op_has_state(slot->op))) return none();
  unsigned char *place = packed->bytes + packed->used;
  const size_t size = slot->iter != NULL ? iter_pack(slot->iter, place) : op_pack(slot->op, place);
  packed->used = align_up(packed->used + size, PACKED_ALIGNMENT);
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
