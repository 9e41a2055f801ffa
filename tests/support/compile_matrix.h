/* What the compile matrix compiles: of many specs, every kernel for every architecture, or as few of
 * these as tell the same.
 *
 * Two architectures for which a kernel has the same policy and the templates the same #if branches give
 * the compiler the same text: only the machine code differs. They are a group.
 *
 * - quick: every kernel that there is once, of the first spec that has it.
 * - rotate: every other kernel of every spec, the rest the next day, for one of its groups, every other
 * time that of SM 90, which tuning was measured on; of specs that are of a product (types x operators,
 * keys x values) that is a group like the others. Which one, and which architecture of a group, takes
 * turns, from the seed on. Each kernel that there is at least once, as with quick.
 * - full: every kernel of every spec for every architecture.
 *
 * JIG_TEST_MATRIX names one of these (rotate, if it is not set), JIG_TEST_SEED the seed: the day's
 * number if there is none. */
#ifndef JIG_TESTS_COMPILE_MATRIX_H
#define JIG_TESTS_COMPILE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "jit/build.h"
#include "spec/canonical.h"

typedef enum matrix_mode { MATRIX_QUICK, MATRIX_ROTATE, MATRIX_FULL } matrix_mode;

typedef struct compile_spec {
  const char *text;
  bool everywhere; /* for all architectures, or those only that have kernels of their own */
  bool of_product;
} compile_spec;

typedef struct compile_job {
  size_t spec; /* its number */
  int program; /* which one of those that it names */
  const kernel_row *kernel;
  arch target;
} compile_job;

typedef struct compile_plan {
  matrix_mode mode;
  unsigned long seed;
  compile_job *jobs; /* malloc'ed */
  size_t count;
} compile_plan;

/* By the environment; fails the test if a spec cannot be parsed or a kernel is in none of them. */
compile_plan compile_plan_of(const compile_spec *specs, size_t count);

/* The variables with which the same jobs are run again. */
const char *compile_plan_again(const compile_plan *p);

#endif
