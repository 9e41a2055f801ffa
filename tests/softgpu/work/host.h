/* A thread of its own for the user's functions that are queued in streams: they may block, and kernels go
 * on meanwhile. One after the other, in the order in which they became ready. */
#ifndef SOFTGPU_WORK_HOST_H
#define SOFTGPU_WORK_HOST_H

void host_run(void (*run)(void *data), void *data);

#endif
