/* Locks, see lock.h.
 *
 * A lock file is removed by its holder, so whoever opened it meanwhile may be granted the lock of a file
 * that has no name any more, while a third one locks a new file of the same name. Hence every grant is
 * checked: it counts only if the name still leads to the very file that was locked. Each lock_take()
 * opens the file anew, which is what makes two threads of one process exclude each other. */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "store/files.h"
#include "util/clock.h"

static lock_state try_lock(int fd) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return LOCK_BUSY;
    if (errno != EINTR) return LOCK_IMPOSSIBLE;
  }
  return LOCK_HELD;
}

static void sleep_ms(double ms) {
  struct timespec time = {.tv_nsec = (long)(ms * 1e6)};
  (void)nanosleep(&time, NULL);
}

/* Waits by polling: a blocking flock() knows no timeout, and an alarm would be the host program's. */
static lock_state lock_until(int fd, double deadline) {
  for (double nap = 1;; nap = nap < 10 ? nap * 2 : 20) {
    lock_state state = try_lock(fd);
    double left = deadline - clock_ms();
    if (state != LOCK_BUSY || left <= 0) return state;
    sleep_ms(nap < left ? nap : left);
  }
}

lock_state lock_wait(int fd, int timeout_ms) {
  return lock_until(fd, clock_ms() + timeout_ms);
}

int lock_take(int dir, const char *name, int timeout_ms) {
  double deadline = clock_ms() + timeout_ms;
  for (;;) {
    int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return -1;
    lock_state state = lock_until(fd, deadline);
    if (state == LOCK_HELD && files_still_named(dir, name, fd)) return fd;
    (void)close(fd);
    if (state != LOCK_HELD || clock_ms() >= deadline) return -1;
  }
}

void lock_drop(int dir, const char *name, int fd) {
  if (dir >= 0 && files_still_named(dir, name, fd)) (void)unlinkat(dir, name, 0);
  /* Closing would do, unless a child that was forked meanwhile has inherited the descriptor. */
  (void)flock(fd, LOCK_UN);
  (void)close(fd);
}

bool lock_sweep(int dir, const char *name, bool old) {
  int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat status;
  lock_state state = try_lock(fd);
  bool must_be_old = old || state == LOCK_IMPOSSIBLE;
  bool removed = state != LOCK_BUSY && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                 (!must_be_old || files_is_old(&status)) && files_still_named(dir, name, fd) &&
                 unlinkat(dir, name, 0) == 0;
  (void)close(fd);
  return removed;
}
