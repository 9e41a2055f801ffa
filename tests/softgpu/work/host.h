/* A thread of its own for the user's functions that are queued in streams: they may block, and kernels go
 * on meanwhile. One after the other, in the order in which they became ready. */
#ifndef SOFTGPU_WORK_HOST_H
#define SOFTGPU_WORK_HOST_H

#include <stdbool.h>

/* A thread of the software GPU's: signals are the program's own threads' business. */
bool host_thread(void *(*run)(void *data), void *data);

void host_run(void (*run)(void *data), void *data);

#endif
