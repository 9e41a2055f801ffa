/* Even bins: how the bin of a sample is computed, with as little work for each of them as is exact.
 *
 * Among integers t = x - lower is in bin floor(t * bins / range). With a range of up to 2^32 that is
 * (t * scale) >> 64 for scale = ceil(2^64 * bins / range): scale is too large by less than 1, the product
 * by less than t < 2^32, so the quotient by less than 2^-32, and the exact one is 1 / range or more short
 * of the next integer. */
#include <math.h>
#include <string.h>

#include "algorithm/histogram_plan.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/half.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* As templates/jig/agent/histogram/histogram_call.cuh has them. */
enum { WAY_NOTHING, WAY_SAME, WAY_MULTIPLY, WAY_WIDE, WAY_DIVIDE };

static uint64_t bits_of(const void *value, uint32_t size) {
  uint64_t bits = 0;
  memcpy(&bits, value, size); /* of little-endian machines, which all that have GPUs are */
  return bits;
}

static wide integer_of(const jig_type *type, const void *value) {
  const unsigned unused = 64 - 8 * type->size;
  const uint64_t bits = bits_of(value, type->size);
  return type_is_unsigned(type) || type->kind == JIG_KIND_BOOL
             ? (wide)bits
             : (wide)((int64_t)(bits << unused) >> unused);
}

static double floating_of(const jig_type *type, const void *value) {
  double f64;
  float f32;
  switch (type->kind) {
    case JIG_KIND_F64:
      memcpy(&f64, value, sizeof f64);
      return f64;
    case JIG_KIND_F32:
      memcpy(&f32, value, sizeof f32);
      return f32;
    case JIG_KIND_F16:
      return half_to_double((uint16_t)bits_of(value, type->size), format_f16);
    case JIG_KIND_BF16:
      return half_to_double((uint16_t)bits_of(value, type->size), format_bf16);
    default:
      return (double)integer_of(type, value);
  }
}

static jig_status refuse(unsigned channel, const char *what) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_histogram: lower[%u]: %s", channel, what);
}

static void use_range(histogram_channel *c, uint64_t range) {
  const unsigned_wide bins = (unsigned_wide)c->bins << 64;
  c->range = range;
  if (c->bins == range) {
    c->way = WAY_SAME;
  } else if (c->bins > range) {
    c->way = WAY_DIVIDE;
  } else if (range <= (uint64_t)1 << 32 && c->offset == 0) {
    c->way = WAY_MULTIPLY;
    c->scale = (uint64_t)((bins + range - 1) / range);
  } else {
    c->way = WAY_WIDE;
    c->scale = (uint64_t)(bins / range);
  }
}

static jig_status use_integers(const jig_type *sample, wide lower, wide upper, unsigned channel,
                               histogram_channel *c) {
  if (lower >= upper) return refuse(channel, "it is not below upper");
  const unsigned bits = sample->kind == JIG_KIND_BOOL ? 1 : 8 * sample->size;
  const bool is_unsigned = type_is_unsigned(sample) || sample->kind == JIG_KIND_BOOL;
  const wide least = is_unsigned ? 0 : -((wide)1 << (bits - 1));
  const wide beyond = (wide)1 << (is_unsigned ? bits : bits - 1);
  const wide first = lower < least ? least : lower, end = upper < beyond ? upper : beyond;
  if (first >= end) return JIG_SUCCESS; /* WAY_NOTHING */
  c->first_value = (uint64_t)first;
  c->last = (uint64_t)(end - first - 1);
  c->offset = (uint64_t)(first - lower);
  use_range(c, (uint64_t)(upper - lower));
  return JIG_SUCCESS;
}

static jig_status use_floats(double lower, double upper, bool is_double, unsigned channel,
                             histogram_channel *c) {
  if (!is_double) lower = (float)lower, upper = (float)upper;
  if (isnan(lower) || isnan(upper)) return refuse(channel, "it or upper is NaN");
  if (lower >= upper) return refuse(channel, "it is not below upper");
  const double difference = is_double ? upper - lower : (double)((float)upper - (float)lower);
  if (isinf(difference)) return refuse(channel, "the difference from upper is infinite");
  c->low = lower;
  c->high = upper;
  c->factor = is_double ? c->bins / difference : (double)((float)c->bins / (float)difference);
  return JIG_SUCCESS;
}

jig_status histogram_even_bins(const jig_histogram_args *args, const jig_type *level, unsigned channel,
                               histogram_channel *c) {
  const jig_type *sample = &args->samples.type;
  const void *lower = args->lower[channel], *upper = args->upper[channel];
  if (lower == NULL) return refuse(channel, "the pointer is NULL");
  if (upper == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_histogram: upper[%u]: the pointer is NULL",
                     channel);
  if (type_is_integer(sample) && type_is_integer(level))
    return use_integers(sample, integer_of(level, lower), integer_of(level, upper), channel, c);
  const bool is_double = sample->kind == JIG_KIND_F64 || level->kind == JIG_KIND_F64;
  return use_floats(floating_of(level, lower), floating_of(level, upper), is_double, channel, c);
}
