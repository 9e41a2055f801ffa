#include "util/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads up to `size` bytes, fewer if the file has shrunk. */
static int read_up_to(int fd, char *content, size_t size, size_t *length) {
  *length = 0;
  while (*length < size) {
    ssize_t got = read(fd, content + *length, size - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    *length += (size_t)got;
  }
  return 0;
}

static int read_open_file(int fd, size_t limit, char **content, size_t *length) {
  struct stat status;
  if (fstat(fd, &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  if ((uint64_t)status.st_size > limit) return EFBIG;
  char *bytes = malloc((size_t)status.st_size + 1);
  if (bytes == NULL) return ENOMEM;
  int problem = read_up_to(fd, bytes, (size_t)status.st_size, length);
  if (problem != 0) {
    free(bytes);
    return problem;
  }
  bytes[*length] = '\0';
  *content = bytes;
  return 0;
}

int text_file_read(const char *path, size_t limit, char **content, size_t *length) {
  *content = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
  if (fd < 0) return errno;
  int problem = read_open_file(fd, limit, content, length);
  (void)close(fd);
  return problem;
}
