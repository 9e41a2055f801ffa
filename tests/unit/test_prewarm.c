/* Prewarming with the real compiler, and without a GPU. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

/* Whether there is a compiler; to be followed by engine_teardown() in either case. */
static bool begin(const char *test) {
  engine_setup();
  if (compiler_get() != NULL) return true;
  printf("skipped: unit/prewarm: %s (no NVRTC)\n", test);
  return false;
}

static const char *entry_path(const jig_prewarm_result *result) {
  return scratch_path("cache/v1/%.2s/%s-%s.jig", result->key, result->key + 2, compiler_get()->version);
}

START_TEST(a_spec_is_compiled_and_then_found) {
  if (begin("a_spec_is_compiled_and_then_found")) {
    char *text = spec_of("return a + b; // one");
    jig_engine *engine = engine_with((jig_engine_config){0});
    jig_prewarm_result first, second;
    OK(jig_prewarm(engine, text, "sm_90", &first));
    ck_assert_int_eq(first.hit, 0);
    ck_assert(first.compile_ms > 0);
    ck_assert_uint_gt(first.payload_bytes, 1000);
    ck_assert_int_gt(first.registers, 0);
    ck_assert_int_ge(first.spill_bytes, 0);
    ck_assert_int_gt(first.shared_bytes, 0);
    ck_assert_uint_eq(strspn(first.key, "0123456789abcdef"), 32);
    ck_assert_msg(file_exists(entry_path(&first)), "no %s", entry_path(&first));
    jig_engine_stats stats = stats_of(engine);
    ck_assert_uint_eq(stats.misses, 1);
    ck_assert_uint_eq(stats.disk_hits, 0);
    ck_assert(stats.compile_ms == first.compile_ms && stats.load_ms == 0);
    ck_assert_ptr_nonnull(strstr(stats.last_miss, text));
    jig_engine_destroy(engine);

    engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
    OK(jig_prewarm(engine, text, "sm_90", NULL)); /* the result may be missing */
    OK(jig_prewarm(engine, text, "sm_90", &second));
    ck_assert_int_eq(second.hit, 1);
    ck_assert(second.compile_ms == 0);
    ck_assert_uint_eq(second.payload_bytes, first.payload_bytes);
    ck_assert_int_eq(second.registers, first.registers);
    ck_assert_int_eq(second.spill_bytes, first.spill_bytes);
    ck_assert_int_eq(second.shared_bytes, first.shared_bytes);
    ck_assert_str_eq(second.key, first.key);
    stats = stats_of(engine);
    ck_assert_uint_eq(stats.misses, 0);
    ck_assert_uint_eq(stats.disk_hits, 2);
    ck_assert_str_eq(stats.last_miss, "");
    jig_engine_destroy(engine);
    jig_free(text);
  }
  engine_teardown();
}
END_TEST

/* Calls that may not build do not link either. */
START_TEST(the_first_tier_is_not_missed_where_nothing_is_built) {
  if (begin("the_first_tier_is_not_missed_where_nothing_is_built")) {
    char *text = spec_of("return a + b; // linked");
    jig_prewarm_result result;
    jig_engine *engine = engine_with((jig_engine_config){0});
    OK(jig_prewarm(engine, text, "sm_90", NULL));
    jig_engine_destroy(engine);
    engine = engine_with((jig_engine_config){.first_tier = JIG_SWITCH_ON, .build = JIG_BUILD_NEVER});
    OK(jig_prewarm(engine, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 1);
    ck_assert_uint_eq(stats_of(engine).failed_builds, 0);
    jig_engine_destroy(engine);
    engine = engine_with((jig_engine_config){.first_tier = JIG_SWITCH_ON});
    OK(jig_prewarm(engine, text, "sm_90", NULL));
    ck_assert_uint_eq(entries_in_cache(), 2);
    jig_engine_destroy(engine);
    jig_free(text);
  }
  engine_teardown();
}
END_TEST

typedef struct survey_of_archs {
  const char *text;
  int alike;
  char archs[256];
} survey_of_archs;

static int note_arch(void *user, const jig_cache_entry *e) {
  survey_of_archs *s = user;
  s->alike += e->sound && e->layer == 0 && strcmp(e->spec, s->text) == 0 && e->compiler[0] != '\0';
  (void)strncat(s->archs, e->arch, sizeof s->archs - strlen(s->archs) - 1);
  (void)strncat(s->archs, " ", sizeof s->archs - strlen(s->archs) - 1);
  return 0;
}

START_TEST(every_architecture_has_an_entry) {
  if (begin("every_architecture_has_an_entry")) {
    static const char *const archs[] = {"sm_80", "sm_90", "compute_80", "compute_90"};
    jig_prewarm_result results[COUNT_OF(archs)], again;
    jig_engine *engine = engine_with((jig_engine_config){0});
    survey_of_archs s = {.text = spec_of("return a + b; // architectures")};
    for (size_t i = 0; i < COUNT_OF(archs); ++i) {
      OK(jig_prewarm(engine, s.text, archs[i], &results[i]));
      ck_assert_int_eq(results[i].hit, 0);
      ck_assert_int_eq(results[i].registers > 0, archs[i][0] == 's'); /* PTX has none yet */
      ck_assert_int_eq(results[i].registers == -1, archs[i][0] == 'c');
      for (size_t j = 0; j < i; ++j) ck_assert_str_ne(results[i].key, results[j].key);
    }
    ck_assert_uint_eq(entries_in_cache(), COUNT_OF(archs));
    for (size_t i = 0; i < COUNT_OF(archs); ++i) {
      OK(jig_prewarm(engine, s.text, archs[i], &again));
      ck_assert_int_eq(again.hit, 1);
      ck_assert_str_eq(again.key, results[i].key);
    }
    OK(jig_cache_walk(engine, note_arch, &s));
    ck_assert_int_eq(s.alike, (int)COUNT_OF(archs));
    for (size_t i = 0; i < COUNT_OF(archs); ++i) {
      ck_assert_msg(strstr(s.archs, archs[i]) != NULL, "no %s among %s", archs[i], s.archs);
    }
    jig_engine_destroy(engine);
    jig_free((char *)(uintptr_t)s.text);
  }
  engine_teardown();
}
END_TEST

START_TEST(the_same_request_makes_the_same_bytes) {
  if (begin("the_same_request_makes_the_same_bytes")) {
    static unsigned char bytes[2][1 << 18];
    size_t sizes[2];
    char *text = spec_of("return a + b; // again");
    for (int i = 0; i < 2; ++i) {
      jig_engine *engine = engine_with((jig_engine_config){0});
      jig_prewarm_result result;
      OK(jig_prewarm(engine, text, "sm_80", &result));
      ck_assert_int_eq(result.hit, 0);
      sizes[i] = file_read(entry_path(&result), bytes[i], sizeof bytes[i]);
      OK(jig_cache_clear(engine, NULL));
      jig_engine_destroy(engine);
    }
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], sizes[0]);
    jig_free(text);
  }
  engine_teardown();
}
END_TEST

/* ---- what does not compile */

static const jig_reduce_args floats = {.in = {.kind = JIG_ITER_POINTER, .type = JIG_F32},
                                       .out = {.kind = JIG_ITER_POINTER, .type = JIG_F32}};

/* Prewarms, is refused, and finds that nothing was left behind. */
static void check_refusal(const jig_reduce_args *args, jig_status status, const char *part) {
  char *text = NULL;
  OK(jig_reduce_spec(args, &text));
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_prewarm_result result = {.hit = 7};
  for (unsigned i = 1; i <= 2; ++i) { /* a failure is not kept either */
    FAILS(jig_prewarm(engine, text, "sm_90", &result), status, part);
    ck_assert_int_eq(result.hit, 7);
    ck_assert_uint_eq(stats_of(engine).failed_builds, i);
    ck_assert_uint_eq(stats_of(engine).misses, 0);
  }
  ck_assert_uint_eq(entries_in_cache(), 0);
  ck_assert_uint_eq(litter_in_cache(), 0);
  jig_engine_destroy(engine);
  jig_free(text);
}

START_TEST(errors_are_placed_in_the_callers_text) {
  if (begin("errors_are_placed_in_the_callers_text")) {
    jig_reduce_args args = floats;
    args.op = jig_op_source("float c = a;\nreturn c +\n       nothing;");
    check_refusal(&args, JIG_ERROR_COMPILE, "operator:3:8: error: identifier \"nothing\" is undefined");
    args.op = jig_op_function("float f(float a, float b) {\n  return a + nothing;\n}", "f");
    check_refusal(&args, JIG_ERROR_COMPILE, "operator:2:14: error: identifier \"nothing\" is undefined");
    args = floats;
    args.in = jig_iter_transform(&floats.in, jig_op_source("return x.y;"), JIG_F32);
    check_refusal(&args, JIG_ERROR_COMPILE, "operator of in:1:8: error:");
  }
  engine_teardown();
}
END_TEST

START_TEST(structs_that_are_wrong_are_named) {
  if (begin("structs_that_are_wrong_are_named")) {
    jig_reduce_args args = floats;
    args.op = jig_op_source("return a;");
    args.in.type = args.out.type = jig_struct("hit", "struct hit {\n  flot d;\n};", 4, 4);
    check_refusal(&args, JIG_ERROR_COMPILE, "struct hit:2:3: error: identifier \"flot\" is undefined");
    args.in.type = args.out.type = jig_struct("hit", "struct hit { float d; int id; };", 8, 8);
    check_refusal(&args, JIG_ERROR_TYPE_MISMATCH,
                  "struct 'hit': its definition has size 8 and alignment 4, jig_struct() was given size "
                  "8 and alignment 8");
  }
  engine_teardown();
}
END_TEST

/* ---- $JIG_DUMP */

static unsigned char dumped[1 << 18];

/* How large a dumped file is, once read into `dumped` and ended by a NUL; -1 if there is none. */
static int dumped_size(const char *key, const char *suffix) {
  const char *path = scratch_path("dump/%s.%s", key, suffix);
  if (!file_exists(path)) return -1;
  size_t size = file_read(path, dumped, sizeof dumped - 1);
  dumped[size] = '\0';
  return (int)size;
}

START_TEST(sources_logs_and_results_are_dumped) {
  if (begin("sources_logs_and_results_are_dumped")) {
    char *text = spec_of("return a + b; // dump"), *source = NULL;
    set_variable("JIG_DUMP", scratch_path("dump"));
    jig_engine *engine = engine_with((jig_engine_config){0});
    set_variable("JIG_DUMP", NULL); /* it was read when the engine was made */
    jig_prewarm_result result;
    OK(jig_prewarm(engine, text, "sm_90", &result));
    OK(jig_source(engine, text, "sm_90", &source));
    ck_assert_int_eq(dumped_size(result.key, "cu"), (int)strlen(source));
    ck_assert_str_eq((char *)dumped, source);
    ck_assert_int_gt(dumped_size(result.key, "log"), 0);
    ck_assert_ptr_nonnull(strstr((char *)dumped, "registers"));
    ck_assert_int_eq(dumped_size(result.key, "cubin"), (int)result.payload_bytes);
    ck_assert_mem_eq(dumped, "\177ELF", 4);
    ck_assert_uint_eq(files_count(scratch_path("dump"), ""), 3);
    OK(jig_prewarm(engine, text, "compute_90", &result));
    ck_assert_int_eq(dumped_size(result.key, "ptx"), (int)result.payload_bytes - 1); /* without its NUL */
    ck_assert_ptr_nonnull(strstr((char *)dumped, ".target sm_90"));
    ck_assert_uint_eq(strlen((char *)dumped), result.payload_bytes - 1);
    jig_free(source);
    jig_free(text);

    /* What does not compile is what one wants to see most. */
    text = spec_of("return a + nothing; // dump");
    unsigned before = files_count(scratch_path("dump"), "");
    FAILS(jig_prewarm(engine, text, "sm_90", &result), JIG_ERROR_COMPILE, "operator:1:12: error:");
    ck_assert_uint_eq(files_count(scratch_path("dump"), ""), before + 2);
    ck_assert_uint_eq(files_count(scratch_path("dump"), ".cu"), 4); /* one .cubin among them */
    ck_assert_uint_eq(files_count(scratch_path("dump"), ".log"), 3);
    jig_free(text);
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

static void place_link(const char *target, const char *key, const char *suffix) {
  (void)unlink(scratch_path("dump/%s.%s", key, suffix));
  ck_assert_int_eq(symlink(target, scratch_path("dump/%s.%s", key, suffix)), 0);
}

/* A link in place of a file is replaced; what it leads to stays as it is. */
START_TEST(dumps_do_not_go_through_links) {
  if (begin("dumps_do_not_go_through_links")) {
    static const char precious[] = "precious";
    static const char *const suffixes[] = {"cu", "log", "cubin"};
    char *text = spec_of("return a + b; // links");
    set_variable("JIG_DUMP", scratch_path("dump"));
    jig_engine *engine = engine_with((jig_engine_config){0});
    jig_prewarm_result result;
    OK(jig_prewarm(engine, text, "sm_90", &result)); /* which tells the names */
    file_write(scratch_path("file"), precious, sizeof precious);
    for (size_t i = 0; i < COUNT_OF(suffixes); ++i)
      place_link(i < 2 ? scratch_path("file") : "../nothing", result.key, suffixes[i]);
    OK(jig_cache_clear(engine, NULL));
    OK(jig_prewarm(engine, text, "sm_90", &result));
    ck_assert_int_eq(result.hit, 0);
    for (size_t i = 0; i < COUNT_OF(suffixes); ++i) {
      struct stat status;
      ck_assert_int_eq(lstat(scratch_path("dump/%s.%s", result.key, suffixes[i]), &status), 0);
      ck_assert(S_ISREG(status.st_mode) && status.st_size > 0);
    }
    ck_assert_uint_eq(file_read(scratch_path("file"), dumped, sizeof dumped), sizeof precious);
    ck_assert_mem_eq(dumped, precious, sizeof precious);
    ck_assert(!file_exists(scratch_path("nothing")));
    ck_assert_uint_eq(files_count(scratch_path("dump"), ""), 3); /* nothing is left beside */
    jig_engine_destroy(engine);
    jig_free(text);
  }
  engine_teardown();
}
END_TEST

START_TEST(dumping_is_never_in_the_way) {
  if (begin("dumping_is_never_in_the_way")) {
    char *text = spec_of("return a + b; // no dump");
    file_write(scratch_path("file"), "", 0);
    set_variable("JIG_DUMP", scratch_path("file/dump"));
    jig_engine *engine = engine_with((jig_engine_config){0});
    OK(jig_prewarm(engine, text, "compute_80", NULL));
    jig_engine_destroy(engine);
    set_variable("JIG_DUMP", scratch_path("dump"));
    engine = engine_with((jig_engine_config){0});
    OK(jig_prewarm(engine, text, "compute_80", NULL));
    ck_assert(!file_exists(scratch_path("dump"))); /* nothing was compiled */
    jig_engine_destroy(engine);
    jig_free(text);
  }
  engine_teardown();
}
END_TEST

/* ---- $JIG_TEMPLATE_PATH, which is read once */

static bool prewarm_templates(const char *folder, jig_status wanted, const char *part) {
  char *text = spec_of("return a + b; // templates");
  jig_prewarm_result result = {0};
  (void)(folder != NULL ? setenv("JIG_TEMPLATE_PATH", folder, 1) : unsetenv("JIG_TEMPLATE_PATH"));
  jig_status status = jig_prewarm(NULL, text, "compute_80", &result);
  bool right = status == wanted && strstr(jig_last_error(), part) != NULL;
  jig_free(text);
  return right && (status != JIG_SUCCESS || result.hit == (folder != NULL));
}

static bool templates_are_built_in(void) {
  return prewarm_templates(NULL, JIG_SUCCESS, "");
}
static bool templates_of_the_tree_are_those(void) {
  return prewarm_templates("templates", JIG_SUCCESS, "");
}
static bool templates_that_are_missing_are_named(void) {
  return prewarm_templates(
      "/nonexistent/templates", JIG_ERROR_INVALID_ARGUMENT,
      "$JIG_TEMPLATE_PATH, or a config's template_path: /nonexistent/templates/jig/");
}

START_TEST(templates_may_come_from_a_folder) {
  if (begin("templates_may_come_from_a_folder") && file_exists("templates/jig")) {
    ck_assert(is_true_in_a_child(templates_are_built_in));
    ck_assert(is_true_in_a_child(templates_of_the_tree_are_those));
    ck_assert(is_true_in_a_child(templates_that_are_missing_are_named));
  }
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(templates_may_come_from_a_folder), /* first: no compiler is running yet */
      SUITE_TEST(a_spec_is_compiled_and_then_found),
      SUITE_TEST(the_first_tier_is_not_missed_where_nothing_is_built),
      SUITE_TEST(every_architecture_has_an_entry),
      SUITE_TEST(the_same_request_makes_the_same_bytes),
      SUITE_TEST(errors_are_placed_in_the_callers_text),
      SUITE_TEST(structs_that_are_wrong_are_named),
      SUITE_TEST(sources_logs_and_results_are_dumped),
      SUITE_TEST(dumps_do_not_go_through_links),
      SUITE_TEST(dumping_is_never_in_the_way),
  };
  return SUITE_RUN("unit/prewarm", tests, false);
}
