/* Every algorithm with counts of every magnitude: calls end, say which count is too large, and what they
 * ask for never shrinks as counts grow. Without a GPU: nothing is behind the driver. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_cases.h"
#include "engine/engine.h"
#include "engine_support.h"
#include "jit/algorithm.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "util/integer.h"

/* From so many items on temp storage is for them. */
#define MANY ((uint64_t)1 << 24)

static const struct {
  const char *sm, *multiprocessors;
} gpus[] = {{"75", "1"}, {"80", "4"}, {"90", "132"}};

typedef struct counts {
  uint64_t n, m;
} counts;

typedef struct outcome {
  jig_status status;
  size_t bytes;
  char error[256];
} outcome;

#define HOLDS(condition, c, at, o)                                                                       \
  do {                                                                                                   \
    if (!(condition))                                                                                    \
      ck_abort_msg("%s: %s of %llu, %llu: %s, %zu bytes: %s", #condition, (c)->name,                     \
                   (unsigned long long)(at).n, (unsigned long long)(at).m, jig_status_name((o)->status), \
                   (o)->bytes, (o)->error);                                                              \
  } while (0)

static outcome call(const count_case *c, jig_engine *engine, counts at, void *storage, size_t bytes) {
  outcome o = {.bytes = bytes};
  o.status = c->call(engine, storage, &o.bytes, at.n, at.m);
  (void)snprintf(o.error, sizeof o.error, "%s", jig_last_error());
  return o;
}

/* ---- what is right of one call */

/* What there is of either count: k is at most num_items, the output of a merge or a union has both of
 * them, and of the items or results of each segment there are as many. */
static counts in_memory(const count_case *c, counts at) {
  if (strcmp(c->function, "jig_top_k") == 0) at.m = min_of(at.n, at.m);
  if (strcmp(c->function, "jig_merge") == 0 || strcmp(c->function, "jig_set_operation") == 0)
    at.n = at.m = sum_of(at.n, at.m);
  if (c->most_of_each > 0) at.m = product_of(at.n, min_of(at.m, c->most_of_each));
  return at;
}

static bool cannot_be(uint64_t count, uint64_t item_bytes) {
  return product_of(count, item_bytes) > PTRDIFF_MAX;
}

/* Whether an error begins with the call and one of its counts, itself or times another. */
static bool names_a_count(const count_case *c, const char *error) {
  for (int i = 0; i < 2 && c->arguments[i] != NULL; ++i) {
    char wanted[96];
    const int length = snprintf(wanted, sizeof wanted, "%s: %s", c->function, c->arguments[i]);
    if (strncmp(error, wanted, (size_t)length) != 0) continue;
    if (strncmp(error + length, ": ", 2) == 0 || strncmp(error + length, " times ", 7) == 0) return true;
  }
  return false;
}

static outcome query(const count_case *c, jig_engine *engine, counts at) {
  const outcome o = call(c, engine, at, NULL, 0);
  const counts there = in_memory(c, at);
  const uint64_t works_to = c->works_to > 0 ? c->works_to : WORKS_TO;
  const bool works = at.n <= works_to && at.m <= works_to;
  const bool beyond = at.n >= (uint64_t)1 << c->fails_from[0] ||
                      (c->arguments[1] != NULL && there.m >= (uint64_t)1 << c->fails_from[1]);
  const bool impossible = cannot_be(there.n, c->item_bytes[0]) || cannot_be(there.m, c->item_bytes[1]);
  const bool countable = there.n <= INT64_MAX && (c->arguments[1] == NULL || there.m <= INT64_MAX);
  if (o.status == JIG_SUCCESS) {
    HOLDS(!impossible && !beyond && countable, c, at, &o);
    HOLDS(o.bytes >= 1 && o.bytes <= PTRDIFF_MAX, c, at, &o);
    const bool is_large = at.n >= MANY && (c->arguments[1] == NULL || at.m > 0);
    HOLDS(!is_large || o.bytes >= product_of(at.n, c->temp_bytes), c, at, &o);
    return o;
  }
  HOLDS(!works, c, at, &o);
  HOLDS(o.status == JIG_ERROR_INVALID_ARGUMENT ||
            (o.status == JIG_ERROR_UNSUPPORTED && !impossible && countable),
        c, at, &o);
  HOLDS(names_a_count(c, o.error), c, at, &o);
  HOLDS(strstr(o.error, "18446744073709551615") == NULL, c, at, &o); /* what no product has wrapped to */
  return o;
}

/* A call does what the size query has told, unless places overlap that are too large for their
 * distances. */
static void check_call(const count_case *c, jig_engine *engine, counts at, const outcome *asked) {
  void *storage = (void *)((uintptr_t)1 << 51);
  const size_t bytes = asked->status == JIG_SUCCESS ? asked->bytes : 1 << 20;
  const outcome o = call(c, engine, at, storage, bytes);
  const counts there = in_memory(c, at);
  const bool is_large = there.n > WORKS_TO || there.m > WORKS_TO || asked->bytes > (size_t)1 << 50;
  if (asked->status == JIG_SUCCESS && is_large && strstr(o.error, " overlaps ") != NULL) return;
  HOLDS(o.status == asked->status && strcmp(o.error, asked->error) == 0, c, at, &o);
}

/* ---- one count after the other */

typedef struct walk {
  const count_case *c;
  jig_engine *engine;
  bool along_m;
  counts at;
  outcome before;
} walk;

static void step(walk *w, uint64_t count) {
  if (w->along_m)
    w->at.m = count;
  else
    w->at.n = count;
  const outcome o = query(w->c, w->engine, w->at);
  HOLDS(w->before.status == JIG_SUCCESS || o.status != JIG_SUCCESS, w->c, w->at, &o);
  HOLDS(o.status != JIG_SUCCESS || o.bytes >= w->before.bytes, w->c, w->at, &o);
  w->before = o;
}

static void walk_near_powers(walk w) {
  uint64_t all[COUNTS_NEAR_POWERS];
  counts_near_powers(all);
  for (size_t i = 0; i < COUNTS_NEAR_POWERS; ++i) {
    step(&w, all[i]);
    check_call(w.c, w.engine, w.at, &w.before);
  }
}

enum { EVERY = 6000 };

/* Every count there is at first, and then ever fewer of them. */
static void walk_densely(walk w) {
  for (uint64_t n = 0; n < UINT64_MAX / 2; n += n < EVERY ? 1 : n / 97) {
    step(&w, n);
    if (n > EVERY) step(&w, n + 1);
  }
}

static void walk_both_ways(const count_case *c, jig_engine *engine, void (*go)(walk)) {
  static const uint64_t others[] = {0, 10, 1000, 1 << 20, WORKS_TO};
  const bool has_two = c->arguments[1] != NULL;
  for (size_t i = 0; i < (has_two ? COUNT_OF(others) : 1); ++i) {
    go((walk){.c = c, .engine = engine, .at = {0, others[i]}});
    if (has_two) go((walk){.c = c, .engine = engine, .along_m = true, .at = {others[i], 0}});
  }
}

static jig_engine *begin(size_t gpu) {
  engine_setup();
  set_variable("FAKE_KERNELS", "0");
  set_variable("FAKE_SM", gpus[gpu].sm);
  set_variable("FAKE_MULTIPROCESSORS", gpus[gpu].multiprocessors);
  return engine_with((jig_engine_config){0});
}

static void walk_all(size_t gpu) {
  jig_engine *engine = begin(gpu);
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    walk_both_ways(c, engine, walk_near_powers);
    walk_both_ways(c, engine, walk_densely);
    /* Plans tell of the kernels that are launched, and of no others. */
    ck_assert_msg(atomic_load(&engine->misplanned) == 0, "%s", c->name);
  }
  jig_engine_destroy(engine);
  engine_teardown();
}

START_TEST(counts_of_every_magnitude_small_gpu) {
  walk_all(0);
}
END_TEST
START_TEST(counts_of_every_magnitude_middling_gpu) {
  walk_all(1);
}
END_TEST
START_TEST(counts_of_every_magnitude_large_gpu) {
  walk_all(2);
}
END_TEST

/* ---- pairs of calls */

static void check_pair(const count_case *c, jig_engine *engine, uint64_t *seed) {
  const uint64_t n1 = random_count(seed, 5000), n2 = random_count(seed, n1);
  const uint64_t m1 = random_count(seed, n1), m2 = random_count(seed, m1);
  const counts less = {min_of(n1, n2), min_of(m1, m2)}, more = {max_of(n1, n2), max_of(m1, m2)};
  const outcome large = query(c, engine, more), small = query(c, engine, less);
  if (large.status != JIG_SUCCESS) return;
  HOLDS(small.status == JIG_SUCCESS, c, less, &small);
  if (small.bytes > large.bytes)
    ck_abort_msg("%s: %zu bytes for %llu, %llu; %zu for %llu, %llu", c->name, small.bytes,
                 (unsigned long long)less.n, (unsigned long long)less.m, large.bytes,
                 (unsigned long long)more.n, (unsigned long long)more.m);
}

START_TEST(sizes_never_shrink) {
  uint64_t seed = 41;
  jig_engine *engine = begin(COUNT_OF(gpus) - 1);
  for (const count_case *c = count_cases; c->name != NULL; ++c)
    for (int i = 0; i < 20000; ++i) check_pair(c, engine, &seed);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- what the headers say of temp storage, in numbers */

static double entries_of_top_k(jig_engine *engine, uint64_t num_items, uint64_t k) {
  const jig_iter keys = jig_pointer(NULL, JIG_U32);
  const jig_top_k_args args = {.keys_in = keys, .keys_out = keys, .num_items = num_items, .k = k};
  size_t bytes = 0;
  OK(jig_top_k(engine, NULL, &bytes, &args, NULL));
  return (double)bytes / 8 / (double)num_items;
}

static double share_of_radix_sort(jig_engine *engine, jig_type key, jig_type value) {
  const uint64_t n = (uint64_t)1 << 28;
  int selector;
  const jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, key),
                                    .keys_out = jig_pointer(NULL, key),
                                    .values_in = jig_pointer(NULL, value),
                                    .values_out = jig_pointer(NULL, value),
                                    .num_items = n,
                                    .selector = &selector};
  size_t bytes = 0;
  OK(jig_radix_sort(engine, NULL, &bytes, &args, NULL));
  return (double)bytes / (double)(n * (key.size + value.size));
}

START_TEST(temp_storage_is_what_the_headers_say) {
  const uint64_t many = (uint64_t)1 << 28, few = 1 << 20;
  const jig_type types[] = {JIG_U32, JIG_U64, JIG_U128};
  for (size_t gpu = 1; gpu < COUNT_OF(gpus); ++gpu) {
    jig_engine *engine = begin(gpu);
    ck_assert_double_le(entries_of_top_k(engine, many, 4096), 0.0025);
    ck_assert_double_le(entries_of_top_k(engine, many, many / 16), 0.0145);
    ck_assert_double_le(entries_of_top_k(engine, many, many / 2), 0.0285);
    ck_assert_double_le(entries_of_top_k(engine, few, 1), 0.025);
    ck_assert_double_le(entries_of_top_k(engine, few, few / 2), 0.126);
    for (size_t k = 0; k < COUNT_OF(types); ++k)
      for (size_t v = 0; v < COUNT_OF(types); ++v)
        ck_assert_double_le(share_of_radix_sort(engine, types[k], types[v]), 0.07);
    ck_assert_double_le(share_of_radix_sort(engine, JIG_U8, JIG_U8), 0.2 / 2);
    ck_assert_double_le(share_of_radix_sort(engine, JIG_U16, JIG_U16), 0.2 / 4);
    jig_engine_destroy(engine);
    engine_teardown();
  }
}
END_TEST

/* ---- what is built for nothing */

static uint64_t kernels_for(const count_case *c, counts at) {
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = "", .background = JIG_SWITCH_OFF});
  const outcome o = call(c, engine, at, NULL, 0);
  HOLDS(o.status == JIG_SUCCESS, c, at, &o);
  const uint64_t kernels = stats_of(engine).kernels;
  jig_engine_destroy(engine);
  return kernels;
}

START_TEST(nothing_takes_no_more_kernels_than_something) {
  jig_engine *engine = begin(COUNT_OF(gpus) - 1);
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    const uint64_t none = kernels_for(c, (counts){0, 0}), one = kernels_for(c, (counts){1, 1});
    ck_assert_msg(none > 0 && none <= one, "%s: %llu of nothing, %llu of one", c->name,
                  (unsigned long long)none, (unsigned long long)one);
  }
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(every_algorithm_has_a_case) {
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    const count_case *c = count_cases;
    while (c->name != NULL && strcmp(c->function + strlen("jig_"), (*row)->schema.algorithm) != 0) ++c;
    ck_assert_msg(c->name != NULL, "%s: no row in support/count_cases.c", (*row)->schema.algorithm);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(counts_of_every_magnitude_small_gpu),
      SUITE_TEST(counts_of_every_magnitude_middling_gpu),
      SUITE_TEST(counts_of_every_magnitude_large_gpu),
      SUITE_TEST(sizes_never_shrink),
      SUITE_TEST(temp_storage_is_what_the_headers_say),
      SUITE_TEST(nothing_takes_no_more_kernels_than_something),
      SUITE_TEST(every_algorithm_has_a_case),
  };
  if (!fakes_open("unit/counts")) return EXIT_SUCCESS;
  const int code = SUITE_RUN("unit/counts", tests, false);
  fakes_close();
  return code;
}
