#include "util/strings.h"

#include <stdbool.h>
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
  size_t rows[3][MOST + 1]; /* as far as they are needed */
  const size_t m = strnlen(a, MOST), n = strnlen(b, MOST);
  for (size_t k = 0; k <= n; ++k) rows[0][k] = k;
  for (size_t i = 1; i <= m; ++i) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t k = 1; k <= n; ++k) {
      const size_t changed = above[k - 1] + (a[i - 1] != b[k - 1]);
      const size_t other = (above[k] < row[k - 1] ? above[k] : row[k - 1]) + 1;
      row[k] = changed < other ? changed : other;
      const bool is_swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (is_swapped && second[k - 2] + 1 < row[k]) row[k] = second[k - 2] + 1;
    }
  }
  return rows[m % 3][n];
}
