/* How an engine comes by a program: from memory, else obtained (obtain.h); each missing one by one thread
 * while the others that want it wait. */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/kernels.h"
#include "engine/obtain.h"
#include "spec/canonical.h"
#include "spec/identity.h"
#include "util/cancel.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/log.h"

/* A program being built. The builder publishes the outcome; the last one to look at it frees it. */
struct pending_build {
  struct pending_build *next;
  program_key key; /* of a copy of the spec, which goes to the table with the program */
  pthread_cond_t finished;
  bool done;
  int waiters; /* threads that wait for it or build it */
  jig_status status;
  char *error;
  int driver_result; /* a CUresult */
  program *outcome;
  bool is_unplanned; /* its builder's arguments were wrong, which says nothing of those of others */
};

/* ---- which program */

/* Programs loaded as libraries serve all devices of one kind; as modules, one context. */
static jig_status find_place(const device_info *dev, uint64_t *place) {
  *place = (uint64_t)dev->kind;
  if (driver_get()->has_libraries) return JIG_SUCCESS;
  CUcontext context;
  jig_status status = driver_current_context(&context);
  if (status == JIG_SUCCESS) *place = (uint64_t)(uintptr_t)context;
  return status;
}

jig_status engine_place(uint64_t *place) {
  const device_info *dev;
  const jig_status status = driver_current_device(&dev);
  return status == JIG_SUCCESS ? find_place(dev, place) : status;
}

/* ---- counting */

/* What had to be compiled: kernels, and operators to be linked with others. */
typedef struct compile_counts {
  unsigned compiled, linked;
  double compile_ms, link_ms;
} compile_counts;

static compile_counts count_compiled(const artifacts *all) {
  compile_counts n = {0};
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i) {
    const artifact *a = &all->of[i];
    if (!kernel_set_has(all->built, i) || a->compile_ms <= 0) continue;
    n.compiled += !a->linked;
    n.linked += a->linked;
    *(a->linked ? &n.link_ms : &n.compile_ms) += a->compile_ms;
  }
  return n;
}

/* After a hit in memory only, so that it takes no longer; what is there goes to the cache's directory
 * after a miss, and at the end. A cache that nothing may be built for is somebody's who has filled it,
 * and stays as it is. */
void engine_count_in_cache(jig_engine *engine, bool wanted, const spec *s, const artifacts *all) {
  const compile_counts n = count_compiled(all);
  const bool missed = n.compiled + n.linked > 0;
  store_stats change = {.hits = wanted && s != NULL && !missed,
                        .misses = wanted && s != NULL && missed,
                        .built = n.compiled,
                        .build_us = (uint64_t)(n.compile_ms * 1e3)};
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i)
    change.found += wanted && kernel_set_has(all->built, i) && all->of[i].from_cache;
  if (engine->build.never) return;
  store_count(engine->build.cache, &change);
  if (missed) store_add_stats(engine->build.cache);
}

void engine_count_kernels(jig_engine *engine, const spec *s, const artifacts *all, double load_ms) {
  const compile_counts n = count_compiled(all);
  const bool missed = n.compiled + n.linked > 0;
  engine_lock_stats();
  jig_engine_stats *stats = &engine->stats;
  stats->misses += s != NULL && missed;
  stats->disk_hits += s != NULL && !missed;
  stats->kernels += n.compiled + n.linked;
  stats->linked_kernels += n.linked;
  stats->compile_ms += n.compile_ms + n.link_ms;
  stats->load_ms += load_ms;
  if (s != NULL && missed) {
    json_t *json = spec_to_json(s, SPEC_DIGESTS);
    char *description = canonical_text(json);
    (void)snprintf(stats->last_miss, sizeof stats->last_miss, "%s for %s: no sound entry in the cache",
                   description != NULL ? description : s->schema->algorithm,
                   all->of[__builtin_ctz(all->built)].target.name);
    free(description);
    json_decref(json);
  }
  engine_unlock_stats();
}

void engine_count_background(jig_engine *engine, artifact *a) {
  engine_lock_stats();
  if (a->compile_ms > 0) {
    ++engine->stats.kernels;
    ++engine->stats.background_kernels;
  }
  engine->stats.compile_ms += a->compile_ms;
  engine_unlock_stats();
  const store_stats change = {.built = a->compile_ms > 0, .build_us = (uint64_t)(a->compile_ms * 1e3)};
  store_count(engine->build.cache, &change);
  a->compile_ms = 0;
}

void engine_count_wait(jig_engine *engine, const char *who, double ms) {
  enum { LONG_MS = 1000 };
  engine_lock_stats();
  engine->stats.wait_ms += ms;
  if (ms > engine->stats.longest_wait_ms) engine->stats.longest_wait_ms = ms;
  engine_unlock_stats();
  if (ms > LONG_MS) log_info("%s: %.1f s until its kernels were there; see jig prewarm", who, ms / 1e3);
}

void engine_count_failure(jig_engine *engine) {
  engine_lock_stats();
  ++engine->stats.failed_builds;
  engine_unlock_stats();
}

/* ---- one builder, many waiters */

static struct pending_build *find_pending(jig_engine *engine, const program_key *key) {
  struct pending_build *f = engine->pending;
  while (f != NULL && !program_key_equal(key, &f->key)) f = f->next;
  return f;
}

static struct pending_build *begin_pending(jig_engine *engine, const program_key *key) {
  struct pending_build *f = calloc(1, sizeof *f);
  spec *copy = f != NULL ? spec_copy(key->s) : NULL;
  if (copy == NULL) {
    free(f);
    return NULL;
  }
  f->key = *key;
  f->key.s = copy;
  (void)pthread_cond_init(&f->finished, NULL);
  f->next = engine->pending;
  engine->pending = f;
  return f;
}

static void leave_pending(struct pending_build *f) {
  if (--f->waiters > 0) return;
  (void)pthread_cond_destroy(&f->finished);
  if (f->status != JIG_SUCCESS) free((spec *)(uintptr_t)f->key.s);
  free(f->error);
  free(f);
}

static void finish(jig_engine *engine, struct pending_build *f, jig_status status, program *outcome) {
  if (status == JIG_SUCCESS && !table_add(&engine->programs, &f->key, outcome)) {
    program_unload(outcome);
    program_free(outcome);
    status = error_memory("the table of programs");
  }
  f->status = status;
  f->outcome = status == JIG_SUCCESS ? outcome : NULL;
  if (status != JIG_SUCCESS) f->error = strdup(jig_last_error());
  f->driver_result = jig_last_driver_error();
  f->done = true;
  struct pending_build **link = &engine->pending;
  while (*link != f) link = &(*link)->next;
  *link = f->next;
  (void)pthread_cond_broadcast(&f->finished);
}

/* What a call asks for. */
typedef struct request {
  jig_engine *engine;
  const device_info *dev;
  program_key key; /* of the call's own spec */
  const char *who;
  CUstream stream;
  const kernel_choice *choice;
} request;

static bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = driver_get()->cuStreamIsCapturing(stream, &capture);
  /* The legacy stream cannot be asked while another one is captured; that amounts to a yes. */
  return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

static jig_status not_built(const char *who) {
  return error_set(JIG_ERROR_NOT_BUILT,
                   "%s: the program is not loaded, and cannot be while the stream is captured; "
                   "query the temp storage size before the capture begins",
                   who);
}

/* With the lock held: what is being built of it, or is to be built by the caller. */
static jig_status join_pending(const request *r, bool capturing, struct pending_build **joined,
                               bool *is_builder) {
  struct pending_build *f = find_pending(r->engine, &r->key);
  *is_builder = f == NULL;
  if (f == NULL && capturing) return not_built(r->who);
  if (f == NULL) f = begin_pending(r->engine, &r->key);
  if (f == NULL) return error_memory("a program to be built");
  ++f->waiters;
  *joined = f;
  return JIG_SUCCESS;
}

/* With the lock held, which is given back while it is built. */
static void build_pending(const request *r, struct pending_build *f) {
  jig_engine *engine = r->engine;
  program *built = NULL;
  (void)pthread_mutex_unlock(&engine->mutex);
  const jig_status status = obtain_program(engine, f->key.s, r->dev, r->choice, &built, &f->is_unplanned);
  if (status != JIG_SUCCESS) engine_count_failure(engine);
  (void)pthread_mutex_lock(&engine->mutex);
  finish(engine, f, status, built);
}

/* What has come of it. A builder has the error already. */
static jig_status take_outcome(const struct pending_build *f, bool is_builder, program **p) {
  *p = f->outcome;
  if (f->status == JIG_SUCCESS || is_builder) return f->status;
  (void)error_set(f->status, "%s",
                  f->error != NULL ? f->error : "another thread failed to build the program");
  return error_of_driver(f->status, f->driver_result);
}

/* *again: another thread's build came to nothing that is known. */
static jig_status find_or_build(const request *r, program **p, bool *again) {
  jig_engine *engine = r->engine;
  const bool capturing = is_capturing(r->stream);
  struct pending_build *f = NULL;
  bool is_builder = false;
  jig_status status = JIG_SUCCESS;
  *again = false;
  (void)pthread_mutex_lock(&engine->mutex);
  *p = table_find(&engine->programs, &r->key);
  if (*p == NULL) status = join_pending(r, capturing, &f, &is_builder);
  if (f != NULL) {
    if (is_builder) build_pending(r, f);
    while (!f->done) (void)pthread_cond_wait(&f->finished, &engine->mutex);
    status = take_outcome(f, is_builder, p);
    *again = !is_builder && f->is_unplanned;
    leave_pending(f);
  }
  (void)pthread_mutex_unlock(&engine->mutex);
  if (status == JIG_SUCCESS && is_builder) kernels_begin_rest(engine, *p);
  return status;
}

/* ---- the way in */

/* What is not in memory, once it is known to be sound and has been recorded. */
static jig_status check_and_board(const request *r, program **p) {
  CUcontext context;
  jig_status status = spec_check(r->key.s, r->who);
  if (status == JIG_SUCCESS) recorder_add(&r->engine->specs, r->key.s);
  if (status == JIG_SUCCESS) status = driver_current_context(&context);
  bool again = status == JIG_SUCCESS;
  while (again) status = find_or_build(r, p, &again);
  return status;
}

jig_status engine_program(jig_engine *engine, const spec *s, const char *who, CUstream stream,
                          const kernel_choice *choice, program **p, bool *in_memory, double *slow_since) {
  const device_info *dev;
  uint64_t place;
  jig_status status = driver_current_device(&dev);
  if (status != JIG_SUCCESS) {
    /* What is wrong with the arguments is worth more than the news that there is no GPU. */
    jig_status unsound = spec_check(s, who);
    return unsound != JIG_SUCCESS ? unsound : driver_current_device(&dev);
  }
  status = find_place(dev, &place);
  if (status != JIG_SUCCESS) return status;
  *p = table_find_recent(&engine->programs, s, place);
  *in_memory = *p != NULL;
  if (*in_memory) return JIG_SUCCESS;
  request r = {engine, dev, program_key_of(s, place), who, stream, choice};
  *p = table_find(&engine->programs, &r.key);
  *in_memory = *p != NULL;
  if (*in_memory) return JIG_SUCCESS;
  if (*slow_since == 0) *slow_since = clock_ms();
  const int cancelling = cancel_put_off();
  status = check_and_board(&r, p);
  cancel_allow(cancelling);
  return status;
}
