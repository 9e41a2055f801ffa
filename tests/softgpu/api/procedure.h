/* All entry points by name. The list and what it points to are generated; it is for the file with it to
 * include this without cuda.h, as its functions have no parameters there. */
#ifndef SOFTGPU_API_PROCEDURE_H
#define SOFTGPU_API_PROCEDURE_H

#include <stddef.h>

#ifndef __cuda_cuda_h__
typedef int CUresult;
CUresult api_unimplemented(const char *name);
#endif

typedef struct procedure {
  const char *name, *symbol; /* "cuMemAlloc", "cuMemAlloc_v2" */
  void (*address)(void);
  int version;    /* of CUDA, with which it came; 0: not known */
  int per_thread; /* NULL is the thread's own stream for it */
} procedure;
extern const procedure procedures[];
extern const size_t procedure_count;

#endif
