#include "spec/complete.h"

#include <stdio.h>
#include <string.h>

#include "spec/type.h"
#include "util/error.h"

int schema_slot(const spec_schema *schema, const char *name) {
  int former = -1;
  for (int i = 0; i < schema->slot_count; ++i) {
    const slot_schema *slot = &schema->slots[i];
    if (strcmp(slot->name, name) == 0) return i;
    if (slot->formerly != NULL && strcmp(slot->formerly, name) == 0) former = i;
  }
  return former;
}

jig_status schema_refuse(const spec_schema *schema, const char *name) {
  char names[512] = "";
  size_t length = 0;
  for (int i = 0; i < schema->slot_count && length < sizeof names; ++i)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                               schema->slots[i].name);
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s has no slot '%s' (it has: %s)", schema->algorithm,
                   name, names);
}

spec_slot *parsed_slot(parsed_spec *p, const char *name) {
  return &p->s.slots[schema_slot(p->s.schema, name)];
}

jig_type *parsed_type(parsed_spec *p, const char *name) {
  const int i = schema_slot(p->s.schema, name);
  p->s.slots[i].type = &p->types[i];
  return &p->types[i];
}

jig_iter *parsed_iter(parsed_spec *p, const char *name) {
  return (jig_iter *)(uintptr_t)parsed_slot(p, name)->iter; /* one of the parsed spec's own */
}

/* ---- what slots say. The draft is filled in step by step, and read as it is. */

typedef struct draft {
  const spec_schema *schema;
  parsed_spec *parsed;
  bool settled[SPEC_MAX_SLOTS]; /* nothing more is to be done */
} draft;

/* A new reference to the type that a slot has where none is said; NULL: there is none, or not yet. */
static json_t *default_type(const draft *d, int i) {
  const slot_schema *slot = &d->schema->slots[i];
  if (slot->like != NULL) {
    const jig_type *type = spec_slot_type(parsed_slot(d->parsed, slot->like));
    if (type != NULL) return type_to_json(type);
  }
  return slot->usually != NULL ? json_string(slot->usually) : NULL;
}

/* A new reference to what is in a slot that is left out; NULL: nothing, or not yet. */
static json_t *default_value(const draft *d, int i) {
  const slot_schema *slot = &d->schema->slots[i];
  if (slot->optional && !slot->follows) return NULL;
  if (slot->kind == SLOT_OP) return slot->usually != NULL ? json_string(slot->usually) : NULL;
  if (slot->kind != SLOT_TYPE && slot->kind != SLOT_ITER) return NULL;
  json_t *type = default_type(d, i);
  return type == NULL || slot->kind == SLOT_TYPE
             ? type
             : json_pack("{s:s,s:o}", "kind", "pointer", "type", type);
}

/* Whether it is to have a type of which nothing is said. */
static bool lacks_type(const slot_schema *slot, const json_t *json) {
  if (slot->kind == SLOT_TYPE) return json_is_true(json);
  return slot->kind == SLOT_ITER && json_is_object(json) && json_object_get(json, "type") == NULL;
}

/* Fills in what is lacking, and reads the slot once it is all there. */
static jig_status settle(draft *d, int i) {
  const slot_schema *slot = &d->schema->slots[i];
  json_t *root = d->parsed->root, *json = json_object_get(root, slot->name);
  if (json_is_null(json)) {
    d->settled[i] = true;
    return JIG_SUCCESS;
  }
  json_t *value = NULL;
  if (json == NULL) value = default_value(d, i);
  if (json != NULL && lacks_type(slot, json)) {
    json_t *type = default_type(d, i);
    if (type == NULL) return JIG_SUCCESS;
    if (slot->kind == SLOT_TYPE)
      value = type;
    else
      (void)json_object_set_new(json, "type", type);
  }
  if (value != NULL) (void)json_object_set_new(root, slot->name, value);
  json = json_object_get(root, slot->name);
  if (json == NULL) return JIG_SUCCESS;
  d->settled[i] = true;
  return spec_read_slot(json, i, d->parsed);
}

/* One slot may wait for another: again and again, until nothing is added. */
static jig_status settle_all(draft *d) {
  jig_status status = JIG_SUCCESS;
  for (bool added = true; added && status == JIG_SUCCESS;) {
    added = false;
    for (int i = 0; i < d->schema->slot_count && status == JIG_SUCCESS; ++i) {
      if (d->settled[i]) continue;
      status = settle(d, i);
      added |= d->settled[i];
    }
  }
  for (int i = 0; i < d->schema->slot_count && status == JIG_SUCCESS; ++i) {
    const char *name = d->schema->slots[i].name;
    if (!d->settled[i] && json_object_get(d->parsed->root, name) != NULL)
      status = error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: its type is missing", d->schema->algorithm,
                         name);
  }
  return status;
}

/* ---- the whole */

/* Old names become the slots' own. */
static jig_status rename_slots(json_t *root, const spec_schema *schema) {
  const char *key;
  json_t *value;
  json_object_foreach(root, key, value) {
    if (strcmp(key, "algorithm") != 0 && schema_slot(schema, key) < 0) return schema_refuse(schema, key);
  }
  for (int i = 0; i < schema->slot_count; ++i) {
    const char *name = schema->slots[i].name, *old = schema->slots[i].formerly;
    json_t *json = old != NULL ? json_object_get(root, old) : NULL;
    if (json == NULL || schema_slot(schema, old) != i) continue;
    if (json_object_get(root, name) != NULL)
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: an older name of what is there, too",
                       schema->algorithm, old);
    (void)json_object_set(root, name, json);
    (void)json_object_del(root, old);
  }
  return JIG_SUCCESS;
}

static bool has_operands(const spec *s) {
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const slot_schema *slot = &s->schema->slots[i];
    const bool has_to_be = !slot->optional && (slot->kind == SLOT_ITER || slot->kind == SLOT_OP);
    if (has_to_be && s->slots[i].iter == NULL && s->slots[i].op == NULL) return false;
  }
  return true;
}

/* As in calls, where it is no mistake to ask that NaNs be ignored of a type that has none. */
static void forget_nans(spec *s) {
  for (int i = 0; i < s->schema->slot_count; ++i) {
    if (s->slots[i].op == NULL || !s->slots[i].ignore_nan) continue;
    const jig_type *operand = spec_op_signature(s, i).operand;
    if (operand != NULL) s->slots[i].ignore_nan = type_has_nan(operand);
  }
}

static jig_status complete(draft *d) {
  parsed_spec *p = d->parsed;
  const char *who = d->schema->algorithm;
  jig_status status = rename_slots(p->root, d->schema);
  if (status == JIG_SUCCESS) status = settle_all(d);
  if (status != JIG_SUCCESS) return status;
  if (has_operands(&p->s)) {
    if (d->schema->complete != NULL) status = d->schema->complete(p);
    if (status != JIG_SUCCESS) return error_prefix(status, "%s", who);
    forget_nans(&p->s);
  }
  return spec_check(&p->s, who);
}

jig_status spec_complete(json_t *root, const spec_schema *schema, parsed_spec *parsed) {
  *parsed = (parsed_spec){.root = root, .s = {.schema = schema}};
  draft d = {.schema = schema, .parsed = parsed};
  const jig_status status =
      json_is_object(root)
          ? complete(&d)
          : error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the spec is no object", schema->algorithm);
  if (status != JIG_SUCCESS) parsed_spec_free(parsed);
  return status;
}
