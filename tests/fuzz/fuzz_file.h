/* Inputs for what reads files. */
#ifndef JIG_TESTS_FUZZ_FILE_H
#define JIG_TESTS_FUZZ_FILE_H

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* A file that has these bytes, and no others from before; the same one each time. Its path. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
  static char path[32];
  static int fd = -1;
  if (fd < 0) {
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  MUST(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
  return path;
}

#endif
