/* The running total, see usage.h. Nothing here can fail: at worst the total is unknown. */
#include "store/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/descriptor.h"
#include "store/files.h"
#include "store/lock.h"

enum { BUSY_MS = 100, NUMBER_SIZE = 21 };

static bool read_number(int fd, uint64_t *number) {
  char text[NUMBER_SIZE + 1];
  if (pread(fd, text, sizeof text, 0) != NUMBER_SIZE || text[NUMBER_SIZE - 1] != '\n') return false;
  for (int i = 0; i < NUMBER_SIZE - 1; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  errno = 0;
  *number = strtoull(text, NULL, 10);
  return errno == 0;
}

/* What is no file is in its place: without it, nobody would ever count. */
static void make_way(int version) {
  struct stat status;
  if (fstatat(version, "usage", &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode))
    (void)files_remove(version, "usage");
}

bool usage_open(int version, bool make, usage *u) {
  *u = (usage){.fd = -1};
  if (files_exceed_limit(NUMBER_SIZE)) return false;
  struct stat status;
  int fd = descriptor_open(version, "usage", O_RDWR | (make ? O_CREAT : 0));
  if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (fd >= 0) descriptor_close(fd);
    make_way(version); /* for the next time */
    return false;
  }
  if (lock_wait(fd, BUSY_MS) == LOCK_BUSY) {
    descriptor_close(fd);
    return false;
  }
  u->fd = fd;
  u->known = read_number(fd, &u->total) && pwrite(fd, "?", 1, 0) == 1;
  return true;
}

void usage_change(usage *u, int64_t change) {
  uint64_t magnitude = change < 0 ? -(uint64_t)change : (uint64_t)change;
  bool sensible = change < 0 ? magnitude <= u->total : magnitude <= UINT64_MAX - u->total;
  u->known = u->known && sensible;
  if (u->known) u->total = change < 0 ? u->total - magnitude : u->total + magnitude;
}

void usage_forget(usage *u) {
  u->known = false;
}

void usage_set(usage *u, uint64_t total) {
  u->known = true;
  u->total = total;
}

void usage_close(usage *u) {
  if (u->fd < 0) return;
  if (u->known) {
    char text[NUMBER_SIZE + 1];
    int length = snprintf(text, sizeof text, "%020" PRIu64 "\n", u->total);
    /* Cutting comes second: a longer file stays malformed until the number is whole. */
    bool written = pwrite(u->fd, text, (size_t)length, 0) == length && ftruncate(u->fd, length) == 0;
    (void)written;
  }
  descriptor_close(u->fd);
  u->fd = -1;
}
