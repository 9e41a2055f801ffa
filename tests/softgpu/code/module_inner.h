/* What decoding and executing ask of a module. */
#ifndef SOFTGPU_CODE_MODULE_INNER_H
#define SOFTGPU_CODE_MODULE_INNER_H

#include "code/code.h"
#include "code/module.h"

static inline uint32_t align_up(uint64_t n, uint64_t alignment) {
  return (uint32_t)((n + alignment - 1) / alignment * alignment);
}

/* A .global or .const variable's address; it gets its memory when first asked for. 0 without memory. */
uint64_t module_variable_address(module *m, const ptx_variable *v);
/* A .shared variable's offset; false if it is not the module's. */
bool module_shared_offset(const module *m, const ptx_variable *v, uint64_t *offset);
/* Where a kernel's parameter is in the parameter block. */
uint32_t module_param_offset(const module *m, const ptx_function *f, const ptx_variable *v);

bool module_function_index(const module *m, const char *name, size_t *index);
size_t module_function_count(const module *m);
const ptx_function *module_function_at(const module *m, size_t index);
/* NULL for functions that are declared only. */
const code *module_code_at(const module *m, size_t index);
/* Name of a .file, NULL if it is not known. */
const char *module_source_file(const module *m, unsigned file);
/* Where dynamic shared memory begins, for all kernels of the module. */
uint32_t module_dynamic_shared(const module *m);

#endif
