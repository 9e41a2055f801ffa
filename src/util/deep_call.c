#include "util/deep_call.h"

#include <stdlib.h>
#include <string.h>

#include "util/cancel.h"
#include "util/error.h"
#include "util/thread.h"

/* ---- one call */

typedef struct deep_request {
  struct deep_request *next;
  deep_function *function;
  void *argument;
  bool done;
  jig_status status;
  char *error; /* errors belong to threads; malloc'ed */
} deep_request;

static void *answer(void *argument) {
  deep_request *r = argument;
  error_clear();
  r->status = r->function(r->argument);
  if (r->status != JIG_SUCCESS) r->error = strdup(jig_last_error());
  return NULL;
}

static jig_status take_answer(deep_request *r) {
  if (r->status != JIG_SUCCESS)
    (void)error_set(r->status, "%s", r->error != NULL ? r->error : "out of memory");
  free(r->error);
  return r->status;
}

/* ---- threads */

static int start(pthread_t *thread, void *(*function)(void *), void *argument) {
  return thread_start(thread, (size_t)DEEP_STACK_MIB << 20, function, argument);
}

static jig_status start_error(int error) {
  char reason[128];
  return error_set(JIG_ERROR_OUT_OF_MEMORY, "out of memory: a thread with a stack of %d MiB: %s",
                   (int)DEEP_STACK_MIB, strerror_r(error, reason, sizeof reason));
}

jig_status deep_call(deep_function *function, void *argument) {
  deep_request r = {.function = function, .argument = argument};
  pthread_t thread;
  const int cancelling = cancel_put_off();
  const int error = start(&thread, answer, &r);
  if (error == 0) (void)pthread_join(thread, NULL);
  cancel_allow(cancelling);
  return error == 0 ? take_answer(&r) : start_error(error);
}

/* ---- one thread for all */

static void *serve(void *argument) {
  deep_thread *thread = argument;
  (void)pthread_mutex_lock(&thread->mutex);
  for (;;) {
    while (thread->first == NULL) (void)pthread_cond_wait(&thread->changed, &thread->mutex);
    deep_request *r = thread->first;
    (void)pthread_mutex_unlock(&thread->mutex);
    (void)answer(r);
    (void)pthread_mutex_lock(&thread->mutex);
    thread->first = r->next;
    r->done = true; /* from now on it is its caller's */
    (void)pthread_cond_broadcast(&thread->changed);
  }
  return NULL;
}

/* With the mutex held. */
static int start_once(deep_thread *thread) {
  pthread_t started;
  if (thread->started) return 0;
  const int error = start(&started, serve, thread);
  if (error != 0) return error;
  (void)pthread_detach(started);
  thread->started = true;
  return 0;
}

static void wait_for(deep_thread *thread, deep_request *r) {
  deep_request **last = &thread->first;
  while (*last != NULL) last = &(*last)->next;
  *last = r;
  (void)pthread_cond_broadcast(&thread->changed);
  while (!r->done) (void)pthread_cond_wait(&thread->changed, &thread->mutex);
}

jig_status deep_thread_call(deep_thread *thread, deep_function *function, void *argument) {
  deep_request r = {.function = function, .argument = argument};
  const int cancelling = cancel_put_off();
  (void)pthread_mutex_lock(&thread->mutex);
  const int error = start_once(thread);
  if (error == 0) wait_for(thread, &r);
  (void)pthread_mutex_unlock(&thread->mutex);
  cancel_allow(cancelling);
  return error == 0 ? take_answer(&r) : start_error(error);
}

void deep_thread_after_fork(deep_thread *thread) {
  *thread = (deep_thread)DEEP_THREAD_INITIALIZER;
}
