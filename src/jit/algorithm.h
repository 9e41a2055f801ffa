/* What an algorithm is to the rooms below it: its spec's schema, its kernels and their policies. One row
 * of one table (algorithm/table.c) for each. */
#ifndef JIG_JIT_ALGORITHM_H
#define JIG_JIT_ALGORITHM_H

#include "jit/parameter.h"
#include "policy/policy.h"
#include "policy/space.h"
#include "spec/layout.h"
#include "spec/spec.h"

/* One kernel. Each is compiled as a program of its own, so that several can be at the same time. */
typedef struct kernel_row {
  const char *name;      /* "jig_reduce" */
  const char *templates; /* what it is made of: "jig/kernel/reduce/reduce.cuh" */
  const char *function;  /* what its entry point calls with all parameters: "jig::reduce<jig_policy>" */
  const kernel_parameter *parameters; /* ends with PARAMETERS_END */
  policy_choose choose_policy;        /* of the user's own, */
  const policy_space *space;          /* or how it is tuned, and may be: one of the two */
  /* Another one for the same purpose, which takes this one's place where it fits, or else one of that
   * one's own; NULL: none. */
  const struct kernel_row *instead;
  bool (*fits)(const spec *s, int sm); /* whether this one can take another's place */
} kernel_row;

enum { ALGORITHM_MAX_KERNELS = 8 };

/* Some of a program's kernels: bit i is the number i. */
typedef unsigned kernel_set;
static inline kernel_set kernel_set_of(int i) {
  return 1u << i;
}
static inline bool kernel_set_has(kernel_set set, int i) {
  return (set >> i & 1) != 0;
}

typedef struct algorithm {
  spec_schema schema;
  const struct_layout *args; /* of its public args struct */
  const kernel_row *kernels;
  int kernel_count;
  /* How many of these, the first ones, the programs of a spec have; NULL: all. */
  int (*count_kernels)(const spec *s);
  /* How many other programs calls of a spec take, for what its flags say or its types, or may take, and
   * the specs of these. What their own program is of, which is told as well, may be something else than
   * the spec. */
  int (*also)(spec *own, spec *others);
} algorithm;

/* Ends with NULL. */
extern const algorithm *const algorithm_table[];

/* Beside the table: what programs with a kernel of the user's own are. Its schema has a slot for that and
 * no other, and it has no args. */
extern const algorithm own_kernel_algorithm;

/* The algorithm that a spec is of. */
const algorithm *algorithm_of(const spec *s);

/* How many kernels a spec's programs have, and all of them. */
int algorithm_kernel_count(const spec *s);
kernel_set algorithm_kernels(const spec *s);

/* The kernel number i of a spec's programs for an architecture. */
const kernel_row *algorithm_kernel(const spec *s, int i, int sm);

/* What tunes it there. What `told` says of its space is taken, and what it does not say is put there;
 * NULL: nothing is told. See tuned.h. */
policy kernel_policy(const kernel_row *kernel, const spec *s, int sm, tuning_told *told);

/* The programs that a spec names, each by a spec of its own: the algorithm's, without flags, and others.
 * They point to what the spec points to. */
enum { ALGORITHM_MAX_PROGRAMS = 3 };
typedef struct algorithm_programs {
  spec of[ALGORITHM_MAX_PROGRAMS];
  int count;
} algorithm_programs;
algorithm_programs algorithm_programs_of(const spec *s);

/* For spec_parse(). */
const spec_schema *algorithm_schema(const char *name);

#endif
