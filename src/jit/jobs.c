#include "jit/jobs.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t running_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t running_fewer = PTHREAD_COND_INITIALIZER;
static unsigned running;               /* of what somebody waits for */
static background_work *in_background; /* what is under way there; NULL: nothing */

/* With the mutex held. Engines differ in how many may run, so one that is woken alone might have to go on
 * waiting. */
static void wake(void) {
  (void)pthread_cond_broadcast(&running_fewer);
}

static void begin(unsigned jobs) {
  while (running >= jobs) (void)pthread_cond_wait(&running_fewer, &running_mutex);
  ++running;
  if (running >= jobs && in_background != NULL) atomic_store(&in_background->stops, true);
}

static bool begin_in_background(unsigned jobs, background_work *work) {
  while (running >= jobs && !atomic_load(&work->stops))
    (void)pthread_cond_wait(&running_fewer, &running_mutex);
  if (atomic_load(&work->stops)) return false;
  in_background = work;
  return true;
}

bool jobs_begin(unsigned jobs, background_work *background) {
  bool begins = true;
  (void)pthread_mutex_lock(&running_mutex);
  if (background == NULL)
    begin(jobs);
  else
    begins = begin_in_background(jobs, background);
  (void)pthread_mutex_unlock(&running_mutex);
  return begins;
}

void jobs_end(const background_work *background) {
  (void)pthread_mutex_lock(&running_mutex);
  if (background == NULL)
    --running;
  else
    in_background = NULL;
  wake();
  (void)pthread_mutex_unlock(&running_mutex);
}

void jobs_stop(background_work *background) {
  (void)pthread_mutex_lock(&running_mutex);
  atomic_store(&background->stops, true);
  wake();
  (void)pthread_mutex_unlock(&running_mutex);
}

void jobs_time_this_thread(background_work *background) {
  clockid_t clock;
  if (background == NULL || pthread_getcpuclockid(pthread_self(), &clock) != 0) return;
  atomic_store(&background->clock, clock);
}

/* The thread may have ended meanwhile. */
double jobs_cpu_ms(const background_work *background) {
  const clockid_t clock = atomic_load(&background->clock);
  struct timespec time;
  if (clock == 0 || clock_gettime(clock, &time) != 0) return 0;
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

bool jobs_after_fork(void) {
  static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  static const pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
  const bool any = running > 0 || in_background != NULL;
  running_mutex = unlocked;
  running_fewer = nobody_waits;
  running = 0;
  in_background = NULL;
  return any;
}
