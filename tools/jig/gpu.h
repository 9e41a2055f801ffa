/* A GPU to run something on: its context, a stream, memory and a clock. */
#ifndef JIG_CLI_GPU_H
#define JIG_CLI_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/driver.h"

enum { GPU_MAX_BLOCKS = 80 };

typedef struct gpu {
  const driver *cuda; /* NULL: there is no GPU */
  CUdevice device;
  CUcontext context; /* the first device's primary one, current */
  CUstream stream;
  CUevent before, after;
  CUdeviceptr blocks[GPU_MAX_BLOCKS];
  int block_count;
} gpu;

/* EXIT_OK or, having complained, EXIT_NO_DEVICE or EXIT_FAILED. gpu_close() in any case: it frees all
 * there is. */
int gpu_open(gpu *g);
void gpu_close(gpu *g);

/* Whether a driver call went well; complains, naming the call, if not. */
bool gpu_ok(CUresult result, const char *call);

/* Device memory that lives until gpu_close(), at least a byte of it. NULL, having complained. */
void *gpu_alloc(gpu *g, size_t bytes);

/* Copies in stream order and waits until that is done. */
bool gpu_upload(const gpu *g, void *device, const void *host, size_t bytes);
bool gpu_download(const gpu *g, void *host, const void *device, size_t bytes);

/* Fills with zeros, in stream order. */
bool gpu_clear(const gpu *g, void *device, size_t bytes);

/* The time that the GPU takes for what is enqueued between the two. */
bool gpu_clock_start(const gpu *g);
bool gpu_clock_stop(const gpu *g, double *ms);

#endif
