#include "ptx_support.h"

#include <check.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_internal.h"

enum { TOLD_AT_MOST = 6 };

static const char *suite_name = "";
static unsigned failures;

/* ---- failures */

void ptx_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("%s: ", suite_name);
  (void)vprintf(format, arguments);
  printf("\n");
  (void)fflush(stdout);
  va_end(arguments);
  failures++;
}

unsigned ptx_failures(void) {
  return failures;
}

void ptx_end(void) {
  const unsigned count = failures;
  failures = 0;
  ck_assert_msg(count == 0, "%u failures, told above", count);
}

void ptx_same(const char *what, const uint32_t *got, const uint32_t *wanted, size_t count) {
  unsigned told = 0;
  for (size_t i = 0; i < count; ++i) {
    if (got[i] == wanted[i]) continue;
    if (told++ < TOLD_AT_MOST)
      printf("  %s: word %zu is 0x%08x, not 0x%08x\n", what, i, got[i], wanted[i]);
  }
  if (told > 0) ptx_fail("%s: %u of %zu words differ", what, told, count);
}

/* ---- where things are written */

bool dumping(void) {
  return getenv("JIG_PTX_DUMP") != NULL;
}

bool wanted_now(const char *test, const char *name) {
  const char *only = getenv("JIG_PTX_ONLY");
  return only == NULL || strstr(test, only) != NULL || strstr(name, only) != NULL;
}

void dump_program(const char *test, const char *name, const char *text) {
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/", getenv("JIG_PTX_DUMP"));
  (void)snprintf(path + length, sizeof path - (size_t)length, "%s-%s-%s.ptx", suite_name, test, name);
  for (char *c = path + length; *c != '\0'; ++c) {
    if (strchr("/ []{},;%", *c) != NULL) *c = '_';
  }
  FILE *file = fopen(path, "w");
  ck_assert_msg(file != NULL, "%s: %m", path);
  (void)fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

/* FNV-1a. */
uint64_t hash_bytes(const void *data, size_t size, uint64_t hash) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void write_result(const char *test, const char *instruction, uint64_t inputs, uint64_t results,
                  bool varies) {
  const char *path = getenv("JIG_PTX_RESULTS");
  if (path == NULL) return;
  FILE *file = fopen(path, "a");
  ck_assert_msg(file != NULL, "%s: %m", path);
  (void)fprintf(file, "%s\t%s\t%s\t%016" PRIx64 "\t", suite_name, test, instruction, inputs);
  (void)(varies ? fprintf(file, "~\n") : fprintf(file, "%016" PRIx64 "\n", results));
  ck_assert_int_eq(fclose(file), 0);
}

/* ---- modules */

void *ptx_symbol(const char *name) {
  void *handle = dlopen(gpu()->path != NULL ? gpu()->path : "libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) ck_abort_msg("%s", dlerror());
  void *symbol = dlsym(handle, name);
  (void)dlclose(handle); /* driver_get() keeps it open */
  return symbol;
}

void (*ptx_function(const char *name))(void) {
  void (*function)(void);
  void *symbol = ptx_symbol(name);
  if (symbol == NULL) ck_abort_msg("there is no %s", name);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

CUmodule load_module(const char *text, char *log, size_t log_size) {
  __typeof__(cuModuleLoadDataEx) *load = NULL;
  *(void **)&load = ptx_symbol("cuModuleLoadDataEx");
  if (load == NULL) ck_abort_msg("no cuModuleLoadDataEx");
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_size};
  CUmodule module = NULL;
  log[0] = '\0';
  const CUresult result = load(&module, text, (unsigned)COUNT_OF(options), options, values);
  if (result == CUDA_SUCCESS) return module;
  const char *name = "?";
  (void)gpu()->cuGetErrorName(result, &name);
  const size_t used = strlen(log);
  (void)snprintf(log + used, log_size - used, "%s%s", used > 0 ? "; " : "", name);
  return NULL;
}

static unsigned or_one(unsigned size) {
  return size == 0 ? 1 : size;
}

/* What has to be asked for before it is used. */
static void allow(const ptx_program *p, CUfunction function) {
  enum { SHARED = 48 << 10, CLUSTER = 8 };
  if (p->shared_bytes > SHARED)
    GPU(gpu()->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  (int)p->shared_bytes));
  if (p->cluster > CLUSTER)
    GPU(gpu()->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

static void launch(const ptx_program *p, CUfunction function, void **parameters) {
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {.x = p->cluster, .y = 1, .z = 1}};
  CUlaunchConfig config = {.gridDimX = p->blocks,
                           .gridDimY = or_one(p->blocks_yz[0]),
                           .gridDimZ = or_one(p->blocks_yz[1]),
                           .blockDimX = p->threads,
                           .blockDimY = or_one(p->threads_yz[0]),
                           .blockDimZ = or_one(p->threads_yz[1]),
                           .sharedMemBytes = p->shared_bytes,
                           .attrs = &attribute,
                           .numAttrs = p->cluster != 0};
  if (gpu()->cuLaunchKernelEx != NULL) {
    GPU(gpu()->cuLaunchKernelEx(&config, function, parameters, NULL));
  } else {
    GPU(gpu()->cuLaunchKernel(function, config.gridDimX, config.gridDimY, config.gridDimZ,
                              config.blockDimX, config.blockDimY, config.blockDimZ, config.sharedMemBytes,
                              NULL, parameters, NULL));
  }
}

bool ptx_run(const ptx_program *p) {
  char log[4096];
  if (!wanted_now(p->test, p->name)) return false;
  if (dumping()) {
    dump_program(p->test, p->name, p->text);
    return false;
  }
  CUmodule module = load_module(p->text, log, sizeof log);
  if (module == NULL) {
    ptx_fail("%s: %s: not loaded: %s", p->test, p->name, log);
    return false;
  }
  CUfunction function;
  GPU(gpu()->cuModuleGetFunction(&function, module, "test"));
  allow(p, function);
  void *in = gpu_copy(p->in_bytes > 0 ? p->in : "", p->in_bytes > 0 ? p->in_bytes : 1, 0);
  void *out = gpu_alloc(p->out_bytes, 0);
  uint32_t n = p->n;
  void *parameters[3 + COUNT_OF(p->more)] = {&in, &out, &n};
  for (size_t k = 0; k < COUNT_OF(p->more); ++k) parameters[3 + k] = p->more[k];
  launch(p, function, parameters);
  gpu_read(p->out, out, p->out_bytes);
  gpu_free(in);
  gpu_free(out);
  GPU(gpu()->cuModuleUnload(module));
  const uint64_t start = HASH_START;
  write_result(p->test, p->name, p->in_bytes > 0 ? hash_bytes(p->in, p->in_bytes, start) : start,
               hash_bytes(p->out, p->out_bytes, start), p->varies);
  return true;
}

int ptx_suite_run(const char *suite, const suite_test *tests, size_t count) {
  suite_name = suite;
  return suite_run(suite, tests, count, !dumping());
}
