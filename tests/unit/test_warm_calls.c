/* What a warm call costs the host: it allocates nothing, asks the driver nothing, finds its program and
 * no other, and takes no more instructions than it did, which are counted one by one. RENEW_WARM_CALLS=1
 * prints the counts, for the table below, where they are meant to change. */
#include <dlfcn.h>
#include <errno.h>
#include <jig/jig.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count_cases.h"
#include "engine/table.h"
#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { ITEMS = 1000, OTHERS = 10, MOST_CASES = 128 };

/* ---- calls */

static jig_engine *begin(void) {
  engine_setup();
  return engine_with((jig_engine_config){.background = JIG_SWITCH_OFF});
}

static void end(jig_engine *engine) {
  jig_engine_destroy(engine);
  engine_teardown();
}

static jig_status call(const count_case *c, jig_engine *engine, size_t *bytes) {
  void *storage = (void *)((uintptr_t)1 << 51);
  return c->call(engine, storage, bytes, ITEMS, OTHERS);
}

/* How much temp storage it asks for; it is warm then. */
static size_t warm(const count_case *c, jig_engine *engine) {
  size_t bytes = 0;
  OK(c->call(engine, NULL, &bytes, ITEMS, OTHERS));
  for (int i = 0; i < 3; ++i) OK(call(c, engine, &bytes));
  return bytes;
}

/* ---- what it asks for */

static unsigned long *counter(const char *name) {
  void *bare = dlopen(getenv("JIG_DRIVER"), RTLD_NOW);
  unsigned long *found = bare != NULL ? dlsym(bare, name) : NULL;
  ck_assert_ptr_nonnull(found);
  return found;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTS_ALLOCATIONS = 0 };
static unsigned long allocations;
#else
enum { COUNTS_ALLOCATIONS = 1 };
static unsigned long allocations;
extern void *__libc_malloc(size_t size);
void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

START_TEST(nothing_is_allocated_or_asked) {
  jig_engine *engine = begin();
  const unsigned long *enqueued = counter("bare_enqueued"), *queries = counter("bare_queries");
  char *some = malloc(1);
  ck_assert(!COUNTS_ALLOCATIONS || (some != NULL && allocations > 0));
  free(some);
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    size_t bytes = warm(c, engine);
    const unsigned long before[] = {*enqueued, *queries, allocations};
    const jig_status status = call(c, engine, &bytes);
    const unsigned long after[] = {*enqueued, *queries, allocations};
    OK(status);
    ck_assert_msg(after[0] > before[0], "%s: nothing is enqueued", c->name);
    ck_assert_msg(after[1] == before[1], "%s: %lu queries", c->name, after[1] - before[1]);
    ck_assert_msg(after[2] == before[2], "%s: %lu allocations", c->name, after[2] - before[2]);
  }
  end(engine);
}
END_TEST

/* How often it asks the driver when it takes temp storage for itself, or is asked how much it needs. */
static unsigned long queries_without_storage(const count_case *c, jig_engine *engine, size_t *bytes) {
  const unsigned long *queries = counter("bare_queries"), before = *queries;
  OK(c->call(engine, NULL, bytes, ITEMS, OTHERS));
  return *queries - before;
}

/* No more than which context is current, of each program that a call takes. */
START_TEST(what_is_resident_is_so_once) {
  enum { PROGRAMS = 2 };
  jig_engine *engine = begin();
  unsigned long *context = counter("bare_context");
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    size_t bytes = warm(c, engine);
    for (int round = 0; round < 2; ++round) {
      ck_assert_msg(queries_without_storage(c, engine, NULL) <= PROGRAMS, "%s", c->name);
      ck_assert_msg(queries_without_storage(c, engine, &bytes) <= PROGRAMS, "%s: the size query",
                    c->name);
      ++*context;
      ck_assert_msg(queries_without_storage(c, engine, NULL) > PROGRAMS, "%s: elsewhere", c->name);
    }
  }
  end(engine);
}
END_TEST

/* ---- what it finds in memory */

static jig_status call_with(jig_engine *engine, const char *text) {
  size_t bytes = 1;
  const jig_iter in = jig_pointer((void *)((uintptr_t)1 << 52), JIG_F32);
  return jig_transform_unary(engine, (void *)((uintptr_t)1 << 51), &bytes, in, in, ITEMS,
                             jig_op_source(text), NULL);
}

/* More of them than are remembered by their looks, by pointers of their own, and all by one. */
START_TEST(texts_are_read_each_time) {
  enum { TEXTS = 2 * TABLE_RECENT };
  static char texts[TEXTS][32], text[32];
  jig_engine *engine = begin();
  for (int round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < TEXTS; ++i) {
      (void)snprintf(texts[i], sizeof texts[i], "return x + %u;", i);
      (void)strcpy(text, texts[i]);
      OK(call_with(engine, texts[i]));
      OK(call_with(engine, text));
      ck_assert_uint_eq(stats_of(engine).misses, round == 0 ? i + 1 : TEXTS);
    }
  }
  end(engine);
}
END_TEST

START_TEST(what_is_reserved_is_refused_each_time) {
  jig_engine *engine = begin();
  size_t bytes = 0;
  jig_iter base = jig_pointer((void *)((uintptr_t)1 << 52), JIG_I32);
  const jig_transform_args args = {
      .in = &base, .num_inputs = 1, .out = base, .num_items = ITEMS, .op = jig_op_source("return x;")};
  for (int round = 0; round < 3; ++round) {
    OK(jig_transform(engine, NULL, &bytes, &args, NULL));
    base.op.reserved[1] = 1;
    FAILS(jig_transform(engine, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
          "reserved is not zero");
    base.op.reserved[1] = 0;
  }
  end(engine);
}
END_TEST

/* ---- how many instructions it takes: a child calls, and its parent has it stop after each one */

typedef struct count_row {
  const char *name;
  unsigned instructions;
} count_row;

/* By gcc 12 on x86-64 with -O2. */
static const count_row counted[] = {
#include "warm_calls.inc"
};

enum { MARK = SIGUSR1, TOO_MANY = 1000000 };

static void mark(void) {
  (void)raise(MARK);
}

/* Behind the cases: a prepared call as it is, and with another pointer. */
static const char *const prepared_names[] = {"prepared reduce", "prepared reduce, moved"};

static const char *name_of(size_t i) {
  size_t cases = 0;
  while (count_cases[cases].name != NULL) ++cases;
  if (i < cases) return count_cases[i].name;
  return i - cases < COUNT_OF(prepared_names) ? prepared_names[i - cases] : NULL;
}

static void launch_prepared(jig_engine *engine) {
  char *in = (char *)((uintptr_t)1 << 52);
  const jig_reduce_args args = {
      .in = jig_pointer(in, JIG_U8), .out = jig_pointer(in + ITEMS, JIG_U8), .num_items = ITEMS};
  void *storage = (void *)((uintptr_t)1 << 51);
  size_t bytes;
  jig_prepared *p;
  OK(JIG_PREPARE(engine, reduce, &args, &p));
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  OK(jig_prepared_launch(p, storage, &bytes, NULL));
  mark();
  (void)jig_prepared_launch(p, storage, &bytes, NULL);
  mark();
  mark();
  (void)jig_prepared_set_pointer(p, "in", in);
  (void)jig_prepared_launch(p, storage, &bytes, NULL);
  mark();
  jig_prepared_free(p);
}

/* Between two marks each: nothing, and then each case. */
_Noreturn static void call_all(void) {
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(2);
  (void)raise(SIGSTOP);
  jig_engine *engine = begin();
  mark();
  mark();
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    size_t bytes = warm(c, engine);
    mark();
    (void)call(c, engine, &bytes);
    mark();
  }
  launch_prepared(engine);
  end(engine);
  _exit(0);
}

/* Whether the child is where it was before: a `rep` is stepped through, but is one instruction. The C
 * library has them for large copies, or not, by where memory lies. */
static bool repeats(pid_t child, long *place) {
#ifdef __x86_64__
  const long before = *place;
  *place = ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rip), NULL);
  return *place == before;
#else
  (void)child, (void)place;
  return false;
#endif
}

/* From one mark to the next one; 0 if the child has ended, or is not stepped through here. */
static unsigned count_steps(pid_t child) {
  int status = 0;
  unsigned steps = 0;
  long place = 0;
  for (bool is_between = false;;) {
    const int request = is_between ? PTRACE_SINGLESTEP : PTRACE_CONT;
    if (ptrace(request, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) return 0;
    if (!WIFSTOPPED(status)) return 0;
    const bool is_mark = WSTOPSIG(status) == MARK;
    if (is_mark && is_between) return steps;
    is_between = is_between || is_mark;
    if (!is_between || is_mark || repeats(child, &place)) continue;
    if (++steps > TOO_MANY) return 0;
  }
}

static size_t count_all(unsigned counts[MOST_CASES]) {
  int status = 0;
  size_t count = 0;
  (void)fflush(NULL);
  const pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) call_all();
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  if (!WIFSTOPPED(status)) return 0;
  const unsigned of_marks = count_steps(child);
  while (of_marks > 0 && name_of(count) != NULL) {
    const unsigned steps = count_steps(child);
    if (steps == 0) break;
    ck_assert_uint_lt(count, MOST_CASES);
    counts[count++] = steps - of_marks;
  }
  (void)kill(child, SIGKILL);
  (void)waitpid(child, &status, 0);
  return count;
}

static unsigned counted_before(const char *name) {
  for (size_t i = 0; i < COUNT_OF(counted); ++i)
    if (strcmp(counted[i].name, name) == 0) return counted[i].instructions;
  return 0;
}

START_TEST(no_more_instructions_than_before) {
  unsigned counts[MOST_CASES];
  const size_t count = count_all(counts);
  const bool renew = getenv("RENEW_WARM_CALLS") != NULL;
  ck_assert_msg(count > 0 && name_of(count) == NULL, "case %zu could not be counted", count);
  for (size_t i = 0; i < count; ++i) {
    const char *name = name_of(i);
    const unsigned before = counted_before(name);
    if (renew) {
      printf("{\"%s\", %u},\n", name, counts[i]);
      continue;
    }
    ck_assert_msg(before > 0, "%s: no row in unit/warm_calls.inc; it takes %u", name, counts[i]);
    /* Compilers and processors differ in what they make of the same code. */
    ck_assert_msg(counts[i] <= before + before / 4, "%s: %u instructions, and %u before", name, counts[i],
                  before);
  }
}
END_TEST

/* By a sanitizer, of which compilers do not all tell. */
static bool is_instrumented(void) {
  return dlsym(RTLD_DEFAULT, "__asan_init") != NULL || dlsym(RTLD_DEFAULT, "__tsan_init") != NULL ||
         dlsym(RTLD_DEFAULT, "__ubsan_handle_type_mismatch_v1") != NULL;
}

/* Where code is instrumented, or not optimised, it takes others; and not everybody may step through. */
static bool can_count(void) {
#if !defined(__OPTIMIZE__) || !defined(__x86_64__)
  return false;
#else
  int status = 0;
  if (is_instrumented()) return false;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(2);
    (void)raise(SIGSTOP);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return false;
  const bool steps = ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 &&
                     waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
                     WSTOPSIG(status) == SIGTRAP;
  (void)kill(child, SIGKILL);
  (void)waitpid(child, &status, 0);
  return steps;
#endif
}

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(nothing_is_allocated_or_asked),    SUITE_TEST(what_is_resident_is_so_once),
      SUITE_TEST(texts_are_read_each_time),         SUITE_TEST(what_is_reserved_is_refused_each_time),
      SUITE_TEST(no_more_instructions_than_before),
  };
  if (!fakes_open_with("unit/warm_calls", "tests/unit/bare_cuda.c")) return EXIT_SUCCESS;
  const bool counts = can_count();
  if (!counts)
    printf("skipped: unit/warm_calls: no_more_instructions_than_before (other code, or no ptrace)\n");
  const int code = suite_run("unit/warm_calls", tests, COUNT_OF(tests) - !counts, false);
  fakes_close();
  return code;
}
