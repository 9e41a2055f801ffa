/* For tests of the software GPU's driver interface: kernels that wait for each other, and where they
 * write. */
#ifndef SOFTGPU_TEST_API_SUPPORT_H
#define SOFTGPU_TEST_API_SUPPORT_H

#include <check.h>
#include <stdatomic.h>
#include <stdint.h>

#include "gpu.h"
#include "ptx_support.h"
#include "suite.h"

/* The kernels: store, add, wait, first and second. */
extern const char api_ptx[];

#define GIVES(call, result) ck_assert_int_eq((call), (result))

typedef struct scene {
  CUmodule module;
  CUfunction store, add, wait, first, second;
  CUdeviceptr memory; /* 16 words, all 0 */
  _Atomic uint32_t *flag;
  CUstream a, b; /* that wait for no others */
} scene;

scene open_scene(void);
void close_scene(const scene *s);
CUdeviceptr word(const scene *s, unsigned i);
uint32_t read_word(const scene *s, unsigned i);

CUresult launch(CUfunction f, CUstream stream, void **parameters);
void store(const scene *s, CUstream stream, CUdeviceptr to, uint32_t value);
void add(const scene *s, CUstream stream, CUdeviceptr to, uint32_t value);
/* f: wait or first. */
void wait_and_store(const scene *s, CUfunction f, CUstream stream, CUdeviceptr to, uint32_t value);
/* The first waits for what the second says at its beginning: they run at the same time. Word 1 becomes 7.
 */
void launch_pair(const scene *s, CUstream stream);

/* Runs the tests, if the driver is the software GPU; main()'s exit status. */
int api_run(const char *suite, const suite_test *tests, size_t count);
#define API_RUN(suite, tests) api_run(suite, tests, sizeof(tests) / sizeof(tests)[0])

#endif
