/* Reading text files. */
#ifndef JIG_UTIL_TEXT_FILE_H
#define JIG_UTIL_TEXT_FILE_H

#include <stddef.h>

/* Reads all of a regular file of at most `limit` bytes and puts a NUL behind it. 0, or an errno value:
 * EISDIR for a folder, EINVAL for what is no file either, EFBIG. *content is the caller's to free(). */
int text_file_read(const char *path, size_t limit, char **content, size_t *length);

#endif
