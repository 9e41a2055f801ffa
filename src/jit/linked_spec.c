#include "jit/linked_spec.h"

#include <stdio.h>
#include <string.h>

#include "spec/source.h"
#include "spec/type.h"

/* ---- types */

static exact_text read_type(const jig_type *type) {
  if (type->kind == JIG_KIND_STRUCT) return exact_text_read_definition(type->definition);
  const bool is_float = type->kind == JIG_KIND_F32 || type->kind == JIG_KIND_F64;
  return (exact_text){.has_floats = is_float,
                      .is_unknown = !is_float && type->kind != JIG_KIND_OPAQUE && !type_is_integer(type)};
}

static bool take_type(linked_spec *l, jig_type *type) {
  exact_text_add(&l->text, read_type(type));
  if (type_is_wide(type)) return false;
  if (type->kind == JIG_KIND_STRUCT) *type = jig_opaque(type->size, type->align);
  return true;
}

/* ---- operators */

/* A default may be an operator that a struct's definition has. */
static bool takes_default(const op_signature *signature) {
  return signature->operand == NULL || signature->operand->kind != JIG_KIND_STRUCT;
}

/* An operator of one text and no state that gives a result; `number` of those of a slot's iterator, or -1
 * for the slot's own. */
static bool take_text(linked_spec *l, const jig_op *op, const op_signature *signature, const char *slot,
                      int number, jig_op *taken) {
  if (op->kind != JIG_OP_SOURCE || op_has_state(op) || signature->result == NULL ||
      l->op_count == LINKED_MAX_OPS)
    return false;
  called_op *called = &l->ops[l->op_count++];
  called->op = op;
  called->signature = *signature;
  if (number >= 0) {
    (void)snprintf(called->name, sizeof called->name, "jig_linked_%s_op%d", slot, number);
    source_name_of_op(called->shown, sizeof called->shown, slot, number);
  } else {
    (void)snprintf(called->name, sizeof called->name, "jig_linked_%s", slot);
    (void)snprintf(called->shown, sizeof called->shown, "%s", source_name_of_slot(slot));
  }
  exact_text_add(&l->text, exact_text_read(op->source));
  *taken = (jig_op){.kind = JIG_OP_BINARY,
                    .name = called->name,
                    .commutative = op->commutative,
                    .format = JIG_FORMAT_CUBIN,
                    .data = ""};
  return true;
}

static bool take_op(linked_spec *l, const jig_op *op, const op_signature *signature, const char *slot,
                    int number, jig_op *taken) {
  if (!op_is_built_in(op, signature->operand)) return take_text(l, op, signature, slot, number, taken);
  *taken = *op;
  l->text.products += op->kind == JIG_OP_MULTIPLIES;
  ++l->others;
  return true;
}

/* ---- iterators */

/* Copies, so that bases of one iterator lie side by side; NULL: there is no room for so many. */
static jig_iter *make_room(linked_spec *l, unsigned count) {
  if (l->room.iter_count + count > SHARED_MAX_ITERS) return NULL;
  l->room.iter_count += count;
  return &l->room.iters[l->room.iter_count - count];
}

static bool take_iter(linked_spec *l, const char *slot, int *number, const jig_iter *given,
                      jig_iter *taken);

static bool take_bases(linked_spec *l, const char *slot, int *number, const jig_iter *given,
                       jig_iter *taken) {
  const unsigned count = iter_base_count(given);
  jig_iter *bases = make_room(l, count);
  if (count == 0) return true;
  if (bases == NULL) return false;
  for (unsigned k = 0; k < count; ++k)
    if (!take_iter(l, slot, number, iter_base_at(given, k), &bases[k])) return false;
  taken->base = bases;
  if (given->kind == JIG_ITER_PERMUTATION) taken->indices = &bases[1];
  return true;
}

/* What only its operator looks at. */
static void take_bits(jig_iter *taken) {
  for (unsigned k = 0; k < iter_base_count(taken); ++k) {
    jig_iter *base = (jig_iter *)iter_base_at(taken, k);
    const bool is_memory = iter_is_pointed(base) || base->kind == JIG_ITER_STRIDED;
    if (is_memory || base->kind == JIG_ITER_CONSTANT) base->type = spec_bits_of(&base->type);
  }
}

/* A zip's items are structs of what its bases have, which are not opaque. */
static bool take_iter(linked_spec *l, const char *slot, int *number, const jig_iter *given,
                      jig_iter *taken) {
  *taken = *given;
  if (iter_groups(given->kind) || !take_bases(l, slot, number, given, taken)) return false;
  l->text.products += given->kind == JIG_ITER_COUNTING_BY;
  if (iter_has_op(given->kind)) {
    const op_signature signature = iter_op_signature(given);
    if (!take_op(l, &given->op, &signature, slot, (*number)++, &taken->op)) return false;
    if (l->as_bits && op_is_called(&taken->op)) take_bits(taken);
  }
  return take_type(l, &taken->type);
}

/* ---- exact operators */

/* Whether an iterator's operator has nothing but memory before it, and its results nothing but memory
 * behind it, so that there is nothing around it that its operations could be contracted with. */
static bool is_apart(const spec *s, int slot) {
  const jig_iter *iter = s->slots[slot].iter;
  if (s->schema->slots[slot].use != USE_MOVED || !iter_has_op(iter->kind)) return false;
  for (unsigned k = 0; k < iter_base_count(iter); ++k) {
    const jig_iter *base = iter_base_at(iter, k);
    if (!iter_is_pointed(base) && base->kind != JIG_ITER_STRIDED) return false;
  }
  return true;
}

/* Of a sum of two products, which one is contracted with the sum depends on where the compiler finds
 * their factors. */
static bool is_exact(const linked_spec *l) {
  const bool is_alone = l->is_apart && l->op_count == 1 && l->others == 0 && !l->text.repeats;
  return !l->text.is_unknown && (!l->text.has_floats || l->text.products <= (is_alone ? 1 : 0));
}

/* ---- slots */

/* Before any type is taken, as signatures go by these. */
static bool take_op_slot(linked_spec *l, int i, jig_op *taken) {
  spec_slot *slot = &l->room.s.slots[i];
  const slot_schema *schema = &l->room.s.schema->slots[i];
  const op_signature signature = spec_op_signature(&l->room.s, i);
  if (slot->op == NULL) {
    ++l->others;
    return takes_default(&signature);
  }
  return !(schema->lists && !op_is_built_in(slot->op, signature.operand)) &&
         take_op(l, slot->op, &signature, schema->name, -1, taken);
}

static bool take_slot(linked_spec *l, int i) {
  spec_slot *slot = &l->room.s.slots[i];
  if (slot->type != NULL) {
    l->room.types[i] = *slot->type;
    slot->type = &l->room.types[i];
    return take_type(l, &l->room.types[i]);
  }
  if (slot->iter != NULL) {
    int number = 0;
    jig_iter *taken = make_room(l, 1);
    l->is_apart |= is_apart(&l->room.s, i);
    if (taken == NULL || !take_iter(l, l->room.s.schema->slots[i].name, &number, slot->iter, taken))
      return false;
    slot->iter = taken;
  }
  if (slot->op != NULL) slot->op = &l->room.ops[i];
  return true;
}

/* ---- what functions are called with */

/* In the order in which they were taken. */
static void call_iter(linked_spec *l, const jig_iter *iter, int *at) {
  for (unsigned k = 0; k < iter_base_count(iter); ++k) call_iter(l, iter_base_at(iter, k), at);
  if (iter_has_op(iter->kind) && op_is_called(&iter->op))
    l->ops[(*at)++].called = iter_op_signature(iter);
}

static void call_ops(linked_spec *l) {
  int at = 0;
  for (int i = 0; i < l->s->schema->slot_count; ++i)
    if (op_is_called(l->s->slots[i].op)) l->ops[at++].called = spec_op_signature(l->s, i);
  for (int i = 0; i < l->s->schema->slot_count; ++i)
    if (l->s->slots[i].iter != NULL) call_iter(l, l->s->slots[i].iter, &at);
}

bool linked_spec_of(const spec *s, bool as_bits, linked_spec *l) {
  *l = (linked_spec){.room.s = *s, .as_bits = as_bits};
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (s->schema->slots[i].kind == SLOT_OP && !take_op_slot(l, i, &l->room.ops[i])) return false;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (!take_slot(l, i)) return false;
  if (l->op_count == 0 || !is_exact(l)) return false;
  l->s = as_bits ? spec_called(&l->room.s, &l->bits) : &l->room.s;
  call_ops(l);
  return true;
}
