/* Functions that device code may call without defining them: printf, assert, malloc and free. */
#ifndef SOFTGPU_EXEC_BUILTIN_H
#define SOFTGPU_EXEC_BUILTIN_H

#include "exec/warp.h"

enum { BUILTIN_ARGS = 8 };

typedef struct builtin_call {
  size_t arg_count, result_count;
  uint32_t args[BUILTIN_ARGS]; /* offsets in each lane's local memory */
  uint32_t result, result_size;
} builtin_call;

typedef flow builtin_run(warp *w, const insn *i, uint32_t mask, const builtin_call *call);

/* NULL: there is none of the name. */
builtin_run *builtin_find(const char *name);

#endif
