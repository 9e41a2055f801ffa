#include "jit/jobs.h"

#include <pthread.h>

static pthread_mutex_t running_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t running_fewer = PTHREAD_COND_INITIALIZER;
static unsigned running;

static bool is_cancelled(const atomic_bool *cancelled) {
  return cancelled != NULL && atomic_load(cancelled);
}

bool jobs_begin(unsigned jobs, const atomic_bool *cancelled) {
  (void)pthread_mutex_lock(&running_mutex);
  while (running >= jobs && !is_cancelled(cancelled))
    (void)pthread_cond_wait(&running_fewer, &running_mutex);
  const bool begins = !is_cancelled(cancelled);
  running += begins;
  (void)pthread_mutex_unlock(&running_mutex);
  return begins;
}

void jobs_end(void) {
  (void)pthread_mutex_lock(&running_mutex);
  --running;
  /* Engines differ in how many may run, so one that is woken alone might have to go on waiting. */
  (void)pthread_cond_broadcast(&running_fewer);
  (void)pthread_mutex_unlock(&running_mutex);
}

void jobs_wake(void) {
  (void)pthread_mutex_lock(&running_mutex);
  (void)pthread_cond_broadcast(&running_fewer);
  (void)pthread_mutex_unlock(&running_mutex);
}

bool jobs_after_fork(void) {
  static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  static const pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
  const bool any = running > 0;
  running_mutex = unlocked;
  running_fewer = nobody_waits;
  running = 0;
  return any;
}
