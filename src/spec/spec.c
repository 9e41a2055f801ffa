#include "spec/spec.h"

#include <jig/reduce.h>
#include <stdio.h>
#include <string.h>

#include "spec/field_list.h"
#include "spec/own_kernel.h"
#include "spec/source.h"
#include "spec/structs.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"
#include "util/name.h"

const spec_slot *spec_find(const spec *s, const char *name) {
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (name_equal(s->schema->slots[i].name, name)) return &s->slots[i];
  }
  return NULL;
}

bool spec_is_gpu_to_gpu(const spec *s) {
  const spec_slot *slot = spec_find(s, "determinism");
  return slot != NULL && slot->choice == JIG_DETERMINISM_GPU_TO_GPU;
}

const jig_type *spec_slot_type(const spec_slot *slot) {
  return slot->iter != NULL ? &slot->iter->type : slot->type;
}

op_signature spec_op_signature(const spec *s, int slot) {
  static const jig_type truth = {.kind = JIG_KIND_BOOL, .size = sizeof(bool), .align = _Alignof(bool)};
  const slot_schema *schema = &s->schema->slots[slot];
  const jig_type *type =
      schema->over[0] != NULL ? spec_slot_type(spec_find(s, schema->over[0])) : op_index_type();
  if (type == NULL && schema->over[1] != NULL) type = spec_slot_type(spec_find(s, schema->over[1]));
  const jig_type *result = schema->returns != NULL ? spec_slot_type(spec_find(s, schema->returns)) : type;
  if (schema->test || schema->orders) result = &truth;
  return (op_signature){
      .arity = schema->arity,
      .operand = type,
      .result = schema->acts ? NULL : result,
      .orders = schema->orders,
      .by_reference = schema->by_value != NULL && spec_find(s, schema->by_value)->choice == 0,
      .rank = schema->ranked != NULL ? spec_find(s, schema->ranked)->choice : 0,
  };
}

const char *const *spec_places(const spec *s, int slot) {
  const slot_schema *schema = &s->schema->slots[slot];
  if (schema->kind != SLOT_OP || schema->over[0] == NULL) return schema->places;
  const spec_slot *first = spec_find(s, schema->over[0]);
  const bool is_filled = first->iter != NULL || schema->over[1] == NULL;
  const spec_slot *over = is_filled ? first : spec_find(s, schema->over[1]);
  return s->schema->slots[over - s->slots].places;
}

bool spec_has_places(const spec *s, int slot) {
  const slot_schema *schema = &s->schema->slots[slot];
  const char *const *places = spec_places(s, slot);
  if (places[0] == NULL || (schema->kind == SLOT_ITER && s->slots[slot].iter == NULL)) return false;
  /* Where an operator is left out two operands are compared by a default, but there is no default test.
   */
  if (schema->kind == SLOT_OP && s->slots[slot].op == NULL && schema->arity != 2) return false;
  const spec_slot *items = spec_find(s, places[0]);
  const uint32_t held = s->schema->slots[items - s->slots].held_bytes;
  return items->iter != NULL && items->iter->type.size > (held != 0 ? held : TYPE_HELD_SIZE);
}

/* Whether the items of an output, of which kernels get the places, are moved from memory to memory. */
static bool moves_in_memory(const spec *s, int slot) {
  const char *const *places = spec_places(s, slot);
  bool moves = iter_has_references(s->slots[slot].iter);
  for (int k = 0; k < 2 && places[k] != NULL; ++k) {
    const jig_iter *from = spec_find(s, places[k])->iter;
    moves = moves && (from == NULL || iter_has_references(from));
  }
  return moves;
}

const spec *spec_placed(const spec *s, placed_spec *room) {
  const spec *placed = s;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (s->schema->slots[i].kind != SLOT_ITER || !spec_has_places(s, i)) continue;
    if (placed == s) {
      room->counted = (jig_iter){.kind = JIG_ITER_COUNTING, .type = type_place()};
      room->single = (jig_iter){.kind = JIG_ITER_CONSTANT, .type = type_place()};
      room->s = *s;
      placed = &room->s;
    }
    const bool is_output = s->schema->slots[i].role == ITER_OUTPUT;
    room->s.slots[i].iter = is_output && !moves_in_memory(s, i) ? &room->single : &room->counted;
  }
  return placed;
}

static jig_status check_choice(const char *const *choices, int choice, const char *what) {
  for (int i = 0; choices[i] != NULL; ++i) {
    if (i == choice) return JIG_SUCCESS;
  }
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: no such choice (%d)", what, choice);
}

static jig_status check_kernel(const spec *s, const char *who) {
  const jig_kernel_config *k = spec_own_kernel(s);
  if (k == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the kernel is missing", who);
  return own_kernel_check(k, who);
}

static jig_status check_slot(const spec *s, int i, const char *what) {
  static const char *const no_and_yes[] = {"no", "yes", NULL};
  const slot_schema *schema = &s->schema->slots[i];
  const spec_slot *slot = &s->slots[i];
  if (schema->kind == SLOT_CHOICE) return check_choice(schema->choices, slot->choice, what);
  if (schema->kind == SLOT_FLAG) return check_choice(no_and_yes, slot->choice, what);
  bool filled = slot->type != NULL || slot->iter != NULL || slot->op != NULL;
  if (!filled) {
    if (schema->optional) return JIG_SUCCESS;
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: missing", what);
  }
  if (schema->kind == SLOT_TYPE) {
    const jig_status status = type_check(slot->type, what);
    return status == JIG_SUCCESS && schema->held ? type_check_held(slot->type, what) : status;
  }
  if (schema->kind == SLOT_ITER) return iter_check(slot->iter, schema->role, what, schema->name);
  const op_signature signature = spec_op_signature(s, i);
  if (slot->ignore_nan && !type_has_nan(signature.operand)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: there are no NaNs among %s to be ignored", what,
                     jig_type_name(signature.operand));
  }
  const char *text_name = source_name_of_slot(schema->name);
  const jig_status status = op_check(slot->op, &signature, what, text_name);
  if (status != JIG_SUCCESS || !schema->lists || slot->op->kind != JIG_OP_SOURCE) return status;
  return field_list_check(slot->op->source, what, text_name);
}

/* With what alignment may add to 15 bytes, which the others have room for. */
static size_t parameter_bytes(const spec_slot *slot) {
  enum { ALIGNMENT = 16 };
  if (slot->iter == NULL && slot->op == NULL) return 0;
  const value_layout l = slot->iter != NULL ? iter_layout(slot->iter) : op_layout(slot->op);
  return l.size + (l.align > ALIGNMENT ? l.align - ALIGNMENT : 0);
}

static jig_status check_parameters(const spec *s, const char *who) {
  const size_t others = s->schema->other_parameters;
  const size_t room = others > 0 ? PARAMETER_ALL - others : PARAMETER_MAX_SIZE;
  size_t bytes = 0, most = 0;
  const char *largest = NULL;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const size_t of_slot = parameter_bytes(&s->slots[i]);
    bytes += of_slot;
    if (of_slot > most) largest = s->schema->slots[i].name;
    most = max_of(most, of_slot);
  }
  if (bytes <= room) return JIG_SUCCESS;
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT,
      "%s: %s: values and states take %zu bytes of the kernel's parameters, %zu of them here, where %zu "
      "are "
      "left for such; give operators their states in device memory, by jig_op_with_device_state(), and a "
      "constant as jig_strided() with a stride of 0",
      who, largest, bytes, most, room);
}

/* In the args of calls a type is called `accum_type`, in specs `accum`. */
static void name_slot(char *what, size_t size, const char *who, const slot_schema *slot) {
  const bool is_call = strncmp(who, "jig_", strlen("jig_")) == 0;
  (void)snprintf(what, size, "%s: %s%s", who, slot->name,
                 is_call && slot->kind == SLOT_TYPE ? "_type" : "");
}

jig_status spec_check(const spec *s, const char *who) {
  /* What depends on others comes after them: the default accumulator on the iterators' types, operators'
   * signatures on both. So a missing input is named, and not the accumulator that it leaves unknown. */
  static const slot_kind order[] = {SLOT_ITER, SLOT_CHOICE, SLOT_FLAG, SLOT_TYPE, SLOT_OP, SLOT_KERNEL};
  for (size_t k = 0; k < sizeof order / sizeof order[0]; ++k) {
    for (int i = 0; i < s->schema->slot_count; ++i) {
      if (s->schema->slots[i].kind != order[k]) continue;
      char what[96];
      name_slot(what, sizeof what, who, &s->schema->slots[i]);
      jig_status status = order[k] == SLOT_KERNEL ? check_kernel(s, who) : check_slot(s, i, what);
      if (status != JIG_SUCCESS) return status;
    }
  }
  unsigned iters = 0;
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (s->slots[i].iter != NULL) iters += iter_count(s->slots[i].iter);
  }
  if (iters > ITER_MAX_COUNT) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: more than %d iterators", who, (int)ITER_MAX_COUNT);
  }
  jig_status status = check_parameters(s, who);
  if (status != JIG_SUCCESS) return status;
  struct_list structs;
  status = structs_of(s, who, &structs);
  structs_free(&structs);
  if (status != JIG_SUCCESS || s->schema->check == NULL) return status;
  status = s->schema->check(s);
  return status == JIG_SUCCESS ? status : error_prefix(status, "%s", who);
}

jig_status spec_check_same_type(const spec *s, const char *slot, const char *other) {
  const jig_iter *iter = spec_find(s, slot)->iter, *wanted = spec_find(s, other)->iter;
  return iter != NULL ? type_check_same(&iter->type, slot, &wanted->type, other) : JIG_SUCCESS;
}

jig_status spec_check_integer(const spec *s, const char *slot) {
  const jig_type *type = &spec_find(s, slot)->iter->type;
  if (type_is_integer(type) && type->kind != JIG_KIND_BOOL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: it must be of an integer type, not %s", slot,
                   jig_type_name(type));
}

jig_status spec_check_together(const spec *s, const char *const *slots) {
  const char *missing = NULL;
  bool is_any_there = false;
  for (; *slots != NULL; ++slots) {
    if (spec_find(s, *slots)->iter != NULL)
      is_any_there = true;
    else
      missing = *slots;
  }
  if (!is_any_there || missing == NULL) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: missing", missing);
}

/* Both halves of a product with an odd constant, of many ones and zeros, in one: every bit of the word
 * and of what came before has its say in every bit. */
static void add_word(uint64_t *hash, uint64_t word) {
  __extension__ const unsigned __int128 product = (unsigned __int128)(*hash ^ word) * 0x9e3779b97f4a7c15u;
  *hash = (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Specs are hashed before they are checked, so anything may be missing. */
static void add_string(uint64_t *h, const char *string) {
  add_word(h, string != NULL ? XXH3_64bits(string, strlen(string)) : UINT64_MAX);
}

/* A type and, in the same word, what it is the type of: warm calls pass here. */
static void add_type(uint64_t *h, uint64_t of, const jig_type *type) {
  add_word(h, of << 56 ^ (uint64_t)type->kind << 48 ^ (uint64_t)type->align << 32 ^ type->size);
  if (type->kind != JIG_KIND_STRUCT) return;
  add_string(h, type->name);
  add_string(h, type->definition);
}

static void add_op(uint64_t *h, const jig_op *op, bool ignore_nan) {
  const uint64_t choices = (uint64_t)(op->by_pointer != 0) << 3 | (uint64_t)(op->device_state != 0) << 2 |
                           (uint64_t)(op->commutative != 0) << 1 | ignore_nan;
  add_type(h, (uint64_t)op->kind << 4 | choices, &op->state_type);
  if (op_is_well_known(op)) return;
  if (op->kind == JIG_OP_BINARY) {
    add_word(h, (uint64_t)op->format << 56 ^ op->size);
    add_word(h, op->digest[0]);
    add_word(h, op->digest[1]);
    add_string(h, op->name);
    return;
  }
  add_string(h, op->source);
  if (op->kind == JIG_OP_FUNCTION) add_string(h, op->name);
}

/* At most so many iterators: whatever has more of them, or a circle of them, will be refused. */
static void add_iter(uint64_t *h, const jig_iter *iter, int depth, unsigned *left) {
  if (iter == NULL || depth > ITER_MAX_DEPTH || *left == 0) {
    add_word(h, UINT64_MAX);
    return;
  }
  --*left;
  add_type(h, (uint64_t)iter->kind, &iter->type);
  if (iter->kind == JIG_ITER_POINTER || !iter_kind_exists(iter->kind)) return; /* most are pointers */
  if (iter_has_op(iter->kind)) add_op(h, &iter->op, false);
  const unsigned count = iter_base_count(iter);
  if (iter_min_bases(iter->kind) != iter_max_bases(iter->kind)) add_word(h, iter->base_count);
  for (unsigned k = 0; k < count; ++k) {
    add_iter(h, iter_base_at(iter, k), depth + 1, left);
  }
}

static void add_definition(uint64_t *h, const jig_definition *d) {
  uint64_t number;
  memcpy(&number, &d->number, sizeof number);
  add_string(h, d->name);
  add_word(h, (uint64_t)d->kind << 32 ^ d->arity);
  if (d->kind == JIG_DEFINITION_TEXT) add_string(h, d->text);
  if (d->kind == JIG_DEFINITION_INTEGER) add_word(h, (uint64_t)d->integer);
  if (d->kind == JIG_DEFINITION_FLOAT) add_word(h, number);
  add_type(h, 0, &d->type);
  if (d->kind != JIG_DEFINITION_OP) return;
  add_type(h, 1, &d->result);
  add_op(h, &d->op, false);
}

static void add_kernel(uint64_t *h, const jig_kernel_config *k) {
  add_string(h, k->entry);
  add_word(h, (uint64_t)k->max_threads << 32 ^ k->min_blocks);
  for (size_t i = 0; i < own_text_count(k); ++i) {
    const own_text t = own_text_at(k, i);
    add_string(h, t.given_name);
    add_string(h, t.text);
  }
  for (size_t i = 0; i < k->definition_count; ++i) add_definition(h, &k->definitions[i]);
}

uint64_t spec_hash(const spec *s) {
  uint64_t h = 0x2545f4914f6cdd1du;
  unsigned iters_left = ITER_MAX_COUNT;
  add_word(&h, (uint64_t)(uintptr_t)s->schema); /* one schema, one address, within a process */
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    if (slot->type != NULL)
      add_type(&h, 0, slot->type);
    else if (slot->iter != NULL)
      add_iter(&h, slot->iter, 1, &iters_left);
    else if (slot->op != NULL)
      add_op(&h, slot->op, slot->ignore_nan);
    else if (slot->kernel != NULL)
      add_kernel(&h, slot->kernel);
    else
      add_word(&h, (uint64_t)slot->choice);
  }
  return h;
}
