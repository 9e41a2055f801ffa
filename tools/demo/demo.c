/* The main job on real input: five minutes of an electrocardiogram, reduced with built-in operators and
 * with an operator of our own over a struct, checked against the CPU. `make demo` has the software GPU
 * stand in where there is no other.
 *
 *   demo <ecg208.npy> <cache folder> */
#include <inttypes.h>
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "util/clock.h"

enum { SAMPLES_PER_SECOND = 360, ADC_ZERO = 1024, ADC_PER_MILLIVOLT = 200 };

/* ---- the input */

typedef struct recording {
  uint16_t *samples;
  size_t count;
} recording;

/* A .npy file of version 1.0: magic, version, the header's length, the header, the items. */
static recording read_recording(const char *path) {
  recording r = {NULL, 0};
  unsigned char head[10];
  FILE *file = fopen(path, "rb");
  if (file == NULL || fread(head, 1, sizeof head, file) != sizeof head ||
      memcmp(head, "\x93NUMPY\x01", 7) != 0) {
    fprintf(stderr, "%s: not a .npy file\n", path);
    exit(EXIT_FAILURE);
  }
  const long start = (long)sizeof head + head[8] + 256 * head[9];
  if (fseek(file, 0, SEEK_END) != 0) exit(EXIT_FAILURE);
  r.count = (size_t)(ftell(file) - start) / sizeof *r.samples;
  r.samples = malloc(r.count * sizeof *r.samples);
  if (r.samples == NULL || fseek(file, start, SEEK_SET) != 0 ||
      fread(r.samples, sizeof *r.samples, r.count, file) != r.count) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(EXIT_FAILURE);
  }
  (void)fclose(file);
  return r;
}

/* ---- what is computed: a sum, and everything that describes the signal, in one pass each */

typedef struct summary {
  float least, most;
  double sum, squares;
  int64_t count;
} summary;

#define SUMMARY_SOURCE "struct summary { float least, most; double sum, squares; int64_t count; };"

static jig_reduce_args sum_of(const uint16_t *d_samples, uint64_t *d_sum, size_t count) {
  return (jig_reduce_args){
      .in = jig_pointer(d_samples, JIG_U16), .out = jig_pointer(d_sum, JIG_U64), .num_items = count};
}

/* A transform turns a raw sample into the summary of that one sample, in millivolts; the operator joins
 * two summaries. `base` must outlive the args. */
static jig_reduce_args summary_of(jig_iter *base, const uint16_t *d_samples, summary *d_summary,
                                  size_t count) {
  const jig_type type = jig_struct("summary", SUMMARY_SOURCE, sizeof(summary), _Alignof(summary));
  *base = jig_pointer(d_samples, JIG_U16);
  return (jig_reduce_args){
      .in = jig_iter_transform(base,
                               jig_op_source("float mv = (x - 1024) / 200.0f;\n"
                                             "return {mv, mv, mv, double(mv) * mv, 1};"),
                               type),
      .out = jig_pointer(d_summary, type),
      .num_items = count,
      .op = jig_op_source(
          "return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,\n"
          "        a.sum + b.sum, a.squares + b.squares, a.count + b.count};")};
}

static summary summary_on_cpu(const recording *r) {
  summary s = {INFINITY, -INFINITY, 0, 0, 0};
  for (size_t i = 0; i < r->count; ++i) {
    const float mv = (float)(r->samples[i] - ADC_ZERO) / (float)ADC_PER_MILLIVOLT;
    s.least = mv < s.least ? mv : s.least;
    s.most = mv > s.most ? mv : s.most;
    s.sum += (double)mv;
    s.squares += (double)mv * (double)mv;
    ++s.count;
  }
  return s;
}

/* ---- on the GPU */

static void must(jig_status status, const char *what) {
  if (status == JIG_SUCCESS) return;
  fprintf(stderr, "%s: %s\n%s\n", what, jig_status_name(status), jig_last_error());
  exit(EXIT_FAILURE);
}

static void must_cuda(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS) return;
  must(driver_error(result, what), what);
}

static jig_engine *open_engine(const char *cache) {
  jig_engine *engine;
  const jig_engine_config config = {.cache_dir = cache};
  must(jig_engine_create(&engine, &config), "jig_engine_create");
  return engine;
}

/* How long a size query takes: it builds the program, loads it from the cache or finds it in memory. */
static double query_ms(jig_engine *engine, const jig_reduce_args *args, size_t *bytes) {
  double start = clock_ms();
  must(jig_reduce(engine, NULL, bytes, args, NULL), "jig_reduce (size query)");
  return clock_ms() - start;
}

static double kernel_us(jig_engine *engine, void *storage, size_t bytes, const jig_reduce_args *args) {
  enum { CALLS = 200 };
  const driver *cuda = driver_get();
  CUevent begin, end;
  float ms = 0;
  must_cuda(cuda->cuEventCreate(&begin, 0), "cuEventCreate");
  must_cuda(cuda->cuEventCreate(&end, 0), "cuEventCreate");
  for (int i = 0; i < 2 * CALLS; ++i) { /* the first half warms up */
    if (i == CALLS) must_cuda(cuda->cuEventRecord(begin, NULL), "cuEventRecord");
    must(jig_reduce(engine, storage, &bytes, args, NULL), "jig_reduce");
  }
  must_cuda(cuda->cuEventRecord(end, NULL), "cuEventRecord");
  must_cuda(cuda->cuEventSynchronize(end), "cuEventSynchronize");
  must_cuda(cuda->cuEventElapsedTime(&ms, begin, end), "cuEventElapsedTime");
  (void)cuda->cuEventDestroy(begin);
  (void)cuda->cuEventDestroy(end);
  return (double)ms * 1000 / CALLS;
}

/* Reduces by one set of args: cold, from the cache, from memory; the output is left where args say. */
static void reduce_and_time(const char *cache, const char *name, const jig_reduce_args *args) {
  size_t bytes = 0;
  CUdeviceptr storage;
  jig_engine *engine = open_engine(cache);
  double cold = query_ms(engine, args, &bytes);
  jig_engine_destroy(engine);
  engine = open_engine(cache);
  double disk = query_ms(engine, args, &bytes), memory = query_ms(engine, args, &bytes);
  must_cuda(driver_get()->cuMemAlloc(&storage, bytes), "cuMemAlloc");
  double kernel = kernel_us(engine, (void *)(uintptr_t)storage, bytes, args);
  printf("  %-26s %10.2f ms %10.2f ms %10.2f us %10.2f us\n", name, cold, disk, memory * 1000, kernel);
  must_cuda(driver_get()->cuMemFree(storage), "cuMemFree");
  jig_engine_destroy(engine);
}

static bool close_to(double a, double b) {
  return fabs(a - b) <= 1e-9 * fabs(b);
}

static int report(const recording *r, uint64_t sum, const summary *gpu) {
  const summary cpu = summary_on_cpu(r);
  uint64_t cpu_sum = 0;
  for (size_t i = 0; i < r->count; ++i) cpu_sum += r->samples[i];
  const double n = (double)gpu->count, mean = gpu->sum / n;
  printf("\n  samples %" PRId64 ", sum of raw values %" PRIu64 "\n", gpu->count, sum);
  printf("  least %.3f mV, most %.3f mV, mean %.4f mV, standard deviation %.4f mV\n", (double)gpu->least,
         (double)gpu->most, mean, sqrt(gpu->squares / n - mean * mean));
  bool right = sum == cpu_sum && gpu->least == cpu.least && gpu->most == cpu.most &&
               gpu->count == cpu.count && close_to(gpu->sum, cpu.sum) &&
               close_to(gpu->squares, cpu.squares);
  printf("  %s\n", right ? "the CPU agrees" : "THE CPU DISAGREES");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const char *cache, const recording *r, const device_info *gpu) {
  const driver *cuda = driver_get();
  CUdevice handle;
  CUcontext context;
  CUdeviceptr samples, results;
  uint64_t sum;
  summary all;
  jig_iter base;
  printf("GPU: %s (sm_%d, %d multiprocessors)\n\n", gpu->name, gpu->sm, gpu->multiprocessors);
  must_cuda(cuda->cuDeviceGet(&handle, 0), "cuDeviceGet");
  must_cuda(cuda->cuDevicePrimaryCtxRetain(&context, handle), "cuDevicePrimaryCtxRetain");
  must_cuda(cuda->cuCtxSetCurrent(context), "cuCtxSetCurrent");
  must_cuda(cuda->cuMemAlloc(&samples, r->count * sizeof *r->samples), "cuMemAlloc");
  must_cuda(cuda->cuMemAlloc(&results, 256 + sizeof all), "cuMemAlloc");
  must_cuda(cuda->cuMemcpyHtoD(samples, r->samples, r->count * sizeof *r->samples), "cuMemcpyHtoD");
  const uint16_t *d_samples = (const uint16_t *)(uintptr_t)samples;
  const jig_reduce_args sum_args = sum_of(d_samples, (uint64_t *)(uintptr_t)results, r->count);
  const jig_reduce_args all_args =
      summary_of(&base, d_samples, (summary *)(uintptr_t)(results + 256), r->count);
  printf("  %-26s %13s %13s %13s %13s\n", "", "cold build", "from cache", "from memory", "a launch");
  reduce_and_time(cache, "sum (built-in)", &sum_args);
  reduce_and_time(cache, "summary (custom, struct)", &all_args);
  must_cuda(cuda->cuMemcpyDtoH(&sum, results, sizeof sum), "cuMemcpyDtoH");
  must_cuda(cuda->cuMemcpyDtoH(&all, results + 256, sizeof all), "cuMemcpyDtoH");
  int status = report(r, sum, &all);
  (void)cuda->cuMemFree(samples);
  (void)cuda->cuMemFree(results);
  (void)cuda->cuDevicePrimaryCtxRelease(handle);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: demo <ecg208.npy> <cache folder>\n");
    return 2;
  }
  recording r = read_recording(argv[1]);
  printf(
      "jig %s, on %zu samples (%.0f s) of an electrocardiogram: MIT-BIH Arrhythmia Database, record 208 "
      "(ODC-By 1.0)\n",
      jig_version(), r.count, (double)r.count / SAMPLES_PER_SECOND);
  int count;
  const device_info *gpus = driver_devices(&count);
  if (gpus == NULL) must(JIG_ERROR_NO_DEVICE, "driver_devices");
  int status = run(argv[2], &r, &gpus[0]);
  free(r.samples);
  return status;
}
