/* A program in the driver: its kernel, and what launching it takes. */
#ifndef JIG_JIT_PROGRAM_H
#define JIG_JIT_PROGRAM_H

#include <cuda.h>
#include <stdbool.h>

#include <jig/status.h>

#include "driver/driver.h"
#include "jit/build.h"

typedef struct program {
  CUlibrary library; /* NULL where the driver has only modules, which belong to one context */
  CUmodule module;
  CUfunction kernel; /* a CUkernel in disguise if there is a library: it launches in any context */
  policy tuning;
  int multiprocessors;
  int blocks_per_multiprocessor; /* of the policy's threads, as many as are resident at once */
  bool overlapped_launch;        /* launch before the stream's previous kernel has quite finished */
  const driver *cuda;
} program;

/* Loads an artifact for the current context's device. *refused says whether a failure is the driver's
 * verdict on the payload, so that another payload may fare better. */
jig_status program_load(const artifact *a, const char *kernel, const device_info *dev, program *p,
                        bool *refused);
void program_unload(program *p);

/* Makes the kernel resident in the current context, so that a later launch there loads nothing. */
jig_status program_make_resident(const program *p);

/* Launches the kernel on the stream: grid blocks of the policy's threads. */
jig_status program_launch(const program *p, unsigned grid, void **parameters, CUstream stream);

#endif
