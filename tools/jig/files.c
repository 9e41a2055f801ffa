#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

FILE *file_open(const char *path) {
  return strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
}

void file_close(FILE *file) {
  if (file != stdin) (void)fclose(file);
}

char *file_read(const char *path, size_t *size) {
  FILE *file = file_open(path);
  if (file == NULL) return NULL;
  char *bytes = NULL, block[4096];
  size_t got, length = 0;
  FILE *memory = open_memstream(&bytes, &length);
  while (memory != NULL && (got = fread(block, 1, sizeof block, file)) > 0)
    (void)fwrite(block, 1, got, memory);
  int problem = memory == NULL || ferror(file) != 0 ? errno : 0;
  if (memory != NULL && fclose(memory) != 0) problem = errno;
  file_close(file);
  *size = length;
  if (problem == 0) return bytes;
  free(bytes);
  errno = problem;
  return NULL;
}

char *file_read_text(const char *path) {
  FILE *file = file_open(path);
  if (file == NULL) return NULL;
  char *text = NULL;
  size_t capacity = 0;
  /* There is no NUL in a text: up to the first one is all of it. */
  ssize_t length = getdelim(&text, &capacity, '\0', file);
  int problem = ferror(file) != 0 ? errno : 0;
  file_close(file);
  if (length >= 0) return text;
  free(text);
  errno = problem;
  return problem != 0 ? NULL : strdup("");
}
