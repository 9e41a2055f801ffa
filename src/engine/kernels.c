#include "engine/kernels.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/obtain.h"
#include "jit/binary.h"
#include "jit/first_tier.h"
#include "jit/jobs.h"
#include "util/cancel.h"
#include "util/clock.h"
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
  kernel_set elsewhere;  /* those to replace linked ones that another process was building, */
  double since, look_at; /* since when, and when to look for them again; by clock_ms() */
} job;

/* What is to be done for one kernel. */
typedef struct task {
  jig_engine *engine; /* NULL: there is none */
  program *p;
  job *of; /* which is there unless it is in vain */
  int kernel;
  bool prepares; /* or compiles it */
} task;

static struct {
  pthread_mutex_t mutex; /* guards what follows, and what programs have for this file */
  pthread_cond_t changed;
  job *first;
  task current;         /* what is being done */
  uint64_t number;      /* of that */
  bool in_vain;         /* its engine or the process ends, or it is */
  bool taken_over;      /* by a call, which has it under way now */
  background_work work; /* which stops also where others want its place */
  bool stopped;         /* the process ends */
  bool started, ended;  /* the thread, which is to be joined */
  pthread_t thread;
} the = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void lock(void) {
  (void)pthread_mutex_lock(&the.mutex);
}

static void unlock(void) {
  (void)pthread_mutex_unlock(&the.mutex);
}

/* For a change, or until clock_ms() says that. */
static void wait_until(double ms) {
  struct timespec until;
  const double left = ms - clock_ms();
  (void)clock_gettime(CLOCK_MONOTONIC, &until); /* the other one may be set back by hours */
  const long long ns = until.tv_nsec + (left > 0 ? (long long)(left * 1e6) : 0);
  until.tv_sec += (time_t)(ns / 1000000000);
  until.tv_nsec = (long)(ns % 1000000000);
  (void)pthread_cond_clockwait(&the.changed, &the.mutex, CLOCK_MONOTONIC, &until);
}

/* With the lock held: what the background is at is of no use any more. */
static void stop_current(void) {
  the.in_vain = true;
  jobs_stop(&the.work);
}

/* ---- a background that gets nowhere */

/* What a call looks at while it waits for the background, which lets others go first: on a busy machine
 * it may get next to nothing of a processor. */
typedef struct watch {
  uint64_t number; /* of what it is at; 0: nothing is looked at */
  double since, cpu;
} watch;

/* Whether the background compiles one of these, as far as it is of use. */
static bool compiles(const program *p, kernel_set kernels) {
  return the.current.engine != NULL && the.current.p == p && !the.current.prepares && !the.in_vain &&
         kernel_set_has(kernels, the.current.kernel);
}

/* Whether it does, and for some time has had less than half a processor. */
static bool starves(watch *w, const program *p, kernel_set kernels, double patience_ms) {
  const double now = clock_ms(), cpu = jobs_cpu_ms(&the.work), passed = now - w->since;
  if (!compiles(p, kernels)) {
    *w = (watch){0};
    return false;
  }
  const bool is_over = w->number == the.number && passed >= patience_ms;
  if (is_over && cpu - w->cpu < passed / 2) return true;
  if (is_over || w->number != the.number) *w = (watch){the.number, now, cpu};
  return false;
}

/* For a change, or until it is time to look at the background again. */
static void wait_for_change(const watch *w, double patience_ms) {
  if (w->number == 0)
    (void)pthread_cond_wait(&the.changed, &the.mutex);
  else
    wait_until(w->since + patience_ms);
}

/* ---- calls */

/* With the lock held: those of the needed ones that nobody is at; waits if there are none. None at all:
 * they are loaded. What is to replace the first tier is not waited for; it comes after what is missing,
 * and one by one, so that nothing fails with it. What the background gets nowhere with is *taken_over:
 * whoever needs it does it, then, at the priority that it has. */
static kernel_set find_unclaimed(const jig_engine *engine, const program *p, kernel_set needed,
                                 bool *taken_over) {
  watch w = {0};
  for (*taken_over = false;; wait_for_change(&w, engine->patience_ms)) {
    const kernel_set missing = needed & ~atomic_load(&p->loaded);
    const kernel_set better = needed & atomic_load(&p->better);
    const kernel_set unclaimed = (missing != 0 ? missing : better & -better) & ~p->under_way;
    if (missing == 0 || unclaimed != 0) return unclaimed;
    *taken_over = starves(&w, p, missing, engine->patience_ms);
    if (*taken_over) return kernel_set_of(the.current.kernel);
  }
}

/* What the caller is to load, with what the background has made of it; none: all is. */
static kernel_set claim(const jig_engine *engine, program *p, kernel_set needed, artifacts *given) {
  bool taken_over;
  given->built = 0;
  lock();
  const kernel_set claimed = find_unclaimed(engine, p, needed, &taken_over);
  if (taken_over) stop_current();
  the.taken_over |= taken_over;
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
  if (taken_over) {
    const kernel_row *row = algorithm_kernel(p->s, __builtin_ctz(claimed), p->target.sm);
    log_info("%s is compiled by the call: the background has too little of a processor", row->name);
  }
  return claimed;
}

static void release(program *p, kernel_set claimed) {
  lock();
  p->under_way &= ~claimed;
  (void)pthread_cond_broadcast(&the.changed);
  unlock();
}

/* Without what was to replace the first tier there is still that; it is not tried again, as each try
 * would be a call's. */
static jig_status obtain(jig_engine *engine, program *p, kernel_set claimed, artifacts *given) {
  jig_status status = obtain_kernels(engine, p, claimed, given);
  if (status == JIG_SUCCESS) return status;
  engine_count_failure(engine);
  if ((claimed & ~atomic_load(&p->loaded)) != 0) return status;
  log_info("kernels stay as they were linked: %s", jig_last_error());
  error_clear();
  return JIG_SUCCESS;
}

static void tell_replaced(const program *p, kernel_set kernels) {
  for (int i = 0; i < p->count; ++i)
    if (kernel_set_has(kernels, i))
      log_info("%s is replaced, which was linked, by what was compiled",
               algorithm_kernel(p->s, i, p->target.sm)->name);
}

jig_status kernels_have(jig_engine *engine, program *p, kernel_set needed) {
  artifacts given;
  jig_status status = JIG_SUCCESS;
  const int cancelling = cancel_put_off();
  for (kernel_set claimed; status == JIG_SUCCESS && (claimed = claim(engine, p, needed, &given)) != 0;) {
    const kernel_set before = atomic_load(&p->linked);
    status = obtain(engine, p, claimed, &given);
    release(p, claimed);
    const kernel_set linked = atomic_load(&p->linked);
    tell_replaced(p, claimed & before & ~linked);
    if ((claimed & linked & ~before) != 0) kernels_begin_rest(engine, p);
  }
  cancel_allow(cancelling);
  return status;
}

/* ---- the end of the process */

/* With the lock held. */
static void forget_jobs(void) {
  for (job *j; (j = the.first) != NULL; free(j)) the.first = j->next;
}

/* At the end of the process. What the compiler has registered to be done then must not be done while it
 * compiles. */
static void stop(void) {
  lock();
  the.stopped = true;
  forget_jobs();
  stop_current();
  (void)pthread_cond_broadcast(&the.changed);
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

/* Kernels that nobody has to compile: somebody is at them, or they are there. */
static kernel_set settled_kernels(const program *p) {
  kernel_set settled = p->under_way | final_kernels(p);
  for (int i = 0; i < p->count; ++i)
    if (p->built[i] != NULL) settled |= kernel_set_of(i);
  return settled;
}

/* A kernel of a job, of the first tier if there is one, as that is in use. */
static bool take_of_job(job *j, task *t) {
  if (clock_ms() >= j->look_at) {
    j->left |= j->elsewhere;
    j->elsewhere = 0;
  }
  const kernel_set settled = settled_kernels(j->p);
  j->left &= ~settled;
  j->elsewhere &= ~settled;
  *t = (task){.engine = j->engine, .p = j->p, .of = j, .prepares = j->left == 0};
  if ((j->left | j->unprepared) == 0) return false;
  t->kernel = take_one(t->prepares ? &j->unprepared : &j->left, atomic_load(&j->p->linked));
  return true;
}

/* A kernel of the first job that has one; jobs are gone with their last ones. False: there is nothing to
 * do before *look_at, or, where that is 0, at all. */
static bool take_task(task *t, double *look_at) {
  *look_at = 0;
  for (job **link = &the.first; *link != NULL;) {
    job *j = *link;
    if (take_of_job(j, t)) return true;
    if (j->elsewhere != 0) {
      if (*look_at == 0 || j->look_at < *look_at) *look_at = j->look_at;
      link = &j->next;
    } else {
      *link = j->next;
      free(j);
    }
  }
  return false;
}

static bool await_task(task *t) {
  for (double look_at; !take_task(t, &look_at); wait_until(look_at))
    if (look_at == 0) return false;
  return true;
}

/* What fails is told by the call that needs it, which tries again. */
static build_settings settings_of(const jig_engine *engine, const program *p) {
  build_settings settings = engine->build;
  settings.wisdom = p->tuned_by;
  settings.background = &the.work;
  settings.first_tier = false;
  return settings;
}

/* *made is malloc'ed. */
static jig_status compile(jig_engine *engine, const program *p, int kernel, artifact **made) {
  artifact *a = malloc(sizeof *a);
  const build_settings settings = settings_of(engine, p);
  const kernel_row *row = algorithm_kernel(p->s, kernel, p->target.sm);
  *made = NULL;
  if (a == NULL) return JIG_ERROR_OUT_OF_MEMORY;
  const jig_status status = build_kernel(&settings, p->s, row, &p->target, a);
  if (status == JIG_SUCCESS) {
    engine_count_background(engine, a);
    *made = a;
  } else {
    log_info("%s was not built in the background: %s", row->name, jig_last_error());
    free(a);
  }
  return status;
}

/* The first tier for other operators. */
static jig_status prepare(const jig_engine *engine, const program *p, int kernel) {
  const build_settings settings = settings_of(engine, p);
  const kernel_row *row = algorithm_kernel(p->s, kernel, p->target.sm);
  artifact a;
  const jig_status status = first_tier_prepare(&settings, p->s, row, &p->target, &a);
  if (status == JIG_ERROR_UNSUPPORTED) return JIG_SUCCESS;
  if (status == JIG_SUCCESS)
    artifact_free(&a);
  else
    log_info("%s was not prepared in the background: %s", row->name, jig_last_error());
  return status;
}

/* With the lock held, as the next ones. A call that has taken it over has made it itself, or is about
 * to. */
static void publish(program *p, int kernel, artifact *a) {
  if (the.taken_over) {
    if (a != NULL) artifact_free(a);
    free(a);
    return;
  }
  p->built[kernel] = a;
  p->under_way &= ~kernel_set_of(kernel);
  if (a == NULL || !kernel_set_has(atomic_load(&p->linked), kernel)) return;
  atomic_fetch_or(&p->better, kernel_set_of(kernel));
  if (atomic_load(&p->stays_linked)) atomic_store(&p->better, 0); /* perhaps since a moment ago */
}

/* Processes do not tell each other when they are done. What another one was building is looked for again
 * after as long as it has been waited for: soon if that is soon there, and never often. */
static void leave_to_others(job *j, int kernel) {
  enum { SOON_MS = 100 };
  const double now = clock_ms();
  if (j->since == 0) j->since = now;
  const double waited = now - j->since;
  j->look_at = now + (waited > SOON_MS ? waited : SOON_MS);
  j->elsewhere |= kernel_set_of(kernel);
}

/* What others wanted the place of is done when there is room for it. What another process was building is
 * left to whoever needs it, but no call needs what is to replace a linked kernel. */
static void put_back(const task *t, jig_status status) {
  if (atomic_load(&the.work.stops))
    *(t->prepares ? &t->of->unprepared : &t->of->left) |= kernel_set_of(t->kernel);
  else if (status == JIG_ERROR_NOT_BUILT && !t->prepares &&
           kernel_set_has(atomic_load(&t->p->linked), t->kernel))
    leave_to_others(t->of, t->kernel);
}

static void perform(const task *t) {
  if (!t->prepares) t->p->under_way |= kernel_set_of(t->kernel);
  unlock();
  artifact *a = NULL;
  const jig_status status =
      t->prepares ? prepare(t->engine, t->p, t->kernel) : compile(t->engine, t->p, t->kernel, &a);
  lock();
  if (!t->prepares) publish(t->p, t->kernel, a);
  if (status != JIG_SUCCESS && !the.in_vain) put_back(t, status);
}

static void begin_task(const task *t) {
  the.current = *t;
  ++the.number;
  the.in_vain = the.taken_over = false;
  atomic_store(&the.work.stops, false);
  atomic_store(&the.work.clock, 0);
}

static void *work(void *unused) {
  task t;
  thread_lower_priority();
  lock();
  while (await_task(&t) && atexit(stop) == 0) {
    begin_task(&t);
    perform(&t);
    the.current = (task){0};
    (void)pthread_cond_broadcast(&the.changed);
  }
  the.ended = true;
  unlock();
  return unused;
}

/* With the lock held, as the next one. */
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
  if (start()) {
    (void)pthread_cond_broadcast(&the.changed);
    return;
  }
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
  if (!engine->background || engine->build.never || !compiler_has_compiled() || takes_linker(p->s))
    return;
  const bool prepares = engine->build.first_tier && store_is_writable(engine->build.cache);
  const kernel_set all = algorithm_kernels(p->s);
  const kernel_set left = all & ~final_kernels(p), unprepared = prepares ? all : 0;
  if ((left | unprepared) == 0) return;
  begin_in_main_thread();
  lock();
  const bool stopped = the.stopped;
  if (!stopped) add_job((job){.engine = engine, .p = p, .left = left, .unprepared = unprepared});
  unlock();
  if (stopped)
    log_info("nothing more of %s is compiled in the background: the main thread has ended",
             p->s->schema->algorithm);
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
  while (the.current.engine == engine) {
    stop_current();
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
  the.current = (task){0};
  the.started = false;
  unlock();
}
