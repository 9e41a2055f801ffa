#include "engine_support.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reduce_support.h"
#include "store_support.h"

/* ---- surroundings */

void set_variable(const char *name, const char *value) {
  ck_assert_int_eq(value != NULL ? setenv(name, value, 1) : unsetenv(name), 0);
}

void engine_setup(void) {
  static const char *const others[] = {"JIG_CACHE_PATH",
                                       "JIG_RECORD",
                                       "JIG_CACHE_MAX_SIZE",
                                       "JIG_CACHE_COMPILER",
                                       "JIG_BUILD",
                                       "JIG_JOBS",
                                       "JIG_DUMP",
                                       "JIG_DEBUG_SYNC",
                                       "JIG_FIRST_TIER",
                                       "JIG_LOG",
                                       "JIG_BACKGROUND",
                                       "JIG_TEMPLATE_PATH",
                                       "FAKE_NVRTC_MS",
                                       "FAKE_NVRTC_FAIL",
                                       "FAKE_NVRTC_SLOW",
                                       "FAKE_NVRTC_STOPS",
                                       "FAKE_NVRTC_NICE",
                                       "FAKE_NVRTC_CODE",
                                       "FAKE_NVRTC_UNTIL",
                                       "FAKE_NVRTC_BUSY",
                                       "FAKE_FAIL",
                                       "FAKE_DEVICES",
                                       "FAKE_REFUSE",
                                       "FAKE_UNFIT",
                                       "FAKE_DAMAGED",
                                       "FAKE_KERNELS",
                                       "FAKE_CAPTURING",
                                       "FAKE_SM",
                                       "FAKE_MULTIPROCESSORS",
                                       "JIG_INCLUDE_PATH",
                                       "JIG_COMPILE_OPTIONS"};
  scratch_setup();
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) set_variable(others[i], NULL);
  set_variable("JIG_CACHE_DIR", scratch_path("cache"));
  set_variable("JIG_WISDOM", "/dev/null");
  set_variable("FAKE_NVRTC_LOG", scratch_path("compiled"));
}

void engine_teardown(void) {
  scratch_teardown();
}

jig_engine *engine_with(jig_engine_config config) {
  jig_engine *engine = NULL;
  OK(jig_engine_create(&engine, &config));
  ck_assert_ptr_nonnull(engine);
  return engine;
}

jig_engine_stats stats_of(jig_engine *engine) {
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  return stats;
}

char *spec_of_op(jig_op op) {
  char *text = NULL;
  const jig_reduce_args args = {
      .in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32), .op = op};
  OK(jig_reduce_spec(&args, &text));
  return text;
}

char *spec_of(const char *body) {
  return spec_of_op(jig_op_source(body));
}

unsigned entries_in_cache(void) {
  return files_count(scratch_path("cache"), ".jig");
}

unsigned litter_in_cache(void) {
  static const char *const kept[] = {"usage", "stats", "CACHEDIR.TAG"};
  unsigned litter = files_count(scratch_path("cache"), "") - entries_in_cache();
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
    litter -= files_count(scratch_path("cache"), kept[i]);
  return litter;
}

bool is_mapped(const char *library) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, library) != NULL;
  if (maps != NULL) (void)fclose(maps);
  return found;
}

/* ---- threads and processes */

typedef struct crew {
  pthread_barrier_t start;
  void (*work)(void *user, int number);
  void *user;
} crew;

typedef struct member {
  pthread_t thread;
  crew *of;
  int number;
} member;

static void *join_in(void *argument) {
  const member *me = argument;
  (void)pthread_barrier_wait(&me->of->start);
  me->of->work(me->of->user, me->number);
  return NULL;
}

void run_together(int threads, void (*work)(void *user, int number), void *user) {
  enum { MOST = 64 };
  member members[MOST];
  crew all = {.work = work, .user = user};
  ck_assert_int_le(threads, MOST);
  ck_assert_int_eq(pthread_barrier_init(&all.start, NULL, (unsigned)threads), 0);
  for (int i = 0; i < threads; ++i) {
    members[i] = (member){.of = &all, .number = i};
    ck_assert_int_eq(pthread_create(&members[i].thread, NULL, join_in, &members[i]), 0);
  }
  for (int i = 0; i < threads; ++i) ck_assert_int_eq(pthread_join(members[i].thread, NULL), 0);
  (void)pthread_barrier_destroy(&all.start);
}

typedef struct small_thread {
  void (*work)(void *user); /* NULL: none */
  void *user;
} small_thread;

static void *work_there(void *argument) {
  const small_thread *t = argument;
  if (t->work != NULL) t->work(t->user);
  return NULL;
}

static bool try_with_stack(size_t size, small_thread t) {
  pthread_attr_t attributes;
  pthread_t thread;
  ck_assert_int_eq(pthread_attr_init(&attributes), 0);
  const bool done = pthread_attr_setstacksize(&attributes, size) == 0 &&
                    pthread_create(&thread, &attributes, work_there, &t) == 0;
  if (done) ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
  return done;
}

void run_with_stack(size_t size, void (*work)(void *user), void *user) {
  enum { STEP = 16 << 10 };
  size_t variables = STEP;
  while (!try_with_stack(variables, (small_thread){NULL, NULL})) variables += STEP;
  ck_assert(try_with_stack(variables + size, (small_thread){work, user}));
}

/* Says it, and ends at once: to what looks for leaks at an exit, all is lost that the parent's other
 * threads had when they were left behind. */
_Noreturn static void answer(int pipe_end, bool truth) {
  (void)!write(pipe_end, truth ? "y" : "n", 1);
  for (;;) (void)kill(getpid(), SIGKILL);
}

bool is_true_in_children(int count, bool (*test)(void)) {
  enum { MOST = 16 };
  pid_t children[MOST];
  int ends[2], yes = 0;
  char said;
  ck_assert_int_le(count, MOST);
  ck_assert_int_eq(pipe(ends), 0);
  (void)fflush(NULL);
  for (int i = 0; i < count; ++i) {
    children[i] = fork();
    ck_assert_int_ge(children[i], 0);
    if (children[i] != 0) continue;
    (void)alarm(120);
    answer(ends[1], test());
  }
  (void)close(ends[1]);
  for (int i = 0; i < count; ++i) ck_assert_int_eq(waitpid(children[i], NULL, 0), children[i]);
  while (read(ends[0], &said, 1) == 1) yes += said == 'y';
  (void)close(ends[0]);
  return yes == count;
}

bool is_true_in_a_child(bool (*test)(void)) {
  return is_true_in_children(1, test);
}

/* ---- stand-ins */

static char folder[] = "/tmp/jig-fakes-XXXXXX";

static bool compile_library(const char *source, const char *variable, const char *name) {
  const char *cc = getenv("CC"), *cuda = getenv("CUDA_HOME");
  char command[4096], library[256];
  (void)snprintf(library, sizeof library, "%s/%s", folder, name);
  (void)snprintf(command, sizeof command, "%s -O1 -shared -fPIC -I%s/include -o %s %s -lpthread",
                 cc != NULL ? cc : "cc", cuda != NULL ? cuda : "/usr/local/cuda", library, source);
  return system(command) == 0 && setenv(variable, library, 1) == 0;
}

static bool open_fakes(const char *suite, const char *driver, bool with_compiler) {
  if (mkdtemp(folder) != NULL &&
      (!with_compiler || compile_library("tests/unit/fake_nvrtc.c", "JIG_NVRTC", "nvrtc.so")) &&
      compile_library(driver, "JIG_DRIVER", "cuda.so")) {
    return true;
  }
  printf("skipped: %s: all (no C compiler, no CUDA headers, or not run from the tree's root)\n", suite);
  fakes_close();
  return false;
}

bool fakes_open(const char *suite) {
  return open_fakes(suite, "tests/cli/fake_cuda.c", true);
}

bool fakes_open_with(const char *suite, const char *driver) {
  return open_fakes(suite, driver, true);
}

bool fake_driver_open(const char *suite) {
  return open_fakes(suite, "tests/cli/fake_cuda.c", false);
}

void fakes_close(void) {
  static const char *const names[] = {"nvrtc.so", "cuda.so"};
  char path[256];
  for (int i = 0; i < 2; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    (void)unlink(path);
  }
  (void)rmdir(folder);
}

void fake_compile_ms(int ms) {
  char text[16];
  (void)snprintf(text, sizeof text, "%d", ms);
  set_variable("FAKE_NVRTC_MS", text);
}

fake_compilations fake_compiled(void) {
  fake_compilations all = {0, 0};
  FILE *log = fopen(scratch_path("compiled"), "r");
  int at_once;
  while (log != NULL && fscanf(log, "%d", &at_once) == 1) {
    ++all.count;
    if (at_once > all.most_at_once) all.most_at_once = at_once;
  }
  if (log != NULL) (void)fclose(log);
  return all;
}
