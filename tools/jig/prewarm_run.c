/* Running the jobs of jig prewarm, several at a time; see prewarm_jobs.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/prewarm.h"
#include "prewarm_jobs.h"
#include "report.h"
#include "util/clock.h"

typedef struct crew {
  job_list *list;
  const prewarm_settings *settings;
  jig_engine *engine;
  _Atomic size_t next;   /* the job that nobody has taken */
  pthread_mutex_t mutex; /* guards the terminal, and what follows */
  size_t done, threads;
  size_t built;    /* of those that are done, all that were no hits, */
  double built_ms; /* and how long these took, each by itself */
  bool bar;        /* standard error is a terminal */
} crew;

/* ---- the progress bar: the line at the bottom, wiped before other lines are printed */

static void wipe_bar(const crew *c) {
  if (c->bar) (void)fputs("\r\033[K", stderr);
}

/* As if none of those that are left were a hit: how many are is not known. */
static void draw_time_left(const crew *c) {
  const size_t left = c->list->count - c->done;
  if (c->built == 0) return;
  const double together = (double)(left < c->threads ? left : c->threads);
  const double seconds = c->built_ms / (double)c->built * (double)left / together / 1e3;
  const unsigned long whole = (unsigned long)seconds + 1;
  if (whole >= 3600)
    (void)fprintf(stderr, ", %lu h %lu min left", whole / 3600, whole / 60 % 60);
  else if (whole >= 60)
    (void)fprintf(stderr, ", %lu min %lu s left", whole / 60, whole % 60);
  else
    (void)fprintf(stderr, ", %lu s left", whole);
}

static void draw_bar(const crew *c) {
  enum { WIDTH = 40 };
  if (!c->bar || c->done == c->list->count) return;
  const size_t filled = c->done * WIDTH / c->list->count;
  (void)fputc('[', stderr);
  for (size_t i = 0; i < WIDTH; ++i) (void)fputc(i < filled ? '=' : ' ', stderr);
  (void)fprintf(stderr, "] %zu of %zu", c->done, c->list->count);
  draw_time_left(c);
  (void)fflush(stderr);
}

static void report_job(crew *c, const job *j, double took_ms) {
  (void)pthread_mutex_lock(&c->mutex);
  ++c->done;
  if (j->outcome != JOB_HIT) {
    ++c->built;
    c->built_ms += took_ms;
  }
  wipe_bar(c);
  if (c->settings->json)
    job_print_json(j);
  else
    job_print(j);
  (void)fflush(stdout);
  draw_bar(c);
  (void)pthread_mutex_unlock(&c->mutex);
}

/* ---- work */

/* How long it took. */
static double run_job(const crew *c, job *j) {
  const double start = clock_ms();
  j->status = (c->settings->first_tier ? prewarm_first_tier : jig_prewarm)(c->engine, j->spec, j->arch,
                                                                           &j->result);
  if (j->status == JIG_SUCCESS) {
    j->outcome = j->result.hit ? JOB_HIT : JOB_COMPILED;
    j->ms = j->result.hit ? clock_ms() - start : j->result.compile_ms;
  } else if (c->settings->dry && j->status == JIG_ERROR_NOT_BUILT) {
    j->outcome = JOB_MISSING;
  } else {
    j->outcome = JOB_FAILED;
    j->error = strdup(jig_last_error()); /* the thread's own: nobody else can read it later */
  }
  return clock_ms() - start;
}

static void *work(void *argument) {
  crew *c = argument;
  for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->list->count;) {
    const double took_ms = run_job(c, &c->list->jobs[i]);
    report_job(c, &c->list->jobs[i], took_ms);
  }
  return NULL;
}

/* The calling thread works, too: where no thread can be made, all goes on with fewer. */
static void work_together(crew *c) {
  pthread_t *helpers = calloc(c->threads, sizeof *helpers);
  size_t started = 0;
  while (helpers != NULL && started + 1 < c->threads &&
         pthread_create(&helpers[started], NULL, work, c) == 0) {
    ++started;
  }
  (void)work(c);
  for (size_t i = 0; i < started; ++i) (void)pthread_join(helpers[i], NULL);
  free(helpers);
}

static size_t count_threads(const crew *c) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t wanted = c->settings->threads > 0 ? c->settings->threads
                  : processors > 0         ? (size_t)processors
                                           : 1;
  return wanted < c->list->count ? wanted : c->list->count;
}

int jobs_run(job_list *list, const prewarm_settings *settings) {
  const bool apart = settings->to != NULL;
  const jig_engine_config config = {.build = settings->dry ? JIG_BUILD_NEVER : JIG_BUILD_DEFAULT,
                                    .jobs = settings->threads,
                                    .cache_dir = settings->to,
                                    .cache_max_size = apart ? UINT64_MAX : 0};
  crew c = {.list = list, .settings = settings, .bar = isatty(STDERR_FILENO) && list->count > 1};
  int code = build_options_engine(&settings->build, config, &c.engine);
  if (code != EXIT_OK) return code;
  if (apart) prewarm_leave_layers(c.engine);
  (void)pthread_mutex_init(&c.mutex, NULL);
  c.threads = count_threads(&c);
  draw_bar(&c);
  work_together(&c);
  (void)pthread_mutex_destroy(&c.mutex);
  jig_engine_destroy(c.engine);
  return EXIT_OK;
}
