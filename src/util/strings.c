#include "util/strings.h"

#include <stdlib.h>
#include <string.h>

void strings_free(char **strings) {
  for (char **s = strings; s != NULL && *s != NULL; ++s) free(*s);
  free(strings);
}

char **strings_copy(const char *const *strings, size_t count) {
  char **copies = calloc(count + 1, sizeof *copies);
  for (size_t i = 0; copies != NULL && i < count; ++i) {
    copies[i] = strdup(strings[i]);
    if (copies[i] != NULL) continue;
    strings_free(copies);
    copies = NULL;
  }
  return copies;
}

char **strings_split(const char *text, const char *separators) {
  char **parts = calloc(strlen(text) / 2 + 2, sizeof *parts); /* every other character, at most */
  size_t count = 0;
  while (parts != NULL && *(text += strspn(text, separators)) != '\0') {
    const size_t length = strcspn(text, separators);
    parts[count] = strndup(text, length);
    text += length;
    if (parts[count++] != NULL) continue;
    strings_free(parts);
    parts = NULL;
  }
  return parts;
}

size_t strings_distance(const char *a, const char *b) {
  enum { MOST = 127 };
  size_t row[MOST + 1];
  const size_t rows = strnlen(a, MOST), columns = strnlen(b, MOST);
  for (size_t k = 0; k <= columns; ++k) row[k] = k;
  for (size_t i = 1; i <= rows; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t k = 1; k <= columns; ++k) {
      const size_t changed = diagonal + (a[i - 1] != b[k - 1]);
      const size_t other = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
      diagonal = row[k];
      row[k] = changed < other ? changed : other;
    }
  }
  return row[columns];
}
