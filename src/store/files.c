/* Files and directories, see files.h.
 *
 * There is no fsync: after a power cut a published entry may turn out torn or empty, but its hash then
 * makes it a miss, and a miss costs one compile. Waiting for the disk would cost every store of every
 * healthy machine some milliseconds. Files are read(), never mapped: a mapping of a file that shrinks or
 * whose server goes away is a SIGBUS in somebody else's program. */
#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "store/descriptor.h"

const char *files_distrust(const struct stat *status, files_trust trust) {
  bool owner_ok = status->st_uid == geteuid() || (trust == FILES_OURS_OR_ROOTS && status->st_uid == 0);
  if (!owner_ok) return "owned by somebody else";
  return (status->st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "writable by others" : NULL;
}

/* The path is changed meanwhile and restored. */
static int make_with_parents(char *path) {
  if (mkdir(path, 0700) == 0) return 0;
  if (errno != ENOENT) return errno;
  char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return ENOENT;
  *slash = '\0';
  int error = make_with_parents(path);
  *slash = '/';
  if (error != 0 && error != EEXIST) return error;
  return mkdir(path, 0700) == 0 ? 0 : errno;
}

int files_make_directory(const char *path) {
  char copy[PATH_MAX];
  size_t size = strlen(path) + 1;
  if (size > sizeof copy) return ENAMETOOLONG;
  memcpy(copy, path, size);
  return make_with_parents(copy);
}

DIR *files_list(int dir) {
  int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return NULL;
  DIR *list = fdopendir(fd);
  if (list == NULL) (void)close(fd);
  return list;
}

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

files_naming files_name_leads_to(int dir, const char *name, int fd) {
  struct stat opened, named;
  if (fstat(fd, &opened) != 0) return FILES_UNKNOWN;
  if (fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? FILES_NOT_NAMED : FILES_UNKNOWN;
  return same_file(&opened, &named) ? FILES_NAMED : FILES_NOT_NAMED;
}

int files_remove(int dir, const char *name) {
  if (unlinkat(dir, name, 0) == 0) return 0;
  if (errno != EISDIR) return errno;
  return unlinkat(dir, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

int files_remove_same(int dir, const char *name, const struct stat *status) {
  struct stat now;
  if (fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  return same_file(&now, status) ? files_remove(dir, name) : ESTALE;
}

bool files_is_old(const struct stat *status) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  const time_t hour = 3600;
  return status->st_mtime < now.tv_sec - hour || status->st_mtime > now.tv_sec + hour;
}

/* ---- reading ---- */

/* Why an open file is not one to be read, or NULL if it is. */
static const char *unfit(const struct stat *status, size_t limit, files_trust trust) {
  if (!S_ISREG(status->st_mode)) return "not a regular file";
  const char *fault = files_distrust(status, trust);
  if (fault != NULL) return fault;
  return (uint64_t)status->st_size > limit ? "too large" : NULL;
}

/* Reads up to `size` bytes; a file that ends earlier just gives fewer. */
static int read_all(int fd, unsigned char *bytes, size_t size, size_t *got) {
  *got = 0;
  while (*got < size) {
    ssize_t n = read(fd, bytes + *got, size - *got);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    *got += (size_t)n;
  }
  return 0;
}

/* Reads what an open file has, if the rules let it. */
static int read_open_file(int fd, const files_rules *rules, files_content *content, const char **fault) {
  unsigned char head[FILES_MAX_HEAD];
  size_t got;
  if (fstat(fd, &content->status) != 0) return errno;
  *fault = unfit(&content->status, rules->limit, rules->trust);
  if (*fault != NULL) return EINVAL;
  int error = read_all(fd, head, rules->head_size, &got);
  if (error != 0) return error;
  const size_t size = (size_t)content->status.st_size;
  *fault = rules->check_head(head, got, size);
  if (*fault != NULL || got > size) return EINVAL;
  content->bytes = malloc(size + 1);
  if (content->bytes == NULL) return ENOMEM;
  memcpy(content->bytes, head, got);
  error = read_all(fd, content->bytes + got, size - got, &content->size);
  content->size += got;
  return error;
}

int files_read(int dir, const char *name, const files_rules *rules, files_content *content,
               const char **fault) {
  *content = (files_content){0};
  *fault = NULL;
  /* Without O_NONBLOCK the open itself would hang on a FIFO. */
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    int error = errno;
    if (error == ELOOP && fstatat(dir, name, &content->status, AT_SYMLINK_NOFOLLOW) == 0) {
      *fault = "a symbolic link";
      return EINVAL;
    }
    return error;
  }
  int error = read_open_file(fd, rules, content, fault);
  (void)close(fd);
  if (error != 0) {
    free(content->bytes);
    content->bytes = NULL;
  }
  return error;
}

/* ---- writing ---- */

static int write_all(int fd, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    bytes += n;
    size -= (size_t)n;
  }
  return 0;
}

bool files_exceed_limit(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

static uint64_t random_number(void) {
  uint64_t number;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number) return number;
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec << 20 ^ (uintptr_t)&number;
}

static void drop_temporary(int dir, files_temporary *t) {
  (void)unlinkat(dir, t->name, 0);
  descriptor_close(t->fd);
  t->fd = -1;
}

/* Gets out of step with a sweeper, who may otherwise come along at the same moment again and again. */
static void stand_back(int attempt) {
  const struct timespec pause = {.tv_nsec = (long)(random_number() % 64 + 1) * 1000 * attempt};
  if (attempt > 0) (void)nanosleep(&pause, NULL);
}

/* Creates and locks the file. A sweeper may find it between the two: it then holds the lock, or has
 * removed the file already, and another is made. Where locks do not work, files are swept by age alone,
 * and a new one is safe. */
static int create_temporary(int dir, files_temporary *t) {
  for (int attempt = 0; attempt < 32; ++attempt) {
    stand_back(attempt);
    layout_temporary(getpid(), random_number(), t->name);
    t->fd = descriptor_open(dir, t->name, O_WRONLY | O_CREAT | O_EXCL);
    if (t->fd < 0 && errno == EEXIST) continue;
    if (t->fd < 0) return errno;
    bool held_by_sweeper = flock(t->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!held_by_sweeper && files_name_leads_to(dir, t->name, t->fd) != FILES_NOT_NAMED) return 0;
    drop_temporary(dir, t);
  }
  return EEXIST;
}

/* Quotas and network file systems may report a failed write only when a descriptor is closed. Closing a
 * duplicate shows such an error while the lock on the file stays. */
static int close_duplicate(int fd) {
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) return errno;
  return close(duplicate) == 0 || errno == EINTR ? 0 : errno;
}

int files_write(int dir, const void *bytes, size_t size, files_temporary *temporary) {
  if (files_exceed_limit(size)) return EFBIG;
  int error = create_temporary(dir, temporary);
  if (error != 0) return error;
  error = write_all(temporary->fd, bytes, size);
  if (error == 0) error = close_duplicate(temporary->fd);
  if (error != 0) drop_temporary(dir, temporary);
  return error;
}

int files_publish(int dir, files_temporary *temporary, const char *name) {
  int failed = renameat(dir, temporary->name, dir, name);
  if (failed != 0 && errno == EISDIR && files_remove(dir, name) == 0)
    failed = renameat(dir, temporary->name, dir, name);
  if (failed != 0) {
    int error = errno;
    drop_temporary(dir, temporary);
    return error;
  }
  descriptor_close(temporary->fd);
  temporary->fd = -1;
  return 0;
}

void files_write_new(int dir, const char *name, const char *text) {
  int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (!files_exceed_limit(strlen(text))) (void)write_all(fd, (const unsigned char *)text, strlen(text));
  (void)close(fd);
}
