#include "algorithm/radix_keys.h"

#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

const char *const radix_orders[] = {"integer", "float", "fields", NULL};

int radix_order_of(const jig_type *key, const char *decomposer) {
  if (decomposer != NULL) return RADIX_ORDER_OF_FIELDS;
  return type_is_integer(key) ? RADIX_ORDER_OF_INTEGERS : RADIX_ORDER_OF_FLOATS;
}

jig_status radix_complete_order(parsed_spec *p, const jig_type *key) {
  const bool is_told = json_object_get(p->root, "order") != NULL;
  const bool has_fields = parsed_slot(p, "decomposer")->op != NULL;
  spec_slot *slot = parsed_slot(p, "order");
  const int order = radix_order_of(key, has_fields ? "" : NULL), told = slot->choice;
  /* Unsigned integers may be anything's bits. */
  if (is_told && !has_fields && type_is_unsigned(key)) return JIG_SUCCESS;
  slot->choice = order;
  if (!is_told || told == order) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "order: these keys are ordered as '%s'",
                   radix_orders[order]);
}

jig_type radix_unsigned(size_t size) {
  switch (size) {
    case 1:
      return JIG_U8;
    case 2:
      return JIG_U16;
    case 4:
      return JIG_U32;
    case 8:
      return JIG_U64;
    default:
      return JIG_U128;
  }
}

size_t radix_bits_bytes(const jig_type *key) {
  const size_t size = min_of(key->size, RADIX_MAX_FIELD_BYTES);
  return size <= 4 ? 4 : size <= 8 ? 8 : 16;
}

static void share_type(jig_iter *in, jig_iter *out, jig_type shared) {
  if (in->kind != JIG_ITER_POINTER || out->kind != JIG_ITER_POINTER) return;
  if (!type_identical(&in->type, &out->type)) return; /* which will be an error */
  in->type = out->type = shared;
}

void radix_share_types(jig_iter *keys_in, jig_iter *keys_out, jig_iter *values_in, jig_iter *values_out) {
  const jig_type *key = &keys_in->type;
  if (type_is_number(key) && type_check(key, "keys_in") == JIG_SUCCESS)
    share_type(keys_in, keys_out, radix_unsigned(key->size));
  if (values_in == NULL || values_out == NULL) return;
  /* What is wrong with a type is told of the type itself. */
  const jig_type *value = &values_in->type;
  if (value->kind != JIG_KIND_NONE && type_check(value, "values_in") == JIG_SUCCESS)
    share_type(values_in, values_out, jig_opaque(value->size, value->align));
}

bool radix_is_signed(const jig_type *key) {
  return key->kind >= JIG_KIND_I8 && key->kind <= JIG_KIND_I128;
}

jig_status radix_check_key(const jig_type *key, int order, const jig_op *decomposer, const char *what) {
  const bool has_fields = order == RADIX_ORDER_OF_FIELDS;
  if (has_fields != (decomposer != NULL) ||
      (has_fields && (decomposer->kind != JIG_OP_SOURCE || op_has_state(decomposer))))
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "decomposer: a list of fields is needed for the order 'fields', and for no other");
  if (order == RADIX_ORDER_OF_FLOATS && (key->size < 2 || key->size > 8))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: there are no floating-point numbers of %u bytes",
                     what, key->size);
  return JIG_SUCCESS;
}

jig_status radix_check_kind(const jig_type *key, const char *what, bool has_decomposer, const char *who) {
  if (has_decomposer ? key->kind == JIG_KIND_STRUCT : type_is_number(key)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s%s%s: %s", who, *who != '\0' ? ": " : "", what,
                   has_decomposer ? "keys must be structs if there is a decomposer"
                                  : "keys must be of a built-in type, or there has to be a decomposer");
}
