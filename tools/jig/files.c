#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* NULL with errno set. */
static FILE *file_open(const char *path) {
  return strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
}

static void file_close(FILE *file) {
  if (file != stdin) (void)fclose(file);
}

static size_t lines_of(const char *text) {
  size_t lines = 1;
  while ((text = strchr(text, '\n')) != NULL) ++lines, ++text;
  return lines;
}

enum { MOST_BYTES = 256 << 20 };

char *file_read(const char *path, size_t *size) {
  FILE *file = file_open(path);
  if (file == NULL) return NULL;
  char *bytes = NULL, block[4096];
  size_t got, length = 0;
  size_t total = 0;
  FILE *memory = open_memstream(&bytes, &length);
  while (memory != NULL && total <= MOST_BYTES && (got = fread(block, 1, sizeof block, file)) > 0)
    total += fwrite(block, 1, got, memory);
  int problem = memory == NULL || ferror(file) != 0 ? errno : total > MOST_BYTES ? EFBIG : 0;
  if (memory != NULL && fclose(memory) != 0) problem = errno;
  file_close(file);
  *size = length;
  if (problem == 0) return bytes;
  free(bytes);
  errno = problem;
  return NULL;
}

char *file_read_text(const char *what, const char *path) {
  size_t size;
  char *text = file_read(path, &size);
  if (text == NULL) {
    complain("%s%s: %s", what, path, strerror(errno));
  } else if (strlen(text) != size) {
    complain("%s%s: this is no text: it has a NUL in line %zu", what, path, lines_of(text));
    free(text);
    text = NULL;
  }
  return text;
}
