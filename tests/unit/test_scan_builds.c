/* Programs of several kernels, each compiled and kept by itself: with a compiler that tells how often it
 * ran and a driver that has nothing behind it. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

enum { KERNELS = 3 };

static jig_scan_args args_of(const char *body) {
  static float items[100], scanned[100];
  return (jig_scan_args){.in = jig_pointer(items, JIG_F32),
                         .out = jig_pointer(scanned, JIG_F32),
                         .num_items = 100,
                         .op = jig_op_source(body)};
}

static char *scan_spec_of(const char *body) {
  const jig_scan_args args = args_of(body);
  char *text = NULL;
  OK(jig_scan_spec(&args, &text));
  return text;
}

static jig_status query(jig_engine *engine, const char *body) {
  const jig_scan_args args = args_of(body);
  size_t bytes = 0;
  return jig_scan(engine, NULL, &bytes, &args, NULL);
}

/* Removes the entry of this key, or with `other` every other one; how many. */
typedef struct removal {
  const char *key;
  bool other;
  int removed;
} removal;

static int remove_entry(void *user, const jig_cache_entry *e) {
  removal *r = user;
  if ((strcmp(e->key, r->key) != 0) == r->other) r->removed += unlink(e->path) == 0;
  return 0;
}

static int remove_entries(jig_engine *engine, const char *key, bool other) {
  removal r = {.key = key, .other = other};
  OK(jig_cache_walk(engine, remove_entry, &r));
  return r.removed;
}

/* ---- prewarming */

START_TEST(every_kernel_is_an_entry_and_all_are_one_program) {
  engine_setup();
  char *text = scan_spec_of("return a + b; // totals");
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_prewarm_result first, second;
  OK(jig_prewarm(engine, text, "sm_90", &first));
  ck_assert_int_eq(first.hit, 0);
  ck_assert_uint_eq(first.payload_bytes, KERNELS * sizeof "sm_90"); /* what the compiler makes */
  ck_assert_int_eq(first.registers, 12);                            /* of each: the most, not the sum */
  ck_assert_int_eq(first.shared_bytes, 64);
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  ck_assert_uint_eq(entries_in_cache(), KERNELS);
  ck_assert_uint_eq(litter_in_cache(), 0);
  jig_engine_stats stats = stats_of(engine);
  ck_assert_uint_eq(stats.misses, 1); /* a program, whatever it consists of */
  ck_assert_uint_eq(stats.disk_hits, 0);
  ck_assert(stats.compile_ms == first.compile_ms);
  OK(jig_prewarm(engine, text, "sm_90", &second));
  ck_assert_int_eq(second.hit, 1);
  ck_assert(second.compile_ms == 0);
  ck_assert_str_eq(second.key, first.key);
  ck_assert_uint_eq(second.payload_bytes, first.payload_bytes);
  ck_assert_int_eq(second.registers, first.registers);
  stats = stats_of(engine);
  ck_assert_uint_eq(stats.misses, 1);
  ck_assert_uint_eq(stats.disk_hits, 1);
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* The one that the result's key is of, and then the others. */
START_TEST(a_kernel_that_is_missing_is_built_alone) {
  engine_setup();
  char *text = scan_spec_of("return a + b; // missing");
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_prewarm_result result;
  OK(jig_prewarm(engine, text, "sm_90", &result));
  int compiled = KERNELS;
  for (int other = 0; other < 2; ++other) {
    const int missing = other == 1 ? KERNELS - 1 : 1;
    ck_assert_int_eq(remove_entries(engine, result.key, other == 1), missing);
    ck_assert_uint_eq(entries_in_cache(), (unsigned)(KERNELS - missing));
    compiled += missing;
    OK(jig_prewarm(engine, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 0);
    ck_assert_uint_eq(result.payload_bytes, KERNELS * sizeof "sm_90");
    ck_assert_int_eq(fake_compiled().count, compiled);
    ck_assert_uint_eq(entries_in_cache(), KERNELS);
    ck_assert_uint_eq(stats_of(engine).misses, 2 + (unsigned)other);
  }
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(where_building_is_not_allowed_all_have_to_be_there) {
  engine_setup();
  static const char body[] = "return a + b; // never";
  char *text = scan_spec_of(body);
  jig_engine *engine = engine_with((jig_engine_config){0}),
             *never = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  jig_prewarm_result result;
  OK(jig_prewarm(engine, text, "sm_90", &result));
  OK(jig_prewarm(never, text, "sm_90", NULL));
  OK(query(never, body));
  for (int other = 0; other < 2; ++other) {
    const int missing = other == 1 ? KERNELS - 1 : 1;
    ck_assert_int_eq(remove_entries(engine, result.key, other == 1), missing);
    FAILS(jig_prewarm(never, text, "sm_90", NULL), JIG_ERROR_NOT_BUILT, body);
    jig_engine *fresh = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
    FAILS(query(fresh, body), JIG_ERROR_NOT_BUILT, body);
    ck_assert_uint_eq(stats_of(fresh).failed_builds, 1);
    jig_engine_destroy(fresh);
    ck_assert_uint_eq(entries_in_cache(), (unsigned)(KERNELS - missing));
    OK(jig_prewarm(engine, text, "sm_90", NULL));
  }
  ck_assert_uint_eq(stats_of(never).failed_builds, 2);
  ck_assert_int_eq(fake_compiled().count, 2 * KERNELS);
  jig_free(text);
  jig_engine_destroy(engine);
  jig_engine_destroy(never);
  engine_teardown();
}
END_TEST

/* ---- side by side */

static int most_at_once(unsigned jobs) {
  engine_setup();
  fake_compile_ms(200);
  char *text = scan_spec_of("return a + b; // side by side");
  jig_engine *engine = engine_with((jig_engine_config){.jobs = jobs});
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  const fake_compilations all = fake_compiled();
  ck_assert_int_eq(all.count, KERNELS);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
  return all.most_at_once;
}

START_TEST(kernels_are_compiled_side_by_side_if_they_may) {
  ck_assert_int_eq(most_at_once(4), KERNELS);
  ck_assert_int_eq(most_at_once(1), 1);
}
END_TEST

/* ---- failures */

/* One that fails fails the program, and leaves the others' entries for the next time. */
START_TEST(one_kernel_that_fails_fails_the_program) {
  static const char *const failing[] = {"jig_scan_single_wave(", "jig_scan_pipeline(",
                                        "jig_scan_cluster("};
  for (int k = 0; k < KERNELS; ++k) {
    engine_setup();
    static const char body[] = "return a + b; // one fails";
    char *text = scan_spec_of(body);
    jig_engine *engine = engine_with((jig_engine_config){0});
    jig_prewarm_result result = {.hit = 7};
    set_variable("FAKE_NVRTC_FAIL", failing[k]);
    FAILS(jig_prewarm(engine, text, "sm_90", &result), JIG_ERROR_COMPILE, "does_not_compile");
    ck_assert_int_eq(result.hit, 7);
    FAILS(jig_prewarm(engine, text, "sm_90", &result), JIG_ERROR_COMPILE, "does_not_compile");
    ck_assert_uint_eq(stats_of(engine).failed_builds, 2);
    ck_assert_uint_eq(stats_of(engine).misses, 0);
    ck_assert_int_eq(fake_compiled().count, KERNELS + 1); /* the others were there the second time */
    ck_assert_uint_eq(entries_in_cache(), KERNELS - 1);
    ck_assert_uint_eq(litter_in_cache(), 0);
    set_variable("FAKE_NVRTC_FAIL", NULL);
    OK(jig_prewarm(engine, text, "sm_90", &result));
    ck_assert_str_eq(jig_last_error(), "");
    ck_assert_int_eq(fake_compiled().count, KERNELS + 2);
    ck_assert_uint_eq(entries_in_cache(), KERNELS);
    jig_free(text);
    jig_engine_destroy(engine);
    engine_teardown();
  }
}
END_TEST

/* What is wrong with an operator is told once, though it is wrong with every kernel. */
START_TEST(what_fails_in_every_kernel_is_told_once) {
  engine_setup();
  char *text = scan_spec_of("return does_not_compile;");
  jig_engine *engine = engine_with((jig_engine_config){0});
  FAILS(jig_prewarm(engine, text, "sm_90", NULL), JIG_ERROR_COMPILE, "operator:1:8: error: ");
  ck_assert_str_eq(jig_last_error(),
                   "operator:1:8: error: identifier \"does_not_compile\" is undefined\n"
                   "  return does_not_compile;\n"
                   "         ^");
  ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- sources */

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; ++at) ++count;
  return count;
}

START_TEST(the_source_is_that_of_every_kernel) {
  engine_setup();
  char *text = scan_spec_of("return a + b; // source"), *source = NULL;
  jig_engine *engine = engine_with((jig_engine_config){0});
  OK(jig_source(engine, text, "sm_90", &source));
  ck_assert_int_eq(count_of(source, "\njig_scan_single_wave("), 1);
  ck_assert_int_eq(count_of(source, "\njig_scan_pipeline("), 1);
  ck_assert_int_eq(count_of(source, "\njig_scan_cluster("), 1);
  ck_assert_int_eq(count_of(source, "struct jig_policy"), KERNELS);
  ck_assert_int_eq(count_of(source, "return a + b; // source"), KERNELS);
  ck_assert_int_eq(count_of(source, "constexpr int jig_mode = 0; /* inclusive */"), KERNELS);
  ck_assert_int_eq(fake_compiled().count, 0);
  jig_free(source);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_kernel_is_an_entry_and_all_are_one_program),
      SUITE_TEST(a_kernel_that_is_missing_is_built_alone),
      SUITE_TEST(where_building_is_not_allowed_all_have_to_be_there),
      SUITE_TEST(kernels_are_compiled_side_by_side_if_they_may),
      SUITE_TEST(one_kernel_that_fails_fails_the_program),
      SUITE_TEST(what_fails_in_every_kernel_is_told_once),
      SUITE_TEST(the_source_is_that_of_every_kernel),
  };
  if (!fakes_open("unit/scan_builds")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/scan_builds", tests, false);
  fakes_close();
  return answer;
}
