/* The counts, see stats.h. Nothing here can fail: at worst something is not counted. */
#include "store/stats.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/descriptor.h"
#include "store/files.h"
#include "store/lock.h"

enum { NUMBERS = 5, NUMBER_SIZE = 21, FILE_SIZE = NUMBERS * NUMBER_SIZE };

store_stats stats_sum(const store_stats *a, const store_stats *b) {
  return (store_stats){.hits = a->hits + b->hits,
                       .misses = a->misses + b->misses,
                       .found = a->found + b->found,
                       .built = a->built + b->built,
                       .build_us = a->build_us + b->build_us};
}

static bool read_number(const char *text, uint64_t *number) {
  *number = 0;
  for (int i = 0; i < NUMBER_SIZE - 1; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    if (__builtin_mul_overflow(*number, 10u, number)) return false;
    if (__builtin_add_overflow(*number, (uint64_t)(text[i] - '0'), number)) return false;
  }
  return text[NUMBER_SIZE - 1] == '\n';
}

static store_stats read_all(int fd) {
  char text[FILE_SIZE + 1];
  uint64_t numbers[NUMBERS];
  if (pread(fd, text, sizeof text, 0) != FILE_SIZE) return (store_stats){0};
  for (int i = 0; i < NUMBERS; ++i)
    if (!read_number(text + i * NUMBER_SIZE, &numbers[i])) return (store_stats){0};
  return (store_stats){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

static void write_all(int fd, const store_stats *s) {
  char text[FILE_SIZE + 1];
  const uint64_t numbers[NUMBERS] = {s->hits, s->misses, s->found, s->built, s->build_us};
  for (int i = 0; i < NUMBERS; ++i)
    (void)snprintf(text + i * NUMBER_SIZE, NUMBER_SIZE + 1, "%020" PRIu64 "\n", numbers[i]);
  const bool written = pwrite(fd, text, FILE_SIZE, 0) == FILE_SIZE && ftruncate(fd, FILE_SIZE) == 0;
  (void)written;
}

/* -1: there is none that can be used. */
static int open_file(int version, int flags) {
  struct stat status;
  const int fd = descriptor_open(version, "stats", flags);
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))) return fd;
  descriptor_close(fd);
  return -1;
}

bool stats_add(int version, const store_stats *change) {
  if (files_exceed_limit(FILE_SIZE)) return true;
  const int fd = open_file(version, O_RDWR | O_CREAT);
  if (fd < 0) return true; /* nor will it be possible later */
  const bool is_free = lock_wait(fd, 0) != LOCK_BUSY;
  if (is_free) {
    const store_stats before = read_all(fd), after = stats_sum(&before, change);
    write_all(fd, &after);
  }
  descriptor_close(fd);
  return is_free;
}

store_stats stats_read(int version) {
  const int fd = open_file(version, O_RDONLY);
  if (fd < 0) return (store_stats){0};
  const store_stats s = read_all(fd);
  descriptor_close(fd);
  return s;
}
