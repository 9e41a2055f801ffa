#include "store/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Those that are open, in any order. Where there is no memory for one more, it is left out. */
static struct {
  pthread_mutex_t
      mutex; /* held while one is opened or closed, so that a fork() finds all and no others */
  int *all;
  size_t count, capacity;
} the = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock(void) {
  (void)pthread_mutex_lock(&the.mutex);
}

static void unlock(void) {
  (void)pthread_mutex_unlock(&the.mutex);
}

static void in_child(void) {
  for (size_t i = 0; i < the.count; ++i) (void)close(the.all[i]);
  the.count = 0;
  unlock();
}

static void watch_forks(void) {
  (void)pthread_atfork(lock, unlock, in_child);
}

static void add(int fd) {
  if (the.count == the.capacity) {
    const size_t capacity = the.capacity == 0 ? 16 : 2 * the.capacity;
    int *all = realloc(the.all, capacity * sizeof *all);
    if (all == NULL) return;
    the.all = all;
    the.capacity = capacity;
  }
  the.all[the.count++] = fd;
}

int descriptor_open(int dir, const char *name, int flags) {
  (void)pthread_once(&once, watch_forks);
  lock();
  const int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (fd >= 0) add(fd);
  unlock();
  return fd;
}

void descriptor_close(int fd) {
  const int error = errno;
  lock();
  size_t i = 0;
  while (i < the.count && the.all[i] != fd) ++i;
  if (i < the.count) the.all[i] = the.all[--the.count];
  (void)close(fd);
  unlock();
  errno = error;
}
