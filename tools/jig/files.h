/* Whole files. */
#ifndef JIG_CLI_FILES_H
#define JIG_CLI_FILES_H

#include <stdio.h>

/* A file, or standard input for "-", open for reading; NULL with errno set. */
FILE *file_open(const char *path);
void file_close(FILE *file);

/* All of it, with a NUL behind it, the caller's to free(). NULL with errno set. */
char *file_read_text(const char *path);

/* The same of any bytes; *size does not count the NUL. */
char *file_read(const char *path, size_t *size);

#endif
