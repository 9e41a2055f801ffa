/* Kernels of the user's own in specs; see canonical.h. */
#include <stdlib.h>
#include <string.h>

#include "spec/canonical_parts.h"
#include "spec/own_kernel.h"
#include "util/digest.h"
#include "util/error.h"

static const char *const kinds[] = {[JIG_DEFINITION_TEXT] = "text",
                                    [JIG_DEFINITION_INTEGER] = "integer",
                                    [JIG_DEFINITION_FLOAT] = "float",
                                    [JIG_DEFINITION_TYPE] = "type",
                                    [JIG_DEFINITION_OP] = "op"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- writing. What cannot be allocated makes the whole NULL. */

static json_t *definition_to_json(const jig_definition *d, spec_form form) {
  char number[FLOAT_TEXT_SIZE];
  const char *kind = kinds[d->kind];
  const op_signature signature = own_signature(d);
  switch (d->kind) {
    case JIG_DEFINITION_TEXT:
      return json_pack("{s:s,s:s,s:s}", "kind", kind, "name", d->name, "text", d->text);
    case JIG_DEFINITION_INTEGER:
      return json_pack("{s:s,s:s,s:o,s:I}", "kind", kind, "name", d->name, "type", type_to_json(&d->type),
                       "value", (json_int_t)d->integer);
    case JIG_DEFINITION_FLOAT:
      float_text(d->number, number);
      return json_pack("{s:s,s:s,s:o,s:s}", "kind", kind, "name", d->name, "type", type_to_json(&d->type),
                       "value", number);
    case JIG_DEFINITION_TYPE:
      return json_pack("{s:s,s:s,s:o}", "kind", kind, "name", d->name, "type", type_to_json(&d->type));
    default:
      return json_pack("{s:i,s:s,s:s,s:o,s:o,s:o}", "arity", (int)d->arity, "kind", kind, "name", d->name,
                       "op", op_to_json(&d->op, false, form), "result", type_to_json(signature.result),
                       "type", type_to_json(signature.operand));
  }
}

static json_t *text_to_json(const jig_kernel_text *t) {
  return t->name != NULL ? json_pack("{s:s,s:s}", "name", t->name, "text", t->text)
                         : json_pack("{s:s}", "text", t->text);
}

/* Sets a member, but for 0. */
static int set_number(json_t *json, const char *name, uint32_t number) {
  return number == 0 ? 0 : json_object_set_new(json, name, json_integer(number));
}

/* Of all texts and their names. */
static json_t *digest_of_texts(const jig_kernel_config *k) {
  char hex[DIGEST_HEX_SIZE];
  text all = {0};
  for (size_t i = 0; i < own_text_count(k); ++i) {
    const own_text t = own_text_at(k, i);
    text_format(&all, "%s\n%zu\n%s", t.shown, strlen(t.text), t.text);
  }
  if (!all.failed) digest_hex(digest_of(all.data, all.length), hex);
  json_t *json = all.failed ? NULL : json_string(hex);
  text_free(&all);
  return json;
}

static int set_texts(json_t *json, const jig_kernel_config *k) {
  json_t *texts = json_array();
  int failed = json_object_set_new(json, "source", json_string(k->source));
  for (size_t i = 0; i < k->text_count; ++i)
    failed |= json_array_append_new(texts, text_to_json(&k->texts[i]));
  if (k->text_count > 0) failed |= json_object_set(json, "texts", texts);
  json_decref(texts);
  return failed;
}

json_t *own_kernel_to_json(const jig_kernel_config *k, spec_form form) {
  json_t *json = json_pack("{s:s}", "entry", k->entry), *definitions = json_array();
  int failed =
      form == SPEC_WHOLE ? set_texts(json, k) : json_object_set_new(json, "digest", digest_of_texts(k));
  for (size_t i = 0; i < k->definition_count; ++i)
    failed |= json_array_append_new(definitions, definition_to_json(&k->definitions[i], form));
  if (k->source_name != NULL)
    failed |= json_object_set_new(json, "source_name", json_string(k->source_name));
  failed |= set_number(json, "max_threads", k->max_threads);
  failed |= set_number(json, "min_blocks", k->min_blocks);
  if (k->definition_count > 0) failed |= json_object_set(json, "definitions", definitions);
  json_decref(definitions);
  if (failed == 0) return json;
  json_decref(json);
  return NULL;
}

/* ---- reading */

static const char *string_of(const json_t *json, const char *name) {
  return json_string_value(json_object_get(json, name));
}

/* Whether what may be left out is a string, or an array. */
static jig_status check_string(const json_t *json, const char *name) {
  const json_t *member = json_object_get(json, name);
  return member == NULL || json_is_string(member) ? JIG_SUCCESS : json_wrong(name, "not a string");
}
static jig_status check_array(const json_t *json, const char *name) {
  const json_t *member = json_object_get(json, name);
  return member == NULL || json_is_array(member) ? JIG_SUCCESS : json_wrong(name, "not an array");
}

/* A number from 0 to `most`, or 0 where there is none. */
static jig_status read_number(const json_t *json, const char *name, uint32_t most, uint32_t *number) {
  const json_t *member = json_object_get(json, name);
  const json_int_t value = json_integer_value(member);
  *number = (uint32_t)value;
  if (member == NULL || (json_is_integer(member) && value >= 0 && value <= most)) return JIG_SUCCESS;
  return json_wrong(name, "not a number, or none that it can be");
}

static jig_status read_value(const json_t *json, const char *what, jig_definition *d) {
  const json_t *value = json_object_get(json, "value");
  if (d->kind == JIG_DEFINITION_INTEGER) {
    d->integer = json_integer_value(value);
    return json_is_integer(value) ? JIG_SUCCESS : json_wrong(what, "'value' is not an integer");
  }
  const char *written = json_string_value(value);
  if (written != NULL && float_of_text(written, &d->number)) return JIG_SUCCESS;
  return json_wrong(what, "'value' is no number as specs have it");
}

static jig_status read_op_of(const json_t *json, const char *what, parsed_spec *parsed,
                             jig_definition *d) {
  bool ignore_nan;
  jig_status status = read_number(json, "arity", OP_MAX_ARITY, &d->arity);
  if (status == JIG_SUCCESS)
    status = json_read_op(json_object_get(json, "op"), what, parsed, &d->op, &ignore_nan);
  if (status == JIG_SUCCESS && ignore_nan) status = json_wrong(what, "'nan' has no meaning here");
  if (status == JIG_SUCCESS) status = json_read_type(json_object_get(json, "result"), what, &d->result);
  if (d->arity == 0) d->type = (jig_type){.kind = JIG_KIND_NONE}; /* which is that of an index */
  return status;
}

static jig_status read_members(const json_t *json, const char *what, parsed_spec *parsed,
                               jig_definition *d) {
  static const char *const members[][7] = {
      [JIG_DEFINITION_TEXT] = {"kind", "name", "text", NULL},
      [JIG_DEFINITION_INTEGER] = {"kind", "name", "type", "value", NULL},
      [JIG_DEFINITION_FLOAT] = {"kind", "name", "type", "value", NULL},
      [JIG_DEFINITION_TYPE] = {"kind", "name", "type", NULL},
      [JIG_DEFINITION_OP] = {"arity", "kind", "name", "op", "result", "type", NULL}};
  jig_status status = json_only_members(json, members[d->kind], what);
  if (status != JIG_SUCCESS || d->kind == JIG_DEFINITION_TEXT) return status;
  status = json_read_type(json_object_get(json, "type"), what, &d->type);
  if (status != JIG_SUCCESS || d->kind == JIG_DEFINITION_TYPE) return status;
  return d->kind == JIG_DEFINITION_OP ? read_op_of(json, what, parsed, d) : read_value(json, what, d);
}

static jig_status read_definition(const json_t *json, const char *what, parsed_spec *parsed,
                                  jig_definition *d) {
  const char *kind = string_of(json, "kind");
  size_t i = 1;
  while (i < KINDS && (kind == NULL || strcmp(kinds[i], kind) != 0)) ++i;
  if (i == KINDS) return json_wrong(what, "a definition's 'kind' is missing, or none");
  *d = (jig_definition){
      .name = string_of(json, "name"), .kind = (jig_definition_kind)i, .text = string_of(json, "text")};
  return read_members(json, what, parsed, d);
}

static jig_status read_definitions(const json_t *json, const char *what, parsed_spec *parsed) {
  const size_t count = json_array_size(json);
  if (count == 0) return JIG_SUCCESS;
  jig_definition *all = calloc(count, sizeof *all);
  if (all == NULL) return error_memory("definitions");
  parsed->kernel.definitions = all;
  parsed->kernel.definition_count = count;
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < count && status == JIG_SUCCESS; ++i)
    status = read_definition(json_array_get(json, i), what, parsed, &all[i]);
  return status;
}

static jig_status read_texts(const json_t *json, const char *what, parsed_spec *parsed) {
  static const char *const members[] = {"name", "text", NULL};
  const size_t count = json_array_size(json);
  if (count == 0) return JIG_SUCCESS;
  jig_kernel_text *all = calloc(count, sizeof *all);
  if (all == NULL) return error_memory("texts");
  parsed->kernel.texts = all;
  parsed->kernel.text_count = count;
  for (size_t i = 0; i < count; ++i) {
    const json_t *one = json_array_get(json, i);
    jig_status status = json_only_members(one, members, what);
    if (status == JIG_SUCCESS) status = check_string(one, "name");
    if (status != JIG_SUCCESS) return status;
    all[i] = (jig_kernel_text){.name = string_of(one, "name"), .text = string_of(one, "text")};
  }
  return JIG_SUCCESS;
}

jig_status own_kernel_read(const json_t *json, const char *what, parsed_spec *parsed) {
  static const char *const members[] = {"definitions", "digest",     "entry",
                                        "max_threads", "min_blocks", "source",
                                        "source_name", "texts",      NULL};
  jig_kernel_config *k = &parsed->kernel;
  if (!json_is_object(json)) return json_wrong(what, "not an object");
  jig_status status = json_only_members(json, members, what);
  k->entry = string_of(json, "entry");
  k->source = string_of(json, "source");
  if (status == JIG_SUCCESS && k->source == NULL)
    status = json_wrong(what, "'source' is missing: a digest is not enough to build from");
  k->source_name = string_of(json, "source_name");
  if (status == JIG_SUCCESS) status = check_string(json, "source_name");
  if (status == JIG_SUCCESS) status = check_array(json, "texts");
  if (status == JIG_SUCCESS) status = check_array(json, "definitions");
  if (status == JIG_SUCCESS) status = read_number(json, "max_threads", UINT16_MAX, &k->max_threads);
  if (status == JIG_SUCCESS) status = read_number(json, "min_blocks", UINT16_MAX, &k->min_blocks);
  if (status == JIG_SUCCESS) status = read_texts(json_object_get(json, "texts"), what, parsed);
  return status == JIG_SUCCESS ? read_definitions(json_object_get(json, "definitions"), what, parsed)
                               : status;
}
