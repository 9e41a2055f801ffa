#include "algorithm/selection.h"

#include <stdio.h>
#include <string.h>

#include "algorithm/gather_places.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- specs */

jig_status selection_check_tests(const spec *s) {
  static const jig_type truth = {.kind = JIG_KIND_BOOL, .size = sizeof(bool), .align = _Alignof(bool)};
  const jig_iter *flags = spec_find(s, "flags")->iter;
  if (spec_find(s, "op")->op != NULL) return JIG_SUCCESS;
  if (flags != NULL) return type_check_conversion(&flags->type, &truth, "flags: their type");
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "op: missing, and there are no flags either");
}

jig_status selection_check_counts(const spec *s) {
  const jig_type *type = &spec_find(s, "num_selected_out")->iter->type;
  if (type_is_integer(type) && type->kind != JIG_KIND_BOOL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "num_selected_out: its type must be an integer, not %s",
                   jig_type_name(type));
}

jig_status selection_check_stored(const spec *s, const char *from, const char *to) {
  const jig_iter *source = spec_find(s, from)->iter, *target = spec_find(s, to)->iter;
  char what[96];
  if (source == NULL || target == NULL) return JIG_SUCCESS;
  (void)snprintf(what, sizeof what, "%s: the item type of %s", to, from);
  return type_check_conversion(&source->type, &target->type, what);
}

void selection_begin(selection *sel, const spec_schema *schema, selection_slots at, uint64_t num_items,
                     const uint64_t *num_items_in) {
  sel->s.schema = schema;
  memset(sel->s.slots, 0, (size_t)schema->slot_count * sizeof sel->s.slots[0]);
  sel->at = at;
  sel->num_items = num_items;
  sel->num_items_in = num_items_in;
  sel->classes = 1;
  sel->fills_out = false;
  sel->may_be_in_place = NULL;
}

/* ---- kernels */

#define FIELD(name) PARAMETER_FIELD(kept_places, name)
const parameter_field kept_places_fields[] = {FIELD(counts), FIELD(lists), FIELD(room), {NULL}};
#undef FIELD

/* For how many outputs there are places instead of items. */
static unsigned kept_outputs(const spec *s) {
  unsigned kept = 0;
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (s->schema->slots[i].kind == SLOT_ITER && s->schema->slots[i].role == ITER_OUTPUT)
      kept += spec_has_places(s, i);
  return kept;
}

int selection_count_kernels(const spec *s) {
  return kept_outputs(s) > 0 || select_has_long_wave(s, POLICY_OLDEST_SM) ? SELECTION_KERNELS
                                                                          : SELECTION_GATHER;
}

/* ---- checks of a call */

/* How many items of a slot are read, or stored for certain. Which of an output's others are is not known
 * before it is done. */
static uint64_t certain_items(const selection *sel, int slot) {
  if (slot == sel->at.num_selected_out) return sel->classes;
  if (sel->s.schema->slots[slot].role == ITER_INPUT) return sel->num_items;
  if (sel->fills_out && slot == sel->at.out) return sel->num_items;
  return sel->num_items > 0 ? 1 : 0;
}

static uint64_t most_items(const selection *sel, int slot) {
  return slot == sel->at.num_selected_out ? sel->classes : sel->num_items;
}

static const jig_iter *in_of(const selection *sel) {
  return sel->s.slots[sel->at.in].iter;
}
/* Of what has one output for what is selected. */
static const jig_iter *out_of(const selection *sel) {
  return sel->s.slots[sel->at.out].iter;
}
/* The flags beside the items, if the algorithm takes any and there are some. */
static const jig_iter *flags_of(const selection *sel) {
  return sel->at.flags >= 0 ? sel->s.slots[sel->at.flags].iter : NULL;
}

/* Items and flags of a tile are both loaded before it says what it selects. */
static bool are_in_place(const selection *sel, const jig_iter *input, const jig_iter *out) {
  return sel->may_be_in_place != NULL && (input == in_of(sel) || input == flags_of(sel)) &&
         out == out_of(sel) && sel->may_be_in_place(input, out, sel->num_items);
}

static jig_status check_counts(const call *c, const selection *sel) {
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < sel->s.schema->slot_count && status == JIG_SUCCESS; ++i) {
    const jig_iter *iter = sel->s.slots[i].iter;
    if (iter != NULL)
      status =
          call_check_count(c, "num_items", certain_items(sel, i), iter, sel->s.schema->slots[i].name);
  }
  return status;
}

/* Whether an output lies where another slot's items are, as far as pointers tell. */
static jig_status check_output(const call *c, const selection *sel, int output) {
  const jig_iter *out = sel->s.slots[output].iter;
  const size_t bytes = product_of(certain_items(sel, output), out->type.size);
  if (out->kind != JIG_ITER_POINTER) return JIG_SUCCESS;
  for (int i = 0; i < sel->s.schema->slot_count; ++i) {
    const jig_iter *other = sel->s.slots[i].iter;
    if (i == output || other == NULL || are_in_place(sel, other, out)) continue;
    if (!iter_overlaps(other, certain_items(sel, i), out->pointer, bytes)) continue;
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s overlaps %s", c->name,
                     sel->s.schema->slots[output].name, sel->s.schema->slots[i].name);
  }
  return JIG_SUCCESS;
}

static jig_status check_slot(const call *c, const selection *sel, int slot) {
  const slot_schema *schema = &sel->s.schema->slots[slot];
  const spec_slot *given = &sel->s.slots[slot];
  const uint64_t items = most_items(sel, slot);
  if (given->op != NULL) return call_check_op(c, given->op, schema->name);
  if (given->iter == NULL || items == 0) return JIG_SUCCESS;
  const jig_status status = call_check_iter(c, given->iter, items, schema->name);
  if (status != JIG_SUCCESS) return status;
  return schema->role == ITER_OUTPUT
             ? call_check_output(c, given->iter, certain_items(sel, slot), schema->name)
             : call_check_overlap(c, given->iter, certain_items(sel, slot), schema->name);
}

static jig_status check_values(const call *c, const selection *sel) {
  jig_status status = JIG_SUCCESS;
  const int count = sel->s.schema->slot_count;
  for (int i = 0; i < count && status == JIG_SUCCESS; ++i) status = check_slot(c, sel, i);
  for (int i = 0; i < count && status == JIG_SUCCESS; ++i) {
    if (sel->s.slots[i].iter != NULL && sel->s.schema->slots[i].role == ITER_OUTPUT)
      status = check_output(c, sel, i);
  }
  return status;
}

/* ---- the call */

/* Whether what is stored may lie where items are read; where iterators store is not looked at. */
static bool may_overlap(const selection *sel) {
  const jig_iter *out = out_of(sel), *flags = flags_of(sel);
  if (out->kind != JIG_ITER_POINTER) return true;
  const size_t bytes = product_of(sel->num_items, out->type.size);
  return iter_overlaps(in_of(sel), sel->num_items, out->pointer, bytes) ||
         (flags != NULL && iter_overlaps(flags, sel->num_items, out->pointer, bytes));
}

static bool has_to_copy(const selection *sel) {
  return sel->may_be_in_place != NULL && call_has_to_copy(in_of(sel), out_of(sel), sel->num_items);
}

enum { COUNTS_BYTES = 16 }; /* of two classes at most */

static uint64_t kept_bytes(const selection *sel) {
  const uint64_t lists = sel->kept;
  return lists == 0 ? 0 : sum_of(COUNTS_BYTES, product_of(lists * sizeof(uint64_t), sel->num_items));
}

static bool gathers(const selection *sel) {
  return sel->num_items > 0 && sel->kept > 0;
}

static kept_places kept_in(const call *c, const selection *sel, const temp_layout *temp) {
  unsigned char *counts = temp_address(temp, sel->kept_slot, c->storage);
  return (kept_places){.counts = counts, .lists = counts + COUNTS_BYTES, .room = sel->num_items};
}

jig_status selection_prepare(call *c, void *bound, temp_layout *temp) {
  selection *sel = bound;
  const bool has_all = c->program->count == SELECTION_KERNELS;
  sel->kept = has_all ? kept_outputs(&sel->s) : 0;
  sel->size = (chain_size){sel->num_items, sel->classes * sizeof(uint64_t), .has_cluster = true};
  if (has_all && sel->kept == 0) sel->size.another = SELECTION_LONG_WAVE;
  jig_status status = check_counts(c, sel);
  if (status == JIG_SUCCESS) status = chain_prepare(c, &sel->size, temp);
  if (status != JIG_SUCCESS) return status;
  if (gathers(sel)) call_needs(c, SELECTION_GATHER);
  sel->kept_slot = temp_slot(temp, kept_bytes(sel));
  if (has_to_copy(sel)) (void)temp_slot(temp, product_of(sel->num_items, in_of(sel)->type.size));
  return JIG_SUCCESS;
}

/* Puts the copy in the place of slot `in`. */
static jig_status copy_input(call *c, selection *sel, const temp_layout *temp) {
  void *storage = temp_address(temp, temp->slots - 1, c->storage);
  const jig_iter *in = in_of(sel);
  sel->s.slots[sel->at.in].iter = &sel->copy;
  return call_copy_input(c, in, sel->num_items, "in", storage, &sel->copy);
}

jig_status selection_launch(call *c, void *bound, const temp_layout *temp) {
  selection *sel = bound;
  jig_status status = check_values(c, sel);
  if (status == JIG_SUCCESS && has_to_copy(sel)) status = copy_input(c, sel, temp);
  if (status != JIG_SUCCESS) return status;
  selection_values values = {.chain = {.num_items = {sel->num_items, sel->num_items_in},
                                       .in_place = sel->may_be_in_place != NULL && may_overlap(sel)},
                             .kept = kept_in(c, sel, temp)};
  status = chain_launch(c, &sel->size, temp, &values.chain);
  if (status != JIG_SUCCESS || !gathers(sel)) return status;
  return call_launch(c, SELECTION_GATHER, gather_some_shape(c->program, SELECTION_GATHER, sel->num_items),
                     &values);
}
