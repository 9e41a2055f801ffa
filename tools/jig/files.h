/* Whole files. */
#ifndef JIG_CLI_FILES_H
#define JIG_CLI_FILES_H

#include <stdio.h>

/* All of a file, or of standard input for "-", with a NUL behind it, which *size does not count; the
 * caller's to free(). NULL with errno set, which is EFBIG for more than 256 MiB: a device need not have
 * an end. */
char *file_read(const char *path, size_t *size);

/* The same of a text, which has no NUL. NULL having complained; `what` is what the complaint begins with,
 * such as an option, or "". */
char *file_read_text(const char *what, const char *path);

#endif
