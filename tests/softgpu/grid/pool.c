/* Each worker keeps the clusters it has begun and executes them in turn, a slice at a time, so that
 * blocks can wait for each other. As many are begun as fit the software GPU's multiprocessors; the rest
 * of a grid follows as they end. They begin in the order of their numbers, as on NVIDIA's GPUs, so that a
 * block may wait for earlier ones; a seed draws which of those that have begun go on. */
#include "grid/pool.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api/settings.h"
#include "util/clock.h"

enum { SLICE = 20000, MAX_WORKERS = 64, MAX_DEVICES = 64, IDLE_ROUNDS = 64 };

typedef struct task {
  struct task *next;
  void (*run)(void *data);
  void *data;
} task;

typedef struct worker {
  pthread_t thread;
  cluster *resident;
  uint64_t random;
  unsigned idle;    /* rounds in which nothing got on */
  unsigned parking; /* the last parking in which it was counted */
} worker;

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t work; /* there is some, or the workers may go on */
  pthread_cond_t parked;
  task *first, **last;
  grid_state *grids; /* with clusters to be begun or not over, oldest first */
  double load[MAX_DEVICES];
  worker workers[MAX_WORKERS];
  unsigned worker_count, parked_count;
  unsigned parkings; /* how many there were */
  bool begun, parking;
  _Atomic uint64_t progress;
} the = {.mutex = PTHREAD_MUTEX_INITIALIZER,
         .work = PTHREAD_COND_INITIALIZER,
         .parked = PTHREAD_COND_INITIALIZER,
         .last = &the.first};

/* ---- beginning clusters; with the mutex held */

/* Of the grid's device, in multiprocessors. */
static double *load_of(const grid_state *s) {
  return &the.load[s->g.launch.device % MAX_DEVICES];
}

static bool fits(const grid_state *s) {
  const double load = *load_of(s);
  enum { ENOUGH = 1000000 }; /* fractions do not add up to nothing exactly */
  return load < 1.0 / ENOUGH || load + s->cost <= settings_get()->multiprocessors + 1.0 / ENOUGH;
}

/* The grid whose next cluster can be begun; NULL: there is none. */
static grid_state *find_startable(void) {
  grid_state *s = the.grids;
  while (s != NULL && (s->begun == s->clusters || atomic_load(&s->g.failing) || !fits(s))) s = s->next;
  return s;
}

/* Takes a cluster that can be begun; its grid, and its number in *number. */
static grid_state *take_cluster(uint64_t *number) {
  grid_state *s = find_startable();
  if (s == NULL) return NULL;
  *number = s->begun++;
  *load_of(s) += s->cost;
  return s;
}

static task *take_task(void) {
  task *t = the.first;
  if (t == NULL) return NULL;
  the.first = t->next;
  if (the.first == NULL) the.last = &the.first;
  return t;
}

/* ---- ends */

/* Counts a cluster that is over or could not be begun; true if the grid is over, and unlinked. */
static bool count_over(grid_state *s, uint64_t executed, bool *triggered) {
  s->executed += executed;
  ++s->over;
  *load_of(s) -= s->cost;
  const bool ends = s->over == (atomic_load(&s->g.failing) ? s->begun : s->clusters);
  if (ends) {
    grid_state **link = &the.grids;
    while (*link != s) link = &(*link)->next;
    *link = s->next;
  }
  *triggered = ends && s->triggered < s->blocks;
  return ends;
}

/* $JIG_SOFTGPU_STATISTICS: a line for each kernel. */
static void tell_statistics(const grid_state *s) {
  fprintf(stderr, "jig software GPU: %s: %" PRIu64 " blocks, %" PRIu64 " thread-instructions, %.6f s\n",
          s->g.kernel->name, s->blocks, s->executed, (clock_ms() - s->start_ms) / 1000);
}

static void end_grid(grid_state *s, bool triggered) {
  if (settings_get()->statistics) tell_statistics(s);
  if (triggered && s->g.launch.triggered != NULL) s->g.launch.triggered(s->g.launch.data);
  s->g.launch.done(s->g.launch.data, (CUresult)atomic_load(&s->g.result));
  free(s->g.launch.params);
  free(s);
}

/* A fault ends what else its device executes, some of which may wait for what the faulty grid was to do.
 */
static void spread_fault(const grid_state *faulty) {
  for (grid_state *s = the.grids; s != NULL; s = s->next) {
    if (s->g.launch.device != faulty->g.launch.device || s->begun == s->over) continue;
    int none = CUDA_SUCCESS;
    (void)atomic_compare_exchange_strong(&s->g.result, &none, atomic_load(&faulty->g.result));
    atomic_store(&s->g.failing, true);
  }
}

static void retire(grid_state *s, uint64_t executed) {
  (void)pthread_mutex_lock(&the.mutex);
  bool triggered;
  if (atomic_load(&s->g.failing)) spread_fault(s);
  const bool ends = count_over(s, executed, &triggered);
  (void)pthread_cond_broadcast(&the.work); /* there is room now */
  (void)pthread_mutex_unlock(&the.mutex);
  atomic_fetch_add(&the.progress, 1);
  if (ends) end_grid(s, triggered);
}

/* Counts blocks that let their dependents begin. */
static void count_triggers(grid_state *s, cluster *c, bool over) {
  unsigned fresh = 0;
  for (unsigned r = 0; r < c->block_count; ++r) {
    block *b = c->blocks[r];
    if (b->dependents_counted || !(over || b->dependents_launched || b->live_warps == 0)) continue;
    b->dependents_counted = true;
    ++fresh;
  }
  if (fresh == 0) return;
  (void)pthread_mutex_lock(&the.mutex);
  s->triggered += fresh;
  const bool all = s->triggered == s->blocks;
  (void)pthread_mutex_unlock(&the.mutex);
  if (all && s->g.launch.triggered != NULL) s->g.launch.triggered(s->g.launch.data);
}

/* ---- working */

static void begin_cluster(worker *me, grid_state *s, uint64_t number) {
  const grid_launch *l = &s->g.launch;
  const uint64_t across = l->blocks[0] / l->cluster[0], down = l->blocks[1] / l->cluster[1];
  const unsigned first[3] = {(unsigned)(number % across) * l->cluster[0],
                             (unsigned)(number / across % down) * l->cluster[1],
                             (unsigned)(number / across / down) * l->cluster[2]};
  cluster *c = cluster_begin(&s->g, first);
  if (c == NULL) {
    int none = CUDA_SUCCESS;
    (void)atomic_compare_exchange_strong(&s->g.result, &none, CUDA_ERROR_OUT_OF_MEMORY);
    atomic_store(&s->g.failing, true);
    retire(s, 0);
    return;
  }
  c->next = me->resident;
  me->resident = c;
}

/* True once in so many times; always without a seed. */
static bool has_luck(worker *me, unsigned times) {
  return me->random == 0 || draw(&me->random) % times == 0;
}

/* All clusters of the worker once; with a seed, some of them. */
static void run_clusters(worker *me) {
  bool got_on = false;
  for (cluster **link = &me->resident; *link != NULL;) {
    cluster *c = *link;
    grid_state *s = c->grid->state;
    if (!has_luck(me, 2)) {
      link = &c->next;
      continue;
    }
    const cluster_state state = cluster_run(c, SLICE, &me->random);
    count_triggers(s, c, state == CLUSTER_OVER);
    if (state != CLUSTER_IDLE) got_on = true;
    if (state == CLUSTER_OVER) {
      *link = c->next;
      const uint64_t executed = cluster_executed(c);
      cluster_free(c);
      retire(s, executed);
    } else {
      link = &c->next;
    }
  }
  if (got_on) {
    atomic_fetch_add(&the.progress, 1);
    me->idle = 0;
  } else if (++me->idle < IDLE_ROUNDS) {
    (void)sched_yield();
  } else {
    (void)usleep(50); /* what is waited for is done by others, who need the processor */
  }
}

/* Waits until there is something to do; takes at most one task and one cluster. */
static void take_work(worker *me, task **t, grid_state **s, uint64_t *number) {
  (void)pthread_mutex_lock(&the.mutex);
  while (the.parking || (the.first == NULL && me->resident == NULL && find_startable() == NULL)) {
    if (the.parking && me->parking != the.parkings) { /* it may be woken again and again meanwhile */
      me->parking = the.parkings;
      ++the.parked_count;
      (void)pthread_cond_signal(&the.parked);
    }
    (void)pthread_cond_wait(&the.work, &the.mutex);
  }
  *t = take_task();
  *s = *t == NULL ? take_cluster(number) : NULL;
  (void)pthread_mutex_unlock(&the.mutex);
}

static _Thread_local unsigned my_number;

unsigned grid_worker(void) {
  return my_number;
}

static void *work(void *data) {
  enum { OFTEN = 8 }; /* with a seed, about as many clusters begin before the worker goes on with any */
  worker *me = data;
  my_number = (unsigned)(me - the.workers);
  for (;;) {
    task *t;
    grid_state *s;
    uint64_t number = 0;
    take_work(me, &t, &s, &number);
    if (t != NULL) {
      t->run(t->data);
      free(t);
    }
    if (s != NULL) begin_cluster(me, s, number);
    if (me->resident != NULL && (s == NULL || has_luck(me, OFTEN))) run_clusters(me);
  }
  return NULL;
}

/* ---- the watchdog */

static void describe_all(const grid_state *s) {
  for (unsigned n = 0; n < the.worker_count; ++n)
    for (const cluster *c = the.workers[n].resident; c != NULL; c = c->next)
      if (c->grid == &s->g) cluster_describe(c);
}

/* With all workers parked: tells where every grid is, and ends it. */
static void report_deadlock(void) {
  for (grid_state *s = the.grids; s != NULL; s = s->next) {
    if (s->begun == s->over) continue;
    const report_place place = {.kernel = s->g.kernel->name};
    if (report(REPORT_DEADLOCK, &place, "no thread has got on for %.3g s", settings_get()->watchdog))
      describe_all(s);
    int none = CUDA_SUCCESS;
    (void)atomic_compare_exchange_strong(&s->g.result, &none, CUDA_ERROR_LAUNCH_TIMEOUT);
    atomic_store(&s->g.failing, true);
  }
}

static void stop_and_report(void) {
  (void)pthread_mutex_lock(&the.mutex);
  the.parking = true;
  ++the.parkings;
  the.parked_count = 0;
  (void)pthread_cond_broadcast(&the.work);
  while (the.parked_count < the.worker_count) (void)pthread_cond_wait(&the.parked, &the.mutex);
  report_deadlock();
  the.parking = false;
  (void)pthread_cond_broadcast(&the.work);
  (void)pthread_mutex_unlock(&the.mutex);
}

static bool is_busy(void) {
  (void)pthread_mutex_lock(&the.mutex);
  bool busy = false;
  for (const grid_state *s = the.grids; s != NULL; s = s->next) busy |= s->begun > s->over;
  (void)pthread_mutex_unlock(&the.mutex);
  return busy;
}

static void *watch(void *unused) {
  const struct timespec tick = {.tv_nsec = 50000000};
  double without = 0;
  uint64_t seen = 0;
  for (;;) {
    (void)nanosleep(&tick, NULL);
    const uint64_t now = atomic_load(&the.progress);
    without = now == seen && is_busy() ? without + 0.05 : 0;
    seen = now;
    if (without < settings_get()->watchdog) continue;
    stop_and_report();
    without = 0;
  }
  return unused;
}

/* ---- giving work; with the mutex held */

static void begin_workers(void) {
  if (the.begun) return;
  the.begun = true;
  const settings *s = settings_get();
  const unsigned count = s->workers < 1             ? 1
                         : s->workers > MAX_WORKERS ? MAX_WORKERS
                                                    : (unsigned)s->workers;
  for (unsigned n = 0; n < count; ++n) {
    worker *w = &the.workers[the.worker_count];
    w->random = s->seed != 0 ? s->seed * UINT64_C(0x9e3779b97f4a7c15) + n + 1 : 0;
    if (pthread_create(&w->thread, NULL, work, w) == 0) ++the.worker_count;
  }
  pthread_t watcher;
  if (pthread_create(&watcher, NULL, watch, NULL) == 0) (void)pthread_detach(watcher);
}

void pool_task(void (*run)(void *data), void *data) {
  task *t = malloc(sizeof *t);
  if (t == NULL) { /* at once, then */
    run(data);
    return;
  }
  *t = (task){NULL, run, data};
  (void)pthread_mutex_lock(&the.mutex);
  begin_workers();
  *the.last = t;
  the.last = &t->next;
  (void)pthread_cond_broadcast(&the.work);
  (void)pthread_mutex_unlock(&the.mutex);
}

void grid_begin(const grid_launch *launch) {
  grid_state *s = calloc(1, sizeof *s);
  if (s == NULL) {
    if (launch->triggered != NULL) launch->triggered(launch->data);
    launch->done(launch->data, CUDA_ERROR_OUT_OF_MEMORY);
    free(launch->params);
    return;
  }
  const unsigned *size = launch->cluster;
  const unsigned threads = launch->threads[0] * launch->threads[1] * launch->threads[2];
  const int per_sm = grid_blocks_per_sm(launch->kernel, threads, launch->dynamic_shared_bytes);
  s->g.launch = *launch;
  s->g.kernel = launch->kernel;
  s->g.state = s;
  s->blocks = (uint64_t)launch->blocks[0] * launch->blocks[1] * launch->blocks[2];
  s->clusters = s->blocks / ((uint64_t)size[0] * size[1] * size[2]);
  s->cost = (double)(s->blocks / s->clusters) / (per_sm > 0 ? per_sm : 1);
  s->start_ms = clock_ms();
  (void)pthread_mutex_lock(&the.mutex);
  begin_workers();
  grid_state **link = &the.grids;
  while (*link != NULL) link = &(*link)->next;
  *link = s;
  (void)pthread_cond_broadcast(&the.work);
  (void)pthread_mutex_unlock(&the.mutex);
}

int grid_blocks_per_sm(const struct kernel *k, unsigned threads_per_block,
                       uint64_t dynamic_shared_bytes) {
  enum { THREADS = 2048, BLOCKS = 32, SHARED = 228 * 1024, RESERVED = 1024 };
  const unsigned threads = (threads_per_block + LANES - 1) / LANES * LANES;
  const uint64_t shared = k->static_shared_bytes + dynamic_shared_bytes + RESERVED;
  if (threads == 0 || threads > 1024) return 0;
  uint64_t blocks = THREADS / threads;
  if (SHARED / shared < blocks) blocks = SHARED / shared;
  return blocks > BLOCKS ? BLOCKS : (int)blocks;
}
