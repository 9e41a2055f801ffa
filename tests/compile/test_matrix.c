/* Whatever jig claims compiles for every architecture that it claims, and what it costs. The specs are in
 * specs_*.c, a file for each family of algorithms; support/compile_matrix.h says which of their kernels
 * one run compiles.
 *
 * Needs NVRTC and no GPU. Writes registers, shared memory and spills of every program to
 * $BUILD/tests/compile_matrix.csv. With JIG_TEST_MATRIX_LIST set it compiles nothing and lists what it
 * would. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile_matrix.h"
#include "specs.h"
#include "suite.h"

enum { MAX_SPECS = 2048 };

static struct {
  compile_spec specs[MAX_SPECS];
  bool may_spill[MAX_SPECS];
  size_t count;
  int traits; /* of what is being added */
} all;

void specs_go(int traits) {
  all.traits = traits;
}

void specs_add(char *text, bool may_spill) {
  ck_assert_msg(text != NULL && all.count < MAX_SPECS, "%s", jig_last_error());
  all.may_spill[all.count] = may_spill;
  all.specs[all.count++] =
      (compile_spec){text, (all.traits & SPECS_EVERYWHERE) != 0, (all.traits & SPECS_OF_PRODUCT) != 0};
}

static void add_everything(void) {
  for (const specs_family *const *family = specs_families; *family != NULL; ++family) {
    specs_go(0);
    (*family)->add();
  }
}

/* ---- compiling on every processor */

static struct {
  compile_plan plan;
  atomic_size_t next, failed, done;
  build_settings settings;
  FILE *csv;
  pthread_mutex_t mutex;
} run = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex held. */
static void report_kernel(const compile_job *job, const artifact *a) {
  const char *text = all.specs[job->spec].text;
  if (a->cost.spill_bytes > 0 && !all.may_spill[job->spec]) {
    ++run.failed;
    fprintf(stderr, "%s %s: %s spills registers\n", a->target.name, text, a->name);
  }
  if (run.csv == NULL) return;
  fprintf(run.csv, "%s,%s,%d,%d,%d,%zu,%.1f,\"", a->target.name, a->name, a->cost.registers,
          a->cost.shared_bytes, a->cost.spill_bytes, a->payload_size, a->compile_ms);
  for (const char *c = text; *c != '\0'; ++c) fprintf(run.csv, *c == '"' ? "\"\"" : "%c", *c);
  fprintf(run.csv, "\"\n");
}

static void compile_one(const compile_job *job) {
  parsed_spec parsed;
  artifact made;
  const char *text = all.specs[job->spec].text;
  const bool sound = spec_parse(text, algorithm_schema, &parsed) == JIG_SUCCESS;
  algorithm_programs programs = {.count = 0};
  if (sound) programs = algorithm_programs_of(&parsed.s);
  const bool built = sound && build_kernel(&run.settings, &programs.of[job->program], job->kernel,
                                           &job->target, &made) == JIG_SUCCESS;
  (void)pthread_mutex_lock(&run.mutex);
  if (built) {
    report_kernel(job, &made);
  } else {
    ++run.failed;
    fprintf(stderr, "%s %s: %s: %s\n", job->target.name, text, job->kernel->name, jig_last_error());
  }
  ++run.done;
  (void)pthread_mutex_unlock(&run.mutex);
  if (sound) parsed_spec_free(&parsed);
  if (built) artifact_free(&made);
}

static void *compile_some(void *unused) {
  for (size_t i; (i = run.next++) < run.plan.count;) compile_one(&run.plan.jobs[i]);
  return unused;
}

static void compile_all(void) {
  enum { MAX_THREADS = 64 };
  pthread_t threads[MAX_THREADS];
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t count = processors > 0 && processors < MAX_THREADS ? (size_t)processors : 1;
  const store_config no_cache = {0};
  run.settings = (build_settings){.cache = store_open(&no_cache), .jobs = MAX_THREADS};
  for (size_t i = 0; i < count; ++i)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_some, NULL), 0);
  for (size_t i = 0; i < count; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  store_close(run.settings.cache);
}

/* What would be compiled, a line each. */
static void list_all(void) {
  for (size_t i = 0; i < run.plan.count; ++i) {
    const compile_job *job = &run.plan.jobs[i];
    printf("%s %s %s\n", job->target.name, job->kernel->name, all.specs[job->spec].text);
  }
}

/* Keeps the kernels whose names have this in them. */
static void keep_only(compile_plan *plan, const char *name) {
  size_t kept = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    if (strstr(plan->jobs[i].kernel->name, name) != NULL) plan->jobs[kept++] = plan->jobs[i];
  }
  plan->count = kept;
}

START_TEST(everything_compiles_everywhere) {
  const bool lists_only = getenv("JIG_TEST_MATRIX_LIST") != NULL;
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/tests/compile_matrix.csv",
                 getenv("BUILD") != NULL ? getenv("BUILD") : "build");
  add_everything();
  run.plan = compile_plan_of(all.specs, all.count);
  const char *only = getenv("JIG_TEST_MATRIX_ONLY");
  if (only != NULL) keep_only(&run.plan, only);
  run.csv = lists_only ? NULL : fopen(path, "w");
  if (run.csv != NULL)
    fprintf(run.csv, "arch,kernel,registers,shared_bytes,spill_bytes,cubin_bytes,compile_ms,spec\n");
  if (lists_only)
    list_all();
  else
    compile_all();
  if (run.csv != NULL) (void)fclose(run.csv);
  const char *again = compile_plan_again(&run.plan);
  printf("%zu specs, %zu kernels, %zu of them compiled; the same again: %s\n", all.count, run.plan.count,
         (size_t)run.done, again);
  for (size_t i = 0; i < all.count; ++i) jig_free((char *)(uintptr_t)all.specs[i].text);
  free(run.plan.jobs);
  ck_assert_msg(run.failed == 0, "%zu kernels went wrong; the same again: %s", (size_t)run.failed, again);
}
END_TEST

int main(void) {
  if (compiler_get() == NULL) {
    printf("skipped: compile/matrix: everything_compiles_everywhere (no NVRTC)\n");
    return EXIT_SUCCESS;
  }
  /* Minutes on two idle processors; all of it takes more than half an hour. */
  const char *mode = getenv("JIG_TEST_MATRIX");
  (void)setenv("CK_TIMEOUT_MULTIPLIER", mode != NULL && strcmp(mode, "full") == 0 ? "24" : "4", 0);
  static const suite_test tests[] = {SUITE_TEST(everything_compiles_everywhere)};
  return SUITE_RUN("compile/matrix", tests, false);
}
