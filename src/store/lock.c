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

#include "store/descriptor.h"
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

typedef enum attempt { TAKEN, GIVEN_UP, BUSY, AGAIN } attempt;

/* Locks an open file of that name. */
static attempt take_open_file(int dir, const char *name, int fd, bool made, double deadline) {
  const lock_state state = lock_until(fd, deadline);
  if (state == LOCK_BUSY) return BUSY;
  const files_naming naming = state == LOCK_HELD ? files_name_leads_to(dir, name, fd) : FILES_UNKNOWN;
  if (naming == FILES_NAMED) return TAKEN;
  if (naming == FILES_NOT_NAMED) return AGAIN;
  if (made) (void)files_remove(dir, name); /* it is of no use to anybody */
  return GIVEN_UP;
}

static attempt try_to_take(int dir, const char *name, double deadline, int *fd) {
  *fd = descriptor_open(dir, name, O_RDWR | O_CREAT | O_EXCL);
  const bool made = *fd >= 0;
  if (!made && errno == EEXIST) {
    *fd = descriptor_open(dir, name, O_RDWR);
    if (*fd < 0 && errno == ENOENT) return AGAIN;
  }
  if (*fd < 0) return GIVEN_UP;
  const attempt outcome = take_open_file(dir, name, *fd, made, deadline);
  if (outcome != TAKEN) descriptor_close(*fd);
  return outcome;
}

int lock_take(int dir, const char *name, int timeout_ms, bool *busy) {
  const double deadline = clock_ms() + timeout_ms;
  /* Again, where a holder or a sweeper has just removed the file: which need not end soon. */
  for (double nap = 0;; nap = nap < 10 ? 2 * nap + 1 : 20) {
    int fd;
    const attempt outcome = try_to_take(dir, name, deadline, &fd);
    *busy = outcome == BUSY;
    if (outcome == TAKEN) return fd;
    if (outcome != AGAIN || clock_ms() >= deadline) return -1;
    if (nap > 0) sleep_ms(nap);
  }
}

void lock_drop(int dir, const char *name, int fd) {
  if (dir >= 0 && files_name_leads_to(dir, name, fd) == FILES_NAMED) (void)unlinkat(dir, name, 0);
  /* Closing would do, unless a child that was made by other means than fork() has the descriptor, too. */
  (void)flock(fd, LOCK_UN);
  descriptor_close(fd);
}

/* An errno, EBUSY if it is to stay. */
static int sweep_open_file(int dir, const char *name, int fd, bool old) {
  struct stat status;
  const lock_state state = try_lock(fd);
  const bool must_be_old = old || state == LOCK_IMPOSSIBLE;
  if (state == LOCK_BUSY) return EBUSY;
  if (fstat(fd, &status) != 0) return errno;
  if (must_be_old && !files_is_old(&status)) return EBUSY;
  switch (files_name_leads_to(dir, name, fd)) {
    case FILES_NAMED:
      return files_remove(dir, name);
    case FILES_NOT_NAMED:
      return 0;
    default:
      return EBUSY;
  }
}

int lock_sweep(int dir, const char *name, bool old) {
  int error, fd = descriptor_open(dir, name, O_RDWR);
  if (fd >= 0) {
    error = sweep_open_file(dir, name, fd, old);
    descriptor_close(fd);
  } else {
    /* A link, a directory, a socket: nothing that anybody could have locked. */
    error = errno == ELOOP || errno == EISDIR || errno == ENXIO ? files_remove(dir, name) : errno;
  }
  return error == ENOENT ? 0 : error;
}
