/* Kernels of a test's own, written against the templates. */
#ifndef JIG_TESTS_KERNEL_H
#define JIG_TESTS_KERNEL_H

#include <jig/type.h>

#include "driver/driver.h"

typedef struct kernel {
  CUmodule module;
  CUfunction function;
} kernel;

/* Compiles source, in which an extern "C" kernel `test` is defined, for the first device. */
kernel kernel_build(const char *source);
void kernel_free(kernel *k);

#endif
