/* Definitions of names that a kernel of the user's goes by. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/own_kernel.h"

jig_definition jig_define_text(const char *name, const char *value) {
  return (jig_definition){.name = name, .kind = JIG_DEFINITION_TEXT, .text = value};
}

jig_definition jig_define_int(const char *name, int64_t value) {
  return (jig_definition){
      .name = name, .kind = JIG_DEFINITION_INTEGER, .integer = value, .type = JIG_I64};
}

jig_definition jig_define_uint(const char *name, uint64_t value) {
  return (jig_definition){
      .name = name, .kind = JIG_DEFINITION_INTEGER, .integer = (int64_t)value, .type = JIG_U64};
}

jig_definition jig_define_float(const char *name, float value) {
  return (jig_definition){.name = name, .kind = JIG_DEFINITION_FLOAT, .number = value, .type = JIG_F32};
}

jig_definition jig_define_double(const char *name, double value) {
  return (jig_definition){.name = name, .kind = JIG_DEFINITION_FLOAT, .number = value, .type = JIG_F64};
}

jig_definition jig_define_type(const char *name, jig_type type) {
  return (jig_definition){.name = name, .kind = JIG_DEFINITION_TYPE, .type = type};
}

jig_definition jig_define_op(const char *name, jig_op op, uint32_t arity, jig_type operand,
                             jig_type result) {
  const jig_type none = {.kind = JIG_KIND_NONE};
  return (jig_definition){.name = name,
                          .kind = JIG_DEFINITION_OP,
                          .arity = arity,
                          .type = arity > 0 ? operand : none,
                          .result = result,
                          .op = op};
}

/* ---- what they stand for */

enum { MANTISSA_BITS = 52, BIAS = 1023 };

/* printf("%a") would have the locale's decimal point. */
void float_text(double number, char written[FLOAT_TEXT_SIZE]) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  const uint64_t mantissa = bits & (((uint64_t)1 << MANTISSA_BITS) - 1);
  const int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
  const int power = mantissa == 0 && exponent == 0 ? 0 : exponent == 0 ? 1 - BIAS : exponent - BIAS;
  (void)snprintf(written, FLOAT_TEXT_SIZE, "%s0x%d.%013" PRIx64 "p%d", signbit(number) ? "-" : "",
                 exponent != 0, mantissa, power);
}

bool float_of_text(const char *written, double *number) {
  char again[FLOAT_TEXT_SIZE];
  const bool is_negative = *written == '-';
  int first = 0, power = 0;
  uint64_t mantissa = 0;
  if (sscanf(written + is_negative, "0x%1d.%13" SCNx64 "p%d", &first, &mantissa, &power) != 3)
    return false;
  *number = ldexp((double)(((uint64_t)first << MANTISSA_BITS) | mantissa), power - MANTISSA_BITS);
  if (is_negative) *number = -*number;
  if (!isfinite(*number)) return false;
  float_text(*number, again);
  return strcmp(again, written) == 0;
}

bool own_is_macro(const jig_definition *d) {
  return d->kind == JIG_DEFINITION_TEXT || d->kind == JIG_DEFINITION_INTEGER ||
         d->kind == JIG_DEFINITION_FLOAT;
}

static void write_integer(const jig_definition *d, text *out) {
  const uint64_t bits = (uint64_t)d->integer;
  if (d->type.kind == JIG_KIND_U64)
    text_format(out, "%" PRIu64 "%s", bits, bits <= UINT32_MAX ? "u" : "ull");
  else if (d->integer == INT64_MIN) /* its digits alone are no number of C++, */
    text_add(out, "(-9223372036854775807ll - 1)");
  else if (d->integer == INT32_MIN) /* or one that is no int */
    text_add(out, "(-2147483647 - 1)");
  else if (d->integer < 0)
    text_format(out, "(%" PRId64 "%s)", d->integer, d->integer > INT32_MIN ? "" : "ll");
  else
    text_format(out, "%" PRId64 "%s", d->integer, d->integer <= INT32_MAX ? "" : "ll");
}

void own_write_value(const jig_definition *d, text *out) {
  char number[FLOAT_TEXT_SIZE];
  if (d->kind == JIG_DEFINITION_TEXT) {
    text_add(out, d->text);
  } else if (d->kind == JIG_DEFINITION_INTEGER) {
    write_integer(d, out);
  } else {
    float_text(d->number, number);
    text_format(out, signbit(d->number) ? "(%s%s)" : "%s%s", number,
                d->type.kind == JIG_KIND_F32 ? "f" : "");
  }
}
