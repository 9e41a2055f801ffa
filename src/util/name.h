/* Names among a few, which warm calls look for: most differ in their first character, or are the same
 * text of the library. */
#ifndef JIG_UTIL_NAME_H
#define JIG_UTIL_NAME_H

#include <stdbool.h>
#include <string.h>

static inline bool name_equal(const char *a, const char *b) {
  return a == b || (a[0] == b[0] && strcmp(a, b) == 0);
}

#endif
