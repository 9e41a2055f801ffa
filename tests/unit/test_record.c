/* Specs that name several programs, and JIG_RECORD, with a compiler and a driver that have nothing behind
 * them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/prewarm.h"
#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

enum { TOP_K_KERNELS = 6, MERGE_SORT_KERNELS = 5 };

static void begin(void) {
  engine_setup();
  set_variable("FAKE_KERNELS", "0");
}

static void end(jig_engine *engine) {
  jig_engine_destroy(engine);
  engine_teardown();
}

/* ---- calls: nothing is behind the pointers */

static jig_iter at(unsigned place, jig_type type) {
  return jig_pointer((void *)((uintptr_t)(place + 1) << 52), type);
}

static jig_top_k_args top_k_of(jig_type key, int is_sorted) {
  return (jig_top_k_args){
      .keys_in = at(0, key), .keys_out = at(1, key), .num_items = 1000, .k = 10, .is_sorted = is_sorted};
}

static jig_status query_top_k(jig_engine *engine, jig_type key, int is_sorted) {
  const jig_top_k_args args = top_k_of(key, is_sorted);
  size_t bytes = 0;
  return jig_top_k(engine, NULL, &bytes, &args, NULL);
}

static jig_status query_reduce(jig_engine *engine, const char *body) {
  const jig_reduce_args args = {
      .in = at(0, JIG_F32), .out = at(1, JIG_F32), .num_items = 9, .op = jig_op_source(body)};
  size_t bytes = 0;
  return jig_reduce(engine, NULL, &bytes, &args, NULL);
}

static char *top_k_spec(jig_type key, int is_sorted) {
  const jig_top_k_args args = top_k_of(key, is_sorted);
  char *text = NULL;
  OK(jig_top_k_spec(&args, &text));
  return text;
}

/* ---- a spec of two programs */

START_TEST(a_sorted_top_k_is_prewarmed_with_its_sort) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F32, JIG_KIND_I64, JIG_KIND_U128};
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
    begin();
    const jig_type key = type_of(kinds[i]);
    jig_engine *engine = engine_with((jig_engine_config){0});
    char *text = top_k_spec(key, 1);
    jig_prewarm_result both, again;
    OK(jig_prewarm(engine, text, "sm_90", &both));
    ck_assert_int_eq(both.hit, 0);
    ck_assert_int_eq(fake_compiled().count, TOP_K_KERNELS + MERGE_SORT_KERNELS);
    ck_assert_uint_eq(entries_in_cache(), TOP_K_KERNELS + MERGE_SORT_KERNELS);
    ck_assert_uint_eq(stats_of(engine).misses, 2);
    OK(jig_prewarm(engine, text, "sm_90", &again));
    ck_assert_int_eq(again.hit, 1);
    ck_assert_uint_eq(again.payload_bytes, both.payload_bytes);
    ck_assert_str_eq(again.key, both.key);
    ck_assert_uint_eq(stats_of(engine).disk_hits, 2);
    jig_engine_destroy(engine);
    engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
    OK(query_top_k(engine, key, 1));
    OK(query_top_k(engine, key, 0)); /* which takes one of them */
    jig_free(text);
    end(engine);
  }
}
END_TEST

START_TEST(an_unsorted_top_k_is_one_of_the_two) {
  begin();
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text = top_k_spec(JIG_F32, 0);
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  ck_assert_uint_eq(entries_in_cache(), TOP_K_KERNELS);
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  OK(query_top_k(engine, JIG_F32, 0));
  FAILS(query_top_k(engine, JIG_F32, 1), JIG_ERROR_NOT_BUILT, "\"algorithm\":\"merge_sort\"");
  jig_free(text);
  end(engine);
}
END_TEST

START_TEST(what_can_be_built_is) {
  begin();
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text = top_k_spec(JIG_F32, 1);
  jig_prewarm_result result = {.hit = 77};
  set_variable("FAKE_NVRTC_FAIL", "jig_top_k_select(");
  FAILS(jig_prewarm(engine, text, "sm_90", &result), JIG_ERROR_COMPILE, "");
  ck_assert_int_eq(result.hit, 77);
  ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
  ck_assert_uint_eq(stats_of(engine).misses, 1); /* the sort */
  set_variable("FAKE_NVRTC_FAIL", NULL);
  OK(jig_prewarm(engine, text, "sm_90", &result));
  ck_assert_int_eq(result.hit, 0);
  ck_assert_uint_eq(entries_in_cache(), TOP_K_KERNELS + MERGE_SORT_KERNELS);
  jig_free(text);
  end(engine);
}
END_TEST

START_TEST(specs_are_split_into_those_of_programs) {
  char *both = top_k_spec(JIG_F32, 1), *alone = top_k_spec(JIG_F32, 0), *texts[PREWARM_MAX_PROGRAMS];
  char *source = NULL;
  engine_setup();
  ck_assert_int_eq(prewarm_split(both, texts), 2);
  ck_assert_str_eq(texts[0], alone);
  ck_assert_ptr_nonnull(strstr(texts[1], "\"algorithm\":\"merge_sort\""));
  char *again[PREWARM_MAX_PROGRAMS];
  for (int i = 0; i < 2; ++i) {
    ck_assert_int_eq(prewarm_split(texts[i], again), 1);
    ck_assert_str_eq(again[0], texts[i]);
    jig_free(again[0]);
  }
  jig_engine *engine = engine_with((jig_engine_config){0});
  OK(jig_source(engine, both, "sm_90", &source));
  ck_assert_ptr_nonnull(strstr(source, "// jig top_k"));
  ck_assert_ptr_nonnull(strstr(source, "// jig merge_sort"));
  jig_free(source);
  ck_assert_int_eq(prewarm_split("{\"algorithm\":\"top_k\"}", texts), 0);
  for (int i = 0; i < 2; ++i) jig_free(texts[i]);
  jig_free(both);
  jig_free(alone);
  end(engine);
}
END_TEST

/* ---- JIG_RECORD */

static const char *record_path(void) {
  return scratch_path("specs.jsonl");
}

/* The lines of the file, whole ones; how many there are. */
enum { MOST_LINES = 64, LINE_SIZE = 4096 };
static int lines_in(const char *path, char lines[MOST_LINES][LINE_SIZE]) {
  FILE *file = fopen(path, "r");
  int count = 0;
  if (file == NULL) return 0;
  while (count < MOST_LINES && fgets(lines[count], LINE_SIZE, file) != NULL) {
    const size_t length = strlen(lines[count]);
    ck_assert_int_eq(lines[count][length - 1], '\n');
    lines[count++][length - 1] = '\0';
  }
  (void)fclose(file);
  return count;
}

static char lines[MOST_LINES][LINE_SIZE];

START_TEST(every_program_is_recorded_once) {
  begin();
  set_variable("JIG_RECORD", record_path());
  jig_engine *engine = engine_with((jig_engine_config){0});
  ck_assert(!file_exists(record_path()));
  for (int i = 0; i < 3; ++i) {
    OK(query_reduce(engine, "return a + b;"));
    OK(query_top_k(engine, JIG_F32, 1));
    OK(query_top_k(engine, JIG_I32, 0));
  }
  char *sum = spec_of("return a + b;"), *floats = top_k_spec(JIG_F32, 0), *ints = top_k_spec(JIG_I32, 0);
  ck_assert_int_eq(lines_in(record_path(), lines), 4);
  ck_assert_str_eq(lines[0], sum);
  ck_assert_str_eq(lines[1], floats);
  ck_assert_ptr_nonnull(strstr(lines[2], "\"algorithm\":\"merge_sort\""));
  ck_assert_str_eq(lines[3], ints);
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){0}); /* another one finds them on disk, and asks for them */
  OK(query_reduce(engine, "return a + b;"));
  ck_assert_int_eq(lines_in(record_path(), lines), 5);
  ck_assert_str_eq(lines[4], sum);
  jig_free(sum);
  jig_free(floats);
  jig_free(ints);
  end(engine);
}
END_TEST

/* An engine's config comes before the variable. */
START_TEST(engines_choose_where_to_record) {
  begin();
  set_variable("JIG_RECORD", scratch_path("other"));
  jig_engine *engine = engine_with((jig_engine_config){.record = record_path()});
  OK(query_reduce(engine, "return a + b;"));
  ck_assert_int_eq(lines_in(record_path(), lines), 1);
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.record = ""});
  OK(query_reduce(engine, "return a + b;"));
  ck_assert(!file_exists(scratch_path("other")));
  end(engine);
}
END_TEST

START_TEST(what_was_recorded_prewarms_another_cache) {
  begin();
  set_variable("JIG_RECORD", record_path());
  jig_engine *engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  for (int i = 0; i < 2; ++i) {
    FAILS(query_top_k(engine, JIG_F32, 0), JIG_ERROR_NOT_BUILT, "");
    FAILS(query_reduce(engine, "return a * b;"), JIG_ERROR_NOT_BUILT, "");
  }
  jig_engine_destroy(engine);
  set_variable("JIG_RECORD", NULL);
  const int count = lines_in(record_path(), lines);
  ck_assert_int_eq(count, 2);
  engine = engine_with((jig_engine_config){0});
  for (int i = 0; i < count; ++i) OK(jig_prewarm(engine, lines[i], "sm_90", NULL));
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  OK(query_top_k(engine, JIG_F32, 0));
  OK(query_reduce(engine, "return a * b;"));
  ck_assert_int_eq(lines_in(record_path(), lines), 2);
  end(engine);
}
END_TEST

/* Prewarming asks for nothing, and what is refused is no spec. */
START_TEST(only_sound_calls_are_recorded) {
  begin();
  set_variable("JIG_RECORD", record_path());
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text = spec_of("return b;");
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  const jig_reduce_args none = {.num_items = 1};
  size_t bytes = 0;
  FAILS(jig_reduce(engine, NULL, &bytes, &none, NULL), JIG_ERROR_INVALID_ARGUMENT, "in");
  ck_assert(!file_exists(record_path()));
  jig_free(text);
  end(engine);
}
END_TEST

/* The call is as good as without. */
START_TEST(a_file_that_cannot_be_written_is_no_failure) {
  static const char *const paths[] = {"missing/specs.jsonl", "folder", "pipe"};
  for (size_t i = 0; i < COUNT_OF(paths); ++i) {
    begin();
    ck_assert_int_eq(mkdir(scratch_path("folder"), 0700), 0);
    ck_assert_int_eq(mkfifo(scratch_path("pipe"), 0600), 0); /* that nobody reads */
    set_variable("JIG_RECORD", scratch_path("%s", paths[i]));
    jig_engine *engine = engine_with((jig_engine_config){0});
    OK(query_reduce(engine, "return a + b;"));
    ck_assert_str_eq(jig_last_error(), "");
    ck_assert(!file_exists(scratch_path("missing")));
    end(engine);
  }
}
END_TEST

/* ---- many at once */

enum { THREADS = 8, BODIES = 6 };

static void record_all(void *user, int number) {
  (void)number;
  for (int i = 0; i < BODIES; ++i) {
    char body[64];
    (void)snprintf(body, sizeof body, "return a + b; // %d", i);
    if (query_reduce(user, body) != JIG_SUCCESS) abort();
  }
}

START_TEST(threads_record_a_spec_once) {
  begin();
  set_variable("JIG_RECORD", record_path());
  jig_engine *engine = engine_with((jig_engine_config){0});
  run_together(THREADS, record_all, engine);
  ck_assert_int_eq(lines_in(record_path(), lines), BODIES);
  end(engine);
}
END_TEST

static bool record_in_a_process(void) {
  jig_engine *engine = NULL;
  if (jig_engine_create(&engine, NULL) != JIG_SUCCESS) return false;
  record_all(engine, 0);
  jig_engine_destroy(engine);
  return true;
}

START_TEST(lines_of_several_processes_stay_whole) {
  enum { PROCESSES = 4 };
  begin();
  set_variable("JIG_RECORD", record_path());
  ck_assert(is_true_in_children(PROCESSES, record_in_a_process));
  const int count = lines_in(record_path(), lines);
  ck_assert_int_eq(count, PROCESSES * BODIES);
  for (int i = 0; i < count; ++i) {
    char *texts[PREWARM_MAX_PROGRAMS];
    ck_assert_int_eq(prewarm_split(lines[i], texts), 1);
    jig_free(texts[0]);
  }
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(a_sorted_top_k_is_prewarmed_with_its_sort),
      SUITE_TEST(an_unsorted_top_k_is_one_of_the_two),
      SUITE_TEST(what_can_be_built_is),
      SUITE_TEST(specs_are_split_into_those_of_programs),
      SUITE_TEST(every_program_is_recorded_once),
      SUITE_TEST(engines_choose_where_to_record),
      SUITE_TEST(what_was_recorded_prewarms_another_cache),
      SUITE_TEST(only_sound_calls_are_recorded),
      SUITE_TEST(a_file_that_cannot_be_written_is_no_failure),
      SUITE_TEST(threads_record_a_spec_once),
      SUITE_TEST(lines_of_several_processes_stay_whole),
  };
  if (!fakes_open("unit/record")) return EXIT_SUCCESS;
  const int code = SUITE_RUN("unit/record", tests, false);
  fakes_close();
  return code;
}
