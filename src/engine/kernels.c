#include "engine/kernels.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/obtain.h"
#include "jit/binary.h"
#include "jit/first_tier.h"
#include "jit/jobs.h"
#include "util/cancel.h"
#include "util/error.h"
#include "util/log.h"
#include "util/thread.h"

/* A program that waits for the background. */
typedef struct job {
  struct job *next;
  jig_engine *engine;
  program *p;
  kernel_set left;
  kernel_set unprepared; /* those of which the first tier may lack what it links */
} job;

static struct {
  pthread_mutex_t mutex; /* guards what follows, and what programs have for this file */
  pthread_cond_t changed;
  job *first;
  const jig_engine *current; /* whose kernel is being compiled; NULL: nothing is */
  atomic_bool cancelled;     /* that is in vain */
  bool stopped;              /* the process ends */
  bool started, ended;       /* the thread, which is to be joined */
  pthread_t thread;
} the = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void lock(void) {
  (void)pthread_mutex_lock(&the.mutex);
}

static void unlock(void) {
  (void)pthread_mutex_unlock(&the.mutex);
}

/* ---- calls */

/* Those of the needed ones that nobody is at, with what the background has made of them; waits if there
 * are none. None at all: they are loaded. What is to replace the first tier is not waited for. */
static kernel_set claim(program *p, kernel_set needed, artifacts *given) {
  kernel_set missing, claimed;
  given->built = 0;
  lock();
  for (;;) {
    missing = needed & ~atomic_load(&p->loaded);
    claimed = (missing | (needed & atomic_load(&p->better))) & ~p->under_way;
    if (missing == 0 || claimed != 0) break;
    (void)pthread_cond_wait(&the.changed, &the.mutex);
  }
  p->under_way |= claimed;
  atomic_fetch_and(&p->better, ~claimed);
  for (int i = 0; i < p->count; ++i) {
    if (!kernel_set_has(claimed, i) || p->built[i] == NULL) continue;
    given->of[i] = *p->built[i];
    given->built |= kernel_set_of(i);
    free(p->built[i]);
    p->built[i] = NULL;
  }
  unlock();
  return claimed;
}

static void release(program *p, kernel_set claimed) {
  lock();
  p->under_way &= ~claimed;
  (void)pthread_cond_broadcast(&the.changed);
  unlock();
}

/* Without what was to replace the first tier there is still that. */
static jig_status obtain(jig_engine *engine, program *p, kernel_set claimed, artifacts *given) {
  jig_status status = obtain_kernels(engine, p, claimed, given);
  if (status == JIG_SUCCESS) return status;
  engine_count_failure(engine);
  if ((claimed & ~atomic_load(&p->loaded)) != 0) return status;
  log_info("kernels stay as they were linked: %s", jig_last_error());
  error_clear();
  return JIG_SUCCESS;
}

jig_status kernels_have(jig_engine *engine, program *p, kernel_set needed) {
  artifacts given;
  jig_status status = JIG_SUCCESS;
  const int cancelling = cancel_put_off();
  for (kernel_set claimed; status == JIG_SUCCESS && (claimed = claim(p, needed, &given)) != 0;) {
    status = obtain(engine, p, claimed, &given);
    release(p, claimed);
    if ((claimed & atomic_load(&p->linked)) != 0) kernels_begin_rest(engine, p);
  }
  cancel_allow(cancelling);
  return status;
}

/* ---- the end of the process */

/* With the lock held. */
static void forget_jobs(void) {
  for (job *j; (j = the.first) != NULL; free(j)) the.first = j->next;
}

/* With the lock held. */
static void cancel_current(void) {
  atomic_store(&the.cancelled, true);
  jobs_wake();
}

/* At the end of the process. What the compiler has registered to be done then must not be done while it
 * compiles. */
static void stop(void) {
  lock();
  the.stopped = true;
  forget_jobs();
  cancel_current();
  const bool has_thread = the.started;
  the.started = false;
  unlock();
  if (has_thread) (void)pthread_join(the.thread, NULL);
}

/* What is registered last is done first, and the compiler registers most with the first text that it
 * compiles, but may do so at any time. So nothing is compiled in the background before something else
 * was, and this is registered anew for each kernel. Where the process ends in its main thread, as it
 * mostly does, that thread's own destructors come before all of these; in C++ they are those of
 * thread_local objects. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void stop_in_main_thread(void *unused) {
  (void)unused;
  stop();
}

static void begin_in_main_thread(void) {
  static atomic_bool begun;
  const bool is_main = getpid() == (pid_t)syscall(SYS_gettid);
  if (!is_main || __cxa_thread_atexit_impl == NULL || atomic_exchange(&begun, true)) return;
  (void)__cxa_thread_atexit_impl(stop_in_main_thread, NULL, &__dso_handle);
}

/* ---- the background */

/* Kernels that are loaded as they are to stay. */
static kernel_set final_kernels(const program *p) {
  return atomic_load(&p->loaded) & ~atomic_load(&p->linked);
}

/* The first of a set, of those that are urgent if there is one. */
static int take_one(kernel_set *set, kernel_set urgent) {
  const int first = __builtin_ctz((*set & urgent) != 0 ? *set & urgent : *set);
  *set &= ~kernel_set_of(first);
  return first;
}

/* What is to be done for one kernel. */
typedef struct task {
  jig_engine *engine;
  program *p;
  int kernel;
  bool prepares; /* or compiles it */
} task;

/* A kernel that nobody is at, of the first tier if there is one, as that is in use; the job is gone with
 * its last one. False: there is nothing to do. */
static bool take_task(task *t) {
  while (the.first != NULL) {
    job *j = the.first;
    program *p = j->p;
    j->left &= ~p->under_way & ~final_kernels(p);
    for (int i = 0; i < p->count; ++i)
      if (p->built[i] != NULL) j->left &= ~kernel_set_of(i);
    *t = (task){.engine = j->engine, .p = p, .prepares = j->left == 0};
    if ((j->left | j->unprepared) != 0) {
      t->kernel = take_one(t->prepares ? &j->unprepared : &j->left, atomic_load(&p->linked));
      return true;
    }
    the.first = j->next;
    free(j);
  }
  return false;
}

/* What fails is told by the call that needs it, which tries again. */
static build_settings settings_of(const jig_engine *engine, const program *p) {
  build_settings settings = engine->build;
  settings.wisdom = p->tuned_by;
  settings.cancelled = &the.cancelled;
  settings.first_tier = false;
  return settings;
}

static artifact *compile(jig_engine *engine, const program *p, int kernel) {
  artifact *a = malloc(sizeof *a);
  const build_settings settings = settings_of(engine, p);
  const kernel_row *row = algorithm_kernel(p->s, kernel, p->target.sm);
  if (a == NULL) return NULL;
  if (build_kernel(&settings, p->s, row, &p->target, a) != JIG_SUCCESS) {
    log_info("%s was not built in the background: %s", row->name, jig_last_error());
    free(a);
    return NULL;
  }
  engine_count_background(engine, a);
  return a;
}

/* The first tier for other operators. */
static void prepare(const jig_engine *engine, const program *p, int kernel) {
  const build_settings settings = settings_of(engine, p);
  const kernel_row *row = algorithm_kernel(p->s, kernel, p->target.sm);
  if (first_tier_prepare(&settings, p->s, row, &p->target) != JIG_SUCCESS)
    log_info("%s was not prepared in the background: %s", row->name, jig_last_error());
}

/* With the lock held, as the next one. */
static void publish(program *p, int kernel, artifact *a) {
  p->built[kernel] = a;
  p->under_way &= ~kernel_set_of(kernel);
  const bool replaces = a != NULL && kernel_set_has(atomic_load(&p->linked), kernel);
  if (replaces && !atomic_load(&p->stays_linked)) atomic_fetch_or(&p->better, kernel_set_of(kernel));
}

static void perform(const task *t) {
  if (!t->prepares) t->p->under_way |= kernel_set_of(t->kernel);
  unlock();
  artifact *a = NULL;
  if (t->prepares)
    prepare(t->engine, t->p, t->kernel);
  else
    a = compile(t->engine, t->p, t->kernel);
  lock();
  if (!t->prepares) publish(t->p, t->kernel, a);
}

static void *work(void *unused) {
  task t;
  thread_lower_priority();
  lock();
  while (take_task(&t) && atexit(stop) == 0) {
    the.current = t.engine;
    atomic_store(&the.cancelled, false);
    perform(&t);
    the.current = NULL;
    (void)pthread_cond_broadcast(&the.changed);
  }
  the.ended = true;
  unlock();
  return unused;
}

/* With the lock held. */
static bool start(void) {
  if (the.started && !the.ended) return true;
  if (the.started) (void)pthread_join(the.thread, NULL); /* it is about to return */
  the.ended = false;
  the.started = atexit(stop) == 0 && thread_start(&the.thread, 0, work, NULL) == 0;
  return the.started;
}

static void add_job(job wanted) {
  job *j = malloc(sizeof *j), **last = &the.first;
  if (j == NULL) return;
  *j = wanted;
  while (*last != NULL) last = &(*last)->next;
  *last = j;
  if (start()) return;
  *last = NULL;
  free(j);
}

/* nvJitLink has one thread for all, which must not have a low priority: what takes it is built by calls
 * only. */
static bool takes_linker(const spec *s) {
  binary_set binaries;
  binary_find(s, &binaries);
  return binaries.count > 0;
}

/* The compiler is not opened for this alone: a process that finds what it needs in the cache does
 * without. */
void kernels_begin_rest(jig_engine *engine, program *p) {
  const kernel_set all = algorithm_kernels(p->s), left = all & ~final_kernels(p);
  const kernel_set unprepared = engine->build.first_tier ? all : 0;
  if ((left | unprepared) == 0 || !engine->background || engine->build.never ||
      !compiler_has_compiled() || takes_linker(p->s))
    return;
  begin_in_main_thread();
  lock();
  if (!the.stopped) add_job((job){.engine = engine, .p = p, .left = left, .unprepared = unprepared});
  unlock();
}

void kernels_forget(const jig_engine *engine) {
  lock();
  for (job **link = &the.first; *link != NULL;) {
    job *j = *link;
    if (j->engine != engine) {
      link = &j->next;
      continue;
    }
    *link = j->next;
    free(j);
  }
  while (the.current == engine) {
    cancel_current();
    (void)pthread_cond_wait(&the.changed, &the.mutex);
  }
  unlock();
}

/* ---- fork */

void kernels_before_fork(void) {
  lock();
}

void kernels_after_fork(void) {
  unlock();
}

void kernels_in_child(void) {
  static const pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
  forget_jobs();
  the.changed = nobody_waits;
  the.current = NULL;
  the.started = false;
  unlock();
}
