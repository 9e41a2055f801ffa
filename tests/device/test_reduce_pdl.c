/* Programmatic dependent launch: a kernel before jig's lets it start early and writes its input late; one
 * after it starts early, too. Also with a program that cannot wait, and must therefore not start early.
 */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "jit/compiler.h"
#include "kernel.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

/* ---- the kernels around it */

static const char writer_source[] =
    "#include <jig/core/types.cuh>\n"
    "extern \"C\" __global__ void test(uint32_t *items, uint64_t count, uint32_t value) {\n"
    "  asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n"
    "  const long long until = clock64() + 200000;\n" /* about 100 us */
    "  while (clock64() < until) {}\n"
    "  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;\n"
    "  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) items[i] = "
    "value;\n"
    "}\n";

/* Notes the result, and whether what was written before the reduce is there, too. */
static const char reader_source[] =
    "#include <jig/core/types.cuh>\n"
    "extern \"C\" __global__ void test(const uint32_t *result, const uint32_t *items, uint64_t count,\n"
    "                                 uint32_t *seen) {\n"
    "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
    "  seen[0] = *result;\n"
    "  seen[1] = items[count - 1];\n"
    "}\n";

enum { MAX_ITEMS = 2000003, ROUNDS = 12 };

typedef struct scene {
  kernel writer, reader;
  CUstream stream;
  void *items, *storage;
  size_t storage_size;
  uint32_t *results; /* of each round: a value, and what the reader saw: two values */
  int64_t *indices;
} scene;

static scene open_scene(void) {
  scene s = {.writer = kernel_build(writer_source), .reader = kernel_build(reader_source)};
  GPU(gpu()->cuStreamCreate(&s.stream, CU_STREAM_NON_BLOCKING));
  s.items = gpu_alloc(MAX_ITEMS * sizeof(uint32_t), 0);
  s.storage_size = 1 << 16;
  s.storage = gpu_alloc(s.storage_size, 0);
  s.results = gpu_alloc(3 * ROUNDS * sizeof(uint32_t), 0);
  s.indices = gpu_alloc(ROUNDS * sizeof(int64_t), 0);
  return s;
}

static void close_scene(scene *s) {
  GPU(gpu()->cuStreamDestroy(s->stream));
  kernel_free(&s->writer);
  kernel_free(&s->reader);
  gpu_free(s->items);
  gpu_free(s->storage);
  gpu_free(s->results);
  gpu_free(s->indices);
}

/* Few blocks, so that those of the next kernel find room beside them. */
static void write_late(scene *s, uint64_t count, uint32_t value) {
  void *parameters[] = {&s->items, &count, &value};
  GPU(gpu()->cuLaunchKernel(s->writer.function, 16, 1, 1, 256, 1, 1, 0, s->stream, parameters, NULL));
}

static void read_early(scene *s, uint64_t count, uint32_t *result) {
  uint32_t *seen = result + 1;
  void *parameters[] = {&result, &s->items, &count, &seen};
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .hStream = s->stream,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  GPU(gpu()->cuLaunchKernelEx(&config, s->reader.function, parameters, NULL));
}

/* ---- how many launches may start early */

static __typeof__(cuLaunchKernelEx) *real_launch;
static int early_launches;

static CUresult count_launch(const CUlaunchConfig *config, CUfunction function, void **parameters,
                             void **extra) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    early_launches += config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                      config->attrs[i].value.programmaticStreamSerializationAllowed != 0;
  }
  return real_launch(config, function, parameters, extra);
}

/* ---- the rounds */

typedef enum which { SUM, SUM_IN_ORDER, LARGEST } which;
static const char *const which_names[] = {"sum", "sum in order", "arg-max"};

/* Operators of their own, so that no cache has the programs already. */
static jig_reduce_args sum_args(which w, const void *items, size_t count, void *result) {
  const jig_op op = jig_op_source("return b + a; /* late */");
  return (jig_reduce_args){.in = jig_pointer(items, JIG_U32),
                           .out = jig_pointer(result, JIG_U32),
                           .num_items = count,
                           .op = w == SUM ? jig_op_commutative(op) : op};
}

static jig_arg_reduce_args largest_args(const void *items, size_t count, void *result, int64_t *index) {
  return (jig_arg_reduce_args){.in = jig_pointer(items, JIG_U32),
                               .value_out = jig_pointer(result, JIG_U32),
                               .index_out = jig_pointer(index, JIG_I64),
                               .num_items = count,
                               .op = JIG_MAX};
}

static jig_status enqueue(jig_engine *engine, which w, scene *s, size_t count, size_t round,
                          size_t *bytes, void *storage) {
  uint32_t *result = s->results + 3 * round;
  if (w == LARGEST) {
    const jig_arg_reduce_args args = largest_args(s->items, count, result, s->indices + round);
    return jig_arg_reduce(engine, storage, bytes, &args, s->stream);
  }
  const jig_reduce_args args = sum_args(w, s->items, count, result);
  return jig_reduce(engine, storage, bytes, &args, s->stream);
}

static uint32_t value_of(size_t round) {
  return 1000 + 7 * (uint32_t)round;
}

static void check_rounds(const scene *s, which w, size_t count) {
  uint32_t results[3 * ROUNDS];
  int64_t indices[ROUNDS];
  gpu_read(results, s->results, sizeof results);
  gpu_read(indices, s->indices, sizeof indices);
  for (size_t round = 0; round < ROUNDS; ++round) {
    const uint32_t value = value_of(round), wanted = w == LARGEST ? value : (uint32_t)count * value;
    const uint32_t *r = results + 3 * round;
    ck_assert_msg(r[0] == wanted && r[1] == wanted && r[2] == value,
                  "round %zu of the %s of %zu u32, each %u, written late: %u, not %u; the kernel that "
                  "follows sees %u and the item %u",
                  round, which_names[w], count, value, r[0], wanted, r[1], r[2]);
    ck_assert_msg(w != LARGEST || indices[round] == 0,
                  "round %zu: the largest of %zu equal items is at %lld", round, count,
                  (long long)indices[round]);
  }
}

/* Queues all rounds, so that each writer also follows a reader that followed a reduce. How many launches
 * of jig's might start early. */
static int run_rounds(jig_engine *engine, which w, scene *s, size_t count) {
  driver *table = (driver *)(uintptr_t)gpu();
  size_t bytes = 0;
  int early = 0;
  OK(enqueue(engine, w, s, count, 0, &bytes, NULL));
  ck_assert_uint_le(bytes, s->storage_size);
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)s->items, 0, MAX_ITEMS * sizeof(uint32_t),
                             s->stream));
  for (size_t round = 0; round < ROUNDS; ++round) {
    write_late(s, count, value_of(round));
    real_launch = table->cuLaunchKernelEx;
    table->cuLaunchKernelEx = count_launch;
    early_launches = 0;
    const jig_status status = enqueue(engine, w, s, count, round, &bytes, s->storage);
    table->cuLaunchKernelEx = real_launch;
    OK(status);
    early += early_launches;
    read_early(s, count, s->results + 3 * round);
  }
  GPU(gpu()->cuStreamSynchronize(s->stream));
  check_rounds(s, w, count);
  return early;
}

/* Says why if this machine cannot do it. */
static bool skipped(const char *test) {
  int count;
  const char *why = driver_devices(&count)[0].sm < 90 ? "no programmatic launch below SM 90"
                    : gpu()->cuLaunchKernelEx == NULL ? "the driver has no cuLaunchKernelEx"
                    : gpu()->version < 12030          ? "the driver is older than CUDA 12.3"
                                                      : NULL;
  if (why != NULL) printf("skipped: device/reduce_pdl: %s (%s)\n", test, why);
  return why != NULL;
}

START_TEST(late_input_is_waited_for) {
  static const size_t counts[] = {1000, 3000, 100000, MAX_ITEMS};
  if (skipped("late_input_is_waited_for")) return;
  scene s = open_scene();
  for (which w = SUM; w <= LARGEST; ++w) {
    int early = 0;
    for (size_t c = 0; c < COUNT_OF(counts); ++c) early += run_rounds(NULL, w, &s, counts[c]);
    /* Otherwise nothing was tested here. */
    ck_assert_msg(early > 0, "no launch of the %s may start early", which_names[w]);
  }
  close_scene(&s);
}
END_TEST

/* ---- PTX for SM 80, which has no instruction to wait with */

/* An engine that has nothing but compute_80 PTX of all three; NULL if there can be none. */
static jig_engine *engine_of_old_ptx(void) {
  jig_engine *engine;
  jig_engine_config config = {.cache_dir = scratch_path("cache"), .cache_path = ""};
  config.build = JIG_BUILD_ON_DEMAND;
  OK(jig_engine_create(&engine, &config));
  jig_status status = JIG_SUCCESS;
  for (which w = SUM; w <= LARGEST && status == JIG_SUCCESS; ++w) {
    char *spec = NULL;
    const jig_reduce_args sum = sum_args(w, NULL, 0, NULL);
    const jig_arg_reduce_args largest = largest_args(NULL, 0, NULL, NULL);
    OK(w == LARGEST ? jig_arg_reduce_spec(&largest, &spec) : jig_reduce_spec(&sum, &spec));
    status = jig_prewarm(engine, spec, "compute_80", NULL);
    jig_free(spec);
    if (status != JIG_ERROR_NO_COMPILER) OK(status);
  }
  jig_engine_destroy(engine);
  config.build = JIG_BUILD_NEVER;
  OK(jig_engine_create(&engine, &config));
  if (status == JIG_SUCCESS) return engine;
  jig_engine_destroy(engine);
  return NULL;
}

/* PTX of a compiler that is newer than the driver is refused. */
static bool driver_takes_ptx(void) {
  const compiler *c = compiler_get();
  return c != NULL && c->major * 1000 + c->minor * 10 <= gpu()->version;
}

START_TEST(programs_that_cannot_wait_start_in_turn) {
  const char *name = "programs_that_cannot_wait_start_in_turn";
  if (skipped(name)) return;
  scratch_setup();
  jig_engine *engine = driver_takes_ptx() ? engine_of_old_ptx() : NULL;
  if (engine == NULL) {
    printf("skipped: device/reduce_pdl: %s (no compute_80 PTX that this driver takes)\n", name);
    scratch_teardown();
    return;
  }
  scene s = open_scene();
  for (which w = SUM; w <= LARGEST; ++w) {
    const int early = run_rounds(engine, w, &s, 3000) + run_rounds(engine, w, &s, MAX_ITEMS);
    ck_assert_msg(early == 0, "%d launches of the %s may start early and cannot wait", early,
                  which_names[w]);
  }
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_eq(stats.misses, 0);
  ck_assert_uint_eq(stats.disk_hits, 3);
  close_scene(&s);
  jig_engine_destroy(engine);
  scratch_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(late_input_is_waited_for),
      SUITE_TEST(programs_that_cannot_wait_start_in_turn),
  };
  return SUITE_RUN("device/reduce_pdl", tests, true);
}
