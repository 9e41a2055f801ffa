#include "gpu.h"

#include <check.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "seed.h"
#include "util/hash.h"

enum { GUARD = 1024, POISON = 0xcd };

static CUdevice device_handle;
static bool is_open;

const driver *gpu(void) {
  return driver_get();
}

bool gpu_open(void) {
  int count;
  CUcontext context;
  if (driver_devices(&count) == NULL) return false;
  GPU(gpu()->cuDeviceGet(&device_handle, 0));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&context, device_handle));
  GPU(gpu()->cuCtxSetCurrent(context));
  is_open = true;
  return true;
}

void gpu_close(void) {
  if (is_open) (void)gpu()->cuDevicePrimaryCtxRelease(device_handle);
  is_open = false;
}

bool gpu_is_software(void) {
  char name[256];
  GPU(gpu()->cuDeviceGetName(name, sizeof name, device_handle));
  return strcmp(name, "jig software GPU") == 0;
}

void gpu_check(CUresult result, const char *call, const char *file, int line) {
  if (result == CUDA_SUCCESS) return;
  const char *name = "?";
  (void)gpu()->cuGetErrorName(result, &name);
  ck_abort_msg("%s:%d: %s: %s", file, line, call, name);
}

/* What is known of each block of memory. */
typedef struct block {
  struct block *next;
  CUdeviceptr base;
  unsigned char *user;
  size_t size, offset;
} block;
static block *blocks;

/* For what is in the default stream, and for the streams that wait for it. */
static void wait_for_default_stream(void) {
  GPU(gpu()->cuStreamSynchronize(NULL));
}

void gpu_write(void *device, const void *host, size_t size) {
  if (size == 0) return;
  GPU(gpu()->cuMemcpyHtoD((CUdeviceptr)(uintptr_t)device, host, size));
  wait_for_default_stream();
}

void gpu_fill(void *device, unsigned char byte, size_t size) {
  if (size == 0) return;
  GPU(gpu()->cuMemsetD8((CUdeviceptr)(uintptr_t)device, byte, size));
  wait_for_default_stream();
}

void *gpu_alloc(size_t size, size_t offset) {
  block *b = malloc(sizeof *b);
  size_t before = GUARD + offset, total = before + size + GUARD;
  GPU(gpu()->cuMemAlloc(&b->base, total));
  gpu_fill((void *)(uintptr_t)b->base, POISON, total);
  b->user = (unsigned char *)(uintptr_t)b->base + before;
  b->size = size;
  b->offset = offset;
  b->next = blocks;
  blocks = b;
  return b->user;
}

void *gpu_copy(const void *host, size_t size, size_t offset) {
  void *device = gpu_alloc(size, offset);
  gpu_write(device, host, size);
  return device;
}

/* A line for each read in the file that $JIG_TEST_RESULTS names: two drivers' files tell whether they
 * gave the same bits. */
static void note_result(const void *bytes, size_t size) {
  const char *path = getenv("JIG_TEST_RESULTS");
  FILE *file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  char hex[HASH_HEX_SIZE];
  hash_hex(hash_bytes(bytes, size), hex);
  fprintf(file, "%zu bytes %s\n", size, hex);
  (void)fclose(file);
}

void gpu_read(void *host, const void *device, size_t size) {
  GPU(gpu()->cuCtxSynchronize());
  GPU(gpu()->cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device, size));
  note_result(host, size);
}

void gpu_begin_capture(CUstream stream) {
  GPU(gpu()->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

CUgraphExec gpu_end_capture(CUstream stream) {
  CUgraph graph;
  CUgraphExec exec;
  GPU(gpu()->cuStreamEndCapture(stream, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  GPU(gpu()->cuGraphDestroy(graph));
  return exec;
}

void gpu_replay(CUgraphExec exec, CUstream stream) {
  GPU(gpu()->cuGraphLaunch(exec, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
}

static int large_lock = -1;

bool gpu_begin_large(const char *test, size_t bytes) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  const char *wanted = getenv("JIG_TEST_LARGE");
  size_t free_bytes, total_bytes;
  if (wanted != NULL && strcmp(wanted, "0") == 0) {
    printf("skipped: %s (JIG_TEST_LARGE=0)\n", test);
    return false;
  }
  if (wanted == NULL && gpu_is_software() && !test_turn(strlen(test))) {
    printf("left to another day: %s\n", test);
    return false;
  }
  (void)snprintf(path, sizeof path, "%s/jig-tests-large-%u.lock", folder != NULL ? folder : "/tmp",
                 (unsigned)getuid());
  large_lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  ck_assert_msg(large_lock >= 0, "%s: %m", path);
  ck_assert_int_eq(flock(large_lock, LOCK_EX), 0);
  GPU(gpu()->cuMemGetInfo(&free_bytes, &total_bytes));
  if (free_bytes >= bytes) return true;
  printf("skipped: %s (not enough device memory)\n", test);
  gpu_end_large();
  return false;
}

void gpu_end_large(void) {
  (void)close(large_lock);
  large_lock = -1;
}

bool gpu_is_untouched(const void *device, size_t size) {
  unsigned char *bytes = malloc(size);
  gpu_read(bytes, device, size);
  bool untouched = true;
  for (size_t i = 0; i < size; ++i) untouched &= bytes[i] == POISON;
  free(bytes);
  return untouched;
}

void gpu_free(void *pointer) {
  block **link = &blocks;
  while (*link != NULL && (*link)->user != pointer) link = &(*link)->next;
  block *b = *link;
  ck_assert_msg(b != NULL, "gpu_free() of what gpu_alloc() did not return");
  ck_assert_msg(gpu_is_untouched(b->user - b->offset - GUARD, GUARD + b->offset),
                "memory before a block was written");
  ck_assert_msg(gpu_is_untouched(b->user + b->size, GUARD), "memory behind a block was written");
  GPU(gpu()->cuMemFree(b->base));
  *link = b->next;
  free(b);
}
