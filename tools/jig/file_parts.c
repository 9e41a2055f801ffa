#include "file_parts.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { PARTS = 4, LEAST_PART = 1 << 19, AT_A_TIME = 1 << 30 };

typedef struct part {
  int fd;
  bool writes;
  unsigned char *bytes;
  uint64_t size, offset, done;
  int problem; /* an errno; 0: none */
} part;

/* One call; 0: the end, -1: an error. */
static ssize_t move_some(const part *p) {
  const uint64_t left = p->size - p->done;
  const size_t most = left < AT_A_TIME ? (size_t)left : AT_A_TIME;
  const off_t offset = (off_t)(p->offset + p->done);
  ssize_t moved;
  do {
    moved = p->writes ? pwrite(p->fd, p->bytes + p->done, most, offset)
                      : pread(p->fd, p->bytes + p->done, most, offset);
  } while (moved < 0 && errno == EINTR);
  return moved;
}

static void *move_part(void *argument) {
  part *p = argument;
  while (p->done < p->size) {
    const ssize_t moved = move_some(p);
    if (moved < 0) p->problem = errno;
    if (moved <= 0) break;
    p->done += (uint64_t)moved;
  }
  return NULL;
}

static void split(const part *all, part parts[PARTS]) {
  const uint64_t each = all->size / PARTS;
  for (uint64_t i = 0; i < PARTS; ++i) {
    parts[i] = *all;
    parts[i].bytes += i * each;
    parts[i].offset += i * each;
    parts[i].size = i + 1 < PARTS ? each : all->size - i * each;
  }
}

/* Where no thread is to be had, this one does it. */
static void move_parts(part parts[PARTS]) {
  pthread_t threads[PARTS];
  bool is_started[PARTS] = {false};
  for (int i = 1; i < PARTS; ++i)
    is_started[i] = pthread_create(&threads[i], NULL, move_part, &parts[i]) == 0;
  for (int i = 0; i < PARTS; ++i)
    if (!is_started[i]) (void)move_part(&parts[i]);
  for (int i = 1; i < PARTS; ++i)
    if (is_started[i]) (void)pthread_join(threads[i], NULL);
}

static bool move(part *all) {
  part parts[PARTS];
  if (all->size < (uint64_t)PARTS * LEAST_PART) {
    (void)move_part(all);
    errno = all->problem;
    return all->problem == 0;
  }
  split(all, parts);
  move_parts(parts);
  for (int i = 0; i < PARTS; ++i) {
    all->done += parts[i].done;
    errno = parts[i].problem;
    if (parts[i].problem != 0) return false;
    if (parts[i].done < parts[i].size) break; /* nothing behind the end counts */
  }
  return true;
}

bool file_read_at(int fd, void *bytes, uint64_t size, uint64_t offset, uint64_t *done) {
  part all = {.fd = fd, .bytes = bytes, .size = size, .offset = offset};
  const bool ok = move(&all);
  *done = all.done;
  return ok;
}

bool file_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset) {
  part all = {.fd = fd,
              .writes = true,
              .bytes = (unsigned char *)(uintptr_t)bytes,
              .size = size,
              .offset = offset};
  if (!move(&all)) return false;
  errno = ENOSPC; /* what a write of 0 bytes means */
  return all.done == size;
}

bool file_write(int fd, const void *bytes, uint64_t size) {
  const unsigned char *from = bytes;
  for (uint64_t done = 0; done < size;) {
    const size_t left = size - done < AT_A_TIME ? (size_t)(size - done) : AT_A_TIME;
    const ssize_t n = write(fd, from + done, left);
    if (n < 0 && errno != EINTR) return false;
    done += n > 0 ? (uint64_t)n : 0;
  }
  return true;
}
