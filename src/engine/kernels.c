#include "engine/kernels.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/obtain.h"
#include "jit/binary.h"
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
 * are none. None at all: they are loaded. */
static kernel_set claim(program *p, kernel_set needed, artifacts *given) {
  kernel_set missing, claimed;
  given->built = 0;
  lock();
  for (;;) {
    missing = needed & ~atomic_load(&p->loaded);
    claimed = missing & ~p->under_way;
    if (missing == 0 || claimed != 0) break;
    (void)pthread_cond_wait(&the.changed, &the.mutex);
  }
  p->under_way |= claimed;
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

jig_status kernels_have(jig_engine *engine, program *p, kernel_set needed) {
  artifacts given;
  jig_status status = JIG_SUCCESS;
  const int cancelling = cancel_put_off();
  for (kernel_set claimed; status == JIG_SUCCESS && (claimed = claim(p, needed, &given)) != 0;) {
    status = obtain_kernels(engine, p, claimed, &given);
    if (status != JIG_SUCCESS) engine_count_failure(engine);
    release(p, claimed);
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

/* One that nobody is at; the job is gone with its last one. */
static program *take_kernel(int *kernel, jig_engine **engine) {
  while (the.first != NULL) {
    job *j = the.first;
    program *p = j->p;
    for (int i = 0; i < p->count; ++i) {
      const bool is_left = kernel_set_has(j->left & ~p->under_way & ~atomic_load(&p->loaded), i);
      j->left &= ~kernel_set_of(i);
      if (!is_left || p->built[i] != NULL) continue;
      *kernel = i;
      *engine = j->engine;
      return p;
    }
    the.first = j->next;
    free(j);
  }
  return NULL;
}

/* What fails is told by the call that needs it, which tries again. */
static artifact *compile(jig_engine *engine, const program *p, int kernel) {
  artifact *a = malloc(sizeof *a);
  build_settings settings = engine->build;
  settings.cancelled = &the.cancelled;
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

static void *work(void *unused) {
  jig_engine *engine;
  int kernel;
  thread_lower_priority();
  lock();
  for (program *p; (p = take_kernel(&kernel, &engine)) != NULL && atexit(stop) == 0;) {
    p->under_way |= kernel_set_of(kernel);
    the.current = engine;
    atomic_store(&the.cancelled, false);
    unlock();
    artifact *a = compile(engine, p, kernel);
    lock();
    p->built[kernel] = a;
    p->under_way &= ~kernel_set_of(kernel);
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

static void add_job(jig_engine *engine, program *p, kernel_set left) {
  job *j = malloc(sizeof *j), **last = &the.first;
  if (j == NULL) return;
  *j = (job){.engine = engine, .p = p, .left = left};
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
  const kernel_set left = algorithm_kernels(p->s) & ~atomic_load(&p->loaded);
  if (left == 0 || !engine->background || engine->build.never || !compiler_has_compiled() ||
      takes_linker(p->s))
    return;
  begin_in_main_thread();
  lock();
  if (!the.stopped) add_job(engine, p, left);
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
