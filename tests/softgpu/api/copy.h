#ifndef SOFTGPU_API_COPY_H
#define SOFTGPU_API_COPY_H

#include "api/range.h"

/* A checked task of a description; with the lock held. */
CUresult copy_task_of(const char *call, const CUDA_MEMCPY3D *d, task *t);
/* The same for setting memory. */
CUresult set_task_of(const char *call, const set_task *s, task *t);

#endif
