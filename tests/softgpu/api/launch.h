#ifndef SOFTGPU_API_LAUNCH_H
#define SOFTGPU_API_LAUNCH_H

#include "api/code.h"

/* Checks a launch as the real driver does, and makes the task of it, with a copy of the parameters.
 * *programmatic: the launch may begin early. With the lock held. */
CUresult launch_task(CUfunction f, const CUlaunchConfig *config, void **params, void **extra, task *t,
                     bool *programmatic);

#endif
