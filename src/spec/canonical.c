#include "spec/canonical.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/canonical_parts.h"
#include "spec/format.h"
#include "spec/type.h"
#include "util/base64.h"
#include "util/digest.h"
#include "util/error.h"

/* What an iterator's bases are called. */
static const char *bases_member(jig_iter_kind kind) {
  return iter_max_bases(kind) > 1 ? "bases" : "base";
}

/* ---- writing. json_pack() and the *_new() functions take over the references they are given, and NULL
 * goes through: what cannot be allocated makes the whole NULL. */

json_t *type_to_json(const jig_type *type) {
  if (type->kind == JIG_KIND_OPAQUE)
    return json_pack("{s:i,s:s,s:i}", "align", (int)type->align, "kind", "opaque", "size",
                     (int)type->size);
  if (type->kind != JIG_KIND_STRUCT) return json_string(jig_type_name(type));
  return json_pack("{s:i,s:s,s:s,s:i}", "align", (int)type->align, "definition", type->definition, "name",
                   type->name, "size", (int)type->size);
}

static json_t *binary_to_json(const jig_op *op, spec_form form) {
  json_t *json =
      json_pack("{s:s,s:s,s:s}", "format", format_name(op->format), "kind", "binary", "name", op->name);
  if (form == SPEC_DIGESTS) {
    char hex[DIGEST_HEX_SIZE];
    digest_hex(digest_of(op->data, op->size), hex);
    if (json_object_set_new(json, "digest", json_string(hex)) == 0) return json;
  } else {
    char *text = base64_encode(op->data, op->size);
    const int failed = json_object_set_new(json, "data", json_string(text));
    free(text);
    if (failed == 0) return json;
  }
  json_decref(json);
  return NULL;
}

static json_t *user_op_to_json(const jig_op *op, spec_form form) {
  switch (op->kind) {
    case JIG_OP_SOURCE:
      return json_pack("{s:s,s:s}", "kind", "source", "source", op->source);
    case JIG_OP_FUNCTION:
      return json_pack("{s:s,s:s,s:s}", "kind", "function", "name", op->name, "source", op->source);
    default:
      return binary_to_json(op, form);
  }
}

static bool set_flag(json_t *json, const char *name, bool set) {
  return !set || json_object_set_new(json, name, json_true()) == 0;
}

json_t *op_to_json(const jig_op *op, bool ignore_nan, spec_form form) {
  if (op_is_well_known(op) && !ignore_nan && !op->commutative) return json_string(op_name(op->kind));
  json_t *json =
      op_is_well_known(op) ? json_pack("{s:s}", "kind", op_name(op->kind)) : user_op_to_json(op, form);
  bool done = json != NULL;
  if (ignore_nan) done = done && json_object_set_new(json, "nan", json_string("ignore")) == 0;
  done = done && set_flag(json, "by_pointer", op->by_pointer) &&
         set_flag(json, "commutative", op->commutative) &&
         set_flag(json, "device_state", op->device_state);
  if (op_has_state(op))
    done = done && json_object_set_new(json, "state", type_to_json(&op->state_type)) == 0;
  if (done) return json;
  json_decref(json);
  return NULL;
}

static json_t *iter_to_json(const jig_iter *iter, spec_form form);

/* The base, or an array of the bases. */
static json_t *bases_to_json(const jig_iter *iter, spec_form form) {
  if (iter_max_bases(iter->kind) == 1) return iter_to_json(iter_base_at(iter, 0), form);
  json_t *array = json_array();
  for (unsigned k = 0; k < iter_base_count(iter); ++k) {
    if (json_array_append_new(array, iter_to_json(iter_base_at(iter, k), form)) == 0) continue;
    json_decref(array);
    return NULL;
  }
  return array;
}

static json_t *iter_to_json(const jig_iter *iter, spec_form form) {
  json_t *json = json_pack("{s:s,s:o}", "kind", iter_name(iter->kind), "type", type_to_json(&iter->type));
  bool failed = json == NULL;
  if (iter_has_op(iter->kind))
    failed |= json_object_set_new(json, "op", op_to_json(&iter->op, false, form)) != 0;
  if (iter_max_bases(iter->kind) > 0)
    failed |= json_object_set_new(json, bases_member(iter->kind), bases_to_json(iter, form)) != 0;
  if (!failed) return json;
  json_decref(json);
  return NULL;
}

json_t *spec_to_json(const spec *s, spec_form form) {
  json_t *json = json_pack("{s:s}", "algorithm", s->schema->algorithm);
  for (int i = 0; i < s->schema->slot_count; ++i) {
    const spec_slot *slot = &s->slots[i];
    json_t *value;
    if (slot->type != NULL)
      value = type_to_json(slot->type);
    else if (slot->iter != NULL)
      value = iter_to_json(slot->iter, form);
    else if (slot->op != NULL)
      value = op_to_json(slot->op, slot->ignore_nan, form);
    else if (slot->kernel != NULL)
      value = own_kernel_to_json(slot->kernel, form);
    else if (s->schema->slots[i].kind == SLOT_CHOICE &&
             !(s->schema->slots[i].optional && slot->choice == 0))
      value = json_string(s->schema->slots[i].choices[slot->choice]);
    else if (s->schema->slots[i].kind == SLOT_FLAG && slot->choice != 0)
      value = json_true();
    else
      continue;
    if (json_object_set_new(json, s->schema->slots[i].name, value) != 0) {
      json_decref(json);
      return NULL;
    }
  }
  return json;
}

/* Where there is no memory jansson leaves some keys out, and goes on. */
char *canonical_text(const json_t *json) {
  if (json == NULL) return NULL;
  errno = 0;
  char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
  if (errno != ENOMEM) return text;
  free(text);
  errno = ENOMEM;
  return NULL;
}

/* Besides memory, JSON lacks nothing but bytes that are no text. */
jig_status canonical_error(const char *what) {
  return errno == ENOMEM ? error_memory("a spec's text")
                         : error_set(JIG_ERROR_INVALID_ARGUMENT, "%s is not UTF-8", what);
}

jig_status spec_write(const spec *s, const char *who, char **text) {
  jig_status status = spec_check(s, who);
  if (status != JIG_SUCCESS) return status;
  errno = 0;
  json_t *json = spec_to_json(s, SPEC_WHOLE);
  *text = canonical_text(json);
  if (*text == NULL) status = error_prefix(canonical_error("a source text"), "%s", who);
  json_decref(json);
  return status;
}

/* ---- reading. Every function gets the name of what it reads, for the error. */

jig_status json_wrong(const char *what, const char *problem) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: %s: %s", what, problem);
}

jig_status json_only_members(const json_t *object, const char *const *names, const char *what) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    bool known = false;
    for (const char *const *name = names; *name != NULL; ++name) known |= strcmp(key, *name) == 0;
    if (!known) return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: %s: unknown member '%s'", what, key);
  }
  return JIG_SUCCESS;
}

/* A whole number from 0 to that of the largest size. */
static bool read_bytes(const json_t *json, size_t *bytes) {
  const json_int_t value = json_integer_value(json);
  *bytes = (size_t)value;
  return json_is_integer(json) && value >= 0 && value <= INT32_MAX;
}

static jig_status read_layout_type(const json_t *json, const char *what, jig_type *type) {
  static const char *const struct_members[] = {"align", "definition", "name", "size", NULL};
  static const char *const opaque_members[] = {"align", "kind", "size", NULL};
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const bool opaque = kind != NULL && strcmp(kind, "opaque") == 0;
  jig_status status = json_only_members(json, opaque ? opaque_members : struct_members, what);
  if (status != JIG_SUCCESS) return status;
  size_t size, align;
  if (!read_bytes(json_object_get(json, "size"), &size) ||
      !read_bytes(json_object_get(json, "align"), &align))
    return json_wrong(what, "'size' and 'align' are needed, both whole numbers of bytes");
  *type = opaque ? jig_opaque(size, align)
                 : jig_struct(json_string_value(json_object_get(json, "name")),
                              json_string_value(json_object_get(json, "definition")), size, align);
  return JIG_SUCCESS;
}

jig_status json_read_type(const json_t *json, const char *what, jig_type *type) {
  if (json_is_object(json)) return read_layout_type(json, what, type);
  *type = jig_type_from_name(json_string_value(json));
  if (type->kind == JIG_KIND_NONE) return json_wrong(what, "not a type");
  return JIG_SUCCESS;
}

static jig_status read_nan(const json_t *nan, const char *what, const jig_op *op, bool *ignore_nan) {
  if (nan == NULL) return JIG_SUCCESS;
  *ignore_nan = json_is_string(nan) && strcmp(json_string_value(nan), "ignore") == 0;
  bool extreme = op->kind == JIG_OP_MIN || op->kind == JIG_OP_MAX;
  if (extreme && *ignore_nan) return JIG_SUCCESS;
  return json_wrong(what, "'nan' can only be \"ignore\", of min or max");
}

/* The data, which the parsed spec then owns. */
static jig_status read_binary(const json_t *json, const char *what, parsed_spec *parsed, jig_op *op) {
  const jig_format format = format_from_name(json_string_value(json_object_get(json, "format")));
  const char *text = json_string_value(json_object_get(json, "data"));
  if (format == JIG_FORMAT_NONE) return json_wrong(what, "'format' is missing, or no format");
  if (text == NULL) return json_wrong(what, "'data' is missing: a digest is not enough to build from");
  if (parsed->data_count == sizeof parsed->data / sizeof parsed->data[0])
    return json_wrong(what, "too many compiled operators");
  size_t size;
  unsigned char *data = base64_decode(text, &size);
  if (data == NULL) return json_wrong(what, "'data' is not base64");
  parsed->data[parsed->data_count++] = data;
  *op = jig_op_binary(format, data, size, json_string_value(json_object_get(json, "name")));
  return JIG_SUCCESS;
}

static jig_status read_user_op(const json_t *json, const char *kind, const char *what,
                               parsed_spec *parsed, jig_op *op) {
  if (kind != NULL && strcmp(kind, "binary") == 0) return read_binary(json, what, parsed, op);
  if (kind == NULL || (strcmp(kind, "source") != 0 && strcmp(kind, "function") != 0))
    return json_wrong(
        what, "'kind' is neither a well-known operator nor \"source\", \"function\" or \"binary\"");
  op->kind = strcmp(kind, "source") == 0 ? JIG_OP_SOURCE : JIG_OP_FUNCTION;
  op->source = json_string_value(json_object_get(json, "source"));
  op->name = json_string_value(json_object_get(json, "name"));
  return JIG_SUCCESS;
}

/* What tells an operator of that kind, beside what all may have. */
static jig_status check_op_members(const json_t *json, const char *kind, const char *what) {
  enum { COMMON = 6, OWN = 4 };
  static const char *const common[COMMON] = {"by_pointer", "commutative", "device_state",
                                             "kind",       "nan",         "state"};
  static const char *const of_source[OWN] = {"source"}, *const of_function[OWN] = {"name", "source"},
                           *const of_binary[OWN] = {"data", "digest", "format", "name"},
                           *none[OWN] = {NULL};
  const char *const *own = none;
  const char *members[COMMON + OWN + 1] = {NULL};
  if (kind != NULL && strcmp(kind, "source") == 0) own = of_source;
  if (kind != NULL && strcmp(kind, "function") == 0) own = of_function;
  if (kind != NULL && strcmp(kind, "binary") == 0) own = of_binary;
  memcpy(members, common, sizeof common);
  memcpy(members + COMMON, own, sizeof none);
  return json_only_members(json, members, what);
}

/* false where it is left out. */
static jig_status read_op_flag(const json_t *json, const char *name, const char *what, int *flag) {
  const json_t *value = json_object_get(json, name);
  *flag = json_is_true(value);
  if (value == NULL || json_is_boolean(value)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: %s: '%s' is neither true nor false", what, name);
}

static jig_status read_op_object(const json_t *json, const char *what, parsed_spec *parsed, jig_op *op,
                                 bool *ignore_nan) {
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const json_t *state = json_object_get(json, "state");
  jig_status status = check_op_members(json, kind, what);
  if (status != JIG_SUCCESS) return status;
  *op = jig_op_from_name(kind);
  if (op->kind == JIG_OP_NONE) status = read_user_op(json, kind, what, parsed, op);
  if (status == JIG_SUCCESS) status = read_nan(json_object_get(json, "nan"), what, op, ignore_nan);
  if (status == JIG_SUCCESS) status = read_op_flag(json, "by_pointer", what, &op->by_pointer);
  if (status == JIG_SUCCESS) status = read_op_flag(json, "commutative", what, &op->commutative);
  if (status == JIG_SUCCESS) status = read_op_flag(json, "device_state", what, &op->device_state);
  return state == NULL || status != JIG_SUCCESS ? status : json_read_type(state, what, &op->state_type);
}

jig_status json_read_op(const json_t *json, const char *what, parsed_spec *parsed, jig_op *op,
                        bool *ignore_nan) {
  *op = jig_op_from_name(json_string_value(json));
  *ignore_nan = false;
  if (json_is_object(json)) return read_op_object(json, what, parsed, op, ignore_nan);
  return op->kind != JIG_OP_NONE ? JIG_SUCCESS : json_wrong(what, "not an operator");
}

static jig_status read_iter(const json_t *json, const char *what, parsed_spec *parsed, jig_iter *iter);

/* Room for so many iterators, side by side; NULL if there is none. */
static jig_iter *new_iters(parsed_spec *parsed, size_t count) {
  if (count > ITER_MAX_COUNT - parsed->iter_count) return NULL;
  jig_iter *iters = &parsed->iters[parsed->iter_count];
  parsed->iter_count += (unsigned)count;
  return iters;
}

static jig_status read_bases(const json_t *json, const char *what, parsed_spec *parsed, jig_iter *iter) {
  const bool several = iter_max_bases(iter->kind) > 1;
  if (several && !json_is_array(json)) return json_wrong(what, "'bases' is not an array of iterators");
  const size_t count = several ? json_array_size(json) : 1;
  if (count < iter_min_bases(iter->kind) || count > iter_max_bases(iter->kind))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: %s: '%s' cannot have %zu bases", what,
                     iter_name(iter->kind), count);
  jig_iter *bases = new_iters(parsed, count);
  if (bases == NULL) return json_wrong(what, "too many iterators");
  for (size_t k = 0; k < count; ++k) {
    jig_status status = read_iter(several ? json_array_get(json, k) : json, what, parsed, &bases[k]);
    if (status != JIG_SUCCESS) return status;
  }
  iter->base = bases;
  if (count > 1) iter->indices = &bases[1];
  iter->base_count = count;
  return JIG_SUCCESS;
}

static jig_status read_iter(const json_t *json, const char *what, parsed_spec *parsed, jig_iter *iter) {
  iter->kind = iter_kind_from_name(json_string_value(json_object_get(json, "kind")));
  if (iter->kind == JIG_ITER_NONE && !json_is_object(json))
    return json_wrong(what, "not an iterator, such as {\"kind\":\"pointer\",\"type\":\"f32\"}");
  if (iter->kind == JIG_ITER_NONE) return json_wrong(what, "not an iterator");
  const bool has_op = iter_has_op(iter->kind), has_bases = iter_max_bases(iter->kind) > 0;
  const char *members[5] = {"kind", "type"};
  int count = 2;
  if (has_op) members[count++] = "op";
  if (has_bases) members[count++] = bases_member(iter->kind);
  jig_status status = json_only_members(json, members, what);
  if (status == JIG_SUCCESS) status = json_read_type(json_object_get(json, "type"), what, &iter->type);
  bool ignore_nan;
  if (status == JIG_SUCCESS && has_op)
    status = json_read_op(json_object_get(json, "op"), what, parsed, &iter->op, &ignore_nan);
  if (status == JIG_SUCCESS && has_bases)
    status = read_bases(json_object_get(json, bases_member(iter->kind)), what, parsed, iter);
  return status;
}

static jig_status read_choice(const json_t *json, const slot_schema *schema, int *choice) {
  const char *name = json_string_value(json);
  for (*choice = 0; name != NULL && schema->choices[*choice] != NULL; ++*choice) {
    if (strcmp(name, schema->choices[*choice]) == 0) return JIG_SUCCESS;
  }
  return json_wrong(schema->name, "no such choice");
}

static jig_status read_flag(const json_t *json, const slot_schema *schema, int *flag) {
  *flag = json_is_true(json);
  return json_is_boolean(json) ? JIG_SUCCESS : json_wrong(schema->name, "neither true nor false");
}

jig_status spec_read_slot(const json_t *json, int i, parsed_spec *parsed) {
  const slot_schema *schema = &parsed->s.schema->slots[i];
  spec_slot *slot = &parsed->s.slots[i];
  if (schema->kind == SLOT_CHOICE) return read_choice(json, schema, &slot->choice);
  if (schema->kind == SLOT_FLAG) return read_flag(json, schema, &slot->choice);
  if (schema->kind == SLOT_KERNEL) {
    slot->kernel = &parsed->kernel;
    return own_kernel_read(json, schema->name, parsed);
  }
  if (schema->kind == SLOT_ITER) {
    jig_iter *iter = new_iters(parsed, 1);
    slot->iter = iter;
    return iter != NULL ? read_iter(json, schema->name, parsed, iter)
                        : json_wrong(schema->name, "too many iterators");
  }
  if (schema->kind == SLOT_TYPE) {
    slot->type = &parsed->types[i];
    return json_read_type(json, schema->name, &parsed->types[i]);
  }
  jig_op *op = &parsed->ops[i];
  jig_status status = json_read_op(json, schema->name, parsed, op, &slot->ignore_nan);
  slot->op = schema->orders && !schema->own_default ? op_order_given(op) : op;
  return status;
}

static jig_status read_slots(parsed_spec *parsed, schema_lookup find_schema) {
  const char *algorithm = json_string_value(json_object_get(parsed->root, "algorithm"));
  if (algorithm == NULL) return json_wrong("algorithm", "missing, or not a string");
  const spec_schema *schema = find_schema(algorithm);
  if (schema == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: unknown algorithm '%s'", algorithm);
  parsed->s.schema = schema;
  const char *members[2 * SPEC_MAX_SLOTS + 2] = {"algorithm"};
  int count = 1;
  for (int i = 0; i < schema->slot_count; ++i) {
    members[count++] = schema->slots[i].name;
    if (schema->slots[i].formerly != NULL) members[count++] = schema->slots[i].formerly;
  }
  jig_status status = json_only_members(parsed->root, members, algorithm);
  for (int i = 0; i < schema->slot_count && status == JIG_SUCCESS; ++i) {
    const slot_schema *slot = &schema->slots[i];
    const json_t *json = json_object_get(parsed->root, slot->name);
    const json_t *old = slot->formerly != NULL ? json_object_get(parsed->root, slot->formerly) : NULL;
    if (json != NULL && old != NULL)
      return json_wrong(slot->formerly, "an older name of what is there, too");
    if (json == NULL) json = old;
    if (json != NULL) status = spec_read_slot(json, i, parsed);
  }
  return status == JIG_SUCCESS ? spec_check(&parsed->s, "spec") : status;
}

/* The parser takes stack for every bracket. Specs need half of this, whose iterators are nested as deep
 * as may be. */
enum { MOST_DEPTH = 2 * (2 * ITER_MAX_DEPTH + 2) };

static bool is_too_deep(const char *text) {
  bool in_string = false;
  int depth = 0;
  for (const char *c = text; *c != '\0' && depth <= MOST_DEPTH; ++c) {
    if (in_string && *c == '\\' && c[1] != '\0')
      ++c;
    else if (*c == '"')
      in_string = !in_string;
    else if (!in_string)
      depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
  }
  return depth > MOST_DEPTH;
}

jig_status spec_parse(const char *text, schema_lookup find_schema, parsed_spec *parsed) {
  *parsed = (parsed_spec){0};
  json_error_t problem;
  if (is_too_deep(text)) return json_wrong("the text", "its brackets are nested too deep");
  errno = 0;
  parsed->root = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
  if (parsed->root == NULL && errno == ENOMEM) return error_memory("a spec");
  if (parsed->root == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: line %d, column %d: %s", problem.line,
                     problem.column, problem.text);
  }
  jig_status status = json_is_object(parsed->root) ? read_slots(parsed, find_schema)
                                                   : json_wrong("the text", "not a JSON object");
  if (status != JIG_SUCCESS) parsed_spec_free(parsed);
  return status;
}

void parsed_spec_free(parsed_spec *parsed) {
  json_decref(parsed->root);
  parsed->root = NULL;
  while (parsed->data_count > 0) free(parsed->data[--parsed->data_count]);
  free((void *)(uintptr_t)parsed->kernel.texts);
  free((void *)(uintptr_t)parsed->kernel.definitions);
}
