/* A launch of a kernel of the user's own on arrays and numbers: jig run kernel. */
#ifndef JIG_CLI_KERNEL_RUN_H
#define JIG_CLI_KERNEL_RUN_H

#include "build_options.h"
#include "options.h"
#include "spec/canonical.h"

typedef struct kernel_launch {
  jig_kernel_shape shape;
  uint64_t repeats; /* 0: the time is not taken */
} kernel_launch;

/* Launches it with what the operands stand for, and stores or prints what comes of it. EXIT_OK or a code,
 * having complained. */
int kernel_run(const parsed_spec *spec, const kernel_launch *launch, const build_options *build,
               const operand_list *operands);

#endif
