/* A module: PTX text parsed, decoded and given memory for its variables. */
#ifndef SOFTGPU_CODE_MODULE_H
#define SOFTGPU_CODE_MODULE_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct module module;

/* A kernel, as far as the driver's interface asks. The rest is the executor's. */
typedef struct kernel {
  const char *name;
  const module *owner;
  struct code *code;
  unsigned param_count;
  const uint32_t *param_offsets, *param_sizes; /* bytes in the parameter block */
  uint32_t param_bytes;                        /* of the block */
  uint32_t static_shared_bytes;
  uint32_t local_bytes; /* per thread, without the stack of calls */
  uint32_t constant_bytes;
  unsigned max_threads;         /* per block: .maxntid's product, at most 1024 */
  unsigned required_threads[3]; /* .reqntid; 0: not given */
  unsigned required_cluster[3]; /* 0: not given */
  unsigned registers;           /* an estimate */
} kernel;

/* Loads PTX text for a device of compute capability sm (90: 9.0). NULL with *result the driver's code for
 * it and *log (malloc'ed) saying why: CUDA_ERROR_INVALID_PTX for what is not understood, naming the
 * instruction and line; CUDA_ERROR_NO_BINARY_FOR_GPU if .target is newer than the device. */
module *module_load(const char *text, int sm, int device, CUresult *result, char **log);
void module_unload(module *m);

size_t module_kernel_count(const module *m);
const kernel *module_kernel_at(const module *m, size_t index);
const kernel *module_kernel(const module *m, const char *name); /* NULL: none of the name */
/* A .global or .const variable of the module. */
bool module_variable(const module *m, const char *name, uint64_t *address, uint64_t *size);

#endif
