/* What a launch passes to a kernel, put together by the kernel's list of parameters. */
#ifndef JIG_ALGORITHM_PACKED_ARGS_H
#define JIG_ALGORITHM_PACKED_ARGS_H

#include "jit/parameter.h"
#include "spec/spec.h"

enum { PACKED_ALIGNMENT = 16 };

typedef struct packed_args {
  void *parameters[KERNEL_MAX_PARAMETERS]; /* as cuLaunchKernel() wants them */
  size_t used;
  _Alignas(PACKED_ALIGNMENT) unsigned char bytes[PARAMETER_MAX_SIZE +
                                                 KERNEL_MAX_PARAMETERS * PACKED_ALIGNMENT];
} packed_args;

/* Iterators and operators are those that the spec points to, with their pointers and states; `values` is
 * the struct that the list has members of. It and the spec must last as long as the packed args. */
void packed_args_fill(packed_args *packed, const kernel_parameter *list, const spec *s,
                      const void *values);

#endif
