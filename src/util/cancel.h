/* Threads that the program cancels while they build for others, hold locks or open files, or have threads
 * of their own: they are cancelled afterwards. Within any of that, files may be opened, read and so on as
 * if there were no such thing. */
#ifndef JIG_UTIL_CANCEL_H
#define JIG_UTIL_CANCEL_H

#include <pthread.h>

/* Returns what cancel_allow() is to be given. */
static inline int cancel_put_off(void) {
  int before;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

static inline void cancel_allow(int before) {
  (void)pthread_setcancelstate(before, NULL);
}

#endif
