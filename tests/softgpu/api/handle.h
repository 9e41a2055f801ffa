/* The handles that are valid, so that others can be told without looking into them. With the lock held.
 */
#ifndef SOFTGPU_API_HANDLE_H
#define SOFTGPU_API_HANDLE_H

#include "api/api.h"

typedef enum handle_kind {
  HANDLE_NONE,
  HANDLE_CONTEXT,
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_MODULE,
  HANDLE_FUNCTION,
  HANDLE_LIBRARY,
  HANDLE_KERNEL,
  HANDLE_GRAPH,
  HANDLE_NODE,
  HANDLE_EXEC,
  HANDLE_POOL,
} handle_kind;

bool handle_add(handle_kind kind, const void *handle); /* false: no memory */
void handle_remove(const void *handle);
bool handle_is(handle_kind kind, const void *handle);
/* CUDA_ERROR_INVALID_HANDLE, told if it is more than NULL. */
CUresult handle_check(handle_kind kind, const void *handle);

#endif
