/* Target architectures: "sm_90" (machine code, a cubin) and "compute_90" (PTX). */
#ifndef JIG_JIT_ARCH_H
#define JIG_JIT_ARCH_H

#include <stdbool.h>

#include <jig/status.h>

typedef struct arch {
  int sm; /* 90 */
  bool ptx;
  char name[24]; /* "sm_90" */
} arch;

arch arch_of_sm(int sm, bool ptx);

/* JIG_ERROR_INVALID_ARGUMENT if it is no architecture that jig builds for: 75 and up, without the "a" and
 * "f" that stand for features of one GPU, which no template uses. */
jig_status arch_parse(const char *name, arch *parsed);

#endif
