/* What a kernel of the user's own takes, and what a launch of it may ask for. It is read when the kernel
 * is loaded. */
#ifndef JIG_JIT_OWN_LIMITS_H
#define JIG_JIT_OWN_LIMITS_H

#include <jig/kernel.h>

#include "jit/code_entries.h"
#include "jit/program.h"

typedef struct own_limits {
  bool knows_parameters; /* or the code does not tell */
  entry_parameters parameters;
  unsigned max_threads; /* of a block, by registers and launch bounds */
  unsigned registers, local_bytes, static_bytes;
  unsigned required_cluster[3]; /* by __cluster_dims__; 0: not said */
  unsigned max_shared_bytes;    /* dynamic ones; whoever makes the kernel resident asks for them */
} own_limits;

/* Of a kernel that is loaded, but not made resident. */
CUresult own_limits_read(const driver *cuda, const artifact *a, loaded_kernel *k);
void own_limits_free(loaded_kernel *k);

/* Whether a shape has clusters. */
bool own_has_clusters(const jig_kernel_shape *shape);

/* Launches it by a shape that has been checked. */
CUresult own_launch(const program *p, const jig_kernel_shape *shape, void **parameters, CUstream stream);

/* The same shape as the driver has it, without a stream; room for the attributes is the caller's. */
enum { OWN_MAX_ATTRIBUTES = 3 };
CUlaunchConfig own_launch_config(const program *p, const jig_kernel_shape *shape,
                                 CUlaunchAttribute attributes[OWN_MAX_ATTRIBUTES]);

#endif
