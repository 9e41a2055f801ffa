/* Kernels of the users' own in an engine: what jig_kernel_get() hands out. Each is of a spec, and has a
 * program for each kind of devices; it remembers in which contexts that can be launched. */
#ifndef JIG_ENGINE_OWN_KERNELS_H
#define JIG_ENGINE_OWN_KERNELS_H

#include <jig/kernel.h>

#include "engine/engine.h"

/* A context that it can be launched in. One that is destroyed may be followed by another one at its
 * address, on another device. */
typedef struct own_seat {
  struct own_seat *next;
  CUcontext context;
  const device_info *device;
  program *p;
} own_seat;

struct jig_kernel {
  struct jig_kernel *next;
  jig_engine *engine;
  const spec *s; /* lasts as long as the engine */
  _Atomic(own_seat *) seats;
};

/* The kernel that a program of the engine's table is of, the same for all programs of its spec; NULL when
 * out of memory. */
jig_kernel *own_kernel_of(jig_engine *engine, program *p);

/* Where it can be launched in a context; NULL: not known yet. */
const own_seat *own_kernel_seat(jig_kernel *k, CUcontext context, const device_info *device);

/* Adds that; NULL when out of memory. */
const own_seat *own_kernel_add_seat(jig_kernel *k, CUcontext context, const device_info *device,
                                    program *p);

void own_kernels_free(jig_engine *engine);

#endif
