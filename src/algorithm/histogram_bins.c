/* Even bins: how the bin of a sample is computed, with as little work for each of them as is exact.
 *
 * Among integers t = x - lower is in bin floor(t * bins / range). With a range of up to 2^32 that is
 * (t * scale) >> 64 for scale = ceil(2^64 * bins / range): scale is too large by less than 1, the product
 * by less than t < 2^32, so the quotient by less than 2^-32, and the exact one is 1 / range or more short
 * of the next integer. Of as many bins as there are values, where scale would be 2^64, it is 2^64 - 1,
 * and what is added before the lowest 32 bits are dropped makes up for that: see multiplied_bin().
 *
 * Where t has up to 128 bits, its upper 63 ones and as many of the range tell the bin or the one below:
 * with u = t >> shift and r = ceil(range / 2^shift), which is 2^62 or more if anything is cut off,
 * u * bins / r is short of t * bins / range by less than (t / range + 1) * bins / r, which is 2^-30 at
 * most; and u * scale >> 64 for scale = floor(2^64 * bins / r) of that by less than u / 2^64 < 1/2, and
 * what is rounded off. */
#include <math.h>
#include <string.h>

#include "algorithm/histogram_plan.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/half.h"

__extension__ typedef __int128 signed_wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* An integer of any type. */
typedef struct wide {
  bool is_negative;
  unsigned_wide bits; /* two's complement */
} wide;

static bool is_less(wide a, wide b) {
  return a.is_negative != b.is_negative ? a.is_negative : a.bits < b.bits;
}

/* As templates/jig/agent/histogram/histogram_call.cuh has them. */
enum { WIDEST_BYTES = 16 };

static unsigned_wide bits_of(const void *value, uint32_t size) {
  unsigned_wide bits = 0;
  memcpy(&bits, value, size); /* of little-endian machines, which all that have GPUs are */
  return bits;
}

static wide integer_of(const jig_type *type, const void *value) {
  const unsigned unused = 128 - 8 * type->size;
  const unsigned_wide bits = bits_of(value, type->size);
  if (type_is_unsigned(type)) return (wide){.bits = bits};
  const signed_wide extended = (signed_wide)(bits << unused) >> unused;
  return (wide){.is_negative = extended < 0, .bits = (unsigned_wide)extended};
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
      return type_is_unsigned(type) ? (double)bits_of(value, type->size)
                                    : (double)(signed_wide)integer_of(type, value).bits;
  }
}

static jig_status refuse(unsigned channel, const char *what) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_histogram: lower[%u]: %s", channel, what);
}

static void use_range(histogram_channel *c, uint64_t range) {
  const unsigned_wide bins = (unsigned_wide)c->bins << 64;
  const bool is_same = c->bins == range;
  c->range = range;
  if (c->bins > range) {
    c->way = WAY_DIVIDE;
  } else if (range <= (uint64_t)1 << 32 && c->offset == 0) {
    c->way = WAY_MULTIPLY;
    c->scale = is_same ? UINT64_MAX : (uint64_t)((bins + range - 1) / range);
    c->rounding = is_same ? UINT32_MAX : 0;
  } else if (is_same) {
    c->way = WAY_SAME;
  } else {
    c->way = WAY_WIDE;
    c->scale = (uint64_t)(bins / range);
  }
}

/* Where samples or levels have 16 bytes. */
static void use_widest_range(histogram_channel *c, histogram_high *high, unsigned_wide range) {
  const unsigned_wide bins = (unsigned_wide)c->bins << 64;
  c->range = (uint64_t)range;
  high->range = (uint64_t)(range >> 64);
  if (c->bins >= range) {
    c->way = c->bins == range ? WAY_SAME : WAY_DIVIDE;
    return;
  }
  unsigned shift = 0;
  while (range >> shift >> 63 != 0) ++shift;
  high->shift = shift;
  const bool is_cut = range >> shift << shift != range;
  c->way = WAY_WIDEST;
  c->scale = (uint64_t)(bins / ((range >> shift) + is_cut));
}

/* Levels are read as of their type, which by default is that of the samples. */
static jig_status refuse_order(unsigned channel, const jig_type *level) {
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "jig_histogram: lower[%u]: it is not below upper, both read as %s (level_type)",
                   channel, jig_type_name(level));
}

static jig_status use_integers(const jig_type *sample, const jig_type *level, wide lower, wide upper,
                               unsigned channel, histogram_call *call) {
  if (!is_less(lower, upper)) return refuse_order(channel, level);
  histogram_channel *c = &call->channels[channel];
  histogram_high *high = &call->high[channel];
  const unsigned bits = sample->kind == JIG_KIND_BOOL ? 1 : 8 * sample->size;
  const bool is_unsigned = type_is_unsigned(sample);
  const unsigned_wide all = ~(unsigned_wide)0 >> (128 - bits); /* ones */
  const wide least = {.is_negative = !is_unsigned, .bits = is_unsigned ? 0 : ~(all >> 1)};
  const wide most = {.bits = is_unsigned ? all : all >> 1};
  const wide below = {.is_negative = upper.is_negative || upper.bits == 0, .bits = upper.bits - 1};
  const wide first = is_less(lower, least) ? least : lower, last = is_less(most, below) ? most : below;
  if (is_less(last, first)) return JIG_SUCCESS; /* WAY_NOTHING */
  const unsigned_wide distance = last.bits - first.bits, offset = first.bits - lower.bits;
  c->first_value = (uint64_t)first.bits;
  c->last = (uint64_t)distance;
  c->offset = (uint64_t)offset;
  *high = (histogram_high){.first_value = (uint64_t)(first.bits >> 64),
                           .last = (uint64_t)(distance >> 64),
                           .offset = (uint64_t)(offset >> 64)};
  if (sample->size == WIDEST_BYTES || level->size == WIDEST_BYTES)
    use_widest_range(c, high, upper.bits - lower.bits);
  else
    use_range(c, (uint64_t)(upper.bits - lower.bits));
  return JIG_SUCCESS;
}

static jig_status use_floats(const jig_type *level, double lower, double upper, bool is_double,
                             unsigned channel, histogram_channel *c) {
  if (!is_double) lower = (float)lower, upper = (float)upper;
  if (isnan(lower) || isnan(upper)) return refuse(channel, "it or upper is NaN");
  if (lower >= upper) return refuse_order(channel, level);
  const double difference = is_double ? upper - lower : (double)((float)upper - (float)lower);
  if (isinf(difference)) return refuse(channel, "the difference from upper is infinite");
  c->low = lower;
  c->high = upper;
  c->factor = is_double ? c->bins / difference : (double)((float)c->bins / (float)difference);
  c->float_low = (float)lower;
  c->float_high = (float)upper;
  c->float_factor = (float)c->factor;
  return JIG_SUCCESS;
}

jig_status histogram_even_bins(const jig_histogram_args *args, const jig_type *level, unsigned channel,
                               histogram_call *call) {
  const jig_type *sample = &args->samples.type;
  const void *lower = args->lower[channel], *upper = args->upper[channel];
  if (lower == NULL) return refuse(channel, "the pointer is NULL");
  if (upper == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_histogram: upper[%u]: the pointer is NULL",
                     channel);
  if (type_is_integer(sample) && type_is_integer(level))
    return use_integers(sample, level, integer_of(level, lower), integer_of(level, upper), channel, call);
  const bool is_double = sample->kind == JIG_KIND_F64 || level->kind == JIG_KIND_F64;
  return use_floats(level, floating_of(level, lower), floating_of(level, upper), is_double, channel,
                    &call->channels[channel]);
}
