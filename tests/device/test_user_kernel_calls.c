/* Kernels of the user's own: what is refused and how, of configs, shapes and arguments. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "user_kernel_support.h"

static void refused(jig_kernel_config config, jig_status wanted, const char *const *parts) {
  jig_kernel *kernel = (jig_kernel *)&config;
  user_kernel_error(jig_kernel_get(NULL, &config, &kernel), wanted, parts);
  ck_assert_ptr_null(kernel);
}

/* ---- more than there is */

/* Compiled to machine code or to PTX, for which the driver has the assembler. */
START_TEST(too_much_static_shared_memory_names_the_kernel) {
  static const char *const source =
      "extern \"C\" __global__ void tile(int *out) {\n"
      "  __shared__ int items[SIZE];\n"
      "  items[threadIdx.x] = threadIdx.x;\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = items[threadIdx.x ^ 1];\n"
      "}\n";
  const jig_definition fits = jig_define_int("SIZE", 12288), large = jig_define_int("SIZE", 13000);
  jig_kernel_config config = {
      .entry = "tile", .source = source, .definitions = &fits, .definition_count = 1};
  uint32_t *out = user_kernel_words(2);
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  user_kernel_launch(user_kernel(config), (jig_kernel_shape){.block = {2}}, args, 1);
  user_kernel_expect(out, (const uint32_t[]){1, 0}, 2);
  config.definitions = &large;
  for (int i = 0; i < 2; ++i) /* nor is it taken for damaged the second time */
    refused(config, JIG_ERROR_COMPILE,
            SAYS("the kernel 'tile' has 52000 bytes of static shared memory; it can have 49152, and more "
                 "only as "
                 "dynamic shared memory"));
}
END_TEST

/* What the driver says of a kernel, where this test says otherwise. */
static CUresult (*kernel_attribute)(int *value, CUfunction_attribute which, CUkernel kernel,
                                    CUdevice device);
static int told_threads, told_registers, told_cluster;
static CUresult CUDAAPI tell_attribute(int *value, CUfunction_attribute which, CUkernel kernel,
                                       CUdevice device) {
  const CUresult result = kernel_attribute(value, which, kernel, device);
  if (which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK && told_threads > 0) *value = told_threads;
  if (which == CU_FUNC_ATTRIBUTE_NUM_REGS && told_registers > 0) *value = told_registers;
  if (which == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH && told_cluster > 0) *value = told_cluster;
  return result;
}

static jig_kernel *get_told(jig_engine *engine, int threads, int registers, int cluster) {
  const driver whole = *gpu();
  kernel_attribute = gpu()->cuKernelGetAttribute;
  user_kernel_driver()->cuKernelGetAttribute = tell_attribute;
  told_threads = threads;
  told_registers = registers;
  told_cluster = cluster;
  jig_kernel *kernel = user_kernel_fill(engine);
  *user_kernel_driver() = whole;
  return kernel;
}

static void refuses_shape(jig_kernel *kernel, jig_kernel_shape shape, jig_status wanted,
                          const char *problem) {
  uint32_t value = 1, *out = user_kernel_words(1);
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 2, NULL), wanted,
                    SAYS("jig_kernel_launch: ", problem));
  user_kernel_expect(out, (const uint32_t[]){0}, 1);
}

START_TEST(too_many_threads_tell_why) {
  static const struct {
    int threads, registers; /* what the driver says */
    jig_kernel_shape shape;
    const char *problem;
  } rows[] = {
      {1024, 64, {.block = {64, 32}}, "block: 2048 threads; 'fill' has 1024 at most, by the GPU"},
      {384,
       168,
       {.block = {385}},
       "block: 385 threads; 'fill' has 384 at most, by its 168 registers a thread"},
      {512,
       97,
       {.block = {8, 65}},
       "block: 520 threads; 'fill' has 512 at most, by its 97 registers a thread"},
      {256, 255, {.block = {1024}}, "'fill' has 256 at most, by its 255 registers a thread"},
      {256, 168, {.block = {1024}}, "'fill' has 256 at most, by its launch bounds"},
      {96, 32, {.block = {97}}, "'fill' has 96 at most, by its launch bounds"},
  };
  if (gpu()->cuKernelGetAttribute == NULL) {
    printf("skipped: device/user_kernels: too_many_threads_tell_why (a driver without libraries)\n");
    return;
  }
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_engine *engine;
    OK(jig_engine_create(&engine, NULL));
    refuses_shape(get_told(engine, rows[i].threads, rows[i].registers, 0), rows[i].shape,
                  JIG_ERROR_INVALID_ARGUMENT, rows[i].problem);
    jig_engine_destroy(engine);
  }
}
END_TEST

static CUresult CUDAAPI refuse_cluster(const CUlaunchConfig *config, CUfunction f, void **parameters,
                                       void **extra) {
  (void)config, (void)f, (void)parameters, (void)extra;
  return CUDA_ERROR_INVALID_CLUSTER_SIZE;
}
static CUresult CUDAAPI tell_cluster(int *blocks, CUfunction f, const CUlaunchConfig *config) {
  (void)f;
  *blocks = config->numAttrs == 0 && config->sharedMemBytes == 40000 && config->blockDimX == 512 ? 4 : 16;
  return CUDA_SUCCESS;
}

START_TEST(clusters_too_large_tell_how_large_they_can_be) {
  const driver whole = *gpu();
  jig_occupancy occupancy;
  jig_engine *engine;
  int count;
  if (driver_devices(&count)->sm < 90) {
    printf("skipped: device/user_kernels: clusters_too_large_tell_how_large_they_can_be (no clusters)\n");
    return;
  }
  refuses_shape(user_kernel_fill(NULL), (jig_kernel_shape){.grid = {32}, .block = {32}, .cluster = {32}},
                JIG_ERROR_INVALID_ARGUMENT, "cluster: 32 blocks; 16 are the most");
  refuses_shape(user_kernel_fill(NULL),
                (jig_kernel_shape){.grid = {32}, .block = {32}, .cluster = {1u << 31, 1u << 31, 4}},
                JIG_ERROR_INVALID_ARGUMENT, "cluster: more than 2^64 - 2 blocks; 16 are the most");
  refuses_shape(user_kernel_fill(NULL), (jig_kernel_shape){.grid = {6}, .block = {32}, .cluster = {4}},
                JIG_ERROR_INVALID_ARGUMENT, "grid[0]: 6 blocks cannot be divided into clusters of 4");
  user_kernel_driver()->cuLaunchKernelEx = refuse_cluster;
  user_kernel_driver()->cuOccupancyMaxPotentialClusterSize = tell_cluster;
  refuses_shape(
      user_kernel_fill(NULL),
      (jig_kernel_shape){.grid = {8}, .block = {512}, .cluster = {8}, .shared_bytes = 40000},
      JIG_ERROR_UNSUPPORTED,
      "cluster: 8 blocks; of 'fill' with so many threads and so much shared memory this GPU has room for "
      "clusters of 4");
  ck_assert_int_eq(jig_last_driver_error(), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  *user_kernel_driver() = whole;
  if (gpu()->cuKernelGetAttribute == NULL) return;
  OK(jig_engine_create(&engine, NULL));
  jig_kernel *kernel = get_told(engine, 0, 0, 2);
  refuses_shape(kernel, (jig_kernel_shape){.grid = {4}, .block = {32}, .cluster = {4}},
                JIG_ERROR_INVALID_ARGUMENT, "cluster[0]: 4; 'fill' has clusters of 2 by its text");
  refuses_shape(kernel, (jig_kernel_shape){.grid = {3}, .block = {32}}, JIG_ERROR_INVALID_ARGUMENT,
                "grid[0]: 3 blocks cannot be divided into clusters of 2");
  /* Whatever the grid is. */
  OK(jig_kernel_occupancy(kernel, &(jig_kernel_shape){.grid = {3}, .block = {32}}, &occupancy));
  ck_assert_uint_gt(occupancy.blocks, 0);
  jig_engine_destroy(engine);
}
END_TEST

START_TEST(wrong_shapes_are_named) {
  static const struct {
    jig_kernel_shape shape;
    const char *problem;
  } rows[] = {
      {{.grid = {1, 65536}}, "grid[1]: 65536; 65535 are the most"},
      {{.grid = {0, 0, 70000}}, "grid[2]: 70000"},
      {{.grid = {UINT32_MAX}}, "grid[0]: 4294967295"},
      {{.block = {1025}}, "block[0]: 1025; 1024 are the most"},
      {{.block = {1, 1, 65}}, "block[2]: 65; 64"},
      {{.block = {64, 32}}, "block: 2048 threads; 'fill' has 1024 at most"},
      {{.shared_bytes = 1 << 30}, "shared_bytes: 1073741824; 'fill' can have"},
      {{.cooperative = 2}, "cooperative: 2 is neither"},
      {{.pdl = -1}, "pdl: -1 is neither"},
      {{.reserved = {0, 1}}, "shape: reserved is not zero"},
  };
  uint32_t value = 1, *out = user_kernel_words(1);
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  jig_kernel *kernel = user_kernel_fill(NULL);
  jig_occupancy occupancy;
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    user_kernel_error(jig_kernel_launch(kernel, &rows[i].shape, args, 2, NULL),
                      JIG_ERROR_INVALID_ARGUMENT, SAYS("jig_kernel_launch: ", rows[i].problem));
    if (rows[i].shape.grid[0] + rows[i].shape.grid[1] + rows[i].shape.grid[2] == 0)
      user_kernel_error(jig_kernel_occupancy(kernel, &rows[i].shape, &occupancy),
                        JIG_ERROR_INVALID_ARGUMENT, SAYS("jig_kernel_occupancy: ", rows[i].problem));
  }
  user_kernel_expect(out, (const uint32_t[]){0}, 1);
}
END_TEST

/* ---- arguments */

START_TEST(arguments_are_those_of_the_kernel) {
  static const char *const source =
      "struct wide { char bytes[300]; };\n"
      "extern \"C\" __global__ void sizes(unsigned *out, char c, short s, float f, const "
      "__grid_constant__ wide w,"
      " bool b, double d) {\n"
      "  out[0] = c; out[1] = s; out[2] = f; out[3] = w.bytes[299]; out[4] = b; out[5] = d;\n"
      "}\n";
  uint32_t *out = user_kernel_words(6);
  char c = 3;
  short s = 500;
  float f = 7;
  double d = 9;
  bool b = true;
  struct {
    char bytes[300];
  } w = {{0}};
  w.bytes[299] = 42;
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "sizes", .source = source});
  jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(c), JIG_ARG(s), JIG_ARG(f),
                           JIG_ARG(w),   JIG_ARG(b), JIG_ARG(d), JIG_ARG(d)};
  const jig_kernel_shape shape = {.pdl = 0};
  user_kernel_launch(kernel, shape, args, 7);
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 6, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("jig_kernel_launch: count: 6 arguments; 'sizes' has 7 parameters"));
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 8, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("count: 8 arguments"));
  user_kernel_error(jig_kernel_launch(kernel, &shape, NULL, 7, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("args: the pointer is NULL"));
  for (size_t i = 0; i < 7; ++i) {
    char problem[64];
    jig_kernel_arg wrong[7];
    memcpy(wrong, args, sizeof wrong);
    wrong[i].size += 1;
    (void)snprintf(problem, sizeof problem, "args[%zu]: %zu bytes; that parameter of 'sizes' has %zu", i,
                   wrong[i].size, args[i].size);
    user_kernel_error(jig_kernel_launch(kernel, &shape, wrong, 7, NULL), JIG_ERROR_INVALID_ARGUMENT,
                      SAYS(problem));
    wrong[i] = (jig_kernel_arg){NULL, args[i].size};
    (void)snprintf(problem, sizeof problem, "args[%zu]: value is NULL", i);
    user_kernel_error(jig_kernel_launch(kernel, &shape, wrong, 7, NULL), JIG_ERROR_INVALID_ARGUMENT,
                      SAYS(problem));
  }
  user_kernel_expect(out, (const uint32_t[]){3, 500, 7, 42, 1, 9}, 6);
}
END_TEST

START_TEST(many_arguments_and_none) {
  enum { MANY = 100 };
  char source[8192];
  size_t length = (size_t)snprintf(source, sizeof source,
                                   "__device__ int last;\n"
                                   "extern \"C\" __global__ void none() { last = 1; }\n"
                                   "extern \"C\" __global__ void many(unsigned *out");
  uint32_t values[MANY], wanted[MANY], *out = user_kernel_words(MANY);
  jig_kernel_arg args[MANY + 1] = {JIG_ARG(out)};
  for (int i = 0; i < MANY; ++i)
    length += (size_t)snprintf(source + length, sizeof source - length, ", unsigned a%d", i);
  length += (size_t)snprintf(source + length, sizeof source - length, ") {\n");
  for (int i = 0; i < MANY; ++i) {
    length += (size_t)snprintf(source + length, sizeof source - length, "  out[%d] = a%d;\n", i, i);
    values[i] = wanted[i] = (uint32_t)i * 7919;
    args[i + 1] = (jig_kernel_arg)JIG_ARG(values[i]);
  }
  (void)snprintf(source + length, sizeof source - length, "}\n");
  user_kernel_launch(user_kernel((jig_kernel_config){.entry = "many", .source = source}),
                     (jig_kernel_shape){.pdl = 0}, args, MANY + 1);
  user_kernel_launch(user_kernel((jig_kernel_config){.entry = "none", .source = source}),
                     (jig_kernel_shape){.pdl = 0}, NULL, 0);
  user_kernel_expect(out, wanted, MANY);
}
END_TEST

/* ---- what is refused */

#define KERNEL "extern \"C\" __global__ void k(int *out) "

START_TEST(wrong_configs_are_named) {
  const jig_type none = {.kind = JIG_KIND_NONE};
  const jig_definition twice[] = {jig_define_int("N", 1), jig_define_int("N", 2)};
  static const jig_kernel_text unnamed = {.text = "int f() { return g(; }"};
  static const jig_kernel_text own_name = {.name = "jig/a.cuh", .text = ""};
  static const jig_kernel_text no_text = {.name = "a.cuh"};
  const jig_definition bad[] = {
      jig_define_int("jig_n", 1),
      jig_define_int("1N", 1),
      jig_define_text("T", NULL),
      jig_define_text("T", "1\n#define K"),
      jig_define_text("T", "(1"),
      jig_define_text("int32_t", "long"),
      jig_define_double("F", 1.0 / 0.0),
      jig_define_type("T", none),
      jig_define_op("Op", (jig_op){.kind = JIG_OP_NONE}, 2, JIG_F32, none),
      jig_define_op("Op", JIG_BIT_AND, 2, JIG_F32, none),
      jig_define_op("Op", JIG_PLUS, 1, JIG_F32, none),
      jig_define_op("Op", jig_op_source("return a;"), 9, JIG_F32, none),
      jig_define_op("Op", jig_op_source("return (a;"), 2, JIG_F32, none),
      {.name = "K", .kind = (jig_definition_kind)17},
      {.name = "K", .kind = JIG_DEFINITION_INTEGER, .type = JIG_I64, .reserved = {1}},
  };
  static const char *const bad_problem[] = {
      "names that begin with 'jig'",
      "definitions[0]: '1N' is no identifier",
      "definition of T: text is NULL",
      "definition of T: a macro's text is one line",
      "definition of T:1:1: error: this '(' is not closed",
      "definition of int32_t: a macro called 'int32_t' would change types of jig's own",
      "definition of F: the number is not finite",
      "definition of T: no type is given",
      "definition of Op: ",
      "definition of Op: 'bit_and' is not defined for f32",
      "definition of Op: 'plus' has two operands",
      "definition of Op: arity: 9; up to 8",
      "definition of Op: operator Op:1:8: error: this '(' is not closed",
      "definition of K: no such kind (17)",
      "definition of K: reserved is not zero",
  };
  const struct {
    jig_kernel_config config;
    const char *problem;
  } rows[] = {
      {{.source = KERNEL "{}"}, "entry: the name is NULL"},
      {{.entry = "a::b", .source = KERNEL "{}"}, "entry: 'a::b' is no identifier"},
      {{.entry = "jig_k", .source = KERNEL "{}"}, "entry: 'jig_k': names that begin with 'jig'"},
      {{.entry = "k"}, "source is NULL"},
      {{.entry = "k", .source = ""}, "source is empty"},
      {{.entry = "k", .source = KERNEL "{"}, "source:1:40: error: this '{' is not closed"},
      {{.entry = "k", .source = KERNEL "{}", .source_name = ""}, "source_name: '' cannot be"},
      {{.entry = "k", .source = KERNEL "{}", .source_name = "\xe4"}, "source_name is not UTF-8"},
      {{.entry = "k", .source = KERNEL "{}", .source_name = "a\"b"}, "source_name: 'a\"b' cannot be"},
      {{.entry = "k", .source = KERNEL "{}", .text_count = 1}, "texts: the pointer is NULL"},
      {{.entry = "k", .source = KERNEL "{}", .definition_count = 1}, "definitions: the pointer is NULL"},
      {{.entry = "k", .source = KERNEL "{}", .texts = &unnamed, .text_count = 1},
       "source 1:1:22: error: a ')' has to come before"},
      {{.entry = "k", .source = KERNEL "{}", .texts = &own_name, .text_count = 1},
       "texts[0]: name: 'jig/a.cuh' cannot be"},
      {{.entry = "k", .source = KERNEL "{}", .texts = &no_text, .text_count = 1},
       "texts[0]: text is NULL"},
      {{.entry = "k", .source = KERNEL "{}", .definitions = twice, .definition_count = 2},
       "definition of N: there is one already"},
      {{.entry = "k", .source = KERNEL "{}", .max_threads = 64},
       "max_threads: the source has no JIG_LAUNCH"},
      {{.entry = "k", .source = KERNEL "{}", .max_threads = 2000}, "max_threads: 2000; a block has 1024"},
      {{.entry = "k", .source = KERNEL "{}", .min_blocks = 2}, "min_blocks: there are no max_threads"},
      {{.entry = "k", .source = KERNEL "{}", .reserved = {0, 0, 1}}, "config: reserved is not zero"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *spec = (char *)(uintptr_t)rows;
    refused(rows[i].config, JIG_ERROR_INVALID_ARGUMENT, SAYS("jig_kernel_get: ", rows[i].problem));
    user_kernel_error(jig_kernel_spec(&rows[i].config, &spec), JIG_ERROR_INVALID_ARGUMENT,
                      SAYS("jig_kernel_spec: ", rows[i].problem));
    ck_assert_ptr_null(spec);
  }
  for (size_t i = 0; i < COUNT_OF(bad); ++i)
    refused(
        (jig_kernel_config){
            .entry = "k", .source = KERNEL "{}", .definitions = &bad[i], .definition_count = 1},
        JIG_ERROR_INVALID_ARGUMENT, SAYS("jig_kernel_get: ", bad_problem[i]));
  jig_kernel *kernel;
  jig_occupancy occupancy;
  CUfunction function;
  const jig_kernel_config fine = {.entry = "fill", .source = user_kernel_fill_text};
  user_kernel_error(jig_kernel_get(NULL, NULL, &kernel), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("config: the pointer"));
  user_kernel_error(jig_kernel_get(NULL, &fine, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("kernel: the pointer"));
  user_kernel_error(jig_kernel_spec(&fine, NULL), JIG_ERROR_INVALID_ARGUMENT, SAYS("spec: the pointer"));
  user_kernel_error(jig_kernel_launch(NULL, &(jig_kernel_shape){.pdl = 0}, NULL, 0, NULL),
                    JIG_ERROR_INVALID_ARGUMENT, SAYS("jig_kernel_launch: kernel: the pointer"));
  user_kernel_error(jig_kernel_launch(user_kernel_fill(NULL), NULL, NULL, 0, NULL),
                    JIG_ERROR_INVALID_ARGUMENT, SAYS("shape: the pointer"));
  user_kernel_error(jig_kernel_occupancy(NULL, &(jig_kernel_shape){.pdl = 0}, &occupancy),
                    JIG_ERROR_INVALID_ARGUMENT, SAYS("kernel: the pointer"));
  user_kernel_error(jig_kernel_occupancy(user_kernel_fill(NULL), &(jig_kernel_shape){.pdl = 0}, NULL),
                    JIG_ERROR_INVALID_ARGUMENT, SAYS("occupancy: the pointer"));
  function = (CUfunction)(uintptr_t)8;
  user_kernel_error(jig_kernel_function(NULL, &function), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("kernel: the pointer"));
  ck_assert_ptr_null(function);
  user_kernel_error(jig_kernel_function(user_kernel_fill(NULL), NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("function: the pointer"));
}
END_TEST

/* Also where the same is in memory without that. */
START_TEST(what_is_reserved_is_zero) {
  jig_kernel_text text = {.text = "int f() { return 1; }"};
  jig_definition one = jig_define_int("ONE", 1);
  const jig_kernel_config config = {.entry = "k",
                                    .source = KERNEL "{ *out = f() + ONE; }",
                                    .texts = &text,
                                    .text_count = 1,
                                    .definitions = &one,
                                    .definition_count = 1};
  jig_kernel *kernel;
  OK(jig_kernel_get(NULL, &config, &kernel));
  text.reserved[1] = 1;
  user_kernel_error(jig_kernel_get(NULL, &config, &kernel), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("jig_kernel_get: ", "texts: reserved is not zero"));
  text.reserved[1] = 0;
  one.type.reserved[0] = 1;
  user_kernel_error(jig_kernel_get(NULL, &config, &kernel), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("jig_kernel_get: ", "reserved is not zero"));
  ck_assert_ptr_null(kernel);
}
END_TEST

/* Collectives that are used as they cannot be: each is told at the line that does, by its name. */
typedef struct wrong_use {
  const char *header, *code, *problem;
} wrong_use;

static const wrong_use wrong_uses[] = {
    {"block/reduce", "*out = jig::BlockReduce<int, 2048>().Sum(1);",
     "BlockReduce: a block has 1 to 1024 threads"},
    {"block/load", "jig::BlockLoad<int, 64, 32, jig::BlockLoadAlgorithm::direct, 32> load;",
     "BlockLoad: a block has 1 to 1024 threads"},
    {"block/load", "jig::BlockLoad<int, 64, 0> load;", "BlockLoad: a thread has one item or more"},
    {"block/load", "jig::BlockLoad<int, 50, 2, jig::BlockLoadAlgorithm::warp_transpose> load;",
     "BlockLoad: warps that transpose are whole"},
    {"block/load",
     "jig::array<int, 3> x; jig::BlockLoad<int, 64, 3, jig::BlockLoadAlgorithm::vectorized>().Load(out, "
     "0, x);",
     "vectorized loads: the items per thread are a multiple of"},
    {"block/store",
     "jig::BlockStore<int, 50, 2, jig::BlockStoreAlgorithm::warp_transpose_time_sliced> store;",
     "BlockStore: warps that transpose are whole"},
    {"block/radix_sort", "struct key { int a, b; }; jig::BlockRadixSort<key, 64, 2> sort;",
     "keys that are no numbers need a Decomposer"},
    {"block/radix_sort", "jig::BlockRadixSort<int, 64, 2, int, 9> sort;",
     "BlockRadixSort: digits have 1 to 8 bits"},
    {"block/histogram", "jig::BlockHistogram<int, 64, 2, 0> histogram;",
     "BlockHistogram: there is one bin or more"},
    {"block/run_length_decode", "jig::BlockRunLengthDecode<int, 64, 2, 0> decode;",
     "BlockRunLengthDecode: a thread has one run or more, and decodes one item or more"},
    {"block/scan", "int x = 1; jig::BlockScan<int, 64>().InclusiveSum(x, x);", "ignoring return value"},
    {"block/merge_sort",
     "jig::array<int, 2> x = {3, 1}; jig::BlockMergeSort<int, 64, 2>().Sort(x, jig::less_than());",
     "ignoring return value"},
    {"block/shuffle", "jig::BlockShuffle<int, 64>().Offset(*out, 1);", "ignoring return value"},
    {"warp/reduce", "*out = jig::WarpReduce<int, 64>().Sum(1);",
     "WarpReduce: a logical warp has 1 to 32 threads"},
    {"warp/reduce", "*out = jig::WarpReduce<int, 24>().Sum(1);",
     "WarpReduce: a width that is no power of two needs TempStorage"},
    {"warp/scan", "*out = jig::WarpScan<int, 24>().InclusiveSum(1);",
     "WarpScan: a width that is no power of two needs TempStorage"},
    {"warp/exchange", "jig::WarpExchange<int, 4> exchange;",
     "WarpExchange: through shared memory it needs TempStorage"},
    {"warp/load", "jig::WarpLoad<int, 2, jig::WarpLoadAlgorithm::transpose> load;",
     "WarpLoad: a transpose needs TempStorage"},
    {"warp/merge_sort", "jig::WarpMergeSort<int, 2> sort;", "WarpMergeSort: it needs TempStorage"},
    {"warp/merge_sort_pairs", "jig::WarpMergeSortPairs<int, 2, float> sort;",
     "WarpMergeSort: it needs TempStorage"},
    {"warp/merge_sort",
     "jig::WarpMergeSort<int, 0> sort(*(jig::WarpMergeSort<int, 0>::TempStorage *)out);",
     "WarpMergeSort: a thread has one item or more"},
    {"warp/bitonic_sort", "jig::WarpBitonicSort<int, 2, 20> sort;",
     "WarpBitonicSort: a logical warp has 1, 2, 4"},
    {"grid/tile_state", "struct big { char b[300]; }; jig::ScanTileState<big> states(out, 1);",
     "ScanTileState: a state has up to 256 bytes"},
};

static void refuses_use(const wrong_use *use) {
  char source[512], problem[256];
  (void)snprintf(source, sizeof source, "#include <jig/%s.cuh>\n" KERNEL "{\n  %s\n}\n", use->header,
                 use->code);
  (void)snprintf(problem, sizeof problem, "error: %s", use->problem);
  refused((jig_kernel_config){.entry = "k", .source_name = "use.cu", .source = source}, JIG_ERROR_COMPILE,
          SAYS("use.cu:3:", problem));
}

START_TEST(what_does_not_compile_is_shown) {
  const jig_type none = {.kind = JIG_KIND_NONE};
  const jig_definition op = jig_define_op("Op", jig_op_source("return a +\n q;"), 2, JIG_F32, none);
  const jig_definition type =
      jig_define_type("T", jig_struct("hit", "struct hit { float x; int y z; };", 8, 4));
  const jig_definition large = jig_define_type("T", jig_struct("hit", "struct hit { float x; };", 8, 4));
  static const jig_kernel_text text = {.name = "tile.cuh",
                                       .text = "int f() { return 1; }\nint g() { return h; }"};
  refused((jig_kernel_config){.entry = "k", .source = "\n" KERNEL "{\n  out[0] = y;\n}\n"},
          JIG_ERROR_COMPILE, SAYS("source:3:12: error: identifier \"y\" is undefined", "out[0] = y;"));
  refused(
      (jig_kernel_config){
          .entry = "k", .source = KERNEL "{ out[0] = g(); }", .texts = &text, .text_count = 1},
      JIG_ERROR_COMPILE, SAYS("tile.cuh:2:18: error: identifier \"h\""));
  refused((jig_kernel_config){.entry = "k",
                              .source = KERNEL "{ *out = Op()(1, 2); }",
                              .definitions = &op,
                              .definition_count = 1},
          JIG_ERROR_COMPILE, SAYS("operator Op:2:2: error: identifier \"q\""));
  refused(
      (jig_kernel_config){
          .entry = "k", .source = KERNEL "{}", .definitions = &type, .definition_count = 1},
      JIG_ERROR_COMPILE, SAYS("struct hit:1:", "error: "));
  refused(
      (jig_kernel_config){
          .entry = "k", .source = KERNEL "{}", .definitions = &large, .definition_count = 1},
      JIG_ERROR_TYPE_MISMATCH, SAYS("struct 'hit'", "size 4"));
  for (size_t i = 0; i < COUNT_OF(wrong_uses); ++i) refuses_use(&wrong_uses[i]);
  refused((jig_kernel_config){.entry = "k", .source = "#include <jig/block/reduse.cuh>\n" KERNEL "{}\n"},
          JIG_ERROR_COMPILE,
          SAYS("source:1:1: error: cannot include \"jig/block/reduse.cuh\": there is no such template; "
               "did you "
               "mean <jig/block/reduce.cuh>?"));
  static const jig_kernel_text including = {
      .name = "tile.cuh", .text = "#include <jig/core/types.cuh>\n# include <jig/warp/reduce_all.cuh>\n"};
  refused(
      (jig_kernel_config){.entry = "k", .source = KERNEL "{}\n", .texts = &including, .text_count = 1},
      JIG_ERROR_COMPILE,
      SAYS("tile.cuh:2:1: error: cannot include \"jig/warp/reduce_all.cuh\": there is no such template"));
  refused((jig_kernel_config){.entry = "k", .source = "#include \"jig/blocks.cuh\"\n" KERNEL "{}\n"},
          JIG_ERROR_COMPILE,
          SAYS("source:1:1: error: cannot include \"jig/blocks.cuh\": there is no such template"));
  refused((jig_kernel_config){.entry = "l", .source = KERNEL "{}\n__global__ void m(int a) {}\n"},
          JIG_ERROR_COMPILE,
          SAYS("entry: the source has no extern \"C\" __global__ function 'l'; its kernels: ", "'k'",
               "'_Z1mi'"));
  refused((jig_kernel_config){.entry = "k", .source = "int k(int *out) { return 1; }"}, JIG_ERROR_COMPILE,
          SAYS("its kernels: none"));
}
END_TEST

static const suite_test tests[] = {
    SUITE_TEST(too_much_static_shared_memory_names_the_kernel),
    SUITE_TEST(too_many_threads_tell_why),
    SUITE_TEST(clusters_too_large_tell_how_large_they_can_be),
    SUITE_TEST(wrong_shapes_are_named),
    SUITE_TEST(arguments_are_those_of_the_kernel),
    SUITE_TEST(many_arguments_and_none),
    SUITE_TEST(wrong_configs_are_named),
    SUITE_TEST(what_is_reserved_is_zero),
    SUITE_TEST(what_does_not_compile_is_shown),
};

int main(void) {
  return SUITE_RUN("device/user_kernel_calls", tests, true);
}
