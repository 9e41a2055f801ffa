/* What an algorithm is to the rooms below it: its spec's schema, its kernels and its policy. One row of
 * one table (algorithm/table.c) for each. */
#ifndef JIG_JIT_ALGORITHM_H
#define JIG_JIT_ALGORITHM_H

#include "policy/policy.h"
#include "spec/spec.h"

typedef struct algorithm {
  spec_schema schema;
  const char *templates; /* what its kernel is made of: "jig/kernel/reduce.cuh" */
  const char *entry;     /* the template that defines the kernel: "jig/kernel/reduce_entry.cuh" */
  const char *kernel;    /* the kernel's name: "jig_reduce" */
  policy_choose choose_policy;
} algorithm;

/* Ends with NULL. */
extern const algorithm *const algorithm_table[];

/* The algorithm that a spec is of. */
const algorithm *algorithm_of(const spec *s);

/* For spec_parse(). */
const spec_schema *algorithm_schema(const char *name);

#endif
