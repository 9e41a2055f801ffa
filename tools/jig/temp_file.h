/* Files that nobody else sees and that go with the process, however that ends; and folders, which do not.
 * They are in $TMPDIR, otherwise in /tmp. */
#ifndef JIG_CLI_TEMP_FILE_H
#define JIG_CLI_TEMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct temp_file {
  int fd; /* -1: not open */
  uint64_t size;
} temp_file;

/* EXIT_OK or, having complained, EXIT_FAILED; so do the others. */
int temp_file_open(temp_file *f);
void temp_file_close(temp_file *f);

/* Puts bytes at its end, or reads some back. */
int temp_file_add(temp_file *f, const void *bytes, uint64_t size);
int temp_file_read(const temp_file *f, void *bytes, uint64_t size, uint64_t offset);

/* A new folder whose name begins so, put into `path` of so many bytes; false, with errno set, if there is
 * none. And its end, with all that is in it. */
bool temp_folder_make(char *path, size_t size, const char *name);
void temp_folder_remove(const char *path);

#endif
