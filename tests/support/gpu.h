/* A GPU for tests: a context, and memory with guards around it. */
#ifndef JIG_TESTS_GPU_H
#define JIG_TESTS_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/driver.h"

/* Makes the first device's primary context current. False if there is no GPU. */
bool gpu_open(void);
void gpu_close(void);

/* Whether it is the software GPU, on which what is about timing need not be tried as often. */
bool gpu_is_software(void);

/* The driver, for calls of the test's own; every call is to be checked with GPU(). */
const driver *gpu(void);
#define GPU(call) gpu_check((call), #call, __FILE__, __LINE__)
void gpu_check(CUresult result, const char *call, const char *file, int line);

/* Device memory of `size` bytes, `offset` bytes past a 256-byte boundary, poisoned, with poison on both
 * sides. The guards are checked when it is freed, and the test fails if they were touched. */
void *gpu_alloc(size_t size, size_t offset);
void gpu_free(void *pointer);

/* The same, filled from host memory. */
void *gpu_copy(const void *host, size_t size, size_t offset);

/* Fill memory, and have done so when they return, for every stream. The driver's own cuMemcpyHtoD and
 * cuMemsetD8 have not: they return while the copy may still be under way, and streams that were created
 * with CU_STREAM_NON_BLOCKING do not wait for it. */
void gpu_write(void *device, const void *host, size_t size);
void gpu_fill(void *device, unsigned char byte, size_t size);

/* Waits for all streams first. */
void gpu_read(void *host, const void *device, size_t size);

/* What is called in the stream in between becomes a graph instead, which is then ready to be replayed. */
void gpu_begin_capture(CUstream stream);
CUgraphExec gpu_end_capture(CUstream stream);

/* Runs it once, and waits. */
void gpu_replay(CUgraphExec exec, CUstream stream);

/* Before a test takes many gigabytes of device memory: waits until no other process of the tests does, so
 * that any number of them can run at once. False, having said that `test` ("device/scan_stress: large")
 * is skipped, if there is less than that; otherwise gpu_end_large() lets the next one go on. */
bool gpu_begin_large(const char *test, size_t bytes);
void gpu_end_large(void);

/* Whether every byte is still poison. */
bool gpu_is_untouched(const void *device, size_t size);

#endif
