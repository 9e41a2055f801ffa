/* Histogram: iterators, by name, no samples, what is refused, capture, strict mode. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "strict_support.h"
#include "suite.h"

enum { BINS = 100, MOST = 140000 };
static const uint32_t zero = 0, bins_end = BINS;

static void check_counts(const uint32_t *device, const uint32_t *wanted, const char *what) {
  uint32_t got[BINS];
  gpu_read(got, device, sizeof got);
  for (size_t b = 0; b < BINS; ++b)
    ck_assert_msg(got[b] == wanted[b], "%s: bin %zu has %u, not %u", what, b, got[b], wanted[b]);
}

static jig_histogram_args args_of(jig_iter samples, uint32_t *counts, uint64_t count) {
  return (jig_histogram_args){.samples = samples,
                              .level_type = JIG_U32,
                              .counts = {counts},
                              .num_bins = {BINS},
                              .lower = {&zero},
                              .upper = {&bins_end},
                              .num_row_pixels = count,
                              .num_rows = 1};
}

/* Calls that allocate for themselves, alone and behind a launch that clears. */
START_TEST(samples_that_are_computed) {
  static const uint64_t sizes[] = {0, 1, 1000, 20000, MOST};
  uint32_t *counts = gpu_alloc(BINS * 4, 0), wanted[BINS];
  const uint32_t value = 42;
  const jig_iter counting = jig_counting(NULL, JIG_U32);
  const jig_iter samples[] = {counting, jig_constant(&value, JIG_U32),
                              jig_iter_transform(&counting, jig_op_source("return x % 107;"), JIG_U32)};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    for (size_t k = 0; k < COUNT_OF(samples); ++k) {
      memset(wanted, 0, sizeof wanted);
      for (uint32_t i = 0; i < sizes[s]; ++i) {
        const uint32_t x = k == 0 ? i : k == 1 ? value : i % 107;
        if (x < BINS) ++wanted[x];
      }
      const jig_histogram_args args = args_of(samples[k], counts, sizes[s]);
      OK(jig_histogram(NULL, NULL, NULL, &args, NULL));
      check_counts(counts, wanted, "a computed input");
    }
  }
  gpu_free(counts);
}
END_TEST

/* An array without items may have no address. */
START_TEST(no_samples_need_no_pointer) {
  uint32_t *counts = gpu_alloc(BINS * 4, 0);
  const uint32_t wanted[BINS] = {0};
  jig_histogram_args args = args_of(jig_pointer(NULL, JIG_U32), counts, 0);
  OK(jig_histogram(NULL, NULL, NULL, &args, NULL));
  check_counts(counts, wanted, "no pixels");
  gpu_fill(counts, 0xff, BINS * 4);
  args = args_of(jig_pointer(NULL, JIG_U32), counts, 10);
  args.num_rows = 0;
  OK(jig_histogram(NULL, NULL, NULL, &args, NULL));
  check_counts(counts, wanted, "no rows");
  gpu_free(counts);
}
END_TEST

START_TEST(by_name) {
  uint32_t *counts = gpu_alloc(BINS * 4, 0), wanted[BINS] = {0}, levels[BINS + 1];
  uint8_t *bytes = malloc(MOST);
  fill_random(JIG_KIND_U8, bytes, MOST, 3);
  for (size_t i = 0; i < MOST; ++i)
    if (bytes[i] < BINS) ++wanted[bytes[i]];
  for (uint32_t b = 0; b <= BINS; ++b) levels[b] = b;
  const jig_iter samples = jig_pointer(gpu_copy(bytes, MOST, 1), JIG_U8);
  const jig_iter out = jig_pointer(counts, JIG_U32),
                 d_levels = jig_pointer(gpu_copy(levels, sizeof levels, 0), JIG_U32);
  OK(jig_histogram_even(NULL, NULL, NULL, samples, out, BINS, &zero, &bins_end, JIG_U32, MOST, NULL));
  check_counts(counts, wanted, "even");
  gpu_fill(counts, 0xee, BINS * 4);
  OK(jig_histogram_range(NULL, NULL, NULL, samples, out, BINS, d_levels, MOST, NULL));
  check_counts(counts, wanted, "range");
  FAILS(jig_histogram_even(NULL, NULL, NULL, samples, jig_discard(JIG_U32), BINS, &zero, &bins_end,
                           JIG_U32, 1, NULL),
        JIG_ERROR_UNSUPPORTED, "counts");
  gpu_free(samples.pointer);
  gpu_free(d_levels.pointer);
  gpu_free(counts);
  free(bytes);
}
END_TEST

#define REFUSED(args, status, text) FAILS(jig_histogram(NULL, NULL, NULL, &(args), NULL), status, text)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4000, 0);
  const jig_iter samples = jig_pointer(memory + 500, JIG_U32);
  const jig_histogram_args good = args_of(samples, memory, 100);
  const float nan_level = NAN, low = -3e38F, high = 3e38F;
  jig_histogram_args args = good;
  args.num_bins[0] = 0;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "num_bins[0] is 0");
  args.num_bins[0] = (uint64_t)1 << 31;
  REFUSED(args, JIG_ERROR_UNSUPPORTED, "num_bins[0]");
  args = good;
  args.samples = jig_pointer(NULL, JIG_U32);
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "samples: the pointer is NULL");
  args = good;
  args.counts[0] = NULL;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "counts[0]");
  args.counts[0] = memory + 450;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "counts[0] overlaps samples");
  args = good;
  args.num_channels = 2;
  args.num_bins[1] = 10;
  args.lower[1] = &zero;
  args.upper[1] = &bins_end;
  args.counts[1] = memory + 99;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "counts[1] overlaps counts[0]");
  args.num_active_channels = 3;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "num_active_channels");
  args.num_channels = 5;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "num_channels");
  args = good;
  args.lower[0] = &bins_end;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "lower[0]: it is not below upper, both read as ");
  args.upper[0] = NULL;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "upper[0]");
  args = good;
  args.level_type = JIG_F32;
  args.lower[0] = &nan_level;
  args.upper[0] = &high;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "lower[0]: it or upper is NaN");
  args.lower[0] = &low;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "infinite");
  args = good;
  args.bins = JIG_HISTOGRAM_RANGE;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "levels[0]");
  args.bins = 2;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "bins");
  args = good;
  args.counter_type = JIG_BOOL;
  REFUSED(args, JIG_ERROR_UNSUPPORTED, "counter_type");
  args.counter_type = JIG_F32;
  REFUSED(args, JIG_ERROR_UNSUPPORTED, "counter_type");
  args = good;
  args.level_type = jig_opaque(4, 4);
  REFUSED(args, JIG_ERROR_UNSUPPORTED, "level_type");
  args = good;
  args.samples.type = jig_opaque(16, 16);
  REFUSED(args, JIG_ERROR_UNSUPPORTED, "samples");
  args = good;
  args.num_rows = 2;
  args.row_stride = 99;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "row_stride");
  args.row_stride = UINT64_MAX;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "num_rows");
  args = good;
  args.reserved[2] = 1;
  REFUSED(args, JIG_ERROR_INVALID_ARGUMENT, "reserved is not zero");
  ck_assert(gpu_is_untouched(memory, 4000));
  gpu_free(memory);
}
END_TEST

/* Few samples are counted by one block, or by a cluster; blocks that are none tell each other. */
START_TEST(a_captured_histogram_is_replayed) {
  static const uint64_t sizes[] = {3000, MOST, MOST};
  plan_limits *limits = limits_of(NULL);
  uint32_t *words = malloc(MOST * 4), *in = gpu_alloc(MOST * 4, 4), *counts = gpu_alloc(BINS * 4, 0);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const jig_histogram_args args = args_of(jig_pointer(in, JIG_U32), counts, sizes[s]);
    limits->histogram_max_cluster = s < 2 ? ~0U : 1;
    size_t bytes = 0;
    CUstream stream;
    OK(jig_histogram(NULL, NULL, &bytes, &args, NULL));
    void *storage = gpu_alloc(bytes, 0);
    GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    gpu_begin_capture(stream);
    OK(jig_histogram(NULL, storage, &bytes, &args, stream));
    CUgraphExec exec = gpu_end_capture(stream);
    for (uint32_t replay = 0; replay < 3; ++replay) {
      uint32_t wanted[BINS] = {0};
      for (size_t i = 0; i < sizes[s]; ++i) {
        words[i] = (uint32_t)(i * (replay + 3) % 131);
        if (words[i] < BINS) ++wanted[words[i]];
      }
      gpu_write(in, words, sizes[s] * 4);
      gpu_replay(exec, stream);
      check_counts(counts, wanted, "replayed");
    }
    GPU(gpu()->cuGraphExecDestroy(exec));
    GPU(gpu()->cuStreamDestroy(stream));
    gpu_free(storage);
  }
  limits->histogram_max_cluster = ~0U;
  gpu_free(in);
  gpu_free(counts);
  free(words);
}
END_TEST

static void strict_even(strict_call *t) {
  static const int32_t lower = 0, upper = 2;
  const jig_histogram_args args = {.samples = jig_pointer(t->d_flags, JIG_U8),
                                   .level_type = JIG_I32,
                                   .counts = {t->out[0]},
                                   .num_bins = {2},
                                   .lower = {&lower},
                                   .upper = {&upper},
                                   .num_row_pixels = t->n,
                                   .num_rows = 1};
  STRICT(t, jig_histogram, args);
  uint32_t wanted[2] = {0}, got[2];
  for (uint64_t i = 0; i < t->n; ++i)
    if (t->flags[i] < 2) ++wanted[t->flags[i]];
  memcpy(got, strict_read(t, t->out[0], sizeof got), sizeof got);
  ck_assert_uint_eq(got[0], wanted[0]);
  ck_assert_uint_eq(got[1], wanted[1]);
}

/* With a kernel more. */
static void strict_small_counters(strict_call *t) {
  static const int32_t lower = 0, upper = 2;
  const jig_histogram_args args = {.samples = jig_pointer(t->d_flags, JIG_U8),
                                   .counter_type = JIG_I16,
                                   .level_type = JIG_I32,
                                   .counts = {t->out[0]},
                                   .num_bins = {2},
                                   .lower = {&lower},
                                   .upper = {&upper},
                                   .num_row_pixels = t->n,
                                   .num_rows = 1};
  STRICT(t, jig_histogram, args);
  uint16_t wanted[2] = {0}, got[2];
  for (uint64_t i = 0; i < t->n; ++i)
    if (t->flags[i] < 2) ++wanted[t->flags[i]];
  memcpy(got, strict_read(t, t->out[0], sizeof got), sizeof got);
  ck_assert_uint_eq(got[0], wanted[0]);
  ck_assert_uint_eq(got[1], wanted[1]);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_even), STRICT_CASE(strict_small_counters)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(samples_that_are_computed),
      SUITE_TEST(no_samples_need_no_pointer),
      SUITE_TEST(by_name),
      SUITE_TEST(what_cannot_be_is_refused),
      SUITE_TEST(a_captured_histogram_is_replayed),
      SUITE_TEST(a_spec_prewarms_its_calls),
  };
  return SUITE_RUN("device/histogram_calls", tests, true);
}
