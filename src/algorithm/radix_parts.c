#include "algorithm/radix_parts.h"

#include <string.h>

#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- specs */

static bool is_unsigned(const jig_type *type) {
  return type_is_integer(type) && type->kind >= JIG_KIND_U8 && type->kind <= JIG_KIND_U128;
}

/* Whether the items of an iterator, if there is one, can be taken for the type in another slot: keys that
 * are structs are that type, others any of that size, and values are. */
static jig_status check_input(const spec *s, const char *name, const char *item_name) {
  const spec_slot *slot = spec_find(s, name);
  const jig_type *item = spec_find(s, item_name)->type;
  if (slot == NULL || slot->iter == NULL) return JIG_SUCCESS;
  const jig_type *type = &slot->iter->type;
  if (item != NULL && item->kind == JIG_KIND_STRUCT) return type_check_same(item, item_name, type, name);
  if (item == NULL || item->size != type->size || item->align != type->align)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: it is no type for the items of %s", item_name,
                     name);
  return JIG_SUCCESS;
}

jig_status radix_check_spec(const spec *s) {
  const jig_type *key = spec_find(s, "key")->type, *value = spec_find(s, "value")->type;
  const jig_op *decomposer = spec_find(s, "decomposer")->op;
  const int order = spec_find(s, "order")->choice;
  jig_status status = radix_check_key(key, order, decomposer, "key");
  if (status != JIG_SUCCESS) return status;
  if (order != RADIX_ORDER_OF_FIELDS && !is_unsigned(key))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "key: it must be an unsigned integer, not %s",
                     jig_type_name(key));
  if (value != NULL && value->kind != JIG_KIND_OPAQUE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "value: its type must be opaque, not %s",
                     jig_type_name(value));
  status = check_input(s, "keys_in", "key");
  return status == JIG_SUCCESS ? check_input(s, "values_in", "value") : status;
}

jig_status radix_complete(parsed_spec *p) {
  const spec_slot *key = parsed_slot(p, "key"), *value = parsed_slot(p, "value");
  const bool has_fields = parsed_slot(p, "decomposer")->op != NULL;
  if (key->type == NULL) return JIG_SUCCESS; /* which will be an error */
  jig_status status = radix_complete_order(p, key->type);
  if (status == JIG_SUCCESS) status = radix_check_kind(key->type, "keys_in", has_fields, "");
  if (status != JIG_SUCCESS) return status;
  if (!has_fields) *parsed_type(p, "key") = radix_unsigned(key->type->size);
  if (value->type == NULL) return JIG_SUCCESS;
  status = type_check(value->type, "value");
  if (status == JIG_SUCCESS) *parsed_type(p, "value") = jig_opaque(value->type->size, value->type->align);
  return status;
}

/* ---- args */

static const char must_be_pointer[] = "it must be a pointer";

/* `rule`: what is wrong with an iterator that is no pointer; NULL: nothing. */
static jig_status check_iter(const char *who, const char *rule, const char *name, const jig_iter *iter) {
  if (iter->kind == JIG_ITER_POINTER || (rule == NULL && iter->kind != JIG_ITER_NONE)) {
    const jig_status status = type_check(&iter->type, name);
    return status == JIG_SUCCESS ? status : error_prefix(status, "%s", who);
  }
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s", who, name,
                   iter->kind == JIG_ITER_NONE ? "missing" : rule);
}

static jig_status check_pair(const char *who, const char *in_rule, const char *in_name,
                             const jig_iter *in, const char *out_name, const jig_iter *out) {
  jig_status status = check_iter(who, in_rule, in_name, in);
  if (status == JIG_SUCCESS) status = check_iter(who, must_be_pointer, out_name, out);
  if (status != JIG_SUCCESS) return status;
  status = type_check_same(&out->type, out_name, &in->type, in_name);
  return status == JIG_SUCCESS ? status : error_prefix(status, "%s", who);
}

static bool has_values(const jig_radix_sort_args *args) {
  return args->values_in.kind != JIG_ITER_NONE || args->values_out.kind != JIG_ITER_NONE;
}

/* A key's; of one that is decomposed, no less than its fields have. */
static int bits_of_key(const jig_radix_sort_args *args) {
  const size_t size = args->keys_in.type.size;
  return 8 * (int)(args->decomposer != NULL ? min_of(size, RADIX_MAX_FIELD_BYTES) : size);
}

/* The bits that count end here. */
static int end_bit(const jig_radix_sort_args *args) {
  return args->end_bit != 0 ? args->end_bit : bits_of_key(args);
}

bool radix_is_partial(const jig_radix_sort_args *args) {
  return args->begin_bit > 0 || end_bit(args) < bits_of_key(args);
}

jig_status radix_check_bits(const char *who, const jig_radix_sort_args *args, int bits) {
  const int end = args->end_bit != 0 ? args->end_bit : bits;
  if (end < 0 || end > bits)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: end_bit: it is %d, and keys have %d bits", who,
                     args->end_bit, bits);
  if (args->begin_bit < 0 || args->begin_bit > end)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: begin_bit: it is %d, and the end is %d", who,
                     args->begin_bit, end);
  return JIG_SUCCESS;
}

static jig_status check_args(const char *who, const jig_radix_sort_args *args) {
  const char *rule = args->selector != NULL ? "it must be a pointer where there is a selector" : NULL;
  jig_status status = check_pair(who, rule, "keys_in", &args->keys_in, "keys_out", &args->keys_out);
  if (status == JIG_SUCCESS && has_values(args))
    status = check_pair(who, rule, "values_in", &args->values_in, "values_out", &args->values_out);
  if (status != JIG_SUCCESS) return status;
  status = radix_check_kind(&args->keys_in.type, "keys_in", args->decomposer != NULL, who);
  if (status != JIG_SUCCESS) return status;
  /* Of how many bits fields have only their program knows. */
  return radix_check_bits(who, args, 8 * (int)args->keys_in.type.size);
}

const jig_iter *radix_iterator_of(const jig_iter *in) {
  return in->kind == JIG_ITER_POINTER ? NULL : iter_given(in);
}

jig_status radix_parts_of(const char *who, const jig_radix_sort_args *args, radix_parts *parts) {
  jig_status status = check_args(who, args);
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &args->keys_in.type, *value = &args->values_in.type;
  memset(parts, 0, sizeof *parts);
  parts->key = args->decomposer != NULL ? *key : radix_unsigned(key->size);
  parts->order = radix_order_of(key, args->decomposer);
  if (args->decomposer != NULL) parts->decomposer = jig_op_source(args->decomposer);
  if (has_values(args)) parts->value = jig_opaque(value->size, value->align);
  return JIG_SUCCESS;
}

const jig_type *radix_value_of(const radix_parts *parts) {
  return parts->value.kind != JIG_KIND_NONE ? &parts->value : NULL;
}

const jig_op *radix_decomposer_of(const radix_parts *parts) {
  return parts->order == RADIX_ORDER_OF_FIELDS ? &parts->decomposer : NULL;
}

/* ---- calls */

#define FIELD(name) PARAMETER_FIELD(radix_sort_call, name)
const parameter_field radix_sort_call_fields[] = {FIELD(keys_in),
                                                  FIELD(values_in),
                                                  FIELD(keys_out),
                                                  FIELD(values_out),
                                                  FIELD(keys_other),
                                                  FIELD(values_other),
                                                  FIELD(control),
                                                  FIELD(states),
                                                  FIELD(num_items),
                                                  FIELD(tag),
                                                  FIELD(state_tiles),
                                                  FIELD(begin_bit),
                                                  FIELD(end_bit),
                                                  FIELD(is_signed),
                                                  FIELD(is_descending),
                                                  FIELD(portions),
                                                  FIELD(keeps_parity),
                                                  FIELD(num_items_in),
                                                  FIELD(rows),
                                                  FIELD(word),
                                                  FIELD(local_items),
                                                  FIELD(forced_top_passes),
                                                  {NULL}};
#undef FIELD

int radix_passes(int begin_bit, int end_bit) {
  const int passes = (int)ceil_div((uint64_t)(end_bit - begin_bit), 8);
  return passes > 0 ? passes : 1;
}

int radix_passes_of(const jig_radix_sort_args *args) {
  return radix_passes(args->begin_bit, end_bit(args));
}

radix_sort_call radix_call_of(const call *c, const jig_radix_sort_args *args) {
  return (radix_sort_call){.keys_in = args->keys_in.pointer,
                           .values_in = args->values_in.pointer,
                           .keys_out = args->keys_out.pointer,
                           .values_out = args->values_out.pointer,
                           .num_items = args->num_items,
                           .num_items_in = args->num_items_in,
                           .tag = engine_tag(c->engine, c->number),
                           .begin_bit = args->begin_bit,
                           .end_bit = end_bit(args),
                           .is_signed = radix_is_signed(&args->keys_in.type),
                           .is_descending = args->order == JIG_SORT_DESCENDING,
                           .keeps_parity = args->selector != NULL};
}

size_t radix_places_of(const jig_radix_sort_args *args, call_place places[RADIX_MAX_PLACES]) {
  const uint64_t n = args->num_items;
  const bool overwrites = args->selector != NULL;
  places[0] = (call_place){&args->keys_in, n, "keys_in", overwrites};
  places[1] = (call_place){&args->keys_out, n, "keys_out", true};
  places[2] = (call_place){&args->values_in, n, "values_in", overwrites};
  places[3] = (call_place){&args->values_out, n, "values_out", true};
  return has_values(args) ? 4 : 2;
}
