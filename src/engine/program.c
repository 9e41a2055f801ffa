/* How an engine comes by a program: from memory, else obtained (obtain.h); each missing one by one thread
 * while the others that want it wait. */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
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
};

/* ---- which program */

static jig_status find_context(CUcontext *context) {
  CUresult result = driver_get()->cuCtxGetCurrent(context);
  if (result == CUDA_SUCCESS && *context == NULL) result = CUDA_ERROR_INVALID_CONTEXT;
  return result == CUDA_SUCCESS ? JIG_SUCCESS : driver_error(result, "cuCtxGetCurrent");
}

/* Programs loaded as libraries serve all devices of one kind; as modules, one context. */
static jig_status find_place(const device_info *dev, uint64_t *place) {
  *place = (uint64_t)dev->kind;
  if (driver_has_libraries(driver_get())) return JIG_SUCCESS;
  CUcontext context;
  jig_status status = find_context(&context);
  if (status == JIG_SUCCESS) *place = (uint64_t)(uintptr_t)context;
  return status;
}

/* ---- counting */

/* Whether any kernel had to be compiled, and for how long. */
static bool was_compiled(const artifacts *all, double *ms) {
  bool any = false;
  *ms = 0;
  for (int i = 0; i < all->count; ++i) {
    any |= !all->of[i].from_cache;
    *ms += all->of[i].compile_ms;
  }
  return any;
}

void engine_count_program(jig_engine *engine, const spec *s, const artifacts *all, double load_ms) {
  double compile_ms;
  const bool missed = was_compiled(all, &compile_ms);
  engine_lock_stats();
  jig_engine_stats *stats = &engine->stats;
  if (missed)
    ++stats->misses;
  else
    ++stats->disk_hits;
  stats->compile_ms += compile_ms;
  stats->load_ms += load_ms;
  if (missed) {
    json_t *json = spec_to_json(s, SPEC_DIGESTS);
    char *description = canonical_text(json);
    (void)snprintf(stats->last_miss, sizeof stats->last_miss, "%s for %s: no sound entry in the cache",
                   description != NULL ? description : s->schema->algorithm, all->of[0].target.name);
    free(description);
    json_decref(json);
  }
  engine_unlock_stats();
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
    free(outcome);
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

static jig_status find_or_build(jig_engine *engine, const device_info *dev, const program_key *key,
                                program **p) {
  (void)pthread_mutex_lock(&engine->mutex);
  *p = table_find(&engine->programs, key);
  if (*p != NULL) {
    (void)pthread_mutex_unlock(&engine->mutex);
    return JIG_SUCCESS;
  }
  struct pending_build *f = find_pending(engine, key);
  bool builder = f == NULL;
  if (builder) f = begin_pending(engine, key);
  if (f == NULL) {
    (void)pthread_mutex_unlock(&engine->mutex);
    return error_memory("a program to be built");
  }
  ++f->waiters;
  if (builder) {
    (void)pthread_mutex_unlock(&engine->mutex);
    program *built = NULL;
    jig_status status = obtain_program(engine, key->s, dev, &built);
    if (status != JIG_SUCCESS) engine_count_failure(engine);
    (void)pthread_mutex_lock(&engine->mutex);
    finish(engine, f, status, built);
  }
  while (!f->done) (void)pthread_cond_wait(&f->finished, &engine->mutex);
  jig_status status = f->status;
  *p = f->outcome;
  if (status != JIG_SUCCESS && !builder) {
    (void)error_set(status, "%s",
                    f->error != NULL ? f->error : "another thread failed to build the program");
    (void)error_of_driver(status, f->driver_result);
  }
  leave_pending(f);
  (void)pthread_mutex_unlock(&engine->mutex);
  return status;
}

/* ---- the way in */

static bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = driver_get()->cuStreamIsCapturing(stream, &capture);
  /* The legacy stream cannot be asked while another one is captured; that amounts to a yes. */
  return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* What is not in memory, once it is known to be sound and has been recorded. */
static jig_status check_and_board(jig_engine *engine, const device_info *dev, const program_key *key,
                                  const char *who, CUstream stream, program **p) {
  CUcontext context;
  jig_status status = spec_check(key->s, who);
  if (status == JIG_SUCCESS) recorder_add(&engine->specs, key->s);
  if (status == JIG_SUCCESS) status = find_context(&context);
  if (status != JIG_SUCCESS) return status;
  if (is_capturing(stream)) {
    return error_set(JIG_ERROR_NOT_BUILT,
                     "%s: the program is not loaded, and cannot be while the stream is captured; "
                     "query the temp storage size before the capture begins",
                     who);
  }
  return find_or_build(engine, dev, key, p);
}

jig_status engine_program(jig_engine *engine, const spec *s, const char *who, CUstream stream,
                          program **p, bool *in_memory) {
  const device_info *dev;
  jig_status status = driver_current_device(&dev);
  if (status != JIG_SUCCESS) {
    /* What is wrong with the arguments is worth more than the news that there is no GPU. */
    jig_status unsound = spec_check(s, who);
    return unsound != JIG_SUCCESS ? unsound : driver_current_device(&dev);
  }
  uint64_t place;
  status = find_place(dev, &place);
  if (status != JIG_SUCCESS) return status;
  const program_key key = program_key_of(s, place);
  *p = table_find(&engine->programs, &key);
  *in_memory = *p != NULL;
  if (*in_memory) return JIG_SUCCESS;
  const int cancelling = cancel_put_off();
  status = check_and_board(engine, dev, &key, who, stream, p);
  cancel_allow(cancelling);
  return status;
}
