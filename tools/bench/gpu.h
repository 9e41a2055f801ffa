/* The GPU as the benchmark uses it: a context, a stream, memory, and small kernels of its own. Whatever
 * fails ends the program with a message: there is nothing to measure then. */
#ifndef JIG_BENCH_GPU_H
#define JIG_BENCH_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jig/status.h>

#include "driver/driver.h"

void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Makes the first device's primary context current, the one that the CUDA runtime uses too. False if
 * there is no GPU; jig_last_error() says why. */
bool gpu_open(void);
void gpu_close(void);

const driver *gpu(void);
const device_info *gpu_device(void);
CUstream gpu_stream(void);
/* 0 if the driver does not say. */
int gpu_attribute(CUdevice_attribute which);
size_t gpu_free_bytes(void);

#define GPU(call) gpu_check((int)(call), #call, __FILE__, __LINE__)
#define JIG(call) jig_check((call), #call, __FILE__, __LINE__)
/* Of the driver or of the CUDA runtime, which number errors alike. */
void gpu_check(int result, const char *call, const char *file, int line);
void jig_check(jig_status status, const char *call, const char *file, int line);

/* Device memory, rounded up to what gpu_fill() has words of; NULL for no bytes. */
void *gpu_alloc(size_t bytes);
void gpu_free(void *pointer);
/* Sets every byte, on gpu_stream(). */
void gpu_set(void *pointer, unsigned char byte, size_t bytes);
/* After all work on gpu_stream(); done when it returns. */
void gpu_write(void *device, const void *host, size_t bytes);
void gpu_read(void *host, const void *device, size_t bytes);

/* Whether all bytes of two arrays on the GPU, aligned to 16, are the same; after all work on
 * gpu_stream(). */
bool gpu_same(const void *a, const void *b, size_t bytes);

/* A kernel from CUDA C++ text, compiled the way jig compiles. Never unloaded. */
CUfunction gpu_compile(const char *source, const char *name);

/* The same of text that includes jig's templates. */
CUfunction gpu_compile_with_templates(const char *source, const char *name);

/* items[0 .. count - 1] = make(random bits, index), where `item` is CUDA C++ that defines the type item
 * and the function `item make(uint64_t random, uint64_t index)`; it may call unit(random), a float in
 * [-1, 1). If the text defines SEEDED, it is make(random bits, index, seed). On gpu_stream(). */
void gpu_fill(void *items, uint64_t count, const char *item, uint64_t seed);

#endif
