/* States of operators, by value and in device memory, of every size; what moves without a rebuild;
 * compiled operators against their own source, bit for bit; the largest structs. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "words.h"

enum { COUNT = 30011 };

/* Around runs, warps, blocks and the one-block limit of large items. */
static const size_t sizes[] = {1, 2, 31, 33, 127, 128, 129, 255, 257, 383, 385, 1023, 1025, 2049, 5003};

static uint64_t misses(void) {
  jig_engine_stats stats;
  OK(jig_engine_get_stats(NULL, &stats));
  return stats.misses + stats.disk_hits;
}

static jig_op of_nvrtc(binary_kind kind, const char *source, const char *symbol) {
  return binary_op(binary_make(BY_NVRTC, kind, source, 0), symbol);
}

/* ---- what moves */

static const char bounded[] =
    "extern \"C\" __device__ unsigned bounded(const void *state, unsigned a, unsigned b) {\n"
    "  const unsigned *s = (const unsigned *)state;\n"
    "  return (a % s[0] + b % s[0] + s[1]) % s[0];\n"
    "}\n";

typedef struct bounds {
  uint32_t modulus, plus;
} bounds;
static const jig_type bounds_type = {.kind = JIG_KIND_STRUCT,
                                     .size = 8,
                                     .align = 4,
                                     .name = "bounds",
                                     .definition = "struct bounds { unsigned modulus, plus; };"};

/* a + b + plus modulo something: of n items, all of them and n - 1 times plus. */
static uint32_t fold_bounded(const uint32_t *items, size_t count, bounds b) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += items[i] % b.modulus;
  return (uint32_t)((sum + (uint64_t)b.plus * (count - 1)) % b.modulus);
}

START_TEST(nothing_that_moves_is_compiled_in) {
  const jig_op ops[] = {
      jig_op_source("return (a % state.modulus + b % state.modulus + state.plus) % state.modulus;"),
      of_nvrtc(BINARY_LTO_IR, bounded, "bounded"), of_nvrtc(BINARY_PTX, bounded, "bounded")};
  uint32_t *host = random_words(COUNT, 3);
  bounds *table = gpu_alloc(4 * sizeof *table, 0);
  for (size_t k = 0; k < COUNT_OF(ops); ++k) {
    uint64_t built = 0;
    for (uint32_t round = 0; round < 6; ++round) {
      const size_t count = COUNT - 7 * round;
      const bounds b = {1000003 + 2 * round, 17 * round};
      uint32_t *items = gpu_copy(host + round, count * sizeof *host, 4 * round);
      bounds *there = table + round % 4;
      gpu_write(there, &b, sizeof b);
      const jig_op both[] = {jig_op_with_state(ops[k], &b, bounds_type),
                             jig_op_with_device_state(ops[k], there, bounds_type)};
      for (int device = 0; device < 2; ++device) {
        uint32_t got;
        reduce_to_host(
            (jig_reduce_args){.in = jig_pointer(items, JIG_U32), .num_items = count, .op = both[device]},
            JIG_U32, &got);
        ck_assert_uint_eq(got, fold_bounded(host + round, count, b));
      }
      gpu_free(items);
      if (round == 0) built = misses();
    }
    ck_assert_uint_eq(misses(), built);
  }
  gpu_free(table);
  free(host);
}
END_TEST

/* ---- sizes of states */

enum { LARGE_STATE = 3500, TABLE_WORDS = (64 << 10) / 4 };

static const char look_up[] =
    "extern \"C\" __device__ unsigned look_up(const void *state, unsigned x) {\n"
    "  return x ^ ((const unsigned *)state)[x % WORDS];\n"
    "}\n"
    "extern \"C\" __device__ void look_up_p(const void *state, const void *x, void *result) {\n"
    "  *(unsigned *)result = look_up(state, *(const unsigned *)x);\n"
    "}\n";

/* The sum of what a table makes of items, by every form of operator. */
static void check_table(const uint32_t *host, const uint32_t *items, const uint32_t *words, size_t count,
                        const void *device_words) {
  char definition[128], source[1024];
  (void)snprintf(definition, sizeof definition, "struct table { unsigned w[%zu]; };", count);
  (void)snprintf(source, sizeof source, "#define WORDS %zuu\n%s", count, look_up);
  const jig_type type = jig_struct("table", definition, count * 4, 4);
  const jig_op ops[] = {jig_op_source("return x ^ state.w[x % (sizeof state.w / 4)];"),
                        jig_op_function("unsigned f(const table &t, unsigned x) {\n"
                                        "  return x ^ t.w[x % (sizeof t.w / 4)];\n"
                                        "}\n",
                                        "f"),
                        of_nvrtc(BINARY_LTO_IR, source, "look_up"),
                        of_nvrtc(BINARY_PTX, source, "look_up"),
                        jig_op_by_pointer(of_nvrtc(BINARY_PTX, source, "look_up_p"))};
  uint32_t wanted = 0, got;
  for (size_t i = 0; i < COUNT; ++i) wanted += host[i] ^ words[host[i] % count];
  for (size_t i = 0; i < COUNT_OF(ops); ++i) {
    const jig_iter in = jig_pointer(items, JIG_U32);
    const jig_op op = device_words != NULL ? jig_op_with_device_state(ops[i], device_words, type)
                                           : jig_op_with_state(ops[i], words, type);
    reduce_to_host((jig_reduce_args){.in = jig_iter_transform(&in, op, JIG_U32), .num_items = COUNT},
                   JIG_U32, &got);
    ck_assert_msg(got == wanted, "%zu words, form %zu: %u, not %u", count, i, got, wanted);
  }
}

START_TEST(states_of_every_size) {
  uint32_t *host = random_words(COUNT, 5), *words = random_words(TABLE_WORDS, 6);
  uint32_t *items = gpu_copy(host, COUNT * sizeof *host, 0);
  uint32_t *device_words = gpu_copy(words, TABLE_WORDS * sizeof *words, 0);
  check_table(host, items, words, 1, NULL);
  check_table(host, items, words, LARGE_STATE / 4, NULL);
  check_table(host, items, words, 1, device_words);
  check_table(host, items, words, TABLE_WORDS, device_words);
  gpu_free(device_words);
  gpu_free(items);
  free(words);
  free(host);
}
END_TEST

/* ---- the same bits as the source */

/* The bits of a reduce of random items, whose order of operations is fixed and the same for all ops. */
static uint64_t bits_of_reduce(jig_type type, const void *items, jig_op op) {
  uint64_t bits = 0;
  reduce_to_host((jig_reduce_args){.in = jig_pointer(items, type), .num_items = COUNT, .op = op}, type,
                 &bits);
  return bits;
}

static void check_bits(jig_type type, const void *items, const char *body, const jig_op *ops,
                       size_t count) {
  const uint64_t wanted = bits_of_reduce(type, items, jig_op_source(body));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t got = bits_of_reduce(type, items, ops[i]);
    ck_assert_msg(got == wanted, "%s, '%s', form %zu: %s, not %s", jig_type_name(&type), body, i,
                  bits_of(&got, type.size), bits_of(&wanted, type.size));
  }
}

/* Sums that are rounded at every step, a product that may be contracted, a division. */
static void check_floats(const char *name, jig_type type) {
  static const char *const bodies[] = {"return a + b;", "return a * 0.75f + b;", "return a + b / 3;"};
  double value;
  unsigned char *host = malloc(COUNT * type.size);
  uint64_t seed = 9;
  for (size_t i = 0; i < COUNT; ++i) {
    value = (double)(int64_t)next_random(&seed) / 0x1p60;
    put_float(type.kind, host, i, value);
  }
  void *items = gpu_copy(host, COUNT * type.size, 0);
  for (size_t k = 0; k < COUNT_OF(bodies); ++k) {
    char source[512];
    (void)snprintf(source, sizeof source,
                   "extern \"C\" __device__ %s fold(%s a, %s b) { %s }\n"
                   "extern \"C\" __device__ void fold_p(const void *x, const void *y, void *result) {\n"
                   "  *(%s *)result = fold(*(const %s *)x, *(const %s *)y);\n"
                   "}\n",
                   name, name, name, bodies[k], name, name, name);
    const jig_op ops[] = {of_nvrtc(BINARY_LTO_IR, source, "fold"), of_nvrtc(BINARY_PTX, source, "fold"),
                          jig_op_by_pointer(of_nvrtc(BINARY_LTO_IR, source, "fold_p")),
                          jig_op_by_pointer(of_nvrtc(BINARY_PTX, source, "fold_p"))};
    check_bits(type, items, bodies[k], ops, COUNT_OF(ops));
  }
  gpu_free(items);
  free(host);
}

START_TEST(floats_have_the_bits_of_the_source) {
  check_floats("float", JIG_F32);
  check_floats("double", JIG_F64);
}
END_TEST

/* Added as floats and rounded to nearest even, by hand, without a header. */
static const char f16_source[] =
    "struct half { unsigned short bits; };\n"
    "extern \"C\" __device__ half fold(half a, half b) {\n"
    "  half c;\n"
    "  asm(\"{ .reg .f32 x, y; cvt.f32.f16 x, %1; cvt.f32.f16 y, %2; add.rn.f32 x, x, y; "
    "cvt.rn.f16.f32 %0, x; }\" : \"=h\"(c.bits) : \"h\"(a.bits), \"h\"(b.bits));\n"
    "  return c;\n"
    "}\n";
static const char bf16_source[] =
    "struct half { unsigned short bits; };\n"
    "__device__ float wide(half h) { return __uint_as_float((unsigned)h.bits << 16); }\n"
    "extern \"C\" __device__ half fold(half a, half b) {\n"
    "  half c;\n"
    "  const unsigned sum = __float_as_uint(wide(a) + wide(b));\n"
    "  c.bits = (sum + 0x7fff + (sum >> 16 & 1)) >> 16;\n"
    "  return c;\n"
    "}\n";
/* As users have it, with the toolkit's types. */
static const char f16_of_cuda[] =
    "#include <cuda_fp16.h>\n"
    "extern \"C\" __device__ __half fold(__half a, __half b) { return a + b; }\n";
static const char bf16_of_cuda[] =
    "#include <cuda_bf16.h>\n"
    "extern \"C\" __device__ __nv_bfloat16 fold(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }\n";

static void check_half(jig_type type, const char *source, const char *of_cuda) {
  unsigned char *host = malloc(COUNT * type.size);
  uint64_t seed = 11;
  for (size_t i = 0; i < COUNT; ++i)
    put_float(type.kind, host, i, (double)(int64_t)next_random(&seed) / 0x1p62);
  void *items = gpu_copy(host, COUNT * type.size, 0);
  jig_op ops[4] = {of_nvrtc(BINARY_LTO_IR, source, "fold"), of_nvrtc(BINARY_PTX, source, "fold")};
  size_t count = 2;
  if (maker_is_there(BY_NVCC)) {
    ops[count++] = binary_op(binary_make(BY_NVCC, BINARY_LTO_IR, of_cuda, 0), "fold");
    ops[count++] = binary_op(binary_make(BY_NVCC, BINARY_PTX, of_cuda, 0), "fold");
  } else {
    printf("skipped: device/operator_states: %s of nvcc (no nvcc)\n", jig_type_name(&type));
  }
  check_bits(type, items, "return a + b;", ops, count);
  gpu_free(items);
  free(host);
}

START_TEST(halves_have_the_bits_of_the_source) {
  check_half(JIG_F16, f16_source, f16_of_cuda);
  check_half(JIG_BF16, bf16_source, bf16_of_cuda);
}
END_TEST

/* ---- the largest structs */

typedef struct largest {
  uint32_t w[64];
} largest;
static const jig_type largest_type = {.kind = JIG_KIND_STRUCT,
                                      .size = 256,
                                      .align = 4,
                                      .name = "largest",
                                      .definition = "struct largest { unsigned w[64]; };"};

static const char largest_source[] =
    "struct largest { unsigned w[64]; };\n"
    "extern \"C\" __device__ largest fold(largest a, largest b) {\n"
    "  for (int i = 63; i >= 0; --i) a.w[i] = a.w[i] * b.w[0] + (i > 0 ? b.w[i] : 0);\n"
    "  return a;\n"
    "}\n"
    "extern \"C\" __device__ void fold_p(const void *x, const void *y, void *result) {\n"
    "  const unsigned *a = (const unsigned *)x, *b = (const unsigned *)y;\n"
    "  for (int i = 0; i < 64; ++i) ((unsigned *)result)[i] = a[i] * b[0] + (i > 0 ? b[i] : 0);\n"
    "}\n";

static void fold_largest(largest *a, const largest *b) {
  for (int i = 63; i >= 0; --i) a->w[i] = a->w[i] * b->w[0] + (i > 0 ? b->w[i] : 0);
}

START_TEST(structs_of_256_bytes_at_every_size) {
  const jig_type opaque = jig_opaque(256, 4);
  const struct {
    jig_op op;
    jig_type type;
  } forms[] = {
      {jig_op_source("for (int i = 63; i >= 0; --i) a.w[i] = a.w[i] * b.w[0] + (i > 0 ? b.w[i] : 0);\n"
                     "return a;"),
       largest_type},
      {of_nvrtc(BINARY_LTO_IR, largest_source, "fold"), largest_type},
      {of_nvrtc(BINARY_PTX, largest_source, "fold"), largest_type},
      {jig_op_by_pointer(of_nvrtc(BINARY_LTO_IR, largest_source, "fold_p")), opaque},
      {jig_op_by_pointer(of_nvrtc(BINARY_PTX, largest_source, "fold_p")), opaque},
  };
  const size_t most = sizes[COUNT_OF(sizes) - 1];
  largest *host = malloc(most * sizeof *host), wanted, got;
  fill_random(JIG_KIND_U32, host, most * 64, 13);
  for (size_t i = 0; i < most; ++i) host[i].w[0] |= 1; /* so that no item is without effect */
  void *items = gpu_copy(host, most * sizeof *host, 4);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    wanted = host[0];
    for (size_t i = 1; i < sizes[s]; ++i) fold_largest(&wanted, &host[i]);
    for (size_t f = 0; f < COUNT_OF(forms); ++f) {
      reduce_to_host(
          (jig_reduce_args){
              .in = jig_pointer(items, forms[f].type), .num_items = sizes[s], .op = forms[f].op},
          forms[f].type, &got);
      ck_assert_msg(memcmp(&got, &wanted, sizeof got) == 0, "%zu items, form %zu", sizes[s], f);
    }
  }
  gpu_free(items);
  free(host);
}
END_TEST

/* ---- complex numbers, as they are documented */

START_TEST(complex_numbers_are_structs_with_operators) {
  static const char definition[] =
      "struct complex64 { float re, im; };\n"
      "complex64 operator+(complex64 a, complex64 b) { return {a.re + b.re, a.im + b.im}; }\n"
      "complex64 operator*(complex64 a, complex64 b) {\n"
      "  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};\n"
      "}\n";
  const jig_type type = jig_struct("complex64", definition, 8, 4);
  float *host = malloc(2 * COUNT * sizeof *host), sum[2] = {0, 0}, product[2] = {1, 0}, got[2];
  fill_random(JIG_KIND_F32, host, 2 * COUNT, 15);
  for (size_t i = 0; i < 2 * COUNT; ++i) sum[i % 2] += host[i];
  void *items = gpu_copy(host, 2 * COUNT * sizeof *host, 4);
  reduce_to_host((jig_reduce_args){.in = jig_pointer(items, type), .num_items = COUNT, .op = JIG_PLUS},
                 type, got);
  ck_assert(got[0] == sum[0] && got[1] == sum[1]);
  /* Powers of i, of which products are exact. */
  for (size_t i = 0; i < COUNT; ++i) {
    const int turn = (int)(host[2 * i] + 2) & 3;
    const float unit[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}, re = product[0], im = product[1];
    memcpy(host + 2 * i, unit[turn], sizeof unit[turn]);
    product[0] = re * unit[turn][0] - im * unit[turn][1];
    product[1] = re * unit[turn][1] + im * unit[turn][0];
  }
  gpu_free(items);
  items = gpu_copy(host, 2 * COUNT * sizeof *host, 0);
  reduce_to_host(
      (jig_reduce_args){.in = jig_pointer(items, type), .num_items = COUNT, .op = JIG_MULTIPLIES}, type,
      got);
  ck_assert(got[0] == product[0] && got[1] == product[1]);
  gpu_free(items);
  free(host);
}
END_TEST

/* ---- drivers that take no machine code */

START_TEST(cubins_need_a_driver_that_takes_them) {
  int count;
  const int sm = driver_devices(&count)[0].sm;
  static const char source[] = "extern \"C\" __device__ float add(float a, float b) { return a + b; }\n";
  float host[3] = {1, 2, 4}, got;
  size_t bytes;
  void *items = gpu_copy(host, sizeof host, 0), *out = gpu_alloc(sizeof got, 0);
  const jig_reduce_args args = {.in = jig_pointer(items, JIG_F32),
                                .out = jig_pointer(out, JIG_F32),
                                .num_items = 3,
                                .op = binary_op(binary_make(BY_NVRTC, BINARY_CUBIN, source, sm), "add")};
  jig_status status = jig_reduce(NULL, NULL, &bytes, &args, NULL);
  if (status == JIG_SUCCESS) {
    run_reduce(&args, 0);
    gpu_read(&got, out, sizeof got);
    ck_assert_float_eq(got, 7);
  } else {
    check_failure(status, JIG_ERROR_UNSUPPORTED, "give LTO-IR or PTX", "a cubin", __FILE__, __LINE__);
  }
  gpu_free(items);
  gpu_free(out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(nothing_that_moves_is_compiled_in),
      SUITE_TEST(states_of_every_size),
      SUITE_TEST(floats_have_the_bits_of_the_source),
      SUITE_TEST(halves_have_the_bits_of_the_source),
      SUITE_TEST(structs_of_256_bytes_at_every_size),
      SUITE_TEST(complex_numbers_are_structs_with_operators),
      SUITE_TEST(cubins_need_a_driver_that_takes_them),
  };
  return SUITE_RUN("device/operator_states", tests, true);
}
