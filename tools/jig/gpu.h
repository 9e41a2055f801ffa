/* A GPU to run something on: its context, a stream, memory and a clock. */
#ifndef JIG_CLI_GPU_H
#define JIG_CLI_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/driver.h"

enum { GPU_MAX_BLOCKS = 80, GPU_MAX_OBJECTS = 16 };

typedef struct gpu {
  const driver *cuda; /* NULL: there is no GPU */
  CUdevice device;
  CUcontext context; /* the first device's primary one, current */
  CUstream stream;
  CUevent before, after;
  CUdeviceptr blocks[GPU_MAX_BLOCKS];
  int block_count;
  void *host_blocks[GPU_MAX_OBJECTS];
  int host_block_count;
  CUstream streams[GPU_MAX_OBJECTS];
  int stream_count;
  CUevent events[GPU_MAX_OBJECTS];
  int event_count;
} gpu;

/* EXIT_OK or, having complained, EXIT_NO_DEVICE or EXIT_FAILED. gpu_close() in any case: it frees all
 * there is. */
int gpu_open(gpu *g);
int gpu_open_device(gpu *g, int device); /* the same of another one than the first */
void gpu_close(gpu *g);

/* Whether a driver call went well; complains, naming the call, if not. */
bool gpu_ok(CUresult result, const char *call);

/* Device memory that lives until gpu_close(), at least a byte of it. NULL, having complained. */
void *gpu_alloc(gpu *g, size_t bytes);

/* Whether the driver has what the following functions call; complains if not. */
bool gpu_has_chunks(const gpu *g);

/* The same of host memory that copies need not wait for. */
void *gpu_alloc_host(gpu *g, size_t bytes);

/* One more stream or event, likewise. False having complained. */
bool gpu_add_stream(gpu *g, CUstream *stream);
bool gpu_add_event(gpu *g, CUevent *event);

/* How much device memory is free. */
bool gpu_free_memory(const gpu *g, size_t *bytes);

/* Enqueues a copy, or waits for what is enqueued. */
bool gpu_copy_in(const gpu *g, void *device, const void *host, size_t bytes, CUstream stream);
bool gpu_copy_out(const gpu *g, void *host, const void *device, size_t bytes, CUstream stream);
bool gpu_record(const gpu *g, CUevent event, CUstream stream);
bool gpu_order(const gpu *g, CUstream stream, CUevent after);
bool gpu_wait(const gpu *g, CUevent event);
bool gpu_elapsed(const gpu *g, CUevent from, CUevent to, double *ms);

/* Copies in stream order and waits until that is done. */
bool gpu_upload(const gpu *g, void *device, const void *host, size_t bytes);
bool gpu_download(const gpu *g, void *host, const void *device, size_t bytes);

/* Fills with zeros, in stream order. */
bool gpu_clear(const gpu *g, void *device, size_t bytes);

/* The time that the GPU takes for what is enqueued between the two. */
bool gpu_clock_start(const gpu *g);
bool gpu_clock_stop(const gpu *g, double *ms);

/* The median of so many times, which are put in order. */
double gpu_median(double *times, size_t count);

#endif
