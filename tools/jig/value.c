#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "struct_fields.h"

__extension__ typedef unsigned __int128 u128;

enum { TEXT_SIZE = 64 };

static bool is_signed_integer(jig_type_kind kind) {
  return kind == JIG_KIND_I8 || kind == JIG_KIND_I16 || kind == JIG_KIND_I32 || kind == JIG_KIND_I64 ||
         kind == JIG_KIND_I128;
}

static bool is_float(jig_type_kind kind) {
  return kind == JIG_KIND_F16 || kind == JIG_KIND_BF16 || kind == JIG_KIND_F32 || kind == JIG_KIND_F64;
}

static int digit_of(char c) {
  const char *digits = "0123456789abcdef",
             *at = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
  return at != NULL ? (int)(at - digits) : 99;
}

/* ---- whole numbers */

static bool parse_magnitude(const char *text, u128 *magnitude) {
  const unsigned base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  if (base == 16) text += 2;
  if (*text == '\0') return false;
  *magnitude = 0;
  for (; *text != '\0'; ++text) {
    const unsigned digit = (unsigned)digit_of(*text);
    if (digit >= base || *magnitude > (~(u128)0 - digit) / base) return false;
    *magnitude = *magnitude * base + digit;
  }
  return true;
}

static bool parse_integer(const char *text, const jig_type *type, void *bytes) {
  const bool negative = text[0] == '-', has_sign = is_signed_integer(type->kind);
  u128 magnitude;
  if (!parse_magnitude(text + (negative || text[0] == '+'), &magnitude)) return false;
  const u128 top = (u128)1 << (8 * type->size - 1); /* the magnitude of the smallest signed one */
  const u128 largest = negative ? (has_sign ? top : 0) : has_sign ? top - 1 : top - 1 + top;
  if (magnitude > largest) return false;
  if (negative) magnitude = -magnitude;
  memcpy(bytes, &magnitude, type->size); /* the host is little-endian, as every GPU is */
  return true;
}

static void format_integer(const jig_type *type, const void *bytes, char text[TEXT_SIZE]) {
  u128 value = 0;
  memcpy(&value, bytes, type->size);
  const u128 top = (u128)1 << (8 * type->size - 1);
  const bool negative = is_signed_integer(type->kind) && (value & top) != 0;
  if (negative) value = top - (value - top);
  char digits[TEXT_SIZE];
  int count = 0;
  do digits[count++] = (char)('0' + (int)(value % 10));
  while ((value /= 10) != 0);
  if (negative) *text++ = '-';
  while (count > 0) *text++ = digits[--count];
  *text = '\0';
}

/* ---- floating point */

static double load_float(const jig_type *type, const void *bytes) {
  uint16_t half;
  float single;
  double value;
  if (type->kind == JIG_KIND_F64) {
    memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (type->kind == JIG_KIND_F32) {
    memcpy(&single, bytes, sizeof single);
    return (double)single;
  }
  memcpy(&half, bytes, sizeof half);
  return half_to_double(half, type->kind == JIG_KIND_F16 ? format_f16 : format_bf16);
}

static void store_float(const jig_type *type, double value, void *bytes) {
  if (type->kind == JIG_KIND_F64) {
    memcpy(bytes, &value, sizeof value);
  } else if (type->kind == JIG_KIND_F32) {
    const float single = (float)value;
    memcpy(bytes, &single, sizeof single);
  } else {
    const uint16_t half = half_from_double(value, type->kind == JIG_KIND_F16 ? format_f16 : format_bf16);
    memcpy(bytes, &half, sizeof half);
  }
}

static bool parse_float(const char *text, const jig_type *type, void *bytes) {
  char *end;
  errno = 0;
  /* strtof() rounds once where strtod() and a conversion round twice. */
  const double value = type->kind == JIG_KIND_F32 ? (double)strtof(text, &end) : strtod(text, &end);
  if (end == text || *end != '\0' || isspace((unsigned char)text[0])) return false;
  if (errno == ERANGE && isinf(value)) return false;
  store_float(type, value, bytes);
  return isinf(value) || !isinf(load_float(type, bytes));
}

static void format_float(const jig_type *type, const void *bytes, char text[TEXT_SIZE]) {
  enum { ENOUGH_DIGITS = 17 };
  static const double whole_limit = 1e15; /* below it doubles hold every whole number */
  const double value = load_float(type, bytes);
  if (isnan(value)) {
    (void)snprintf(text, TEXT_SIZE, "nan");
    return;
  }
  if (fabs(value) < whole_limit && rint(value) == value) { /* 100000 rather than 1e+05 */
    (void)snprintf(text, TEXT_SIZE, "%.0f", value);
    return;
  }
  for (int digits = 1; digits <= ENOUGH_DIGITS; ++digits) {
    double again;
    (void)snprintf(text, TEXT_SIZE, "%.*g", digits, value);
    if (parse_float(text, type, &again) && memcmp(&again, bytes, type->size) == 0) return;
  }
}

/* ---- true and false, structs */

static bool parse_bool(const char *text, void *bytes) {
  const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
  *(unsigned char *)bytes = yes;
  return yes || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static bool parse_hex(const char *text, size_t size, unsigned char *bytes) {
  if (strlen(text) != 2 * size) return false;
  for (size_t i = 0; i < size; ++i) {
    const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high > 15 || low > 15) return false;
    bytes[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

static void print_hex(FILE *out, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) (void)fprintf(out, "%02x", bytes[i]);
}

static void print_fields(FILE *out, const struct_fields *fields, const unsigned char *bytes) {
  (void)fputs(" {", out);
  for (int i = 0; i < fields->count; ++i) {
    const struct_field *f = &fields->fields[i];
    (void)fprintf(out, "%s%s=%s", i > 0 ? ", " : "", f->name, f->is_array ? "[" : "");
    for (size_t k = 0; k < f->length; ++k) {
      if (k > 0) (void)fputs(", ", out);
      value_print(out, &f->type, bytes + f->offset + k * f->type.size);
    }
    if (f->is_array) (void)fputc(']', out);
  }
  (void)fputc('}', out);
}

/* ---- all types */

bool value_parse(const char *text, const jig_type *type, void *bytes) {
  if (type->kind == JIG_KIND_STRUCT) return parse_hex(text, type->size, bytes);
  if (type->kind == JIG_KIND_BOOL) return parse_bool(text, bytes);
  return is_float(type->kind) ? parse_float(text, type, bytes) : parse_integer(text, type, bytes);
}

static void format_builtin(const jig_type *type, const void *bytes, char text[TEXT_SIZE]) {
  if (type->kind == JIG_KIND_BOOL)
    (void)snprintf(text, TEXT_SIZE, "%s", *(const unsigned char *)bytes != 0 ? "true" : "false");
  else if (is_float(type->kind))
    format_float(type, bytes, text);
  else
    format_integer(type, bytes, text);
}

void value_print(FILE *out, const jig_type *type, const void *bytes) {
  if (type->kind == JIG_KIND_STRUCT) {
    struct_fields fields;
    print_hex(out, bytes, type->size);
    if (struct_fields_of(type, &fields)) print_fields(out, &fields, bytes);
  } else {
    char text[TEXT_SIZE];
    format_builtin(type, bytes, text);
    (void)fputs(text, out);
  }
}

static json_t *builtin_json(const jig_type *type, const void *bytes) {
  char text[TEXT_SIZE], *end;
  if (type->kind == JIG_KIND_BOOL) return json_boolean(*(const unsigned char *)bytes != 0);
  if (is_float(type->kind) && isfinite(load_float(type, bytes)))
    return json_real(load_float(type, bytes));
  format_builtin(type, bytes, text);
  errno = 0;
  const json_int_t whole = strtoll(text, &end, 10);
  return *end == '\0' && errno == 0 ? json_integer(whole) : json_string(text);
}

static json_t *fields_json(const struct_fields *fields, const unsigned char *bytes) {
  json_t *object = json_object();
  for (int i = 0; i < fields->count; ++i) {
    const struct_field *f = &fields->fields[i];
    json_t *array = f->is_array ? json_array() : NULL;
    for (size_t k = 0; k < f->length; ++k) {
      json_t *value = builtin_json(&f->type, bytes + f->offset + k * f->type.size);
      (void)(f->is_array ? json_array_append_new(array, value)
                         : json_object_set_new(object, f->name, value));
    }
    if (f->is_array) (void)json_object_set_new(object, f->name, array);
  }
  return object;
}

json_t *value_json(const jig_type *type, const void *bytes) {
  if (type->kind != JIG_KIND_STRUCT) return builtin_json(type, bytes);
  char hex[2 * VALUE_MAX_SIZE + 1] = "";
  for (size_t i = 0; i < type->size; ++i) {
    (void)snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
  }
  json_t *object = json_pack("{s:s}", "bytes", hex);
  struct_fields fields;
  if (struct_fields_of(type, &fields))
    (void)json_object_set_new(object, "fields", fields_json(&fields, bytes));
  return object;
}
