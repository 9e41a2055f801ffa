#include "jit/algorithm.h"

#include <string.h>

#include "spec/shared.h"

const algorithm *algorithm_of(const spec *s) {
  const algorithm *const *row = algorithm_table;
  if (s->schema == &own_kernel_algorithm.schema) return &own_kernel_algorithm;
  while (&(*row)->schema != s->schema) ++row;
  return *row;
}

int algorithm_kernel_count(const spec *s) {
  const algorithm *row = algorithm_of(s);
  return row->count_kernels != NULL ? row->count_kernels(s) : row->kernel_count;
}

kernel_set algorithm_kernels(const spec *s) {
  return kernel_set_of(algorithm_kernel_count(s)) - 1;
}

const kernel_row *algorithm_kernel(const spec *s, int i, int sm) {
  const kernel_row *row = &algorithm_of(s)->kernels[i];
  if (spec_is_gpu_to_gpu(s)) sm = POLICY_OLDEST_SM; /* the kernels that every GPU has */
  shared_spec shared;
  placed_spec room;
  if (row->instead == NULL) return row;
  const spec *seen = spec_placed(spec_shared(s, &shared), &room);
  for (const kernel_row *other = row->instead; other != NULL; other = other->instead)
    if (other->fits(seen, sm)) return other;
  return row;
}

policy kernel_policy(const kernel_row *kernel, const spec *s, int sm, tuning_told *told) {
  shared_spec shared;
  placed_spec room;
  const spec *seen = spec_placed(spec_shared(s, &shared), &room);
  return kernel->space != NULL ? kernel->space->choose(seen, sm, told) : kernel->choose_policy(seen, sm);
}

algorithm_programs algorithm_programs_of(const spec *s) {
  const algorithm *row = algorithm_of(s);
  algorithm_programs programs = {.of = {*s}, .count = 1};
  if (row->also != NULL) programs.count += row->also(&programs.of[0], &programs.of[1]);
  for (int i = 0; i < s->schema->slot_count; ++i)
    if (s->schema->slots[i].kind == SLOT_FLAG) programs.of[0].slots[i].choice = 0;
  return programs;
}

const spec_schema *algorithm_schema(const char *name) {
  if (strcmp(own_kernel_algorithm.schema.algorithm, name) == 0) return &own_kernel_algorithm.schema;
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    if (strcmp((*row)->schema.algorithm, name) == 0) return &(*row)->schema;
  }
  return NULL;
}
