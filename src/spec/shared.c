#include "spec/shared.h"

#include <string.h>

#include "spec/operator.h"
#include "spec/type.h"

/* ---- types */

static bool is_signable(const jig_type *type) {
  return type_is_integer(type) && type->kind != JIG_KIND_BOOL;
}

/* Whether it is nothing but bits to an operator that is only called. */
static bool is_bits(const jig_type *type) {
  return type_is_number(type) && type->kind != JIG_KIND_BOOL;
}

/* The unsigned integer of that size and alignment; JIG_KIND_NONE if there is none. */
static jig_type_kind unsigned_kind(const jig_type *type) {
  static const jig_type_kind kinds[] = {[1] = JIG_KIND_U8,
                                        [2] = JIG_KIND_U16,
                                        [4] = JIG_KIND_U32,
                                        [8] = JIG_KIND_U64,
                                        [16] = JIG_KIND_U128};
  const bool has_place = type->size < sizeof kinds / sizeof kinds[0] && type->size == type->align;
  return has_place ? kinds[type->size] : JIG_KIND_NONE;
}

static jig_type as_bytes(const jig_type *type) {
  const jig_type_kind kind = unsigned_kind(type);
  return kind != JIG_KIND_NONE ? jig_type_of_kind(kind) : jig_opaque(type->size, type->align);
}

/* ---- iterators */

/* Whether its items come from an operator that is only called, or go to one. */
static bool calls_op(const jig_iter *iter) {
  return iter_has_op(iter->kind) && op_is_called(&iter->op);
}

/* An iterator with items of another type, if what it does with them does not go by their type; NULL, also
 * if there is no room. */
static const jig_iter *retype(shared_spec *room, const jig_iter *iter, const jig_type *from,
                              const jig_type *to) {
  const bool passes_on = iter->kind == JIG_ITER_REVERSE || iter->kind == JIG_ITER_PERMUTATION;
  const bool has_any = iter_is_pointed(iter) || iter->kind == JIG_ITER_STRIDED ||
                       iter->kind == JIG_ITER_CONSTANT || iter->kind == JIG_ITER_DISCARD ||
                       (room->calls && calls_op(iter));
  if (!(passes_on || has_any) || !type_equal(&iter->type, from)) return NULL;
  if (room->iter_count == SHARED_MAX_ITERS) return NULL;
  jig_iter *copy = &room->iters[room->iter_count++];
  *copy = *iter;
  copy->type = *to;
  if (passes_on) copy->base = retype(room, iter_base_at(iter, 0), from, to);
  return passes_on && copy->base == NULL ? NULL : copy;
}

/* The same of a slot, which may be left out. */
static bool retype_slot(shared_spec *room, int i, const jig_type *from, const jig_type *to) {
  spec_slot *slot = &room->s.slots[i];
  if (slot->type != NULL) {
    if (!type_equal(slot->type, from)) return false;
    room->types[i] = *to;
    slot->type = &room->types[i];
  } else if (slot->iter != NULL) {
    const jig_iter *iter = retype(room, slot->iter, from, to);
    if (iter == NULL) return false;
    slot->iter = iter;
  }
  return true;
}

/* ---- texts, which may speak of structs by their names */

static bool has_text_of_type(const jig_type *type) {
  return type->kind == JIG_KIND_STRUCT;
}

static bool has_text_of_op(const jig_op *op) {
  return !op_is_well_known(op) || (op_has_state(op) && has_text_of_type(&op->state_type));
}

static bool has_text(const jig_iter *iter) {
  bool has = has_text_of_type(&iter->type) || (iter_has_op(iter->kind) && has_text_of_op(&iter->op));
  for (unsigned k = 0; k < iter_base_count(iter); ++k) has = has || has_text(iter_base_at(iter, k));
  return has;
}

/* ---- items that are moved */

static bool is_slot(const spec *s, int i, const char *name) {
  return name != NULL && strcmp(s->schema->slots[i].name, name) == 0;
}

/* Whether a slot's items are those of slot `items`, or stored from it. */
static bool goes_with(const spec *s, int i, int items) {
  return i == items || (s->schema->slots[i].kind == SLOT_ITER && s->slots[i].iter != NULL &&
                        is_slot(s, items, s->schema->slots[i].like));
}

/* Whether the operator in a slot looks at the items of another. */
static bool is_over(const spec *s, int i, int items) {
  const slot_schema *op = &s->schema->slots[i];
  if (op->kind != SLOT_OP || op->over[0] == NULL) return false;
  const spec_slot *first = spec_find(s, op->over[0]);
  const bool is_first = op->over[1] == NULL || first->iter != NULL || first->type != NULL;
  return is_slot(s, items, op->over[is_first ? 0 : 1]);
}

/* The first operator that looks at the items of a slot, by its number; -1 if there cannot be any. */
static int operator_over(const spec *s, int items) {
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (is_over(s, i, items)) return i;
  return -1;
}

/* Whether any other slot has a text. */
static bool others_have_text(const spec *s, int items) {
  bool has = false;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    if (goes_with(s, i, items)) continue;
    has = has || (slot->type != NULL && has_text_of_type(slot->type)) ||
          (slot->iter != NULL && has_text(slot->iter)) || (slot->op != NULL && has_text_of_op(slot->op));
  }
  return has;
}

static bool can_share_items(const spec *s, int items) {
  const jig_type *type = &s->slots[items].iter->type;
  const int op = operator_over(s, items);
  if (op >= 0)
    return s->schema->slots[items].use == USE_EQUATED && s->slots[op].op == NULL && type_is_integer(type);
  return !type_is_wide(type) && !(type->kind == JIG_KIND_STRUCT && others_have_text(s, items));
}

/* Whether nothing looks at them but operators that are only called, one at least. */
static bool are_bits(const spec *s, int items) {
  if (operator_over(s, items) < 0 || !is_bits(&s->slots[items].iter->type)) return false;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (is_over(s, i, items) && !op_is_called(s->slots[i].op)) return false;
  return true;
}

static void share_items(shared_spec *room, int items) {
  const spec before = room->s, *s = &room->s;
  const unsigned iters_before = room->iter_count;
  const jig_type from = s->slots[items].iter->type, to = as_bytes(&from);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (!goes_with(s, i, items) || retype_slot(room, i, &from, &to)) continue;
    room->s = before; /* all or none */
    room->iter_count = iters_before;
    return;
  }
}

/* ---- counts */

static void share_count(shared_spec *room, int i) {
  const jig_type *type = spec_slot_type(&room->s.slots[i]);
  if (type == NULL || !is_signable(type)) return;
  const jig_type from = *type, to = as_bytes(type);
  (void)retype_slot(room, i, &from, &to);
}

/* ---- folds */

/* Whether an integer is widened to the accumulator by its sign, or cut to its size, so that it keeps
 * that. */
static bool is_narrow(const jig_type *type, const jig_type *accum) {
  return type_is_integer(type) && type_is_integer(accum) && type->size < accum->size;
}

/* Whether the low bits of a result follow from those of the operands, whatever their signs. Left out, an
 * operator of what has no accumulators is a difference. */
static bool ignores_signs(const jig_op *op) {
  return op == NULL || op->kind == JIG_OP_PLUS || op->kind == JIG_OP_MULTIPLIES ||
         op->kind == JIG_OP_BIT_AND || op->kind == JIG_OP_BIT_OR || op->kind == JIG_OP_BIT_XOR;
}

/* What accumulators are; where there are none, the items. NULL: nothing is folded. */
static const jig_type *folded_type(const spec *s) {
  const spec_slot *accum = spec_find(s, "accum");
  if (accum != NULL) return accum->type;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (s->schema->slots[i].use == USE_FOLDED) return spec_slot_type(&s->slots[i]);
  return NULL;
}

static void share_fold(shared_spec *room) {
  const spec before = room->s, *s = &room->s;
  const unsigned iters_before = room->iter_count;
  const jig_type *folded = folded_type(s);
  const spec_slot *op = spec_find(s, "op");
  if (folded == NULL || op == NULL) return;
  const bool is_called = room->calls && op_is_called(op->op);
  if (is_called ? !is_bits(folded) : !is_signable(folded) || !ignores_signs(op->op)) return;
  const jig_type from = *folded, to = as_bytes(&from);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const jig_type *type = spec_slot_type(&s->slots[i]);
    if (s->schema->slots[i].use != USE_FOLDED || type == NULL) continue;
    if (is_narrow(type, &from)) continue;
    if (retype_slot(room, i, &from, &to)) continue;
    room->s = before;
    room->iter_count = iters_before;
    return;
  }
}

/* ---- promises */

static void share_promise(shared_spec *room, int i) {
  const jig_op *op = room->s.slots[i].op;
  if (op == NULL || !op->commutative) return;
  const jig_type *operand = spec_op_signature(&room->s, i).operand;
  if (operand == NULL || !op_is_built_in(op, operand)) return;
  room->ops[i] = *op;
  room->ops[i].commutative = 0;
  room->s.slots[i].op = &room->ops[i];
}

/* ---- all of it */

jig_type spec_bits_of(const jig_type *type) {
  return is_bits(type) ? as_bytes(type) : *type;
}

static void begin(shared_spec *room, const spec *s, bool calls) {
  room->s = *s;
  room->iter_count = 0;
  room->calls = calls;
}

const spec *spec_shared(const spec *s, shared_spec *room) {
  begin(room, s, false);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const slot_use use = s->schema->slots[i].use;
    const bool is_moved = (use == USE_MOVED || use == USE_EQUATED) && s->slots[i].iter != NULL;
    if (is_moved && can_share_items(&room->s, i)) share_items(room, i);
    if (use == USE_COUNTED) share_count(room, i);
    share_promise(room, i);
  }
  share_fold(room);
  return &room->s;
}

const spec *spec_called(const spec *s, shared_spec *room) {
  begin(room, s, true);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const slot_use use = s->schema->slots[i].use;
    if (s->slots[i].iter == NULL || use == USE_FOLDED) continue;
    if (are_bits(&room->s, i) || (use == USE_MOVED && can_share_items(&room->s, i))) share_items(room, i);
  }
  share_fold(room);
  return &room->s;
}
