/* Target architectures: "sm_90" (machine code, a cubin) and "compute_90" (PTX). */
#ifndef JIG_JIT_ARCH_H
#define JIG_JIT_ARCH_H

#include <stdbool.h>

#include <jig/status.h>

typedef struct arch {
  int sm; /* 90 */
  bool ptx;
  char name[24]; /* "sm_90", with "a" or "f" after it if it was so named */
} arch;

arch arch_of_sm(int sm, bool ptx);

/* JIG_ERROR_INVALID_ARGUMENT if it is no architecture that jig supports (75 and up). */
jig_status arch_parse(const char *name, arch *parsed);

#endif
