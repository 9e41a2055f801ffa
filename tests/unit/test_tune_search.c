/* How jig tune looks for values, with times that are told instead of measured; and the items that it
 * makes and compares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "report.h"
#include "suite.h"
#include "tune_items.h"
#include "tune_search.h"

/* ---- a space of two kernels, and how long they take */

typedef struct row {
  int threads, items, blocks;
} row;

static const policy_space first = {.knobs = {KNOB(row, threads, 64, 128, 256, 512),
                                             KNOB(row, items, 1, 2, 3, 4, 5, 6, 7, 8)}},
                          second = {.knobs = {KNOB(row, blocks, 1, 2, 3, 4)}};

static tuning_told tables_of(int threads, int items, int blocks) {
  tuning_told told = {.count = 2};
  told.of[0] = (tuned_kernel){.space = &first, .values = {threads, items, -1, -1, -1, -1}};
  told.of[1] = (tuned_kernel){.space = &second, .values = {blocks, -1, -1, -1, -1, -1}};
  return told;
}

typedef struct lab {
  double (*ms)(const int *a, const int *b, int size);
  const char *(*fault)(const int *a, const int *b);
  int measured, batches, most_batches, planned;
  int code;
} lab;

static bool allows(void *user, const tuning_told *at) {
  (void)user;
  return at->of[0].values[0] * at->of[1].values[0] <= 1024;
}

static void plan(void *user, size_t count) {
  ((lab *)user)->planned += (int)count;
}

static int measure(void *user, tune_trial *trials, int count) {
  lab *l = user;
  ++l->batches;
  for (int i = 0; i < count; ++i) {
    const int *a = trials[i].at.of[0].values, *b = trials[i].at.of[1].values;
    ck_assert(allows(user, &trials[i].at));
    trials[i].why_not = i > 0 && l->fault != NULL ? l->fault(a, b) : NULL;
    for (int size = 0; size < 3; ++size) trials[i].ms[size] = l->ms(a, b, size);
    ++l->measured;
  }
  return l->code;
}

static bool is_over(void *user) {
  const lab *l = user;
  return l->batches >= l->most_batches;
}

static tune_result search(lab *l, const tuning_told *tables) {
  const tune_asks asks = {
      .user = l, .sizes = 3, .allows = allows, .plan = plan, .measure = measure, .is_over = is_over};
  tune_result result;
  if (l->most_batches == 0) l->most_batches = 1000;
  ck_assert_int_eq(tune_search(tables, &asks, &result), l->code);
  return result;
}

/* The best is in a corner that no single step leads to. */
static double bowl(const int *a, const int *b, int size) {
  const double threads = log2(a[0] / 512.0), items = a[1] - 7, blocks = b[0] - 2;
  return (size + 1) * (1 + 0.1 * threads * threads + 0.05 * items * items + 0.2 * blocks * blocks);
}

START_TEST(the_best_is_found_step_by_step) {
  lab l = {.ms = bowl};
  const tuning_told tables = tables_of(64, 2, 4);
  const tune_result r = search(&l, &tables);
  ck_assert_int_eq(r.best.of[0].values[0], 512);
  ck_assert_int_eq(r.best.of[0].values[1], 7);
  ck_assert_int_eq(r.best.of[1].values[0], 2);
  const double wanted = bowl(tables.of[0].values, tables.of[1].values, 0);
  ck_assert(fabs(r.gain - wanted) < 1e-9);
  for (int i = 0; i < 3; ++i) ck_assert(fabs(r.gains[i] - wanted) < 1e-9);
  ck_assert(!r.was_cut);
  ck_assert_uint_gt(r.rounds, 3);
  ck_assert_uint_lt(r.tried, 4 * 8 * 4); /* not all there are, and none twice */
  ck_assert_int_eq((size_t)l.planned == r.tried, true);
}
END_TEST

/* What a table says need not be among the values. */
START_TEST(steps_lead_from_between_values) {
  lab l = {.ms = bowl};
  const tuning_told tables = tables_of(96, 2, 2);
  const tune_result r = search(&l, &tables);
  ck_assert_int_eq(r.best.of[0].values[0], 512);
}
END_TEST

static double flat(const int *a, const int *b, int size) {
  (void)a;
  (void)b;
  return size + 1;
}

START_TEST(what_is_as_fast_is_left_as_it_is) {
  lab l = {.ms = flat};
  const tuning_told tables = tables_of(128, 2, 2);
  const tune_result r = search(&l, &tables);
  ck_assert(r.gain == 1);
  ck_assert_int_eq(memcmp(&r.best, &tables, sizeof tables), 0);
  ck_assert_uint_eq(r.rounds, 1);
}
END_TEST

/* Much faster for large inputs, much slower for small ones. */
static double slanted(const int *a, const int *b, int size) {
  (void)b;
  if (a[0] != 512) return size + 1;
  return size == 0 ? 1.2 : 0.5 * (size + 1);
}

START_TEST(no_size_may_get_slower) {
  lab l = {.ms = slanted};
  const tuning_told tables = tables_of(128, 2, 2);
  const tune_result r = search(&l, &tables);
  ck_assert(r.gain == 1);
  ck_assert_int_eq(r.best.of[0].values[0], 128);
  static const double little[] = {1.0, 0.98, 1.2}, much[] = {1.0, 0.96, 1.2};
  ck_assert(tune_is_better(1.05, little, 3));
  ck_assert(!tune_is_better(1.05, much, 3));
  ck_assert(!tune_is_better(1.015, little, 3));
}
END_TEST

static const char *other_results(const int *a, const int *b) {
  (void)b;
  return a[0] == 512 ? "it gives other results" : a[1] == 7 ? "it spills registers" : NULL;
}

START_TEST(what_is_wrong_is_left_out) {
  lab l = {.ms = bowl, .fault = other_results};
  const tuning_told tables = tables_of(64, 4, 2);
  const tune_result r = search(&l, &tables);
  ck_assert_int_eq(r.best.of[0].values[0], 256);
  ck_assert(r.best.of[0].values[1] == 6 || r.best.of[0].values[1] == 8);
  size_t counted = 0;
  for (int i = 0; i < TUNE_MAX_REASONS && r.reasons[i].why != NULL; ++i) counted += r.reasons[i].count;
  ck_assert_uint_eq(counted, r.out);
  ck_assert_uint_gt(r.out, 1);
  ck_assert_ptr_nonnull(r.reasons[1].why);
}
END_TEST

/* A step that was luck. */
static int lucky_calls;
static double lucky(const int *a, const int *b, int size) {
  (void)b;
  (void)size;
  if (a[0] == 256) ++lucky_calls;
  return a[0] == 256 && lucky_calls <= 3 ? 0.5 : 1;
}

START_TEST(luck_is_found_out) {
  lab l = {.ms = lucky};
  const tuning_told tables = tables_of(128, 2, 2);
  lucky_calls = 0;
  const tune_result r = search(&l, &tables);
  ck_assert(r.gain == 1);
  ck_assert_int_eq(r.best.of[0].values[0], 128);
}
END_TEST

START_TEST(the_time_ends_it) {
  lab l = {.ms = bowl, .most_batches = 1};
  const tuning_told tables = tables_of(64, 2, 4);
  const tune_result r = search(&l, &tables);
  ck_assert(r.was_cut);
  ck_assert_int_eq(l.batches, 1 + (r.gain > 1)); /* and to confirm what there is */
}
END_TEST

START_TEST(a_failure_ends_it) {
  lab l = {.ms = bowl, .code = EXIT_FAILED};
  const tuning_told tables = tables_of(64, 2, 4);
  (void)search(&l, &tables);
  ck_assert_int_eq(l.batches, 1);
}
END_TEST

START_TEST(draws_are_allowed_and_the_same_every_time) {
  lab l = {.ms = flat};
  const tune_asks asks = {.user = &l, .sizes = 3, .allows = allows};
  const tuning_told tables = tables_of(128, 2, 2);
  uint64_t state = 7, again = 7;
  int others = 0;
  for (int i = 0; i < 200; ++i) {
    tuning_told a, b;
    ck_assert(tune_draw(&tables, &asks, &state, &a));
    ck_assert(tune_draw(&tables, &asks, &again, &b));
    ck_assert_int_eq(memcmp(&a, &b, sizeof a), 0);
    ck_assert(allows(&l, &a));
    others += a.of[0].values[1] != 2 && a.of[1].values[0] != 2;
  }
  ck_assert_int_gt(others, 5);
}
END_TEST

/* ---- items */

START_TEST(items_are_numbers) {
  float summands[1000];
  const jig_type f32 = JIG_F32;
  uint64_t state = 3;
  tune_fill(&f32, TUNE_SUMMANDS, 0, &state, summands, COUNT_OF(summands));
  for (size_t i = 0; i < COUNT_OF(summands); ++i) ck_assert(summands[i] >= 0.5f && summands[i] < 2);
  tune_fill(&f32, TUNE_ANY, 0, &state, summands, COUNT_OF(summands));
  int negative = 0;
  for (size_t i = 0; i < COUNT_OF(summands); ++i) {
    ck_assert(isfinite(summands[i]) && summands[i] != 0);
    negative += summands[i] < 0;
  }
  ck_assert(negative > 300 && negative < 700);
}
END_TEST

START_TEST(runs_and_places) {
  int32_t keys[4000];
  const jig_type i32 = JIG_I32;
  uint64_t state = 1;
  int runs = 1;
  tune_fill(&i32, TUNE_RUNS, 0, &state, keys, COUNT_OF(keys));
  for (size_t i = 1; i < COUNT_OF(keys); ++i) runs += keys[i] != keys[i - 1];
  ck_assert(runs > 350 && runs < 700);
  tune_fill(&i32, TUNE_PLACES, 100, &state, keys, COUNT_OF(keys));
  for (size_t i = 0; i < COUNT_OF(keys); ++i) ck_assert(keys[i] >= 0 && keys[i] < 100);
  tune_fill(&i32, TUNE_FLAGS, 0, &state, keys, COUNT_OF(keys));
  for (size_t i = 0; i < COUNT_OF(keys); ++i) ck_assert(keys[i] == 0 || keys[i] == 1);
}
END_TEST

START_TEST(samples_and_segments) {
  double samples[1000];
  int8_t bytes[1000];
  const jig_type f64 = JIG_F64, i8 = JIG_I8;
  uint64_t state = 1, count, sum = 0;
  bool is_low = false, is_high = false;
  tune_fill_between(&f64, -5, 20, &state, samples, COUNT_OF(samples));
  tune_fill_between(&i8, -5, 20, &state, bytes, COUNT_OF(bytes));
  for (size_t i = 0; i < COUNT_OF(samples); ++i) {
    ck_assert(samples[i] >= -5 && samples[i] < 20 && bytes[i] >= -5 && bytes[i] < 20);
    is_low = is_low || bytes[i] < 0;
    is_high = is_high || bytes[i] > 15;
  }
  ck_assert(is_low && is_high);
  uint64_t *lengths = tune_lengths(100000, 50, &state, &count);
  for (uint64_t i = 0; i < count; ++i) {
    ck_assert_uint_le(lengths[i], 100);
    sum += lengths[i];
  }
  free(lengths);
  ck_assert_uint_eq(sum, 100000);
  ck_assert(count > 1500 && count < 2500);
}
END_TEST

START_TEST(what_has_no_order_gets_one) {
  unsigned char bytes[] = {3, 1, 2, 9, 8, 7, 5, 4}, wanted[] = {1, 2, 3, 7, 8, 9, 4, 5};
  const jig_type u8 = JIG_U8;
  tune_order(&u8, bytes, sizeof bytes, 3);
  ck_assert_mem_eq(bytes, wanted, sizeof bytes);
}
END_TEST

START_TEST(results_are_compared) {
  const jig_type f32 = JIG_F32, i32 = JIG_I32, f16 = JIG_F16,
                 known = jig_struct("s", "struct s { float sum; int count; };", 8, 4),
                 unknown = jig_struct("s", "struct s { float sum; other count; };", 8, 4);
  struct {
    float sum;
    int count;
  } a = {1, 7}, b = {1.0001f, 7}, c = {1.0001f, 8}, d = {1.01f, 7};
  ck_assert_int_eq(tune_compare(&f32, &a.sum, &a.sum, 1), TUNE_SAME);
  ck_assert_int_eq(tune_compare(&f32, &a.sum, &b.sum, 1), TUNE_CLOSE);
  ck_assert_int_eq(tune_compare(&f32, &a.sum, &d.sum, 1), TUNE_OTHER);
  ck_assert_int_eq(tune_compare(&i32, &a.count, &c.count, 1), TUNE_OTHER);
  ck_assert_int_eq(tune_compare(&known, &a, &b, 1), TUNE_CLOSE);
  ck_assert_int_eq(tune_compare(&known, &a, &c, 1), TUNE_OTHER);
  ck_assert_int_eq(tune_compare(&known, &a, &d, 1), TUNE_OTHER);
  ck_assert_int_eq(tune_compare(&unknown, &a, &b, 1), TUNE_OTHER);
  ck_assert_int_eq(tune_compare(&unknown, &a, &a, 1), TUNE_SAME);
  const uint16_t one[] = {0x3c00, 0x3c00}, near[] = {0x3c00, 0x3c04}, far[] = {0x3c00, 0x3c20};
  ck_assert_int_eq(tune_compare(&f16, one, near, 2), TUNE_CLOSE);
  ck_assert_int_eq(tune_compare(&f16, one, far, 2), TUNE_OTHER);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(the_best_is_found_step_by_step),
      SUITE_TEST(steps_lead_from_between_values),
      SUITE_TEST(what_is_as_fast_is_left_as_it_is),
      SUITE_TEST(no_size_may_get_slower),
      SUITE_TEST(what_is_wrong_is_left_out),
      SUITE_TEST(luck_is_found_out),
      SUITE_TEST(the_time_ends_it),
      SUITE_TEST(a_failure_ends_it),
      SUITE_TEST(draws_are_allowed_and_the_same_every_time),
      SUITE_TEST(items_are_numbers),
      SUITE_TEST(runs_and_places),
      SUITE_TEST(samples_and_segments),
      SUITE_TEST(what_has_no_order_gets_one),
      SUITE_TEST(results_are_compared),
  };
  return SUITE_RUN("unit/tune_search", tests, false);
}
