/* Histogram: types of samples and levels, channels, rows, skewed samples, few bins and millions of them.
 */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

/* Around vectors, tiles, and what a block and a cluster have. */
static const size_t sizes[] = {0, 1, 15, 17, 1023, 4099, 8191, 8193, 16385, 65537, 131073};
enum { CHANNELS = JIG_HISTOGRAM_MAX_CHANNELS };

static void run_histogram(const jig_histogram_args *args) {
  RUN_PHASES(jig_histogram, args, 1);
}

/* Of a channel's sample, in a reference that takes its time: num_bins for none. */
typedef uint64_t (*bin_function)(const jig_histogram_args *args, unsigned channel, const void *samples,
                                 size_t i, const void *const *levels);

static uint64_t even_integer_bin(const jig_histogram_args *args, unsigned channel, const void *samples,
                                 size_t i, const void *const *levels) {
  const int128 x = get_integer(args->samples.type.kind, samples, i);
  const int128 lower = get_integer(args->level_type.kind, args->lower[channel], 0);
  const int128 upper = get_integer(args->level_type.kind, args->upper[channel], 0);
  (void)levels;
  if (x < lower || x >= upper) return args->num_bins[channel];
  return (uint64_t)((uint128)(x - lower) * args->num_bins[channel] / (uint128)(upper - lower));
}

static uint64_t range_integer_bin(const jig_histogram_args *args, unsigned channel, const void *samples,
                                  size_t i, const void *const *levels) {
  const int128 x = get_integer(args->samples.type.kind, samples, i);
  const uint64_t bins = args->num_bins[channel];
  uint64_t first = 0, end = bins + 1; /* the first level above x */
  while (first < end) {
    const uint64_t middle = (first + end) / 2;
    if (get_integer(args->level_type.kind, levels[channel], middle) <= x)
      first = middle + 1;
    else
      end = middle;
  }
  return first == 0 || first > bins ? bins : first - 1;
}

static uint64_t count_at(jig_type type, const void *counts, uint64_t i) {
  return type.size == 4 ? ((const uint32_t *)counts)[i] : ((const uint64_t *)counts)[i];
}

/* Runs a histogram of host samples, of which rows end where the array does, and compares it. */
static void check_histogram(jig_histogram_args args, const void *samples, size_t num_samples,
                            size_t offset, const void *const *levels, bin_function bin_of,
                            const char *what) {
  const size_t size = args.samples.type.size;
  const unsigned channels = args.num_channels == 0 ? 1 : args.num_channels;
  const unsigned active = args.num_active_channels == 0 ? channels : args.num_active_channels;
  const uint64_t stride = args.row_stride == 0 ? args.num_row_pixels * channels : args.row_stride;
  void *in = gpu_copy(samples, num_samples * size, offset * size);
  args.samples.pointer = in;
  for (unsigned c = 0; c < active; ++c) {
    args.counts[c] = gpu_alloc(args.num_bins[c] * args.counter_type.size, 0);
    if (args.bins == JIG_HISTOGRAM_RANGE)
      args.levels[c] = gpu_copy(levels[c], (args.num_bins[c] + 1) * args.level_type.size, 0);
  }
  run_histogram(&args);
  for (unsigned c = 0; c < active; ++c) {
    const uint64_t bins = args.num_bins[c];
    uint64_t *wanted = calloc(bins + 1, sizeof *wanted);
    void *got = malloc(bins * args.counter_type.size);
    for (uint64_t row = 0; row < args.num_rows; ++row)
      for (uint64_t p = 0; p < args.num_row_pixels; ++p)
        ++wanted[bin_of(&args, c, samples, row * stride + p * channels + c, levels)];
    gpu_read(got, args.counts[c], bins * args.counter_type.size);
    for (uint64_t b = 0; b < bins; ++b)
      ck_assert_msg(count_at(args.counter_type, got, b) == wanted[b],
                    "%s: %zu samples: channel %u: bin %llu of %llu has %llu, not %llu", what, num_samples,
                    c, (unsigned long long)b, (unsigned long long)bins,
                    (unsigned long long)count_at(args.counter_type, got, b),
                    (unsigned long long)wanted[b]);
    gpu_free(args.counts[c]);
    if (args.bins == JIG_HISTOGRAM_RANGE) gpu_free((void *)(uintptr_t)args.levels[c]);
    free(wanted);
    free(got);
  }
  gpu_free(in);
}

static jig_histogram_args even_args(jig_type sample, jig_type level, uint64_t bins, const void *lower,
                                    const void *upper, uint64_t count) {
  return (jig_histogram_args){.samples = jig_pointer(NULL, sample),
                              .counter_type = JIG_U32,
                              .level_type = level,
                              .num_bins = {bins},
                              .lower = {lower},
                              .upper = {upper},
                              .num_row_pixels = count,
                              .num_rows = 1};
}

/* ---- integers */

static bool is_taken(jig_type_kind kind) {
  return !is_floating(kind) && type_of(kind).size <= 8;
}

/* Half of the samples are near 0, where narrow levels are. */
static void fill_samples(jig_type_kind kind, void *samples, size_t count) {
  fill_random(kind, samples, count, 21);
  if (kind == JIG_KIND_BOOL) return;
  for (size_t i = 0; i < count; i += 2)
    put_integer(kind, samples, i, get_integer(kind, samples, i) % 100);
}

static const struct {
  int64_t lower, upper;
  uint64_t bins;
} evens[] = {{0, 256, 256},
             {-20, 87, 10},
             {-3, 4, 100},
             {0, 64, 16},
             {INT32_MIN, INT32_MAX, 1000},
             {-5000000000, 5000000001, 777},
             {INT64_MIN, INT64_MAX, 5003},
             {1, 2, 1},
             {70000, 80000, 7},
             {INT64_MIN, -1, 3},
             {-100, 5000000000, 300000}};

START_TEST(even_bins_of_integers_are_exact) {
  void *samples = malloc(131073 * 8);
  size_t turn = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!is_taken(*kind)) continue;
    fill_samples(*kind, samples, 131073);
    for (size_t e = 0; e < COUNT_OF(evens); ++e, ++turn) {
      const size_t count = evens[e].bins > 100000 ? 3001 : sizes[turn % COUNT_OF(sizes)];
      const jig_type type = type_of(*kind);
      check_histogram(even_args(type, JIG_I64, evens[e].bins, &evens[e].lower, &evens[e].upper, count),
                      samples, count, turn % 5, NULL, even_integer_bin, jig_type_name(&type));
    }
  }
  free(samples);
}
END_TEST

/* Samples on both sides of every boundary. */
START_TEST(boundaries_are_where_they_belong) {
  static const uint64_t uppers[] = {3, 7, 1000, 4096, 65537, 4294967291, 4294967296, UINT64_MAX};
  static const uint64_t bins[] = {1, 3, 100, 257, 2048, 9973};
  const uint64_t zero = 0;
  uint64_t *samples = malloc(40000 * 8);
  uint32_t *words = malloc(40000 * 4);
  for (size_t u = 0; u < COUNT_OF(uppers); ++u) {
    for (size_t k = 0; k < COUNT_OF(bins); ++k) {
      size_t count = 0;
      for (uint64_t b = 0; b <= bins[k]; ++b)
        for (uint64_t d = 0; d < 3; ++d)
          samples[count++] = (uint64_t)((uint128)uppers[u] * b / bins[k]) + d - 1;
      check_histogram(even_args(JIG_U64, JIG_U64, bins[k], &zero, &uppers[u], count), samples, count, 0,
                      NULL, even_integer_bin, "u64");
      for (size_t i = 0; i < count; ++i) words[i] = (uint32_t)samples[i];
      check_histogram(even_args(JIG_U32, JIG_U64, bins[k], &zero, &uppers[u], count), words, count, 0,
                      NULL, even_integer_bin, "u32");
    }
  }
  free(samples);
  free(words);
}
END_TEST

START_TEST(levels_of_every_integer_type) {
  static const jig_type_kind level_kinds[] = {JIG_KIND_I8,  JIG_KIND_U8,  JIG_KIND_I16, JIG_KIND_U16,
                                              JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_I64, JIG_KIND_U64};
  enum { BINS = 30, COUNT = 5003 };
  void *samples = malloc(COUNT * 8), *levels = malloc((BINS + 1) * 8);
  size_t turn = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    for (size_t l = 0; l < COUNT_OF(level_kinds) && is_taken(*kind); ++l) {
      if (turn++ % 3 != 0) continue; /* each with some of the others */
      const jig_type type = type_of(*kind);
      const int64_t first = is_signed(level_kinds[l]) ? -90 : 2;
      const void *all[] = {levels};
      for (int b = 0; b <= BINS; ++b) put_integer(level_kinds[l], levels, (size_t)b, first + b * b / 5);
      fill_samples(*kind, samples, COUNT);
      jig_histogram_args args = even_args(type, type_of(level_kinds[l]), BINS, NULL, NULL, COUNT);
      args.bins = JIG_HISTOGRAM_RANGE;
      args.counter_type = turn % 2 == 1 ? JIG_U64 : JIG_I32;
      check_histogram(args, samples, COUNT, turn % 3, all, range_integer_bin, jig_type_name(&type));
    }
  }
  free(samples);
  free(levels);
}
END_TEST

/* Bins of many bytes' values, which lie in several pieces where blocks begin to add them up. */
START_TEST(few_bins_of_bytes) {
  static const struct {
    jig_type_kind kind;
    int64_t lower, upper;
    uint64_t bins;
  } few[] = {{JIG_KIND_U8, 0, 255, 1},   {JIG_KIND_U8, 0, 255, 3},     {JIG_KIND_U8, 0, 256, 128},
             {JIG_KIND_U8, 10, 250, 16}, {JIG_KIND_I8, -128, 127, 1},  {JIG_KIND_I8, -128, 128, 2},
             {JIG_KIND_I8, -90, 100, 7}, {JIG_KIND_I8, -128, 127, 51}, {JIG_KIND_BOOL, 0, 2, 2}};
  static const int16_t levels[] = {0, 1, 255};
  const size_t counts[] = {65536, 300007, gpu_is_software() ? 65539 : 4000003};
  const size_t most = 4000003;
  const void *all[] = {levels};
  uint8_t *samples = malloc(most);
  for (size_t f = 0; f < COUNT_OF(few); ++f) {
    const jig_type type = type_of(few[f].kind);
    fill_random(few[f].kind, samples, counts[2] > counts[1] ? counts[2] : counts[1], f);
    for (size_t c = 0; c < COUNT_OF(counts); ++c)
      check_histogram(even_args(type, JIG_I64, few[f].bins, &few[f].lower, &few[f].upper, counts[c]),
                      samples, counts[c], 0, NULL, even_integer_bin, jig_type_name(&type));
  }
  fill_random(JIG_KIND_U8, samples, counts[1], 5);
  jig_histogram_args args = even_args(JIG_U8, JIG_I16, 2, NULL, NULL, counts[1]);
  args.bins = JIG_HISTOGRAM_RANGE;
  check_histogram(args, samples, counts[1], 0, all, range_integer_bin, "0 and what is above");
  free(samples);
}
END_TEST

/* ---- floating-point numbers */

static uint64_t even_float_bin(const jig_histogram_args *args, unsigned channel, const void *samples,
                               size_t i, const void *const *levels) {
  const jig_type_kind kind = args->samples.type.kind, level = args->level_type.kind;
  const uint64_t bins = args->num_bins[channel];
  const double lower = get_float(level, args->lower[channel], 0);
  const double upper = get_float(level, args->upper[channel], 0);
  const double x =
      is_floating(kind) ? get_float(kind, samples, i) : (double)(float)get_integer(kind, samples, i);
  uint64_t bin;
  (void)levels;
  if (!(x >= lower && x < upper)) return bins;
  if (kind == JIG_KIND_F64 || level == JIG_KIND_F64) {
    const double factor = (double)bins / (upper - lower), distance = x - lower;
    bin = (uint64_t)(distance * factor);
  } else {
    const float factor = (float)bins / ((float)upper - (float)lower), distance = (float)x - (float)lower;
    bin = (uint64_t)(distance * factor);
  }
  return bin < bins ? bin : bins - 1;
}

START_TEST(floating_point_numbers) {
  static const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64,
                                        JIG_KIND_I16};
  const float lower = -10.5F, upper = 17.25F;
  const double wide_lower = -10.5, wide_upper = 17.25;
  double *samples = malloc(70001 * 8);
  uint64_t seed = 5;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    for (size_t i = 0; i < 70001; ++i) {
      const double x = (double)(next_random(&seed) % 40000) / 1000 - 15;
      const double odd[] = {NAN, INFINITY, -INFINITY, 17.25, -10.5, -0.0};
      if (is_floating(kinds[k]))
        put_float(kinds[k], samples, i, i % 50 < 6 ? odd[i % 50] : x);
      else
        put_integer(kinds[k], samples, i, (int128)x);
    }
    for (int is_wide = 0; is_wide < 2; ++is_wide)
      for (uint64_t bins = 1; bins < 5000; bins = bins * 16 + 1)
        check_histogram(
            even_args(type, is_wide ? JIG_F64 : JIG_F32, bins,
                      is_wide ? (const void *)&wide_lower : &lower,
                      is_wide ? (const void *)&wide_upper : &upper, bins > 400 ? 70001 : 9001),
            samples, bins > 400 ? 70001 : 9001, bins % 3, NULL, even_float_bin, jig_type_name(&type));
  }
  free(samples);
}
END_TEST

/* ---- channels and rows */

START_TEST(channels_and_rows) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I16, JIG_KIND_U32, JIG_KIND_I64};
  static const uint64_t shapes[][3] = {{1, 1, 0},    {7, 40, 5},  {1000, 9, 24}, {333, 21, 0},
                                       {3, 2000, 1}, {64, 5, 64}, {37, 1500, 11}};
  static const int32_t lowers[CHANNELS] = {0, -50, 10, 0}, uppers[CHANNELS] = {100, 50, 90, 255};
  unsigned char *samples = malloc(400000 * 8);
  size_t turn = 0;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    fill_samples(kinds[k], samples, 400000);
    for (unsigned channels = 1 + k % 2; channels <= CHANNELS; channels += 2) {
      for (size_t s = 0; s < COUNT_OF(shapes); ++s, ++turn) {
        jig_histogram_args args = even_args(type_of(kinds[k]), JIG_I32, 1, NULL, NULL, shapes[s][0]);
        for (unsigned c = 0; c < CHANNELS; ++c) {
          args.lower[c] = &lowers[c];
          args.upper[c] = &uppers[c];
          args.num_bins[c] = 10 + 13 * c;
        }
        args.num_channels = channels;
        args.num_active_channels = (unsigned)(s % channels) + 1;
        args.num_rows = shapes[s][1];
        args.row_stride = shapes[s][2] == 0 ? 0 : shapes[s][0] * channels + shapes[s][2];
        const uint64_t stride = args.row_stride == 0 ? shapes[s][0] * channels : args.row_stride;
        check_histogram(args, samples, (args.num_rows - 1) * stride + shapes[s][0] * channels, turn % 4,
                        NULL, even_integer_bin, "channels");
      }
    }
  }
  free(samples);
}
END_TEST

/* ---- skew, and many bins */

START_TEST(many_bins_and_few_samples_in_them) {
  static const uint64_t many[] = {2048, 57000, 60001, 300000, 1200003};
  const uint32_t zero = 0, upper = 2400006;
  uint32_t *samples = malloc(300007 * 4);
  for (size_t m = 0; m < COUNT_OF(many); ++m) {
    for (unsigned skew = 0; skew < 3; ++skew) {
      const size_t count = m == 4 ? 200007 : 140001;
      fill_random(JIG_KIND_U32, samples, count, 3 + skew);
      for (size_t i = 0; i < count; ++i) {
        const bool is_same = skew == 2 || (skew == 1 && samples[i] % 2 == 0);
        samples[i] = is_same ? 123456 : samples[i] % (upper + 1000);
      }
      check_histogram(even_args(JIG_U32, JIG_U32, many[m], &zero, &upper, count), samples, count, m, NULL,
                      even_integer_bin, "many bins");
    }
  }
  free(samples);
}
END_TEST

/* Blocks add their counters to the counts, and clear them, again and again. Every other sample is in one
 * bin, which is another one in the second half. */
START_TEST(rounds) {
  static const uint64_t many[] = {1, 3, 256, 2048, 30000, 90000, 400000};
  enum { COUNT = 150001 };
  const uint32_t zero = 0, upper = 1000000, byte_upper = 250;
  uint32_t *samples = malloc(COUNT * 4);
  plan_limits *limits = limits_of(NULL);
  const plan_limits before = *limits;
  for (unsigned order = 0; order < 2; ++order) {
    fill_random(JIG_KIND_U32, samples, COUNT, 31 + order);
    for (size_t i = 0; i < COUNT; ++i)
      samples[i] = order == 1 ? (uint32_t)(i * 7)
                   : i % 2    ? 5000 + (i > COUNT / 2) * 70001
                              : samples[i] % upper;
    for (size_t m = 0; m < COUNT_OF(many); ++m) {
      limits->histogram_block_samples = 100 + 700 * m;
      limits->histogram_max_cluster = order == 0 ? ~0U : 2;
      check_histogram(even_args(JIG_U32, JIG_U32, many[m], &zero, &upper, COUNT), samples, COUNT, m, NULL,
                      even_integer_bin, "rounds");
    }
    limits->histogram_block_samples = 1500;
    check_histogram(even_args(JIG_U8, JIG_U32, 100, &zero, &byte_upper, COUNT), samples, COUNT, 1, NULL,
                    even_integer_bin, "rounds of bytes");
    jig_histogram_args rows = even_args(JIG_U16, JIG_U32, 500, &zero, &upper, 3001);
    rows.num_rows = 11;
    rows.row_stride = 3011;
    check_histogram(rows, samples, 10 * 3011 + 3001, 3, NULL, even_integer_bin, "rounds of rows");
  }
  *limits = before;
  free(samples);
}
END_TEST

START_TEST(many_levels) {
  static const uint64_t many[] = {5000, 40000, 700001};
  uint32_t *samples = malloc(140001 * 4), *levels = malloc(700002 * 4);
  const void *all[] = {levels};
  fill_random(JIG_KIND_U32, samples, 140001, 9);
  for (size_t m = 0; m < COUNT_OF(many); ++m) {
    const uint32_t step = (uint32_t)(UINT32_MAX / (many[m] + 2));
    for (uint64_t b = 0; b <= many[m]; ++b) levels[b] = (uint32_t)(b + 1) * step + (uint32_t)(b % 7);
    jig_histogram_args args = even_args(JIG_U32, JIG_U32, many[m], NULL, NULL, 140001);
    args.bins = JIG_HISTOGRAM_RANGE;
    check_histogram(args, samples, 140001, m, all, range_integer_bin, "many levels");
  }
  free(samples);
  free(levels);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(even_bins_of_integers_are_exact),
      SUITE_TEST(boundaries_are_where_they_belong),
      SUITE_TEST(levels_of_every_integer_type),
      SUITE_TEST(few_bins_of_bytes),
      SUITE_TEST(floating_point_numbers),
      SUITE_TEST(channels_and_rows),
      SUITE_TEST(many_bins_and_few_samples_in_them),
      SUITE_TEST(many_levels),
      SUITE_TEST(rounds),
  };
  return SUITE_RUN("device/histogram", tests, true);
}
