#include "temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_parts.h"
#include "report.h"
#include "util/env.h"

static const char *folder(void) {
  const char *folder = env_get("TMPDIR");
  return folder != NULL ? folder : "/tmp";
}

static int fail(const char *what) {
  complain("%s: temporary files: %s%s", folder(), what != NULL ? what : strerror(errno),
           errno == ENOSPC && what == NULL ? "; TMPDIR=DIR takes another folder" : "");
  return EXIT_FAILED;
}

/* Where the file system has no files without a name, it has one for a moment. */
static int open_named(void) {
  char name[PATH_MAX];
  const int length = snprintf(name, sizeof name, "%s/jig-XXXXXX", folder());
  if (length < 0 || (size_t)length >= sizeof name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0) (void)unlink(name);
  return fd;
}

int temp_file_open(temp_file *f) {
  *f = (temp_file){.fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (f->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) f->fd = open_named();
  return f->fd >= 0 ? EXIT_OK : fail(NULL);
}

void temp_file_close(temp_file *f) {
  if (f->fd >= 0) (void)close(f->fd);
  f->fd = -1;
}

int temp_file_add(temp_file *f, const void *bytes, uint64_t size) {
  if (!file_write_at(f->fd, bytes, size, f->size)) return fail(NULL);
  f->size += size;
  return EXIT_OK;
}

int temp_file_read(const temp_file *f, void *bytes, uint64_t size, uint64_t offset) {
  uint64_t done;
  if (!file_read_at(f->fd, bytes, size, offset, &done)) return fail(NULL);
  return done == size ? EXIT_OK : fail("one became shorter");
}

/* ---- folders */

bool temp_folder_make(char *path, size_t size, const char *name) {
  const int length = snprintf(path, size, "%s/%s-XXXXXX", folder(), name);
  if (length < 0 || (size_t)length >= size) {
    errno = ENAMETOOLONG;
    return false;
  }
  return mkdtemp(path) != NULL;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status;
  (void)type;
  (void)place;
  return remove(path);
}

void temp_folder_remove(const char *path) {
  enum { MOST_OPEN = 16 };
  (void)nftw(path, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}
