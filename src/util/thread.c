#include "util/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

/* Signals to the process are for the program's own threads. Those that tell of a fault come to the thread
 * that made it in any case. */
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t all;
  (void)sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) (void)sigdelset(&all, faults[i]);
  (void)pthread_sigmask(SIG_SETMASK, &all, before);
}

int thread_start(pthread_t *thread, size_t stack_bytes, void *(*function)(void *), void *argument) {
  pthread_attr_t attributes;
  sigset_t before;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  if (stack_bytes > 0) error = pthread_attr_setstacksize(&attributes, stack_bytes);
  block_signals(&before);
  if (error == 0) error = pthread_create(thread, &attributes, function, argument);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  (void)pthread_attr_destroy(&attributes);
  return error;
}

/* To Linux every thread has a priority of its own, and 0 is the calling thread. */
void thread_lower_priority(void) {
  enum { LOWER = 5 }; /* a third of a processor's time beside a thread that wants all of it */
  errno = 0;
  const int now = getpriority(PRIO_PROCESS, 0);
  if (errno == 0) (void)setpriority(PRIO_PROCESS, 0, now + LOWER);
}
