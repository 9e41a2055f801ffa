/* The same input gives the same bits: at every alignment, at every run, whatever else the GPU does. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* What is folded, and how; NULL: no transform, plus. */
typedef struct fold {
  const char *name;
  jig_type_kind kind;
  const char *transform, *op;
  int commutative;
} fold;

static const fold folds[] = {
    {"f32", JIG_KIND_F32, NULL, NULL, 0},
    {"f64", JIG_KIND_F64, NULL, NULL, 0},
    {"f16", JIG_KIND_F16, NULL, NULL, 0},
    {"bf16", JIG_KIND_BF16, NULL, NULL, 0},
    {"squares of f32", JIG_KIND_F32, "return x * x;", NULL, 0},
    {"squares of f64", JIG_KIND_F64, "return x * x;", NULL, 0},
    {"f32, by an operator", JIG_KIND_F32, NULL, "return a + b;", 0},
    {"f32, by a commutative operator", JIG_KIND_F32, NULL, "return a + b;", 1},
};

/* The args but for the output. `base` must be there as long as they are used. */
static jig_reduce_args args_of(const fold *f, const void *items, size_t count, jig_iter *base) {
  const jig_type type = type_of(f->kind);
  *base = jig_pointer(items, type);
  jig_reduce_args args = {.in = *base, .num_items = count};
  if (f->transform != NULL) args.in = jig_iter_transform(base, jig_op_source(f->transform), type);
  if (f->op != NULL) args.op = jig_op_source(f->op);
  args.op.commutative = f->commutative;
  return args;
}

/* Of many magnitudes, so that hardly any two orders of adding give the same. */
static void *rough_items(jig_type_kind kind, size_t count) {
  void *host = malloc(count * type_of(kind).size);
  uint64_t seed = 14 + (uint64_t)kind;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed);
    const double magnitude = 1.0 / (double)(1 << (r & 7));
    put_float(kind, host, i, (double)((int64_t)r >> 11) * 0x1p-52 * magnitude);
  }
  return host;
}

/* ---- alignment */

static void check_alignments(const fold *f, const void *host, size_t count) {
  const size_t size = type_of(f->kind).size;
  unsigned char first[16], again[16];
  for (size_t offset = 0; offset <= 16; offset += size) {
    void *device = gpu_copy(host, count * size, offset);
    for (int run = 0; run < 3; ++run) {
      jig_iter base;
      const jig_reduce_args args = args_of(f, device, count, &base);
      const bool is_first = offset == 0 && run == 0;
      reduce_to_host(args, type_of(f->kind), is_first ? first : again);
      if (is_first) continue;
      ck_assert_msg(memcmp(first, again, size) == 0,
                    "the sum of %zu %s at %zu bytes past a boundary, run %d, is %s; at first it was %s",
                    count, f->name, offset, run, bits_of(again, size), bits_of(first, size));
    }
    gpu_free(device);
  }
}

START_TEST(same_bits_at_every_alignment) {
  static const size_t counts[] = {1003, 30011, 1200007};
  for (size_t i = 0; i < COUNT_OF(folds); ++i) {
    void *host = rough_items(folds[i].kind, counts[COUNT_OF(counts) - 1]);
    for (size_t c = 0; c < COUNT_OF(counts); ++c) check_alignments(&folds[i], host, counts[c]);
    free(host);
  }
}
END_TEST

/* ---- timing: another kernel takes some multiprocessors for a while, and memory bandwidth */

static const char disturber_source[] =
    "#include <jig/core/types.cuh>\n"
    "extern \"C\" __global__ void test(uint32_t *words, uint32_t count, uint32_t cycles) {\n"
    "  const long long until = clock64() + (long long)cycles * (1 + blockIdx.x % 5);\n"
    "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  do {\n"
    "    i = i * 1664525u + 1013904223u;\n"
    "    words[i % count] += i;\n"
    "  } while (clock64() < until);\n"
    "}\n";

typedef struct disturber {
  kernel k;
  CUstream stream;
  void *words;
  uint32_t count;
  uint64_t seed;
} disturber;

static disturber new_disturber(void) {
  disturber d = {.k = kernel_build(disturber_source), .count = 1 << 20, .seed = 77};
  GPU(gpu()->cuStreamCreate(&d.stream, CU_STREAM_NON_BLOCKING));
  d.words = gpu_alloc(d.count * 4, 0);
  return d;
}

static void disturb(disturber *d) {
  const uint64_t r = next_random(&d->seed);
  uint32_t cycles = 5000 + (uint32_t)(r % 30000);
  void *parameters[] = {&d->words, &d->count, &cycles};
  GPU(gpu()->cuLaunchKernel(d->k.function, 20 + (unsigned)(r >> 32) % 300, 1, 1, 256, 1, 1, 0, d->stream,
                            parameters, NULL));
}

static void end_disturber(disturber *d) {
  GPU(gpu()->cuStreamSynchronize(d->stream));
  GPU(gpu()->cuStreamDestroy(d->stream));
  gpu_free(d->words);
  kernel_free(&d->k);
}

static void check_disturbed(const fold *f, disturber *d, CUstream stream) {
  enum { COUNT = 1500001, RUNS = 40, SOFTWARE_RUNS = 6 };
  const size_t runs = gpu_is_software() ? SOFTWARE_RUNS : RUNS;
  const size_t size = type_of(f->kind).size;
  void *host = rough_items(f->kind, COUNT), *device = gpu_copy(host, COUNT * size, 0);
  unsigned char *out = gpu_alloc(RUNS * size, 0), *results = malloc(RUNS * size);
  jig_iter base;
  jig_reduce_args args = args_of(f, device, COUNT, &base);
  args.out = jig_pointer(out, type_of(f->kind));
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, &args, stream));
  void *storage = gpu_alloc(bytes, 0);
  for (size_t run = 0; run < runs; ++run) {
    if (run > 0) disturb(d); /* the first run has the GPU for itself */
    args.out.pointer = out + run * size;
    OK(jig_reduce(NULL, storage, &bytes, &args, stream));
    if (run == 0) GPU(gpu()->cuStreamSynchronize(stream));
  }
  gpu_read(results, out, runs * size);
  for (size_t run = 1; run < runs; ++run) {
    ck_assert_msg(memcmp(results, results + run * size, size) == 0,
                  "the sum of %d %s in run %zu, beside another kernel, is %s; alone it was %s",
                  (int)COUNT, f->name, run, bits_of(results + run * size, size), bits_of(results, size));
  }
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
  free(results);
  free(host);
}

START_TEST(same_bits_beside_another_kernel) {
  disturber d = new_disturber();
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (size_t i = 0; i < COUNT_OF(folds); ++i) check_disturbed(&folds[i], &d, stream);
  GPU(gpu()->cuStreamDestroy(stream));
  end_disturber(&d);
}
END_TEST

/* ---- what is promised */

START_TEST(every_determinism_is_given) {
  int32_t *device = gpu_alloc(64, 0);
  size_t bytes = 0;
  jig_reduce_args args = {.in = jig_pointer(device, JIG_I32),
                          .out = jig_pointer(device, JIG_I32),
                          .num_items = 4,
                          .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  args.in.type = args.out.type = JIG_F32;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  args.op = JIG_MAX;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  args.op = jig_op_source("return a + b;");
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  args.determinism = JIG_DETERMINISM_NONE;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  gpu_free(device);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(same_bits_at_every_alignment),
      SUITE_TEST(same_bits_beside_another_kernel),
      SUITE_TEST(every_determinism_is_given),
  };
  return SUITE_RUN("device/reduce_determinism", tests, true);
}
