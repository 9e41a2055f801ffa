/* Histogram: samples and levels of 16 bytes, alone and beside others; counters of every size. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "suite.h"

/* ---- integers of any type, in a reference that takes its time */

typedef struct integer {
  bool is_negative;
  uint128 bits; /* two's complement */
} integer;

static integer integer_at(jig_type_kind kind, const void *items, size_t i) {
  const int128 value = get_integer(kind, items, i);
  return (integer){.is_negative = is_signed(kind) && value < 0, .bits = (uint128)value};
}

static bool is_less(integer a, integer b) {
  return a.is_negative != b.is_negative ? a.is_negative : a.bits < b.bits;
}

/* The smallest t = x - lower that is in bin b: ceil(b * range / bins), in 160 bits. */
static uint128 beginning_of(uint64_t b, uint128 range, uint64_t bins) {
  const uint128 upper = (range >> 64) * b, lower = (uint128)(uint64_t)range * b;
  const uint128 rest = (upper % bins << 64) + lower;
  return (upper / bins << 64) + rest / bins + (rest % bins != 0);
}

static uint64_t even_bin(integer x, integer lower, integer upper, uint64_t bins) {
  if (is_less(x, lower) || !is_less(x, upper)) return bins;
  const uint128 t = x.bits - lower.bits, range = upper.bits - lower.bits;
  uint64_t first = 0, end = bins; /* the first one that begins above t */
  while (first < end) {
    const uint64_t middle = (first + end) / 2;
    if (beginning_of(middle, range, bins) <= t)
      first = middle + 1;
    else
      end = middle;
  }
  return first - 1;
}

static uint64_t range_bin(integer x, jig_type_kind kind, const void *levels, uint64_t bins) {
  uint64_t bin = bins;
  for (uint64_t b = 0; b <= bins; ++b)
    if (!is_less(x, integer_at(kind, levels, b))) bin = b;
  return bin;
}

/* ---- calls */

enum { MOST = 140001, MOST_BINS = 300000 };

static uint64_t modulo(uint64_t count, uint32_t size) {
  return size >= 8 ? count : count & (((uint64_t)1 << 8 * size) - 1);
}

static uint64_t count_at(jig_type type, const void *counts, uint64_t b) {
  uint64_t words[2] = {0};
  memcpy(words, (const char *)counts + b * type.size, type.size);
  ck_assert_uint_eq(words[1], 0);
  return words[0];
}

static void check_counts(jig_type type, const void *device, const uint64_t *wanted, uint64_t bins,
                         const char *what) {
  void *got = malloc(bins * type.size);
  gpu_read(got, device, bins * type.size);
  for (uint64_t b = 0; b < bins; ++b)
    ck_assert_msg(count_at(type, got, b) == modulo(wanted[b], type.size),
                  "%s, counters %s: bin %llu of %llu has %llu, not %llu modulo their size", what,
                  jig_type_name(&type), (unsigned long long)b, (unsigned long long)bins,
                  (unsigned long long)count_at(type, got, b), (unsigned long long)wanted[b]);
  free(got);
}

/* One channel of host samples; `wanted` has a count for each bin, and one for those that are in none. */
static void check_histogram(jig_histogram_args args, const void *samples, size_t count,
                            const void *levels, const uint64_t *wanted, const char *what) {
  const uint64_t bins = args.num_bins[0];
  const uint32_t size = args.counter_type.size;
  void *in = gpu_copy(samples, count * args.samples.type.size, args.samples.type.size);
  void *counts = gpu_alloc(bins * size, size % 3 * size); /* off the words' alignment */
  args.samples.pointer = in;
  args.counts[0] = counts;
  args.num_row_pixels = count;
  args.num_rows = 1;
  if (args.bins == JIG_HISTOGRAM_RANGE)
    args.levels[0] = gpu_copy(levels, (bins + 1) * args.level_type.size, 0);
  RUN_PHASES(jig_histogram, &args, 3);
  check_counts(args.counter_type, counts, wanted, bins, what);
  if (args.bins == JIG_HISTOGRAM_RANGE) gpu_free((void *)(uintptr_t)args.levels[0]);
  gpu_free(counts);
  gpu_free(in);
}

/* ---- even bins */

/* Around each level or so, beyond them, and anywhere. */
static size_t fill_samples(jig_type_kind kind, void *samples, size_t count, integer lower, integer upper,
                           uint64_t bins) {
  uint64_t seed = bins + 7;
  for (size_t i = 0; i < count; ++i) {
    uint128 bits = (uint128)next_random(&seed) << 64 | next_random(&seed);
    if (i % 4 != 0)
      bits = lower.bits + beginning_of(next_random(&seed) % (bins + 1), upper.bits - lower.bits, bins) +
             i % 3 - 1;
    if (kind == JIG_KIND_BOOL) bits &= 1;
    put_integer(kind, samples, i, (int128)bits);
  }
  return count;
}

static void check_even(jig_type_kind kind, jig_type_kind level, const void *ends, uint64_t bins,
                       size_t count) {
  char what[96];
  const jig_type type = type_of(kind), level_type = type_of(level);
  const integer lower = integer_at(level, ends, 0), upper = integer_at(level, ends, 1);
  unsigned char *samples = malloc(count * 16);
  uint64_t *wanted = calloc(bins + 1, sizeof *wanted);
  fill_samples(kind, samples, count, lower, upper, bins);
  for (size_t i = 0; i < count; ++i) ++wanted[even_bin(integer_at(kind, samples, i), lower, upper, bins)];
  (void)snprintf(what, sizeof what, "%s between %s", jig_type_name(&type), jig_type_name(&level_type));
  const jig_histogram_args args = {.samples = jig_pointer(NULL, type),
                                   .counter_type = JIG_U32,
                                   .level_type = level_type,
                                   .num_bins = {bins},
                                   .lower = {ends},
                                   .upper = {(const char *)ends + level_type.size}};
  check_histogram(args, samples, count, NULL, wanted, what);
  free(samples);
  free(wanted);
}

static const uint64_t bin_counts[] = {1, 2, 100, 2048, 65537, MOST_BINS};
#define POWER(n) ((int128)1 << (n))

START_TEST(even_bins_between_signed_levels) {
  static const jig_type_kind kinds[] = {JIG_KIND_I128, JIG_KIND_U128, JIG_KIND_I64,
                                        JIG_KIND_U64,  JIG_KIND_I32,  JIG_KIND_U8};
  const int128 least = (int128)((uint128)1 << 127);
  const int128 ends[][2] = {{least, ~least},
                            {-POWER(100), POWER(100)},
                            {0, ~least},
                            {-5, 60},
                            {0, 2048},
                            {POWER(62), POWER(63)},
                            {-POWER(63), POWER(64)},
                            {least, -POWER(64) - 1},
                            {-3, POWER(90) + 12345}};
  size_t turn = 0;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k)
    for (size_t e = 0; e < COUNT_OF(ends); ++e, ++turn)
      check_even(kinds[k], JIG_KIND_I128, ends[e], bin_counts[turn % COUNT_OF(bin_counts)],
                 turn % 4 == 0 ? MOST / 3 : 3001);
}
END_TEST

START_TEST(even_bins_between_unsigned_levels) {
  static const jig_type_kind kinds[] = {JIG_KIND_U128, JIG_KIND_I128, JIG_KIND_U64, JIG_KIND_I16,
                                        JIG_KIND_BOOL};
  const uint128 ends[][2] = {{0, ~(uint128)0},
                             {0, 2},
                             {1, (uint128)1 << 64},
                             {(uint128)1 << 127, ((uint128)1 << 127) + 1000003},
                             {(uint128)3 << 100, (uint128)5 << 101}};
  size_t turn = 0;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k)
    for (size_t e = 0; e < COUNT_OF(ends); ++e, ++turn)
      check_even(kinds[k], JIG_KIND_U128, ends[e], bin_counts[turn % COUNT_OF(bin_counts)],
                 turn % 4 == 0 ? MOST / 3 : 3001);
}
END_TEST

START_TEST(even_bins_between_narrow_levels) {
  const int64_t ends[][2] = {{INT64_MIN, INT64_MAX}, {-20, 87}, {0, (int64_t)1 << 32}};
  const uint64_t unsigned_ends[][2] = {{0, UINT64_MAX}, {70000, 80000}, {UINT64_MAX - 9, UINT64_MAX}};
  for (size_t e = 0; e < COUNT_OF(ends); ++e) {
    check_even(JIG_KIND_I128, JIG_KIND_I64, ends[e], bin_counts[e + 2], 4003);
    check_even(JIG_KIND_U128, JIG_KIND_I64, ends[e], bin_counts[e + 1], 4003);
    check_even(JIG_KIND_I128, JIG_KIND_U64, unsigned_ends[e], bin_counts[e + 2], 4003);
    check_even(JIG_KIND_U128, JIG_KIND_U64, unsigned_ends[e], bin_counts[e + 1], 4003);
  }
}
END_TEST

/* ---- any bins */

static void check_range(jig_type_kind kind, jig_type_kind level, const void *levels, uint64_t bins) {
  enum { COUNT = 5003 };
  char what[96];
  const jig_type type = type_of(kind), level_type = type_of(level);
  unsigned char *samples = malloc(COUNT * 16);
  uint64_t *wanted = calloc(bins + 1, sizeof *wanted);
  fill_random(kind, samples, COUNT, 5);
  for (size_t i = 0; i < COUNT; ++i) {
    if (i % 3 != 0 && kind != JIG_KIND_BOOL)
      put_integer(kind, samples, i,
                  (int128)(integer_at(level, levels, i % (bins + 1)).bits + i / 3 % 3 - 1));
    ++wanted[range_bin(integer_at(kind, samples, i), level, levels, bins)];
  }
  (void)snprintf(what, sizeof what, "%s by levels of %s", jig_type_name(&type),
                 jig_type_name(&level_type));
  const jig_histogram_args args = {.samples = jig_pointer(NULL, type),
                                   .counter_type = JIG_U64,
                                   .level_type = level_type,
                                   .num_bins = {bins},
                                   .bins = JIG_HISTOGRAM_RANGE};
  check_histogram(args, samples, COUNT, levels, wanted, what);
  free(samples);
  free(wanted);
}

START_TEST(any_bins) {
  static const struct {
    jig_type_kind sample, level;
  } pairs[] = {
      {JIG_KIND_I128, JIG_KIND_I128}, {JIG_KIND_U128, JIG_KIND_U128}, {JIG_KIND_I128, JIG_KIND_U128},
      {JIG_KIND_U128, JIG_KIND_I128}, {JIG_KIND_U128, JIG_KIND_I32},  {JIG_KIND_I128, JIG_KIND_U64},
      {JIG_KIND_I64, JIG_KIND_U128},  {JIG_KIND_U32, JIG_KIND_I128},  {JIG_KIND_BOOL, JIG_KIND_U128}};
  static const uint64_t many[] = {1, 30, 777};
  unsigned char *levels = malloc(778 * 16);
  for (size_t p = 0; p < COUNT_OF(pairs); ++p) {
    const jig_type_kind level = pairs[p].level;
    const unsigned bits = 8 * type_of(level).size;
    for (size_t m = 0; m < COUNT_OF(many); ++m) {
      /* From the least value on, evenly but for a few. */
      const uint128 step = (~(uint128)0 >> (128 - bits)) / (many[m] + 1);
      const uint128 least = is_signed(level) ? (uint128)0 - ((uint128)1 << (bits - 1)) : 0;
      for (uint64_t b = 0; b <= many[m]; ++b)
        put_integer(level, levels, b, (int128)(least + step * b + b % 7));
      check_range(pairs[p].sample, level, levels, many[m]);
    }
  }
  free(levels);
}
END_TEST

/* ---- beside floating-point numbers */

static double number_at(jig_type_kind kind, const void *items, size_t i) {
  if (is_floating(kind)) return get_float(kind, items, i);
  const integer x = integer_at(kind, items, i);
  return x.is_negative ? (double)(int128)x.bits : (double)x.bits;
}

START_TEST(levels_and_samples_that_are_floating) {
  static const struct {
    jig_type_kind sample, level;
  } pairs[] = {{JIG_KIND_I128, JIG_KIND_F64},
               {JIG_KIND_U128, JIG_KIND_F32},
               {JIG_KIND_F64, JIG_KIND_I128},
               {JIG_KIND_F32, JIG_KIND_U128}};
  enum { COUNT = 9001, BINS = 64 };
  unsigned char *samples = malloc(COUNT * 16), *levels = malloc((BINS + 1) * 16);
  for (size_t p = 0; p < COUNT_OF(pairs); ++p) {
    for (int is_range = 0; is_range < 2; ++is_range) {
      const jig_type sample = type_of(pairs[p].sample), level = type_of(pairs[p].level);
      uint64_t wanted[BINS + 1] = {0}, seed = 3 + p;
      for (int b = 0; b <= BINS; ++b) { /* 0, 2^80, 2 * 2^80, ... */
        const int128 value = b * POWER(80);
        is_floating(level.kind) ? put_float(level.kind, levels, (size_t)b, (double)value)
                                : put_integer(level.kind, levels, (size_t)b, value);
      }
      for (size_t i = 0; i < COUNT; ++i) { /* of 8 bits, which every type has */
        const int128 value = (int128)(next_random(&seed) % 256) * POWER(79);
        is_floating(sample.kind) ? put_float(sample.kind, samples, i, (double)value)
                                 : put_integer(sample.kind, samples, i, value);
        const double bin = number_at(sample.kind, samples, i) / (double)POWER(80);
        ++wanted[bin < BINS ? (size_t)bin : BINS];
      }
      const jig_histogram_args args = {.samples = jig_pointer(NULL, sample),
                                       .counter_type = JIG_U32,
                                       .level_type = level,
                                       .num_bins = {BINS},
                                       .lower = {levels},
                                       .upper = {levels + (size_t)BINS * level.size},
                                       .bins = is_range ? JIG_HISTOGRAM_RANGE : JIG_HISTOGRAM_EVEN};
      check_histogram(args, samples, COUNT, levels, wanted, jig_type_name(&sample));
    }
  }
  free(samples);
  free(levels);
}
END_TEST

/* ---- counters */

/* Half of the samples are in one bin, whose count is more than 2 bytes have. */
START_TEST(counters_of_every_size) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8,  JIG_KIND_U8,  JIG_KIND_I16,  JIG_KIND_U16,
                                        JIG_KIND_I32, JIG_KIND_U64, JIG_KIND_I128, JIG_KIND_U128};
  static const size_t sizes[] = {0, 1, 4099, 16385, MOST};
  static const uint64_t many[] = {1, 100, 70001, MOST_BINS};
  static const uint32_t zero = 0;
  uint32_t *samples = malloc(MOST * 4);
  size_t turn = 0;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    for (size_t s = 0; s < COUNT_OF(sizes); ++s, ++turn) {
      const uint64_t bins = many[(turn + k) % COUNT_OF(many)];
      const uint32_t upper = (uint32_t)bins;
      uint64_t *wanted = calloc(bins + 1, sizeof *wanted);
      fill_random(JIG_KIND_U32, samples, sizes[s], turn + 1);
      for (size_t i = 0; i < sizes[s]; ++i) {
        samples[i] = samples[i] % 2 == 0 ? (uint32_t)(bins - 1) : samples[i] / 2 % (uint32_t)(bins + 9);
        ++wanted[samples[i] < bins ? samples[i] : bins];
      }
      const jig_histogram_args args = {.samples = jig_pointer(NULL, JIG_U32),
                                       .counter_type = type_of(kinds[k]),
                                       .level_type = JIG_U32,
                                       .num_bins = {bins},
                                       .lower = {&zero},
                                       .upper = {&upper}};
      check_histogram(args, samples, sizes[s], NULL, wanted, "u32");
      free(wanted);
    }
  }
  free(samples);
}
END_TEST

/* Channels of different bins, whose words follow one another; the call gets temp storage for itself. */
START_TEST(channels_of_small_counters) {
  enum { CHANNELS = 3, PIXELS = 40000 };
  static const uint32_t zero = 0, upper = 256;
  static const uint64_t bins[] = {256, 16, 4};
  uint8_t *bytes = malloc(CHANNELS * PIXELS);
  uint64_t wanted[CHANNELS][256] = {{0}};
  fill_random(JIG_KIND_U8, bytes, CHANNELS * PIXELS, 4);
  for (size_t i = 0; i < CHANNELS * PIXELS; ++i) ++wanted[i % 3][bytes[i] / (256 / bins[i % 3])];
  jig_histogram_args args = {.samples = jig_pointer(gpu_copy(bytes, CHANNELS * PIXELS, 1), JIG_U8),
                             .counter_type = JIG_U16,
                             .level_type = JIG_U32,
                             .num_channels = CHANNELS,
                             .num_row_pixels = PIXELS,
                             .num_rows = 1};
  for (unsigned c = 0; c < CHANNELS; ++c) {
    args.counts[c] = gpu_alloc(bins[c] * 2, 2);
    args.num_bins[c] = bins[c];
    args.lower[c] = &zero;
    args.upper[c] = &upper;
  }
  OK(jig_histogram(NULL, NULL, NULL, &args, NULL));
  for (unsigned c = 0; c < CHANNELS; ++c) {
    check_counts(JIG_U16, args.counts[c], wanted[c], bins[c], "a channel");
    gpu_free(args.counts[c]);
  }
  gpu_free(args.samples.pointer);
  free(bytes);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(even_bins_between_signed_levels),      SUITE_TEST(even_bins_between_unsigned_levels),
      SUITE_TEST(even_bins_between_narrow_levels),      SUITE_TEST(any_bins),
      SUITE_TEST(levels_and_samples_that_are_floating), SUITE_TEST(counters_of_every_size),
      SUITE_TEST(channels_of_small_counters),
  };
  return SUITE_RUN("device/histogram_wide", tests, true);
}
