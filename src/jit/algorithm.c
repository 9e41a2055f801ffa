#include "jit/algorithm.h"

#include <string.h>

const algorithm *algorithm_of(const spec *s) {
  const algorithm *const *row = algorithm_table;
  while (&(*row)->schema != s->schema) ++row;
  return *row;
}

const kernel_row *algorithm_kernel(const spec *s, int i, int sm) {
  const kernel_row *row = &algorithm_of(s)->kernels[i];
  return row->instead != NULL && row->instead->fits(s, sm) ? row->instead : row;
}

const spec_schema *algorithm_schema(const char *name) {
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    if (strcmp((*row)->schema.algorithm, name) == 0) return &(*row)->schema;
  }
  return NULL;
}
