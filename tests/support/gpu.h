/* A GPU for tests: a context, and memory with guards around it. */
#ifndef JIG_TESTS_GPU_H
#define JIG_TESTS_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/driver.h"

/* Makes the first device's primary context current. False if there is no GPU. */
bool gpu_open(void);
void gpu_close(void);

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
void gpu_read(void *host, const void *device, size_t size);

/* Whether every byte is still poison. */
bool gpu_is_untouched(const void *device, size_t size);

#endif
