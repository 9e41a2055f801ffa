#include "gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compiler.h"

static CUstream stream;
static CUdevice device_handle;

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)fflush(stdout);
  (void)fputs("bench: ", stderr);
  (void)vfprintf(stderr, format, arguments);
  (void)fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void gpu_check(int result, const char *call, const char *file, int line) {
  if (result == CUDA_SUCCESS) return;
  const char *name = NULL;
  if (gpu()->cuGetErrorName((CUresult)result, &name) != CUDA_SUCCESS || name == NULL)
    name = "unknown error";
  die("%s:%d: %s: %s (%d)", file, line, call, name, result);
}

void jig_check(jig_status status, const char *call, const char *file, int line) {
  if (status == JIG_SUCCESS) return;
  die("%s:%d: %s: %s: %s", file, line, call, jig_status_name(status), jig_last_error());
}

bool gpu_open(void) {
  int count;
  if (driver_devices(&count) == NULL) return false;
  CUcontext context;
  GPU(gpu()->cuDeviceGet(&device_handle, 0));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&context, device_handle));
  GPU(gpu()->cuCtxSetCurrent(context));
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return true;
}

void gpu_close(void) {
  GPU(gpu()->cuStreamDestroy(stream));
  GPU(gpu()->cuDevicePrimaryCtxRelease(device_handle));
}

const driver *gpu(void) {
  const driver *cuda = driver_get();
  if (cuda == NULL) die("%s", jig_last_error());
  return cuda;
}

const device_info *gpu_device(void) {
  const device_info *d;
  JIG(driver_current_device(&d));
  return d;
}

CUstream gpu_stream(void) {
  return stream;
}

int gpu_attribute(CUdevice_attribute which) {
  int value = 0;
  return gpu()->cuDeviceGetAttribute(&value, which, device_handle) == CUDA_SUCCESS ? value : 0;
}

size_t gpu_free_bytes(void) {
  size_t available = 0, total = 0;
  GPU(gpu()->cuMemGetInfo(&available, &total));
  return available;
}

void *gpu_alloc(size_t bytes) {
  CUdeviceptr pointer = 0;
  if (bytes > 0) GPU(gpu()->cuMemAlloc(&pointer, (bytes + 7) / 8 * 8));
  return (void *)(uintptr_t)pointer;
}

void gpu_free(void *pointer) {
  if (pointer != NULL) GPU(gpu()->cuMemFree((CUdeviceptr)(uintptr_t)pointer));
}

void gpu_set(void *pointer, unsigned char byte, size_t bytes) {
  if (bytes > 0) GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)pointer, byte, bytes, stream));
}

void gpu_write(void *device_pointer, const void *host, size_t bytes) {
  if (bytes > 0)
    GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)device_pointer, host, bytes, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
}

void gpu_read(void *host, const void *device_pointer, size_t bytes) {
  GPU(gpu()->cuStreamSynchronize(stream));
  if (bytes > 0) GPU(gpu()->cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device_pointer, bytes));
}

/* ---- kernels */

static const char random_header[] =
    "#pragma once\n"
    "typedef unsigned short uint16_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "// xorshift64* (Vigna, 2014), from a state that is different for every index and seed, never 0\n"
    "inline uint64_t random_bits(uint64_t index, uint64_t seed) {\n"
    "  uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull ^ seed * 0xd1342543de82ef95ull;\n"
    "  x += x == 0;\n"
    "  for (int round = 0; round < 2; ++round) {\n"
    "    x ^= x >> 12;\n"
    "    x ^= x << 25;\n"
    "    x ^= x >> 27;\n"
    "  }\n"
    "  return x * 0x2545f4914f6cdd1dull;\n"
    "}\n"
    "inline float unit(uint64_t random) { return float(int(random >> 32)) * 0x1p-31f; }\n";

static const char fill_kernel[] =
    "extern \"C\" __global__ void fill(item *items, uint64_t count, uint64_t seed) {\n"
    "  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;\n"
    "  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {\n"
    "#ifdef SEEDED\n"
    "    items[i] = make(random_bits(i, seed), i, seed);\n"
    "#else\n"
    "    items[i] = make(random_bits(i, seed), i);\n"
    "#endif\n"
    "  }\n"
    "}\n";

static int load_as(const char *source, const template_file *files, size_t count, bool ptx,
                   CUmodule *module) {
  const compiler *c = compiler_get();
  if (c == NULL) die("%s", jig_last_error());
  const arch target = arch_of_sm(gpu_device()->sm, ptx);
  compiled code;
  const compile_request request = {
      .program = source, .files = files, .file_count = count, .target = &target, .jobs = 1};
  JIG(compiler_compile(c, &request, &code));
  const int loaded = gpu()->cuModuleLoadData(module, code.payload);
  compiled_free(&code);
  return loaded;
}

/* Machine code; PTX for a driver that takes no other, as jig does. */
static CUfunction compile_with(const char *source, const char *name, const template_file *files,
                               size_t count) {
  static bool takes_ptx;
  CUmodule module;
  CUfunction kernel;
  int loaded = CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!takes_ptx) loaded = load_as(source, files, count, false, &module);
  takes_ptx = loaded == CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (takes_ptx) loaded = load_as(source, files, count, true, &module);
  GPU(loaded);
  GPU(gpu()->cuModuleGetFunction(&kernel, module, name));
  if (gpu()->cuFuncLoad != NULL) GPU(gpu()->cuFuncLoad(kernel));
  return kernel;
}

CUfunction gpu_compile(const char *source, const char *name) {
  const template_file header = {"bench/random.h", random_header, sizeof random_header - 1};
  return compile_with(source, name, &header, 1);
}

CUfunction gpu_compile_with_templates(const char *source, const char *name) {
  size_t count;
  const template_file *files = templates_get(&count);
  if (files == NULL) die("%s", jig_last_error());
  return compile_with(source, name, files, count);
}

/* ---- equal memory */

static const char equal_kernel[] =
    "// *differ = 1 unless all bytes are the same; 16 at a time, which allocations allow, then the last "
    "ones\n"
    "extern \"C\" __global__ void differ(const uint4 *a, const uint4 *b, unsigned long long bytes,\n"
    "                                   unsigned *differ) {\n"
    "  const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x, wide = bytes / 16;\n"
    "  const unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  bool same = true;\n"
    "  for (unsigned long long i = first; i < wide; i += stride) {\n"
    "    const uint4 x = a[i], y = b[i];\n"
    "    same &= x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w;\n"
    "  }\n"
    "  if (first < bytes % 16)\n"
    "    same &= ((const char *)(a + wide))[first] == ((const char *)(b + wide))[first];\n"
    "  if (!same) *differ = 1;\n"
    "}\n";

bool gpu_same(const void *a, const void *b, size_t bytes) {
  static CUfunction kernel;
  static void *differ;
  unsigned differs = 0;
  if (kernel == NULL) {
    kernel = gpu_compile(equal_kernel, "differ");
    differ = gpu_alloc(sizeof differs); /* for the life of the process, as the kernel */
  }
  enum { THREADS = 256, MOST_BLOCKS = 4096 };
  const size_t blocks = bytes / 16 / THREADS + 1;
  const uint64_t count = bytes;
  void *parameters[] = {&a, &b, (void *)&count, &differ};
  gpu_set(differ, 0, sizeof differs);
  GPU(gpu()->cuLaunchKernel(kernel, blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS, 1, 1, THREADS,
                            1, 1, 0, stream, parameters, NULL));
  gpu_read(&differs, differ, sizeof differs);
  return differs == 0;
}

/* ---- random data */

/* One fill kernel for each text, kept for the life of the process. */
typedef struct filler {
  struct filler *next;
  const char *item;
  CUfunction kernel;
} filler;

static const filler *find_filler(const char *item) {
  static filler *fillers;
  for (filler *f = fillers; f != NULL; f = f->next) {
    if (strcmp(f->item, item) == 0) return f;
  }
  const char include[] = "#include <bench/random.h>\n";
  const size_t size = sizeof include + strlen(item) + sizeof fill_kernel + 1;
  char *source = malloc(size);
  filler *f = malloc(sizeof *f);
  char *kept = strdup(item);
  if (source == NULL || f == NULL || kept == NULL) die("out of memory");
  (void)snprintf(source, size, "%s%s\n%s", include, item, fill_kernel);
  *f = (filler){fillers, kept, gpu_compile(source, "fill")};
  free(source);
  fillers = f;
  return f;
}

void gpu_fill(void *items, uint64_t count, const char *item, uint64_t seed) {
  const filler *f = find_filler(item);
  enum { THREADS = 256, MOST_BLOCKS = 4096 };
  if (count == 0) return;
  const uint64_t blocks = (count + THREADS - 1) / THREADS;
  const unsigned grid = blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS;
  void *parameters[] = {&items, &count, &seed};
  GPU(gpu()->cuLaunchKernel(f->kernel, grid, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL));
}
