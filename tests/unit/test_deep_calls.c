/* Compilers run in threads of jig's own: that these have the stack that nested texts take, whatever the
 * caller has; and that nobody else notices. */
#include <errno.h>
#include <jig/jig.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "binaries.h"
#include "engine_support.h"
#include "jit/compiler.h"
#include "jit/linker.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "util/deep_call.h"
#include "util/error.h"
#include "util/text.h"

static bool has_compiler(const char *test) {
  if (compiler_get() != NULL) return true;
  printf("skipped: unit/deep_calls: %s (no NVRTC)\n", test);
  return false;
}

static bool has_linker(const char *test) {
  if (!has_compiler(test)) return false;
  if (linker_get() != NULL) return true;
  printf("skipped: unit/deep_calls: %s (no nvJitLink)\n", test);
  return false;
}

/* ---- the calls */

/* Every call in a thread of its own, or all in one. */
static deep_thread one_thread = DEEP_THREAD_INITIALIZER;
static bool in_one;

static jig_status call(deep_function *function, void *argument) {
  return in_one ? deep_thread_call(&one_thread, function, argument) : deep_call(function, argument);
}

static jig_status use_stack(void *argument) {
  enum { MOST = (DEEP_STACK_MIB - 16) << 20 }; /* sanitizers take some */
  volatile char *used = __builtin_alloca(MOST);
  for (size_t i = 0; i < MOST; i += 4096) used[i] = 1;
  *(pthread_t *)argument = pthread_self();
  return JIG_SUCCESS;
}

static jig_status fail_with(void *argument) {
  return error_set(JIG_ERROR_COMPILE, "%s", (const char *)argument);
}

START_TEST(calls_have_stack_and_tell_errors) {
  static char short_error[] = "a reason", long_error[5000];
  memset(long_error, 'x', sizeof long_error - 1);
  for (in_one = false;; in_one = true) {
    pthread_t threads[2];
    OK(error_set(JIG_SUCCESS, "before"));
    for (int i = 0; i < 2; ++i) OK(call(use_stack, &threads[i]));
    ck_assert(!pthread_equal(threads[0], pthread_self()));
    if (in_one) ck_assert(pthread_equal(threads[0], threads[1]));
    ck_assert_str_eq(jig_last_error(), "before");
    FAILS(call(fail_with, short_error), JIG_ERROR_COMPILE, "a reason");
    FAILS(call(fail_with, long_error), JIG_ERROR_COMPILE, long_error);
    OK(call(use_stack, &threads[0]));
    if (in_one) break;
  }
}
END_TEST

/* Many callers, of whom each gets its own answer. */
static jig_status square(void *argument) {
  *(int *)argument *= *(int *)argument;
  return *(int *)argument % 2 == 0 ? JIG_SUCCESS : error_set(JIG_ERROR_COMPILE, "%d", *(int *)argument);
}

static void square_often(void *user, int number) {
  atomic_int *wrong = user;
  for (int i = 0; i < 200; ++i) {
    const int n = 1000 * number + i;
    int squared = n;
    char expected[16];
    const jig_status status = call(square, &squared);
    (void)snprintf(expected, sizeof expected, "%d", n * n);
    const bool right = n % 2 == 0
                           ? status == JIG_SUCCESS
                           : status == JIG_ERROR_COMPILE && strcmp(jig_last_error(), expected) == 0;
    if (!right || squared != n * n) atomic_fetch_add(wrong, 1);
  }
}

START_TEST(answers_go_to_who_asked) {
  atomic_int wrong = 0;
  for (in_one = false;; in_one = true) {
    run_together(8, square_often, &wrong);
    ck_assert_int_eq(wrong, 0);
    if (in_one) break;
  }
}
END_TEST

/* ---- signals, cancellation, forks */

static _Atomic(pthread_t) handled_by;
static atomic_int handled;

static void handle(int signal) {
  (void)signal;
  handled_by = pthread_self();
  ++handled;
}

static jig_status raise_for_the_process(void *argument) {
  for (int i = 0; i < 100; ++i) {
    (void)kill(getpid(), SIGUSR1);
    (void)usleep(100);
  }
  *(pthread_t *)argument = pthread_self();
  return JIG_SUCCESS;
}

START_TEST(signals_are_for_the_callers_threads) {
  const struct sigaction action = {.sa_handler = handle};
  ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
  for (in_one = false;; in_one = true) {
    sigset_t before, after;
    pthread_t there;
    handled = 0;
    (void)sigemptyset(&before);
    (void)sigemptyset(&after);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    OK(call(raise_for_the_process, &there));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    ck_assert_int_gt(handled, 0);
    ck_assert(pthread_equal(handled_by, pthread_self()));
    for (int signal = 1; signal < SIGRTMIN; ++signal)
      ck_assert_int_eq(sigismember(&before, signal), sigismember(&after, signal));
    if (in_one) break;
  }
}
END_TEST

typedef struct cancelled {
  atomic_bool begun, ended;
} cancelled;

static jig_status take_time(void *argument) {
  cancelled *c = argument;
  c->begun = true;
  (void)usleep(200000);
  c->ended = true;
  return JIG_SUCCESS;
}

static void *call_and_be_cancelled(void *argument) {
  (void)call(take_time, argument);
  for (;;) pthread_testcancel();
  return NULL;
}

START_TEST(callers_are_cancelled_afterwards) {
  for (in_one = false;; in_one = true) {
    cancelled c = {false, false};
    pthread_t thread;
    void *outcome;
    ck_assert_int_eq(pthread_create(&thread, NULL, call_and_be_cancelled, &c), 0);
    while (!c.begun) (void)usleep(1000);
    ck_assert_int_eq(pthread_cancel(thread), 0);
    ck_assert_int_eq(pthread_join(thread, &outcome), 0);
    ck_assert_ptr_eq(outcome, PTHREAD_CANCELED);
    ck_assert(c.ended);
    if (in_one) break;
  }
}
END_TEST

static bool a_child_can_call(void) {
  pthread_t there;
  if (in_one) deep_thread_after_fork(&one_thread);
  return call(use_stack, &there) == JIG_SUCCESS;
}

START_TEST(children_have_threads_of_their_own) {
  for (in_one = false;; in_one = true) {
    pthread_t there;
    OK(call(use_stack, &there));
    ck_assert(is_true_in_a_child(a_child_can_call));
    if (in_one) break;
  }
}
END_TEST

/* Where there is no room for the stack, as with `ulimit -v`. */
__attribute__((unused)) static bool there_is_no_room(void) {
  const struct rlimit little = {(rlim_t)64 << 20, (rlim_t)64 << 20};
  pthread_t there;
  one_thread = (deep_thread)DEEP_THREAD_INITIALIZER;
  return setrlimit(RLIMIT_AS, &little) == 0 && call(use_stack, &there) == JIG_ERROR_OUT_OF_MEMORY &&
         strstr(jig_last_error(), "a thread with a stack of 256 MiB") != NULL;
}

START_TEST(no_room_is_an_error) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  printf("skipped: unit/deep_calls: no_room_is_an_error (a sanitizer takes all the room there is)\n");
#else
  for (in_one = false;; in_one = true) {
    ck_assert(is_true_in_a_child(there_is_no_room));
    if (in_one) break;
  }
#endif
}
END_TEST

/* ---- builds by callers with little stack */

typedef struct caller {
  jig_op op;
  const char *target;
  jig_status status;
  char error[256];
} caller;

static void build_there(void *argument) {
  caller *c = argument;
  char *spec = spec_of_op(c->op);
  c->status = jig_prewarm(NULL, spec, c->target, NULL);
  (void)snprintf(c->error, sizeof c->error, "%s", jig_last_error());
  jig_free(spec);
}

static void build_with_little_stack(caller *c) {
  run_with_stack(128 << 10, build_there, c);
}

START_TEST(callers_need_little_stack) {
  engine_setup();
  if (has_linker("callers_need_little_stack")) {
    static const char function[] =
        "extern \"C\" __device__ float add(float a, float b) { return a + b; }";
    const binary *ir = binary_make(BY_NVRTC, BINARY_LTO_IR, function, 75);
    caller callers[] = {{.op = jig_op_source("return a + b; // little stack"), .target = "sm_90"},
                        {.op = jig_op_source("return a + b; // little stack"), .target = "compute_90"},
                        {.op = binary_op(ir, "add"), .target = "sm_90"},
                        {.op = jig_op_source("return a + c;"), .target = "sm_90"}};
    for (size_t i = 0; i < 3; ++i) {
      build_with_little_stack(&callers[i]);
      ck_assert_msg(callers[i].status == JIG_SUCCESS, "%zu: %s", i, callers[i].error);
    }
    build_with_little_stack(&callers[3]);
    ck_assert_int_eq(callers[3].status, JIG_ERROR_COMPILE);
    ck_assert_ptr_nonnull(
        strstr(callers[3].error, "operator:1:12: error: identifier \"c\" is undefined"));
  }
  engine_teardown();
}
END_TEST

/* ---- texts that are nested as deep as they may be */

typedef struct nested {
  const char *before, *open, *middle, *close, *after;
  int times;
} nested;

START_TEST(compilers_have_the_stack_for_what_is_accepted) {
  static const nested texts[] = {
      {"return ", "(", "a", ")", ";", 990},
      {"return ", "f(", "a", ")", ";", 990},
      {"return ", "float{", "a", "}", ";", 990},
      {"int t[] = {0}; return ", "t[", "0", "]", ";", 990},
      {"", "{", "", "}", "return a;", 990},
      {"return ", "- f(", "a", ")", ";", 990},
      {"return ", "- ", "a", "", ";", 39900},
      {"return ", "(float)", "a", "", ";", 39900},
      {"return ", "*&", "a", "", ";", 19900},
      {"return ", "sizeof ", "a", "", ";", 39900},
      {"return ", "a + (", "a", ")", ";", 990},
      {"\n#if ", "!", "1", "", "\n#endif\nreturn a;", 39900},
      {"\n#if ", "(", "1", ")", "\n#endif\nreturn a;", 19900},
      {"struct g { g operator()() const { return *this; } float x; }; return g{}", "()", "", "", ".x;",
       10000},
      /* and what is not C++, which is found out at the deepest place */
      {"return ", "(", "", "", ";", 0},
      {"return ", "(&", "", ")", ";", 990},
      {"return ", "bitand ", "i", "", ";", 39900},
  };
  engine_setup();
  if (has_compiler("compilers_have_the_stack_for_what_is_accepted")) {
    for (size_t i = 0; i < COUNT_OF(texts); ++i) {
      const nested *n = &texts[i];
      text t = {0};
      text_add(&t, "float f(float x) { return x; }\nfloat add(float a, float b) { ");
      text_add(&t, n->before);
      for (int k = 0; k < n->times; ++k) text_add(&t, n->open);
      text_add(&t, n->middle);
      for (int k = 0; k < n->times; ++k) text_add(&t, n->close);
      text_add(&t, n->after);
      text_add(&t, " }");
      char *source = text_take(&t);
      caller c = {.op = jig_op_function(source, "add"), .target = "compute_90"};
      build_with_little_stack(&c);
      ck_assert_msg(c.status == JIG_SUCCESS || c.status == JIG_ERROR_COMPILE, "%s%s: %.200s", n->before,
                    n->open, c.error);
      free(source);
    }
  }
  engine_teardown();
}
END_TEST

/* ---- nvJitLink keeps a lock when it refuses machine code; as if it knew the code's GPU better than jig
 */

static const char two_functions[] =
    "extern \"C\" __device__ float add(float a, float b) { return a + b; }\n"
    "extern \"C\" __device__ float neg(float a) { return -a; }";

static jig_op unknown_cubin(unsigned char *copy, size_t size) {
  const binary *b = binary_make(BY_NVRTC, BINARY_CUBIN, two_functions, 80);
  ck_assert_uint_le(b->size, size);
  memcpy(copy, b->data, b->size);
  copy[8] = 0xff; /* the version of the ABI */
  return jig_op_binary(JIG_FORMAT_CUBIN, copy, b->size, "add");
}

static bool a_child_does_not_hang(void) {
  static const char another[] = "extern \"C\" __device__ float add(float a, float b) { return b + a; }";
  const binary *b = binary_make(BY_NVRTC, BINARY_CUBIN, another, 90);
  caller c = {.op = binary_op(b, "add"), .target = "sm_90"};
  (void)alarm(60);
  build_there(&c);
  return c.status == JIG_ERROR_NO_COMPILER && strstr(c.error, "before this process was forked") != NULL;
}

START_TEST(refused_machine_code_is_in_nobodys_way) {
  engine_setup();
  if (has_linker("refused_machine_code_is_in_nobodys_way")) {
    static unsigned char copy[1 << 16];
    jig_engine *engine = engine_with((jig_engine_config){0}); /* forks are watched */
    caller refused = {.op = unknown_cubin(copy, sizeof copy), .target = "sm_90"};
    const binary *sound = binary_make(BY_NVRTC, BINARY_CUBIN, two_functions, 90);
    caller c = {.op = binary_op(sound, "add"), .target = "sm_90"};
    build_with_little_stack(&refused);
    ck_assert_int_eq(refused.status, JIG_ERROR_COMPILE);
    build_with_little_stack(&c); /* another thread */
    ck_assert_msg(c.status == JIG_SUCCESS, "%s", c.error);
    ck_assert(is_true_in_a_child(a_child_does_not_hang));
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(calls_have_stack_and_tell_errors),
      SUITE_TEST(answers_go_to_who_asked),
      SUITE_TEST(signals_are_for_the_callers_threads),
      SUITE_TEST(callers_are_cancelled_afterwards),
      SUITE_TEST(children_have_threads_of_their_own),
      SUITE_TEST(no_room_is_an_error),
      SUITE_TEST(callers_need_little_stack),
      SUITE_TEST(compilers_have_the_stack_for_what_is_accepted),
      SUITE_TEST(refused_machine_code_is_in_nobodys_way),
  };
  return SUITE_RUN("unit/deep_calls", tests, false);
}
