#include "work/host.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "grid/grid.h"

typedef struct request {
  struct request *next;
  void (*run)(void *data);
  void *data;
} request;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static request *first, **last = &first;
static bool running;

static void *serve(void *unused) {
  (void)unused;
  for (;;) {
    (void)pthread_mutex_lock(&lock);
    while (first == NULL) (void)pthread_cond_wait(&arrived, &lock);
    request *r = first;
    first = r->next;
    if (first == NULL) last = &first;
    (void)pthread_mutex_unlock(&lock);
    r->run(r->data);
    free(r);
  }
  return NULL;
}

bool host_thread(void *(*run)(void *data), void *data) {
  sigset_t all, before;
  pthread_t thread;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool runs = pthread_create(&thread, NULL, run, data) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (runs) (void)pthread_detach(thread);
  return runs;
}

/* With the lock held. */
static bool begin(void) {
  if (!running) running = host_thread(serve, NULL);
  return running;
}

void host_run(void (*run)(void *data), void *data) {
  request *r = malloc(sizeof *r);
  (void)pthread_mutex_lock(&lock);
  const bool here = r != NULL && begin();
  if (here) {
    *r = (request){.run = run, .data = data};
    *last = r;
    last = &r->next;
    (void)pthread_cond_signal(&arrived);
  }
  (void)pthread_mutex_unlock(&lock);
  if (here) return;
  free(r);
  pool_task(run, data); /* better late than never */
}
