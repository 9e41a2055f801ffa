/* bench-run fresh-process: one cold build or one disk hit, in a process that has done nothing else.
 *
 * With a GPU, the measured call is a size query with the default engine, in an application's situation: a
 * context is current, and jig has been called by nobody, so the driver is opened here without jig.
 * Without one it is jig_prewarm(). */
#include "fresh.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "driver/library.h"
#include "engine/engine.h"
#include "gpu.h"
#include "spec/canonical.h"
#include "util/clock.h"

void fresh_write(FILE *file, const fresh_figures *f) {
  (void)fprintf(file, "figures %.6f %.6f %.6f %.6f %.6f %d %d %d %d\n", f->total_ms, f->compile_ms,
                f->load_ms, f->raw_library_ms, f->raw_load_ms, f->hit, f->with_gpu, f->nvrtc_open_before,
                f->nvrtc_open_after);
}

bool fresh_read(FILE *file, fresh_figures *f) {
  *f = (fresh_figures){0};
  return fscanf(file, "figures %lf %lf %lf %lf %lf %d %d %d %d", &f->total_ms, &f->compile_ms,
                &f->load_ms, &f->raw_library_ms, &f->raw_load_ms, &f->hit, &f->with_gpu,
                &f->nvrtc_open_before, &f->nvrtc_open_after) == 9;
}

/* ---- the situation */

/* As an application has it: the driver opened, a context current. False if there is no GPU. */
static bool make_context(CUstream *stream) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  const library_search search = {
      .what = "the driver", .variable = "JIG_DRIVER", .names = names, .advice = ""};
  library l = library_open(&search);
  free(l.path);
  free(l.problem);
  if (l.handle == NULL) return false; /* otherwise it stays open */
#define ENTRY(function)                     \
  __typeof__(function) *function##_ = NULL; \
  *(void **)&function##_ = dlsym(l.handle, #function)
  ENTRY(cuInit);
  ENTRY(cuDeviceGet);
  ENTRY(cuDevicePrimaryCtxRetain);
  ENTRY(cuCtxSetCurrent);
  ENTRY(cuStreamCreate);
#undef ENTRY
  if (cuInit_ == NULL || cuDeviceGet_ == NULL || cuDevicePrimaryCtxRetain_ == NULL ||
      cuCtxSetCurrent_ == NULL || cuStreamCreate_ == NULL) {
    return false;
  }
  CUdevice dev;
  CUcontext context;
  return cuInit_(0) == CUDA_SUCCESS && cuDeviceGet_(&dev, 0) == CUDA_SUCCESS &&
         cuDevicePrimaryCtxRetain_(&context, dev) == CUDA_SUCCESS &&
         cuCtxSetCurrent_(context) == CUDA_SUCCESS &&
         cuStreamCreate_(stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
}

static bool nvrtc_is_mapped(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) die("/proc/self/maps cannot be read");
  char line[4096];
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != NULL) found = strstr(line, "libnvrtc") != NULL;
  (void)fclose(maps);
  return found;
}

/* ---- the same cubins without jig: one for each kernel of the program */

typedef struct payload {
  unsigned char *bytes[ALGORITHM_MAX_KERNELS];
  size_t sizes[ALGORITHM_MAX_KERNELS];
  int count;
} payload;

static void add_bytes(payload *p, size_t size) {
  p->bytes[p->count] = malloc(size);
  p->sizes[p->count] = size;
  if (p->bytes[p->count++] == NULL) die("out of memory");
}

static void payload_free(payload *p) {
  for (int i = 0; i < p->count; ++i) free(p->bytes[i]);
}

/* What the cache has for the case. */
static payload payload_from_cache(const char *spec_text, const arch *target) {
  parsed_spec parsed;
  artifacts all;
  jig_engine *engine = NULL;
  JIG(engine_resolve(&engine));
  JIG(spec_parse(spec_text, algorithm_schema, &parsed));
  if (!build_from_cache(&engine->build, &parsed.s, target, algorithm_kernels(&parsed.s), &all))
    die("the cache does not have what was built");
  payload p = {.count = 0};
  for (int i = 0; i < algorithm_kernel_count(&parsed.s); ++i) {
    add_bytes(&p, all.of[i].payload_size);
    memcpy(p.bytes[i], all.of[i].payload, all.of[i].payload_size);
  }
  artifacts_free(&all);
  parsed_spec_free(&parsed);
  return p;
}

/* One after the other, each with its size before it. */
static void write_payload(const char *path, const payload *p) {
  FILE *file = fopen(path, "wb");
  bool ok = file != NULL;
  for (int i = 0; i < p->count && ok; ++i) {
    ok = fwrite(&p->sizes[i], sizeof p->sizes[i], 1, file) == 1 &&
         fwrite(p->bytes[i], 1, p->sizes[i], file) == p->sizes[i];
  }
  if (!ok || fclose(file) != 0) die("%s cannot be written", path);
}

static payload read_payload(const char *path) {
  payload p = {.count = 0};
  size_t size;
  FILE *file = fopen(path, "rb");
  while (file != NULL && p.count < ALGORITHM_MAX_KERNELS && fread(&size, sizeof size, 1, file) == 1) {
    add_bytes(&p, size);
    if (fread(p.bytes[p.count - 1], 1, size, file) != size) die("%s is cut off", path);
  }
  if (file == NULL || p.count == 0) die("%s cannot be read, or is empty", path);
  (void)fclose(file);
  return p;
}

/* Loads one as src/jit/program.c does. */
static void load_kernel(const void *bytes, const char *name, fresh_figures *f) {
  const driver *cuda = gpu();
  CUlibrary loaded;
  CUkernel kernel;
  CUfunction function;
  const double start = clock_ms();
  GPU(cuda->cuLibraryLoadData(&loaded, bytes, NULL, NULL, 0, NULL, NULL, 0));
  f->raw_library_ms += clock_ms() - start;
  GPU(cuda->cuLibraryGetKernel(&kernel, loaded, name));
  GPU(cuda->cuKernelGetFunction(&function, kernel));
  if (cuda->cuFuncLoad != NULL) GPU(cuda->cuFuncLoad(function));
  f->raw_load_ms += clock_ms() - start;
}

static void load_raw(const payload *p, const char *spec_text, fresh_figures *f) {
  parsed_spec parsed;
  if (gpu()->cuLibraryLoadData == NULL) return;
  JIG(spec_parse(spec_text, algorithm_schema, &parsed));
  const device_info *dev;
  JIG(driver_current_device(&dev));
  for (int i = 0; i < p->count; ++i)
    load_kernel(p->bytes[i], algorithm_kernel(&parsed.s, i, dev->sm)->name, f);
  parsed_spec_free(&parsed);
}

/* ---- measuring */

static void measure_on_gpu(const bench_case *c, const bench_data *data, fresh_mode mode, const char *path,
                           CUstream stream, fresh_figures *f) {
  char *spec_text;
  if (mode == FRESH_HIT_DRIVER_WARM) {
    fresh_figures ignored = {0};
    JIG(c->spec(data, &spec_text));
    payload p = read_payload(path);
    load_raw(&p, spec_text, &ignored);
    payload_free(&p);
    jig_free(spec_text);
  }
  size_t bytes;
  const double start = clock_ms();
  const jig_status status = c->call(data, NULL, NULL, &bytes, stream);
  f->total_ms = clock_ms() - start;
  JIG(status);
  f->nvrtc_open_after = nvrtc_is_mapped();
  jig_engine_stats stats;
  JIG(jig_engine_get_stats(NULL, &stats));
  f->hit = stats.disk_hits == 1 && stats.misses == 0;
  f->compile_ms = stats.compile_ms;
  f->load_ms = stats.load_ms;
  const arch target = arch_of_sm(gpu_device()->sm, false);
  JIG(c->spec(data, &spec_text));
  JIG(jig_prewarm(NULL, spec_text, target.name, NULL)); /* kernels that the call did not need */
  payload p = payload_from_cache(spec_text, &target);
  if (mode == FRESH_COLD) write_payload(path, &p);
  load_raw(&p, spec_text, f);
  payload_free(&p);
  jig_free(spec_text);
}

static void measure_prewarm(const bench_case *c, const bench_data *data, const char *arch_name,
                            fresh_figures *f) {
  char *spec_text;
  JIG(c->spec(data, &spec_text));
  jig_prewarm_result result;
  const double start = clock_ms();
  const jig_status status = jig_prewarm(NULL, spec_text, arch_name, &result);
  f->total_ms = clock_ms() - start;
  JIG(status);
  f->nvrtc_open_after = nvrtc_is_mapped();
  f->hit = result.hit;
  f->compile_ms = result.compile_ms;
  jig_free(spec_text);
}

int command_fresh_process(int argc, char **argv) {
  enum { CASE = 2, MODE, ARCH, PAYLOAD, COUNT };
  const bench_case *c = argc == COUNT ? case_find(argv[CASE]) : NULL;
  if (c == NULL) die("%s is for bench-run's own use", FRESH_PROCESS);
  const fresh_mode mode = (fresh_mode)atoi(argv[MODE]);
  _Alignas(16) static unsigned char args[BENCH_ARGS_SIZE];
  const bench_data data = {.n = 1, .args = args};
  c->arrange(c, &data);
  CUstream stream = NULL;
  fresh_figures f = {.with_gpu = make_context(&stream)};
  if (mode == FRESH_COLD_OPEN && compiler_get() == NULL) die("%s", jig_last_error());
  f.nvrtc_open_before = nvrtc_is_mapped();
  if (f.nvrtc_open_before != (mode == FRESH_COLD_OPEN)) die("NVRTC is open before anybody asked for it");
  if (f.with_gpu)
    measure_on_gpu(c, &data, mode, argv[PAYLOAD], stream, &f);
  else
    measure_prewarm(c, &data, argv[ARCH], &f);
  fresh_write(stdout, &f);
  return EXIT_DONE;
}
