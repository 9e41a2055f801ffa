/* Kernels of the user's own: definitions of every kind, several texts and headers, shapes of launches,
 * captures, threads, engines, strict mode. What is refused: test_user_kernel_calls.c. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "engine_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"
#include "user_kernel_support.h"

/* ---- a kernel, and jig's templates in it */

static const char *const block_sum =
    "#include <jig/block/reduce.cuh>\n"
    "extern \"C\" __global__ void block_sum(const unsigned *in, unsigned *out, int count) {\n"
    "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
    "  const unsigned sum = jig::BlockReduce<unsigned, 128>().Sum(i < count ? in[i] : 0u);\n"
    "  if (threadIdx.x == 0) out[blockIdx.x] = sum;\n"
    "}\n";

START_TEST(collectives_are_there) {
  enum { ITEMS = 1000, BLOCKS = (ITEMS + 127) / 128 };
  uint32_t items[ITEMS], wanted[BLOCKS] = {0};
  for (uint32_t i = 0; i < ITEMS; ++i) {
    items[i] = i * 2654435761u;
    wanted[i / 128] += items[i];
  }
  uint32_t *in = gpu_copy(items, sizeof items, 0), *out = user_kernel_words(BLOCKS);
  int n = ITEMS;
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "block_sum", .source = block_sum});
  const jig_kernel_arg args[] = {JIG_ARG(in), JIG_ARG(out), JIG_ARG(n)};
  user_kernel_launch(kernel, (jig_kernel_shape){.grid = {BLOCKS}, .block = {128}}, args, 3);
  user_kernel_expect(out, wanted, BLOCKS);
  gpu_free(in);
}
END_TEST

/* ---- definitions */

typedef struct point {
  float x;
  int32_t id;
} point;
static const char *const point_text = "struct point { float x; int id; };";
static jig_type point_type(void) {
  return jig_struct("point", point_text, sizeof(point), _Alignof(point));
}

START_TEST(numbers_keep_their_bits_and_types) {
  static const char *const source =
      "template <class T> constexpr int is_int = 0;\n"
      "template <> constexpr int is_int<int> = 1;\n"
      "template <class T> constexpr int is_float = 0;\n"
      "template <> constexpr int is_float<float> = 1;\n"
      "extern \"C\" __global__ void numbers(long long *i, unsigned long long *u, double *d, unsigned *t) "
      "{\n"
      "  i[0] = A; i[1] = B; i[2] = C; i[3] = -A; i[4] = 10 - B;\n"
      "  u[0] = D; u[1] = E;\n"
      "  d[0] = F; d[1] = G; d[2] = H; d[3] = I; d[4] = J;\n"
      "  t[0] = is_int<decltype(A)>; t[1] = is_int<decltype(C)>; t[2] = is_float<decltype(G)>;\n"
      "  t[3] = is_float<decltype(F)>; t[4] = TEXT; t[5] = sizeof(D); t[6] = A < 0u;\n"
      "  t[8] = is_int<decltype(LEAST)>; t[9] = LEAST;\n"
      "#if A == 7 && TEXT == 12\n"
      "  t[7] = 1;\n"
      "#endif\n"
      "}\n";
  const jig_definition definitions[] = {
      jig_define_int("A", 7),           jig_define_int("B", INT64_MIN),
      jig_define_int("C", -3000000000), jig_define_uint("D", 4000000000u),
      jig_define_uint("E", UINT64_MAX), jig_define_double("F", 0.1),
      jig_define_float("G", 0.1f),      jig_define_double("H", -0.0),
      jig_define_double("I", 5e-324),   jig_define_double("J", -1.7976931348623157e308),
      jig_define_text("TEXT", "3 * 4"), jig_define_int("LEAST", INT32_MIN)};
  static const int64_t wanted_i[] = {7, INT64_MIN, -3000000000, -7, INT64_MIN + 10};
  static const uint64_t wanted_u[] = {4000000000u, UINT64_MAX};
  static const double wanted_d[] = {0.1, 0.1f, -0.0, 5e-324, -1.7976931348623157e308};
  static const uint32_t wanted_t[] = {1, 0, 1, 0, 12, 4, 0, 1, 1, 1u << 31};
  unsigned char got[sizeof wanted_i];
  void *i = gpu_alloc(sizeof wanted_i, 0), *u = gpu_alloc(sizeof wanted_u, 0),
       *d = gpu_alloc(sizeof wanted_d, 0);
  uint32_t *t = user_kernel_words(COUNT_OF(wanted_t));
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "numbers",
                                                       .source = source,
                                                       .definitions = definitions,
                                                       .definition_count = COUNT_OF(definitions)});
  const jig_kernel_arg args[] = {JIG_ARG(i), JIG_ARG(u), JIG_ARG(d), JIG_ARG(t)};
  user_kernel_launch(kernel, (jig_kernel_shape){.pdl = 0}, args, 4);
  gpu_read(got, i, sizeof wanted_i);
  ck_assert_mem_eq(got, wanted_i, sizeof wanted_i);
  gpu_read(got, u, sizeof wanted_u);
  ck_assert_mem_eq(got, wanted_u, sizeof wanted_u);
  gpu_read(got, d, sizeof wanted_d);
  ck_assert_mem_eq(got, wanted_d, sizeof wanted_d);
  user_kernel_expect(t, wanted_t, COUNT_OF(wanted_t));
  gpu_free(i);
  gpu_free(u);
  gpu_free(d);
}
END_TEST

START_TEST(types_have_names) {
  static const char *const source =
      "extern \"C\" __global__ void types(const P *in, Half h, Bytes b, point *out) {\n"
      "  static_assert(sizeof(Bytes) == 12 && alignof(Bytes) == 4);\n"
      "  out[threadIdx.x] = in[1 - threadIdx.x];\n"
      "  out[threadIdx.x].x += float(h);\n"
      "}\n";
  const jig_definition definitions[] = {
      jig_define_type("P", point_type()), jig_define_type("point", point_type()),
      jig_define_type("Half", JIG_F16), jig_define_type("Bytes", jig_opaque(12, 4))};
  const point items[2] = {{1, 10}, {2, 20}};
  point got[2];
  const uint16_t half = 0x3800; /* 0.5 */
  const unsigned char bytes[12] = {0};
  point *in = gpu_copy(items, sizeof items, 0), *out = gpu_alloc(sizeof got, 0);
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "types",
                                                       .source = source,
                                                       .definitions = definitions,
                                                       .definition_count = COUNT_OF(definitions)});
  const jig_kernel_arg args[] = {JIG_ARG(in), JIG_ARG(half), JIG_ARG(bytes), JIG_ARG(out)};
  user_kernel_launch(kernel, (jig_kernel_shape){.block = {2}}, args, 4);
  gpu_read(got, out, sizeof got);
  ck_assert(got[0].x == 2.5f && got[0].id == 20 && got[1].x == 1.5f && got[1].id == 10);
  gpu_free(in);
  gpu_free(out);
}
END_TEST

START_TEST(operators_are_classes) {
  static const char *const source =
      "#include <jig/block/reduce.cuh>\n"
      "extern \"C\" __global__ void operators(const unsigned *in, unsigned *out, Scale scale, Offset "
      "offset) {\n"
      "  const unsigned x = in[threadIdx.x];\n"
      "  const unsigned most = jig::BlockReduce<unsigned, 64>().Reduce(x, Max());\n"
      "  __syncthreads();\n"
      "  const unsigned bits = jig::BlockReduce<unsigned, 64>().Reduce(x, Or());\n"
      "  if (threadIdx.x != 0) return;\n"
      "  out[0] = most; out[1] = bits;\n"
      "  out[2] = Less()(in[0], in[1]); out[3] = Less()(in[1], in[0]);\n"
      "  out[4] = scale(in[5]); out[5] = offset(in[5]);\n"
      "  out[6] = Square()(9); out[7] = Or::commutative; out[8] = Farther()(point{1, 2}, point{-3, "
      "4}).id;\n"
      "  out[9] = Mean()(2, 4, 9);\n"
      "}\n";
  const jig_type none = {.kind = JIG_KIND_NONE};
  const jig_definition definitions[] = {
      jig_define_op("Max", JIG_MAX, 2, JIG_U32, none),
      jig_define_op("Less", JIG_LESS, 2, JIG_U32, none),
      jig_define_op("Or", jig_op_commutative(jig_op_source("return a | b;")), 2, JIG_U32, none),
      jig_define_op("Scale", jig_op_with_state(jig_op_source("return x * state;"), NULL, JIG_U32), 1,
                    JIG_U32, none),
      jig_define_op("Offset", jig_op_with_device_state(jig_op_source("return x + state;"), NULL, JIG_U32),
                    1, JIG_U32, none),
      jig_define_op("Square", jig_op_source("return unsigned(i * i);"), 0, none, JIG_U32),
      jig_define_op("Farther",
                    jig_op_function("float f(float x) { return x < 0 ? -x : x; }\n"
                                    "point pick(point a, point b) { return f(a.x) < f(b.x) ? b : a; }",
                                    "pick"),
                    2, point_type(), none),
      jig_define_op("Mean", jig_op_source("return (a + b + c) / 3;"), 3, JIG_F64, JIG_F32)};
  uint32_t items[64], wanted[10] = {0, 0, 0, 1, 0, 0, 81, 1, 4, 5}, factor = 3, addend = 1000;
  for (uint32_t i = 0; i < 64; ++i) {
    items[i] = 977u * (64 - i) % 512;
    if (items[i] > wanted[0]) wanted[0] = items[i];
    wanted[1] |= items[i];
  }
  wanted[2] = items[0] < items[1];
  wanted[3] = items[1] < items[0];
  wanted[4] = items[5] * factor;
  wanted[5] = items[5] + addend;
  uint32_t *in = gpu_copy(items, sizeof items, 0), *out = user_kernel_words(10);
  uint32_t *device_state = gpu_copy(&addend, sizeof addend, 0);
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "operators",
                                                       .source = source,
                                                       .definitions = definitions,
                                                       .definition_count = COUNT_OF(definitions)});
  const jig_kernel_arg args[] = {JIG_ARG(in), JIG_ARG(out), JIG_ARG(factor), JIG_ARG(device_state)};
  user_kernel_launch(kernel, (jig_kernel_shape){.block = {64}}, args, 4);
  user_kernel_expect(out, wanted, 10);
  gpu_free(in);
  gpu_free(device_state);
}
END_TEST

START_TEST(compiled_operators_are_linked) {
  static const char *const source =
      "extern \"C\" __global__ void compiled(int *out) {\n"
      "  out[threadIdx.x] = Op()(threadIdx.x, 5);\n"
      "}\n";
  static const char *const text = "EXPORT int difference(int a, int b) { return a - b; }\n";
  const binary_maker maker =
      maker_of(BINARY_LTO_IR, "device/user_kernels: compiled_operators_are_linked");
  if (maker == BINARY_MAKERS) return;
  char whole[4096];
  (void)snprintf(whole, sizeof whole, "%s%s", binary_prelude, text);
  const jig_op op = binary_op(binary_make(maker, BINARY_LTO_IR, whole, 75), "difference");
  const jig_definition definition = jig_define_op("Op", op, 2, JIG_I32, JIG_I32);
  uint32_t wanted[32], *out = user_kernel_words(32);
  for (int i = 0; i < 32; ++i) wanted[i] = (uint32_t)(i - 5);
  jig_kernel *kernel = user_kernel((jig_kernel_config){
      .entry = "compiled", .source = source, .definitions = &definition, .definition_count = 1});
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  user_kernel_launch(kernel, (jig_kernel_shape){.block = {32}}, args, 1);
  user_kernel_expect(out, wanted, 32);
}
END_TEST

/* ---- texts and headers */

START_TEST(texts_and_headers_make_one_program) {
  static const jig_header headers[] = {
      {.name = "lib/a.h", .text = "#pragma once\n#include \"b.h\"\nint a() { return b() + STEP; }\n"},
      {.name = "lib/b.h",
       .text = "#ifndef WIDE\n#error WIDE comes first\n#endif\nint b() { return WIDE; }\n"}};
  static const jig_kernel_text texts[] = {
      {.name = "first.cuh", .text = "#define WIDE 40\nint first() { return 100; }"},
      {.text = "#include \"lib/a.h\"\nint second() { return a(); }\n"}};
  static const char *const source =
      "#define N 3 /* which no template sees, though one is included after it */\n"
      "#include <jig/warp/reduce.cuh>\n"
      "extern \"C\" __global__ void texts(int *out) {\n"
      "  __shared__ jig::WarpReduce<int>::TempStorage storage;\n"
      "  const int sum = jig::WarpReduce<int>(storage).Reduce(1, jig::plus());\n"
      "  if (threadIdx.x == 0) { out[0] = first() + second(); out[1] = sum; out[2] = N; }\n"
      "}\n";
  static const uint32_t wanted[] = {142, 32, 3};
  const jig_definition step = jig_define_int("STEP", 2);
  jig_engine *engine;
  OK(jig_engine_create(&engine, &(jig_engine_config){.headers = headers, .header_count = 2}));
  uint32_t *out = user_kernel_words(3);
  jig_kernel *kernel = user_kernel_from(engine, (jig_kernel_config){.entry = "texts",
                                                                    .source = source,
                                                                    .texts = texts,
                                                                    .text_count = 2,
                                                                    .definitions = &step,
                                                                    .definition_count = 1});
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  user_kernel_launch(kernel, (jig_kernel_shape){.block = {32}}, args, 1);
  user_kernel_expect(out, wanted, 3);
  jig_engine_destroy(engine);
}
END_TEST

/* ---- shapes */

START_TEST(grids_and_blocks_have_three_dimensions) {
  enum { ALL = 2 * 3 * 4 * 5 * 3 * 2 };
  uint32_t wanted[ALL], value = 7, *out = user_kernel_words(ALL);
  for (uint32_t i = 0; i < ALL; ++i) wanted[i] = value + i;
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  user_kernel_launch(user_kernel_fill(NULL), (jig_kernel_shape){.grid = {2, 3, 4}, .block = {5, 3, 2}},
                     args, 2);
  user_kernel_expect(out, wanted, ALL);
}
END_TEST

START_TEST(dynamic_shared_memory_above_48_KB) {
  static const char *const source =
      "extern \"C\" __global__ void shared(unsigned *out, unsigned words) {\n"
      "  extern __shared__ unsigned words_of_block[];\n"
      "  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) words_of_block[i] = i;\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) { out[0] = words_of_block[words - 1]; out[1] = words_of_block[words / 2]; "
      "}\n"
      "}\n";
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "shared", .source = source});
  jig_occupancy occupancy;
  OK(jig_kernel_occupancy(kernel, &(jig_kernel_shape){.block = {64}}, &occupancy));
  ck_assert_uint_ge(occupancy.max_shared_bytes, 60 << 10);
  uint32_t words = occupancy.max_shared_bytes / 4, *out = user_kernel_words(2);
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(words)};
  const jig_kernel_shape most = {.block = {64}, .shared_bytes = occupancy.max_shared_bytes};
  user_kernel_launch(kernel, most, args, 2);
  user_kernel_expect(out, (const uint32_t[]){words - 1, words / 2}, 2);
  jig_kernel_shape more = most;
  more.shared_bytes += 1;
  user_kernel_error(jig_kernel_launch(kernel, &more, args, 2, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("jig_kernel_launch: shared_bytes: ", "'shared' can have "));
}
END_TEST

START_TEST(clusters) {
  static const char *const source =
      "#include <jig/core/cluster.cuh>\n"
      "extern \"C\" __global__ void cluster(unsigned *out) {\n"
      "  jig::BlockCluster mine;\n"
      "  if (threadIdx.x == 0) out[blockIdx.x] = mine.rank() * 100 + mine.size();\n"
      "}\n";
  int count;
  uint32_t wanted[12], *out = user_kernel_words(12);
  for (uint32_t i = 0; i < 12; ++i) wanted[i] = i % 4 * 100 + 4;
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "cluster", .source = source});
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  jig_kernel_shape shape = {.grid = {12}, .block = {32}, .cluster = {4}};
  if (driver_devices(&count)->sm < 90) {
    user_kernel_error(jig_kernel_launch(kernel, &shape, args, 1, NULL), JIG_ERROR_UNSUPPORTED,
                      SAYS("jig_kernel_launch: cluster: SM ", " has none"));
    gpu_free(out);
    return;
  }
  jig_occupancy occupancy;
  OK(jig_kernel_occupancy(kernel, &shape, &occupancy));
  ck_assert_uint_gt(occupancy.clusters, 0);
  user_kernel_launch(kernel, shape, args, 1);
  shape.cluster[0] = 5;
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 1, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("grid[0]: 12 blocks cannot be divided into clusters of 5"));
  shape = (jig_kernel_shape){.grid = {32}, .block = {32}, .cluster = {32}};
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 1, NULL), JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("cluster: 32 blocks; 16 are the most"));
  user_kernel_expect(out, wanted, 12);
}
END_TEST

START_TEST(cooperative_launches) {
  static const char *const source =
      "extern \"C\" __global__ void meet(unsigned *arrived, unsigned *out) {\n"
      "  if (threadIdx.x != 0) return;\n"
      "  atomicAdd(arrived, 1);\n"
      "  while (*(volatile unsigned *)arrived < gridDim.x) {}\n"
      "  out[blockIdx.x] = blockIdx.x + 1;\n"
      "}\n";
  uint32_t wanted[8], *arrived = user_kernel_words(1), *out = user_kernel_words(8);
  for (uint32_t i = 0; i < 8; ++i) wanted[i] = i + 1;
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "meet", .source = source});
  const jig_kernel_arg args[] = {JIG_ARG(arrived), JIG_ARG(out)};
  jig_kernel_shape shape = {.grid = {8}, .block = {32}, .cooperative = 1};
  user_kernel_launch(kernel, shape, args, 2);
  user_kernel_expect(out, wanted, 8);
  shape.grid[0] = 1 << 20;
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 2, NULL), JIG_ERROR_UNSUPPORTED,
                    SAYS("grid: 1048576 blocks of a cooperative launch; ", " of 'meet' run at once"));
  ck_assert_int_eq(jig_last_driver_error(), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  gpu_free(arrived);
}
END_TEST

START_TEST(dependent_launches) {
  static const char *const source =
      "#include <jig/core/ptx.cuh>\n"
      "extern \"C\" __global__ void add(unsigned *out) {\n"
      "  jig::ptx::launch_dependent_grids();\n"
      "  jig::ptx::wait_for_prerequisite_grids();\n"
      "  out[threadIdx.x] += threadIdx.x;\n"
      "}\n";
  enum { TIMES = 10 };
  uint32_t wanted[64], *out = user_kernel_words(64);
  CUstream stream;
  for (uint32_t i = 0; i < 64; ++i) wanted[i] = TIMES * i;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  jig_kernel *kernel = user_kernel((jig_kernel_config){.entry = "add", .source = source});
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  for (int i = 0; i < TIMES; ++i)
    OK(jig_kernel_launch(kernel, &(jig_kernel_shape){.block = {64}, .pdl = 1}, args, 1, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  GPU(gpu()->cuStreamDestroy(stream));
  user_kernel_expect(out, wanted, 64);
}
END_TEST

START_TEST(launch_bounds_hold) {
  static const char *const source =
      "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS bounded(unsigned *out) { out[threadIdx.x] = 1; }\n";
  uint32_t *out = user_kernel_words(96), wanted[96];
  for (int i = 0; i < 96; ++i) wanted[i] = 1;
  jig_kernel *kernel = user_kernel(
      (jig_kernel_config){.entry = "bounded", .source = source, .max_threads = 96, .min_blocks = 4});
  const jig_kernel_arg args[] = {JIG_ARG(out)};
  user_kernel_error(jig_kernel_launch(kernel, &(jig_kernel_shape){.block = {97}}, args, 1, NULL),
                    JIG_ERROR_INVALID_ARGUMENT,
                    SAYS("jig_kernel_launch: block: 97 threads; 'bounded' has 96 at most"));
  user_kernel_launch(kernel, (jig_kernel_shape){.block = {96}}, args, 1);
  user_kernel_expect(out, wanted, 96);
}
END_TEST

/* ---- engines, memory, disk */

START_TEST(the_same_content_is_the_same_kernel) {
  char name[] = "fill", source[1024], number[] = "N";
  (void)snprintf(source, sizeof source, "%s", user_kernel_fill_text);
  jig_engine *engine;
  OK(jig_engine_create(&engine, NULL));
  jig_kernel *kernel =
      user_kernel_from(engine, (jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text});
  ck_assert_ptr_eq(kernel,
                   user_kernel_from(engine, (jig_kernel_config){.entry = name, .source = source}));
  ck_assert_uint_eq(stats_of(engine).memory_hits, 1);
  const jig_definition one = jig_define_int("N", 1), again = jig_define_int(number, 1),
                       two = jig_define_int("N", 2), plus = jig_define_double("N", 0.0),
                       minus = jig_define_double("N", -0.0);
  const jig_definition *const definitions[] = {NULL, &one, &two, &plus, &minus};
  const struct {
    const char *source_name;
    uint32_t max_threads;
  } others[] = {{"fill.cu", 0}, {NULL, 0}};
  jig_kernel *seen[16];
  size_t count = 0;
  for (size_t i = 0; i < COUNT_OF(others); ++i)
    for (size_t d = 0; d < COUNT_OF(definitions); ++d)
      seen[count++] =
          user_kernel_from(engine, (jig_kernel_config){.entry = "fill",
                                                       .source = user_kernel_fill_text,
                                                       .source_name = others[i].source_name,
                                                       .definitions = definitions[d],
                                                       .definition_count = definitions[d] != NULL});
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < i; ++k) ck_assert_ptr_ne(seen[i], seen[k]);
  ck_assert_ptr_eq(kernel, seen[5]);
  ck_assert_ptr_eq(seen[6], user_kernel_from(engine, (jig_kernel_config){.entry = name,
                                                                         .source = source,
                                                                         .definitions = &again,
                                                                         .definition_count = 1}));
  jig_engine_destroy(engine);
}
END_TEST

static void fill_with(jig_engine *engine, uint32_t value) {
  uint32_t wanted[64], *out = user_kernel_words(64);
  for (uint32_t i = 0; i < 64; ++i) wanted[i] = value + i;
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  user_kernel_launch(user_kernel_fill(engine), (jig_kernel_shape){.grid = {2}, .block = {32}}, args, 2);
  user_kernel_expect(out, wanted, 64);
}

START_TEST(engines_have_kernels_of_their_own) {
  jig_engine *a, *b;
  OK(jig_engine_create(&a, NULL));
  OK(jig_engine_create(&b, NULL));
  ck_assert_ptr_ne(user_kernel_fill(a), user_kernel_fill(b));
  fill_with(a, 1);
  jig_engine_destroy(a);
  fill_with(b, 2);
  jig_engine_destroy(b);
}
END_TEST

/* Machine code, or PTX where the driver takes only that. */
static char arch[32];
static int note_arch(void *user, const jig_cache_entry *found) {
  (void)user;
  if (strncmp(arch, "compute_", 8) != 0) (void)snprintf(arch, sizeof arch, "%s", found->arch);
  return 0;
}

static jig_engine *engine_in_scratch(jig_build_mode mode, const char *record) {
  jig_engine *engine;
  OK(jig_engine_create(
      &engine,
      &(jig_engine_config){
          .cache_dir = scratch_path("cache"), .cache_path = "", .build = mode, .record = record}));
  return engine;
}

START_TEST(what_is_recorded_and_prewarmed_is_found) {
  scratch_setup();
  jig_engine *engine = engine_in_scratch(JIG_BUILD_ON_DEMAND, scratch_path("specs"));
  char spec[4096] = "", *own;
  fill_with(engine, 3);
  fill_with(engine, 4);
  OK(jig_cache_walk(engine, note_arch, NULL));
  jig_engine_destroy(engine);
  (void)file_read(scratch_path("specs"), (unsigned char *)spec, sizeof spec - 1);
  OK(jig_kernel_spec(&(jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text}, &own));
  ck_assert_ptr_nonnull(strchr(spec, '\n'));
  *strchr(spec, '\n') = '\0';
  ck_assert_str_eq(spec, own);
  jig_free(own);
  scratch_teardown();
  scratch_setup();
  engine = engine_in_scratch(JIG_BUILD_NEVER, "");
  jig_kernel *kernel;
  user_kernel_error(
      jig_kernel_get(engine, &(jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text},
                     &kernel),
      JIG_ERROR_NOT_BUILT, SAYS("building is not allowed", "\"entry\":\"fill\""));
  ck_assert_ptr_null(strstr(jig_last_error(), "blockIdx")); /* a digest stands for the text */
  jig_engine_destroy(engine);
  engine = engine_in_scratch(JIG_BUILD_ON_DEMAND, "");
  OK(jig_prewarm(engine, spec, arch, NULL));
  jig_engine_destroy(engine);
  engine = engine_in_scratch(JIG_BUILD_NEVER, "");
  fill_with(engine, 5);
  const jig_engine_stats stats = stats_of(engine);
  ck_assert(stats.misses == 0 && stats.failed_builds == 0 && stats.disk_hits == 1);
  jig_engine_destroy(engine);
  scratch_teardown();
}
END_TEST

/* ---- captures, threads, contexts, old drivers */

START_TEST(launches_are_captured) {
  enum { TIMES = 3 };
  CUstream stream;
  uint32_t *out = user_kernel_words(64), value = 9, wanted[64];
  for (uint32_t i = 0; i < 64; ++i) wanted[i] = value + i;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  jig_kernel *kernel = user_kernel_fill(NULL);
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  const jig_kernel_shape shape = {.grid = {2}, .block = {32}};
  gpu_begin_capture(stream);
  OK(jig_kernel_launch(kernel, &shape, args, 2, stream));
  /* Getting one has nothing to do with a capture. */
  jig_kernel *late = user_kernel(
      (jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text, .source_name = "late.cu"});
  OK(jig_kernel_launch(late, &shape, args, 2, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int i = 0; i < TIMES; ++i) {
    gpu_fill(out, 0, 64 * sizeof *out);
    gpu_replay(exec, stream);
  }
  user_kernel_expect(out, wanted, 64);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* In a context in which it is not loaded, which other ones do not show. */
START_TEST(other_contexts_load_it_but_not_in_a_capture) {
  CUcontext first, second;
  CUstream stream;
  CUdeviceptr out;
  uint32_t value = 3, got[32];
  int count;
  (void)driver_devices(&count);
  if (count < 2) {
    printf("skipped: device/user_kernels: other_contexts_load_it_but_not_in_a_capture (one GPU)\n");
    return;
  }
  jig_kernel *kernel = user_kernel_fill(NULL);
  GPU(gpu()->cuCtxGetCurrent(&first));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&second, 1));
  GPU(gpu()->cuCtxSetCurrent(second));
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  GPU(gpu()->cuMemAlloc(&out, sizeof got));
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  const jig_kernel_shape shape = {.block = {32}, .shared_bytes = 50 << 10};
  gpu_begin_capture(stream);
  user_kernel_error(jig_kernel_launch(kernel, &shape, args, 2, stream), JIG_ERROR_NOT_BUILT,
                    SAYS("'fill' is not loaded in this context", "jig_kernel_get() before"));
  GPU(gpu()->cuGraphExecDestroy(gpu_end_capture(stream)));
  OK(jig_kernel_launch(kernel, &shape, args, 2, stream));
  GPU(gpu()->cuMemcpyDtoHAsync(got, out, sizeof got, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  for (uint32_t i = 0; i < 32; ++i) ck_assert_uint_eq(got[i], value + i);
  GPU(gpu()->cuMemFree(out));
  GPU(gpu()->cuStreamDestroy(stream));
  GPU(gpu()->cuCtxSetCurrent(first));
  GPU(gpu()->cuDevicePrimaryCtxRelease(1));
}
END_TEST

enum { THREADS = 8 };
static struct {
  jig_engine *engine;
  CUcontext context;
  jig_kernel *kernels[THREADS];
  jig_status statuses[THREADS];
  uint32_t *out;
} shared_by_threads;

static void get_and_launch(void *unused, int number) {
  uint32_t value = 100, *out = shared_by_threads.out + 32 * number;
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  (void)unused;
  GPU(gpu()->cuCtxSetCurrent(shared_by_threads.context));
  jig_status status = jig_kernel_get(
      shared_by_threads.engine, &(jig_kernel_config){.entry = "fill", .source = user_kernel_fill_text},
      &shared_by_threads.kernels[number]);
  for (int i = 0; i < 20 && status == JIG_SUCCESS; ++i)
    status = jig_kernel_launch(shared_by_threads.kernels[number], &(jig_kernel_shape){.block = {32}},
                               args, 2, CU_STREAM_PER_THREAD);
  GPU(gpu()->cuStreamSynchronize(CU_STREAM_PER_THREAD));
  shared_by_threads.statuses[number] = status;
}

START_TEST(threads_get_one_kernel) {
  uint32_t wanted[32 * THREADS];
  for (uint32_t i = 0; i < 32 * THREADS; ++i) wanted[i] = 100 + i % 32;
  scratch_setup();
  shared_by_threads.engine = engine_in_scratch(JIG_BUILD_ON_DEMAND, "");
  shared_by_threads.out = user_kernel_words(32 * THREADS);
  GPU(gpu()->cuCtxGetCurrent(&shared_by_threads.context));
  run_together(THREADS, get_and_launch, NULL);
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(shared_by_threads.statuses[i], JIG_SUCCESS);
    ck_assert_ptr_eq(shared_by_threads.kernels[i], shared_by_threads.kernels[0]);
  }
  ck_assert_uint_eq(stats_of(shared_by_threads.engine).misses, 1);
  user_kernel_expect(shared_by_threads.out, wanted, 32 * THREADS);
  jig_engine_destroy(shared_by_threads.engine);
  scratch_teardown();
}
END_TEST

START_TEST(old_drivers_do) {
  const driver whole = *gpu();
  jig_engine *engine;
  uint32_t value = 1, *out = user_kernel_words(64);
  const jig_kernel_arg args[] = {JIG_ARG(out), JIG_ARG(value)};
  user_kernel_driver()->cuLibraryLoadData = NULL;
  user_kernel_driver()->has_libraries = false;
  user_kernel_driver()->cuLaunchKernelEx = NULL;
  user_kernel_driver()->cuOccupancyMaxActiveClusters = NULL;
  OK(jig_engine_create(&engine, NULL));
  fill_with(engine, 11);
  const jig_kernel_shape cooperative = {.block = {32}, .cooperative = 1};
  user_kernel_error(jig_kernel_launch(user_kernel_fill(engine), &cooperative, args, 2, NULL),
                    JIG_ERROR_UNSUPPORTED, SAYS("cooperative: it takes a driver of CUDA 11.8"));
  CUfunction function;
  OK(jig_kernel_function(user_kernel_fill(engine), &function));
  jig_engine_destroy(engine);
  *user_kernel_driver() = whole;
  gpu_free(out);
}
END_TEST

/* ---- what the driver takes, and what is known */

START_TEST(function_and_occupancy) {
  jig_kernel *kernel = user_kernel_fill(NULL);
  CUfunction function;
  jig_occupancy occupancy;
  uint32_t value = 5, *out = user_kernel_words(32), wanted[32];
  int count;
  for (uint32_t i = 0; i < 32; ++i) wanted[i] = value + i;
  void *parameters[] = {&out, &value};
  OK(jig_kernel_function(kernel, &function));
  GPU(gpu()->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
  user_kernel_expect(out, wanted, 32);
  OK(jig_kernel_occupancy(kernel, &(jig_kernel_shape){.block = {256}}, &occupancy));
  ck_assert(occupancy.blocks >= 1 && occupancy.max_threads == 1024 && occupancy.parameters == 2);
  ck_assert_uint_eq(occupancy.multiprocessors, (unsigned)driver_devices(&count)->multiprocessors);
  const uint32_t few = occupancy.blocks;
  OK(jig_kernel_occupancy(kernel, &(jig_kernel_shape){.block = {64}}, &occupancy));
  ck_assert_uint_gt(occupancy.blocks, few);
}
END_TEST

/* Last, as it makes a child of a process that has used the GPU. */
static jig_kernel *of_parent;
static bool is_refused_in_child(void) {
  return jig_kernel_launch(of_parent, &(jig_kernel_shape){.pdl = 0}, NULL, 0, NULL) == JIG_ERROR_FORKED;
}
START_TEST(a_fork_leaves_it_behind) {
  of_parent = user_kernel_fill(NULL);
  ck_assert(is_true_in_a_child(is_refused_in_child));
}
END_TEST

static const suite_test tests[] = {
    SUITE_TEST(collectives_are_there),
    SUITE_TEST(numbers_keep_their_bits_and_types),
    SUITE_TEST(types_have_names),
    SUITE_TEST(operators_are_classes),
    SUITE_TEST(compiled_operators_are_linked),
    SUITE_TEST(texts_and_headers_make_one_program),
    SUITE_TEST(grids_and_blocks_have_three_dimensions),
    SUITE_TEST(dynamic_shared_memory_above_48_KB),
    SUITE_TEST(clusters),
    SUITE_TEST(cooperative_launches),
    SUITE_TEST(dependent_launches),
    SUITE_TEST(launch_bounds_hold),
    SUITE_TEST(the_same_content_is_the_same_kernel),
    SUITE_TEST(engines_have_kernels_of_their_own),
    SUITE_TEST(what_is_recorded_and_prewarmed_is_found),
    SUITE_TEST(launches_are_captured),
    SUITE_TEST(other_contexts_load_it_but_not_in_a_capture),
    SUITE_TEST(threads_get_one_kernel),
    SUITE_TEST(old_drivers_do),
    SUITE_TEST(function_and_occupancy),
    SUITE_TEST(a_fork_leaves_it_behind),
};

int main(void) {
  (void)setenv("JIG_SOFTGPU_DEVICES", "2", 0);
  return SUITE_RUN("device/user_kernels", tests, true);
}
