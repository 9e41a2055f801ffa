#include "algorithms.h"

#include <stdio.h>

#include "jit/algorithm.h"

const char *algorithm_names(void) {
  static char names[2048];
  size_t length = 0;
  for (const algorithm *const *row = algorithm_table; *row != NULL && length < sizeof names; ++row)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                               (*row)->schema.algorithm);
  return names;
}
