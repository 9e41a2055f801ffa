/* The operating system's side of the cache: which files may be trusted, reading one whole, replacing one
 * at a stroke. Directories are file descriptors and names are relative to them, so that nobody can swap
 * a directory between the check and the use. Errors are errno values; 0 is success. */
#ifndef JIG_STORE_FILES_H
#define JIG_STORE_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "store/layout.h"

/* Whose files are trusted: a cubin is code, and whoever can write one can run it as us. */
typedef enum files_trust { FILES_OURS, FILES_OURS_OR_ROOTS } files_trust;

/* Why a file or directory is not to be trusted ("owned by somebody else"), or NULL if it is. */
const char *files_distrust(const struct stat *status, files_trust trust);

/* Makes a directory, 0700, and the parents it lacks. EEXIST if something of that name was there. */
int files_make_directory(const char *path);

/* Opens a directory under a second, independent descriptor, to list it. NULL on failure. */
DIR *files_list(int dir);

/* Whether a name still leads to an open file, or to nothing or another one; or that cannot be told. */
typedef enum files_naming { FILES_NAMED, FILES_NOT_NAMED, FILES_UNKNOWN } files_naming;
files_naming files_name_leads_to(int dir, const char *name, int fd);

/* Removes a name, of whatever kind of file; of directories, empty ones. */
int files_remove(int dir, const char *name);

/* The same if it still stands for the file that `status` describes; ESTALE if it does not. */
int files_remove_same(int dir, const char *name, const struct stat *status);

/* Whether a file was last modified more than an hour ago. A time more than an hour ahead, left by a clock
 * that was wrong, says no more than a very old one and counts as such. */
bool files_is_old(const struct stat *status);

/* Whether a file of so many bytes is more than `ulimit -f` allows. Writing it would not just fail: the
 * kernel would end the process with a signal. */
bool files_exceed_limit(size_t size);

typedef struct files_content {
  unsigned char *bytes; /* the caller's to free() */
  size_t size;
  struct stat status;
} files_content;

/* Which files are read. */
typedef struct files_rules {
  files_trust trust;
  size_t limit; /* bytes a file may have */
  /* Says by a file's first head_size bytes, or all it has if these are fewer, why it is not to be read,
   * or NULL. Nothing else is read before. */
  const char *(*check_head)(const unsigned char *head, size_t size, uint64_t file_size);
  size_t head_size; /* at most FILES_MAX_HEAD */
} files_rules;
enum { FILES_MAX_HEAD = 256 };

/* Reads a whole file. What is not to be read (a symbolic link, somebody else's file, a huge one, one that
 * does not begin as it should) is EINVAL, and *fault says why; otherwise *fault is NULL. In both cases
 * content->status describes what was found. */
int files_read(int dir, const char *name, const files_rules *rules, files_content *content,
               const char **fault);

/* A file being written under a name that nobody looks for. Its lock, held until it is published or
 * dropped, tells sweepers that it is in use. */
typedef struct files_temporary {
  int fd;
  char name[LAYOUT_NAME_SIZE];
} files_temporary;

/* Writes bytes to a new temporary file. After an error nothing is left. */
int files_write(int dir, const void *bytes, size_t size, files_temporary *temporary);

/* Gives a written file its name, in place of any file of that name, or of an empty directory. After an
 * error nothing is left. */
int files_publish(int dir, files_temporary *temporary, const char *name);

/* Writes a small file unless there is one of that name. Best effort. */
void files_write_new(int dir, const char *name, const char *text);

#endif
