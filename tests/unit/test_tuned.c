/* What wisdom does to programs: which of it is used, what follows from it, and what happens where it is
 * wrong, old, hostile, or not in the cache. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "engine_support.h"
#include "jit/tuned.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "store_support.h"
#include "suite.h"

#define SCAN                                                                                           \
  "{\"accum\":\"f32\",\"algorithm\":\"scan\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"mode\":" \
  "\"inclusive\",\"op\":\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}"
#define REDUCE                                                                                         \
  "{\"accum\":\"f32\",\"algorithm\":\"reduce\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"op\":" \
  "\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}"

static char *text_of(const char *text) {
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  char *shared = tuned_spec_text(&parsed.s);
  parsed_spec_free(&parsed);
  ck_assert_ptr_nonnull(shared);
  return shared;
}

/* Wisdom of one line. */
static wisdom wisdom_of(const char *spec_text, int sm, const char *tuning) {
  wisdom w = {.count = 0};
  char line[4096];
  char *shared = text_of(spec_text);
  (void)snprintf(line, sizeof line, "{\"sm\":%d,\"spec\":%s,\"tuning\":%s}", sm, shared, tuning);
  ck_assert(wisdom_add_text(&w, "file", line, strlen(line), NULL, NULL));
  ck_assert_uint_eq(w.count, 1);
  free(shared);
  return w;
}

static int kernel_named(const spec *s, int sm, const char *name) {
  for (int i = 0; i < algorithm_kernel_count(s); ++i)
    if (strcmp(algorithm_kernel(s, i, sm)->name, name) == 0) return i;
  ck_abort_msg("no kernel %s", name);
}

static policy policy_by(const wisdom *w, const char *spec_text, int sm, const char *kernel) {
  parsed_spec parsed;
  OK(spec_parse(spec_text, algorithm_schema, &parsed));
  tuning_told told = tuned_of(w, &parsed.s, sm);
  const policy p = kernel_policy(algorithm_kernel(&parsed.s, kernel_named(&parsed.s, sm, kernel), sm),
                                 &parsed.s, sm, &told);
  parsed_spec_free(&parsed);
  return p;
}

static bool is_used(const wisdom *w, const char *spec_text, int sm) {
  parsed_spec parsed;
  OK(spec_parse(spec_text, algorithm_schema, &parsed));
  const bool used = tuned_of(w, &parsed.s, sm).count > 0;
  parsed_spec_free(&parsed);
  return used;
}

/* ---- what is used */

START_TEST(wisdom_comes_before_tables) {
  wisdom w = wisdom_of(SCAN, 90, "{\"jig_scan_pipeline\":{\"stages\":4,\"stage_kibibytes\":48}}");
  const policy before = policy_by(NULL, SCAN, 90, "jig_scan_pipeline"),
               after = policy_by(&w, SCAN, 90, "jig_scan_pipeline");
  ck_assert_int_ne(policy_value(&before, "stages", 0), 4);
  ck_assert_int_eq(policy_value(&after, "stages", 0), 4);
  ck_assert_int_eq(policy_value(&after, "reducers", 0), policy_value(&before, "reducers", 0));
  /* What follows from it. */
  ck_assert_int_gt(policy_value(&after, "rows", 0), policy_value(&before, "rows", 0));
  ck_assert_int_ne(policy_value(&after, "shared_bytes", 0), policy_value(&before, "shared_bytes", 0));
  /* Of this spec and architecture alone. */
  ck_assert(!is_used(&w, SCAN, 100));
  ck_assert(!is_used(&w, REDUCE, 90));
  wisdom_free(&w);
}
END_TEST

/* Kernels that go by another one's tiles see its choice. */
START_TEST(kernels_agree) {
  static const char sort[] =
      "{\"algorithm\":\"merge_sort\",\"keys_in\":{\"kind\":\"pointer\",\"type\":\"u32\"},\"keys_out\":{"
      "\"kind\":\"pointer\",\"type\":\"u32\"}}";
  wisdom w = wisdom_of(sort, 90,
                       "{\"jig_merge_sort_merge\":{\"threads\":256,\"items\":11,\"min_blocks\":4},"
                       "\"jig_merge_sort_merge4\":{\"items\":17}}");
  const policy split = policy_by(&w, sort, 90, "jig_merge_sort_split"),
               merge = policy_by(&w, sort, 90, "jig_merge_sort_merge"),
               merge4 = policy_by(&w, sort, 90, "jig_merge_sort_merge4");
  ck_assert_int_eq(policy_value(&merge, "items", 0), 11);
  ck_assert_int_eq(policy_value(&split, "merge_tile_items", 0), 256 * 11);
  ck_assert_int_eq(policy_value(&split, "tile_items", 0), policy_value(&merge4, "tile_items", 1));
  ck_assert_int_eq(policy_value(&merge4, "items", 0), 17);
  wisdom_free(&w);
}
END_TEST

/* Programs that share one share its wisdom. */
START_TEST(types_that_share_a_program_share_wisdom) {
  static const char *const sums[] = {
      "{\"accum\":\"u32\",\"algorithm\":\"reduce\",\"in\":{\"kind\":\"pointer\",\"type\":\"u32\"},\"op\":"
      "\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":\"u32\"}}",
      "{\"accum\":\"i32\",\"algorithm\":\"reduce\",\"in\":{\"kind\":\"pointer\",\"type\":\"i32\"},\"op\":"
      "\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":\"i32\"}}"};
  wisdom w = wisdom_of(sums[0], 90, "{\"jig_reduce\":{\"threads\":256}}");
  ck_assert(is_used(&w, sums[0], 90));
  ck_assert(is_used(&w, sums[1], 90));
  wisdom_free(&w);
}
END_TEST

/* ---- what is not */

START_TEST(wrong_wisdom_is_left_out) {
  static const char *const tunings[] = {
      "{\"jig_scan_lookback\":{\"threads\":256}}", /* which SM 90 has no use for */
      "{\"jig_reduce\":{\"threads\":256}}",        /* another algorithm's */
      "{\"no_such_kernel\":{\"threads\":256}}",
      "{\"jig_scan_single_wave\":{\"lanes\":4}}",
      "{\"jig_scan_single_wave\":{\"vector_items\":4}}", /* not to be tuned */
      "{\"jig_scan_single_wave\":{\"shared_bytes\":1}}",
      "{\"jig_scan_single_wave\":{\"threads\":100}}",
      "{\"jig_scan_single_wave\":{\"threads\":0}}",
      "{\"jig_scan_single_wave\":{\"threads\":-1}}",
      "{\"jig_scan_single_wave\":{\"threads\":-256}}",
      "{\"jig_scan_single_wave\":{\"threads\":2147483648}}",
      "{\"jig_scan_single_wave\":{\"threads\":4294967552}}", /* 256 in 32 bits */
      "{\"jig_scan_single_wave\":{\"threads\":9223372036854775807}}",
      "{\"jig_scan_single_wave\":{\"threads\":512,\"min_blocks\":6}}", /* more than there is room for */
      "{\"jig_scan_pipeline\":{\"reducers\":12,\"emitters\":16}}",     /* uneven */
      "{\"jig_scan_pipeline\":{\"stages\":8,\"stage_kibibytes\":64}}", /* of shared memory */
      "{\"jig_scan_pipeline\":{\"reducers\":12,\"emitters\":18}}",     /* of threads */
      "{\"jig_scan_single_wave\":{\"rows\":4},\"jig_scan_pipeline\":{\"stages\":1}}", /* as a whole */
  };
  for (size_t i = 0; i < COUNT_OF(tunings); ++i) {
    wisdom w = wisdom_of(SCAN, 90, tunings[i]);
    ck_assert_msg(!is_used(&w, SCAN, 90), "%s", tunings[i]);
    const policy tables = policy_by(NULL, SCAN, 90, "jig_scan_single_wave"),
                 got = policy_by(&w, SCAN, 90, "jig_scan_single_wave");
    ck_assert_int_eq(memcmp(tables.values, got.values, sizeof got.values), 0);
    wisdom_free(&w);
  }
}
END_TEST

START_TEST(same_bits_everywhere_are_never_tuned) {
  char everywhere[sizeof REDUCE + 64];
  (void)snprintf(everywhere, sizeof everywhere, "%.*s,\"determinism\":\"gpu_to_gpu\"}",
                 (int)sizeof REDUCE - 2, REDUCE);
  wisdom w = wisdom_of(everywhere, 90, "{\"jig_reduce\":{\"threads\":256}}");
  ck_assert(!is_used(&w, everywhere, 90));
  wisdom_free(&w);
}
END_TEST

/* ---- spaces */

/* Of algorithms that can be tuned: some specs as texts, others below by their args. */
static const char *const tunable[] = {
    SCAN,
    REDUCE,
    "{\"algorithm\":\"select\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"num_selected_out\":{"
    "\"kind\":\"pointer\",\"type\":\"i64\"},\"op\":{\"kind\":\"source\",\"source\":\"return x > "
    "0;\"},\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}",
    "{\"algorithm\":\"merge_sort\",\"keys_in\":{\"kind\":\"pointer\",\"type\":\"u64\"},\"keys_out\":{"
    "\"kind\":\"pointer\",\"type\":\"u64\"}}",
    "{\"algorithm\":\"radix_sort\",\"key\":\"u64\"}",
};

/* Each value by itself: it is what the policy has then, or not allowed; and a table's value always is. */
static void check_space(const spec *s, int sm) {
  char room[TUNED_WHY_SIZE];
  const tuning_told tables = tuned_defaults(s, sm);
  ck_assert_int_gt(tables.count, 0);
  ck_assert_ptr_null(tuned_fault(s, sm, &tables, room));
  for (int k = 0; k < tables.count; ++k) {
    const policy_space *space = tables.of[k].space;
    const policy by_table = kernel_policy(tuned_kernel_of(s, sm, space), s, sm, NULL);
    int allowed = 0;
    for (int v = 0; v < space_knob_count(space); ++v) {
      const policy_knob *knob = &space->knobs[v];
      ck_assert_int_le(knob->count, KNOB_MAX_VALUES);
      ck_assert_int_ne(tables.of[k].values[v], KNOB_UNTOLD);
      for (int i = 0; i < knob->count; ++i) {
        ck_assert_int_gt(knob->values[i], i > 0 ? knob->values[i - 1] : 0);
        tuning_told told = tables;
        told.of[k].values[v] = knob->values[i];
        if (tuned_fault(s, sm, &told, room) != NULL) continue;
        ++allowed;
        const policy p = kernel_policy(tuned_kernel_of(s, sm, space), s, sm, &told);
        ck_assert(memcmp(p.values, by_table.values, sizeof p.values) == 0 || policy_fits(&p, sm));
        ck_assert_int_eq(told.of[k].values[v], knob->values[i]);
      }
    }
    ck_assert_int_gt(allowed, space_knob_count(space)); /* there is something to choose */
  }
}

static void check_spaces(const char *text) {
  static const int sms[] = {75, 80, 86, 89, 90, 100, 120};
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  for (size_t i = 0; i < COUNT_OF(sms); ++i) check_space(&parsed.s, sms[i]);
  parsed_spec_free(&parsed);
}

START_TEST(spaces_are_sound) {
  for (size_t t = 0; t < COUNT_OF(tunable); ++t) check_spaces(tunable[t]);
}
END_TEST

static void check_spaces_and_free(char *text) {
  check_spaces(text);
  jig_free(text);
}

#define CHECK_SPACES(name, ...)                                       \
  do {                                                                \
    char *text_ = NULL;                                               \
    OK(jig_##name##_spec(&(jig_##name##_args){__VA_ARGS__}, &text_)); \
    check_spaces_and_free(text_);                                     \
  } while (0)

START_TEST(other_spaces_are_sound) {
  const jig_iter f32 = jig_pointer(NULL, JIG_F32), u64 = jig_pointer(NULL, JIG_U64),
                 u8 = jig_pointer(NULL, JIG_U8), i64 = jig_pointer(NULL, JIG_I64);
  const jig_op less = jig_op_source("return x < 9;"), act = jig_op_source("(void)i;");
  CHECK_SPACES(scan_by_key, .keys_in = u64, .values_in = f32, .values_out = f32);
  CHECK_SPACES(reduce_by_key, .keys_in = u8, .values_in = u8, .unique_out = u8, .aggregates_out = u8,
               .num_runs_out = i64);
  CHECK_SPACES(run_length_encode, .in = u64, .unique_out = u64, .lengths_out = i64, .num_runs_out = i64);
  CHECK_SPACES(unique, .in = u8, .out = u8, .num_selected_out = i64);
  CHECK_SPACES(partition, .in = u64, .out = u64, .num_selected_out = i64, .op = less);
  CHECK_SPACES(merge, .first_keys_in = f32, .second_keys_in = f32, .keys_out = f32);
  CHECK_SPACES(set_operation, .first_keys_in = f32, .second_keys_in = f32, .keys_out = f32,
               .num_items_out = i64);
  CHECK_SPACES(binary_search, .in = f32, .needles_in = f32, .out = i64);
  CHECK_SPACES(arg_reduce, .in = u8, .index_out = i64);
  CHECK_SPACES(min_max, .in = f32, .min_out = f32, .max_out = f32);
  CHECK_SPACES(find_if, .in = f32, .out = i64, .predicate = less);
  CHECK_SPACES(is_sorted, .in = f32, .out = i64);
  CHECK_SPACES(copy, .in = f32, .out = u64);
  CHECK_SPACES(adjacent_difference, .in = f32, .out = f32);
  CHECK_SPACES(bulk, .op = act);
  CHECK_SPACES(reverse, .in = u8, .out = u8);
}
END_TEST

START_TEST(spaces_of_segments_are_sound) {
  const jig_iter f32 = jig_pointer(NULL, JIG_F32), u8 = jig_pointer(NULL, JIG_U8),
                 i64 = jig_pointer(NULL, JIG_I64), u64 = jig_pointer(NULL, JIG_U64),
                 u128 = jig_pointer(NULL, JIG_U128);
  CHECK_SPACES(segmented_reduce, .in = u8, .out = i64, .begin_offsets = i64, .end_offsets = i64);
  CHECK_SPACES(segmented_reduce, .in = f32, .out = f32, .segment_size = 16);
  CHECK_SPACES(segmented_arg_reduce, .in = u128, .index_out = i64, .begin_offsets = i64,
               .end_offsets = i64);
  CHECK_SPACES(segmented_scan, .in = u8, .out = u8, .begin_offsets = i64, .end_offsets = i64);
  CHECK_SPACES(segmented_scan, .in = f32, .out = u128, .begin_offsets = i64, .end_offsets = i64);
  CHECK_SPACES(segmented_sort, .keys_in = u8, .keys_out = u8, .begin_offsets = i64, .end_offsets = i64);
  CHECK_SPACES(segmented_sort, .keys_in = u128, .keys_out = u128, .values_in = u64, .values_out = u64,
               .begin_offsets = i64, .end_offsets = i64);
  CHECK_SPACES(segmented_top_k, .keys_in = f32, .keys_out = f32, .segment_size = 16);
  CHECK_SPACES(segmented_top_k, .keys_in = u128, .keys_out = u128, .segment_size = 16);
}
END_TEST

START_TEST(spaces_of_top_k_and_counts_are_sound) {
  const jig_iter f32 = jig_pointer(NULL, JIG_F32), u8 = jig_pointer(NULL, JIG_U8),
                 i64 = jig_pointer(NULL, JIG_I64), u64 = jig_pointer(NULL, JIG_U64),
                 u128 = jig_pointer(NULL, JIG_U128);
  CHECK_SPACES(top_k, .keys_in = u8, .keys_out = u8);
  CHECK_SPACES(top_k, .keys_in = u128, .keys_out = u128);
  CHECK_SPACES(nth_element, .in = f32, .nth_out = f32);
  CHECK_SPACES(histogram, .samples = u8, .counter_type = JIG_U16);
  CHECK_SPACES(histogram, .samples = f32, .level_type = JIG_F64);
  CHECK_SPACES(copy_batched, .in = f32, .out = f32, .in_offsets = i64, .out_offsets = i64, .sizes = i64);
  CHECK_SPACES(copy_batched, .in = u128, .out = u128, .in_offsets = i64, .out_offsets = i64,
               .sizes = i64);
  CHECK_SPACES(memcpy_batched, .sources = u64, .destinations = u64, .sizes = i64);
}
END_TEST

START_TEST(lines_say_what_was_told) {
  parsed_spec parsed;
  OK(spec_parse(SCAN, algorithm_schema, &parsed));
  tuning_told told = tuned_spaces(&parsed.s, 90);
  ck_assert(tuned_tell(&told, &parsed.s, 90, "jig_scan_single_wave", "rows", 6));
  ck_assert(!tuned_tell(&told, &parsed.s, 90, "jig_scan_single_wave", "row", 6));
  wisdom w = {.count = 0};
  ck_assert(wisdom_add_line(&w, tuned_line(&parsed.s, 90, &told), "here"));
  tuning_told again = tuned_of(&w, &parsed.s, 90);
  ck_assert_int_eq(again.count, told.count);
  for (int k = 0; k < told.count; ++k)
    ck_assert_int_eq(memcmp(again.of[k].values, told.of[k].values, sizeof told.of[k].values), 0);
  wisdom_free(&w);
  parsed_spec_free(&parsed);
}
END_TEST

/* ---- engines */

static void write_wisdom(const char *path, const char *spec_text, int sm, const char *tuning) {
  wisdom w = wisdom_of(spec_text, sm, tuning);
  ck_assert_int_eq(wisdom_save(&w, path), 0);
  wisdom_free(&w);
}

static int threads_in_source(jig_engine *engine) {
  char *source = NULL;
  int threads = 0;
  OK(jig_source(engine, REDUCE, "sm_90", &source));
  const char *at = strstr(source, "threads = ");
  ck_assert_ptr_nonnull(at);
  threads = atoi(at + strlen("threads = "));
  jig_free(source);
  return threads;
}

static int threads_with(jig_engine_config config) {
  jig_engine *engine = engine_with(config);
  const int threads = threads_in_source(engine);
  jig_engine_destroy(engine);
  return threads;
}

START_TEST(files_are_found_and_later_ones_hold) {
  engine_setup();
  char list[2 * SCRATCH_PATH + 2];
  const char *one = scratch_path("one"), *two = scratch_path("two"), *bad = scratch_path("none");
  set_variable("XDG_CONFIG_HOME", scratch_path("config"));
  write_wisdom(one, REDUCE, 90, "{\"jig_reduce\":{\"threads\":128}}");
  write_wisdom(two, REDUCE, 90, "{\"jig_reduce\":{\"threads\":256}}");
  write_wisdom(scratch_path("config/jig/wisdom"), REDUCE, 90,
               "{\"jig_reduce\":{\"threads\":1024,\"min_blocks\":1}}");
  const int by_table = threads_with((jig_engine_config){.wisdom = ""});
  ck_assert_int_eq(by_table, 512);
  ck_assert_int_eq(threads_with((jig_engine_config){0}), by_table); /* $JIG_WISDOM is /dev/null */
  ck_assert_int_eq(threads_with((jig_engine_config){.wisdom = one}), 128);
  set_variable("JIG_WISDOM", one);
  ck_assert_int_eq(threads_with((jig_engine_config){0}), 128);
  (void)snprintf(list, sizeof list, "%s:%s", one, two);
  ck_assert_int_eq(threads_with((jig_engine_config){.wisdom = list}), 256);
  (void)snprintf(list, sizeof list, "%s:%s", one, bad);
  ck_assert_int_eq(threads_with((jig_engine_config){.wisdom = list}), 128);
  set_variable("JIG_WISDOM", NULL);
  ck_assert_int_eq(threads_with((jig_engine_config){0}), 1024);
  /* A folder is one, whatever it is called. */
  set_variable("XDG_CONFIG_HOME", scratch_path("con:fig"));
  ck_assert_int_eq(threads_with((jig_engine_config){0}), by_table);
  write_wisdom(scratch_path("con:fig/jig/wisdom"), REDUCE, 90, "{\"jig_reduce\":{\"threads\":256}}");
  ck_assert_int_eq(threads_with((jig_engine_config){0}), 256);
  set_variable("XDG_CONFIG_HOME", NULL);
  engine_teardown();
}
END_TEST

static jig_prewarm_result prewarm_with(jig_engine_config config) {
  jig_engine *engine = engine_with(config);
  jig_prewarm_result result;
  OK(jig_prewarm(engine, REDUCE, "sm_90", &result));
  jig_engine_destroy(engine);
  return result;
}

START_TEST(keys_depend_on_wisdom) {
  engine_setup();
  const char *file = scratch_path("wisdom"), *other = scratch_path("other");
  write_wisdom(file, REDUCE, 90, "{\"jig_reduce\":{\"threads\":256}}");
  write_wisdom(other, SCAN, 90, "{\"jig_scan_single_wave\":{\"threads\":512,\"min_blocks\":2}}");
  const jig_prewarm_result none = prewarm_with((jig_engine_config){.wisdom = ""}),
                           tuned = prewarm_with((jig_engine_config){.wisdom = file}),
                           again = prewarm_with((jig_engine_config){.wisdom = file}),
                           others = prewarm_with((jig_engine_config){.wisdom = other});
  ck_assert_str_ne(none.key, tuned.key);
  ck_assert_str_eq(tuned.key, again.key);
  ck_assert(again.hit);
  ck_assert_str_eq(none.key, others.key);
  ck_assert(others.hit);
  engine_teardown();
}
END_TEST

static jig_status query(jig_engine *engine) {
  size_t bytes = 0;
  const jig_reduce_args args = {
      .in = jig_pointer((void *)256, JIG_F32), .out = jig_pointer((void *)256, JIG_F32), .num_items = 9};
  return jig_reduce(engine, NULL, &bytes, &args, NULL);
}

static jig_status query_with(jig_engine_config config) {
  jig_engine *engine = engine_with(config);
  const jig_status status = query(engine);
  jig_engine_destroy(engine);
  return status;
}

/* A context of the stand-in's. */
static void have_context(void) {
  const driver *cuda = driver_get();
  CUcontext context;
  ck_assert_ptr_nonnull(cuda);
  ck_assert_int_eq(cuda->cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ck_assert_int_eq(cuda->cuCtxSetCurrent(context), CUDA_SUCCESS);
}

START_TEST(caches_without_wisdom_serve) {
  engine_setup();
  have_context();
  const char *file = scratch_path("wisdom"), *other = scratch_path("other");
  write_wisdom(file, REDUCE, 90, "{\"jig_reduce\":{\"threads\":256}}");
  write_wisdom(other, REDUCE, 90, "{\"jig_reduce\":{\"threads\":128}}");
  FAILS(query_with((jig_engine_config){.wisdom = file, .build = JIG_BUILD_NEVER}), JIG_ERROR_NOT_BUILT,
        "building is not allowed");
  (void)prewarm_with((jig_engine_config){.wisdom = ""});
  OK(query_with((jig_engine_config){.wisdom = "", .build = JIG_BUILD_NEVER}));
  OK(query_with((jig_engine_config){.wisdom = file, .build = JIG_BUILD_NEVER}));
  (void)prewarm_with((jig_engine_config){.wisdom = file});
  const int before = fake_compiled().count;
  OK(query_with((jig_engine_config){.wisdom = file, .build = JIG_BUILD_NEVER}));
  OK(query_with((jig_engine_config){.wisdom = file}));
  ck_assert_int_eq(fake_compiled().count, before);
  OK(query_with((jig_engine_config){.wisdom = other}));
  ck_assert_int_eq(fake_compiled().count, before + 1);
  engine_teardown();
}
END_TEST

START_TEST(wisdom_that_does_not_compile_is_done_without) {
  engine_setup();
  have_context();
  const char *file = scratch_path("wisdom");
  write_wisdom(file, REDUCE, 90, "{\"jig_reduce\":{\"threads\":128}}");
  set_variable("FAKE_NVRTC_FAIL", "threads = 128");
  OK(query_with((jig_engine_config){.wisdom = file}));
  jig_engine *engine = engine_with((jig_engine_config){.wisdom = file});
  FAILS(jig_prewarm(engine, REDUCE, "sm_90", NULL), JIG_ERROR_COMPILE, "tuned by wisdom: ");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(wisdom_comes_before_tables),
      SUITE_TEST(kernels_agree),
      SUITE_TEST(types_that_share_a_program_share_wisdom),
      SUITE_TEST(wrong_wisdom_is_left_out),
      SUITE_TEST(same_bits_everywhere_are_never_tuned),
      SUITE_TEST(spaces_are_sound),
      SUITE_TEST(other_spaces_are_sound),
      SUITE_TEST(spaces_of_segments_are_sound),
      SUITE_TEST(spaces_of_top_k_and_counts_are_sound),
      SUITE_TEST(lines_say_what_was_told),
      SUITE_TEST(files_are_found_and_later_ones_hold),
      SUITE_TEST(keys_depend_on_wisdom),
      SUITE_TEST(caches_without_wisdom_serve),
      SUITE_TEST(wisdom_that_does_not_compile_is_done_without),
  };
  if (!fakes_open("unit/tuned")) return 0;
  const int status = SUITE_RUN("unit/tuned", tests, false);
  fakes_close();
  return status;
}
