#include "collective_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"

enum { SOURCE_SIZE = 1 << 16 };

static const char prelude[] =
    "#include <jig/block/thread_id.cuh>\n"
    "#include <jig/core/half.cuh>\n"
    "using jig::f16; using jig::bf16; using jig::int128_t;\n"
    "struct odd { uint8_t b[7]; };\n"
    "template <class T> __device__ T make(int i) {\n"
    "  if constexpr (jig::is_same<T, odd>) {\n"
    "    odd x;\n"
    "    for (int k = 0; k < 7; ++k) x.b[k] = uint8_t(i + k);\n"
    "    return x;\n"
    "  } else if constexpr (jig::is_half<T>) {\n"
    "    return T(float(i));\n"
    "  } else if constexpr (jig::is_same<T, int128_t>) {\n"
    "    return T(i) << 80 | T(i);\n"
    "  } else {\n"
    "    return T(i);\n"
    "  }\n"
    "}\n"
    "template <class T> __device__ int value(const T &x) {\n"
    "  if constexpr (jig::is_same<T, odd>) {\n"
    "    for (int k = 1; k < 7; ++k) if (x.b[k] != uint8_t(x.b[0] + k)) return -1;\n"
    "    return x.b[0];\n"
    "  } else if constexpr (jig::is_half<T>) {\n"
    "    return int(float(x));\n"
    "  } else if constexpr (jig::is_same<T, int128_t>) {\n"
    "    return x >> 80 == (x & 0xffffffff) ? int(x) : -1;\n"
    "  } else {\n"
    "    return int(x);\n"
    "  }\n"
    "}\n"
    "struct by_value {\n"
    "  template <class T> __device__ bool operator()(const T &a, const T &b) const { return value(a) < "
    "value(b); }\n"
    "};\n"
    "template <int X, int Y, int Z, int N> struct shape {\n"
    "  static constexpr int x = X, y = Y, z = Z, n = N, threads = X * Y * Z, tile = threads * N;\n"
    "  static __device__ int thread() { return int(jig::linear_thread_id<X, Y, Z>()); }\n"
    "};\n";

static const char all_types[] =
    "template <class S, class... Ts>\n"
    "__device__ void run(const int *in, int *out, const int *how, int slots) {\n"
    "  int b = 0;\n"
    "  out += blockIdx.x * slots * S::tile;\n"
    "  ((int(blockIdx.x) == b++ ? body<Ts, S>(in, out, how) : void()), ...);\n"
    "}\n";

int collective_threads(const collective_shape *s) {
  return s->x * s->y * s->z;
}
int collective_tile(const collective_shape *s) {
  return collective_threads(s) * s->items;
}

/* kernel_build() looks for `test`. */
static void name_kernel(size_t shape, char *name, size_t size) {
  if (shape == 0)
    (void)snprintf(name, size, "test");
  else
    (void)snprintf(name, size, "test_%zu", shape);
}

static kernel build(const collective_test *t) {
  static char source[SOURCE_SIZE];
  int used = snprintf(source, sizeof source, "%s%s%s", prelude, t->source, all_types);
  for (size_t i = 0; i < t->shape_count; ++i) {
    const collective_shape *s = &t->shapes[i];
    char name[32];
    name_kernel(i, name, sizeof name);
    used += snprintf(source + used, sizeof source - (size_t)used,
                     "extern \"C\" __global__ void __launch_bounds__(%d)\n"
                     "%s(const int *in, int *out, const int *how) {\n"
                     "  run<shape<%d, %d, %d, %d>, %s>(in, out, how, %d);\n"
                     "}\n",
                     collective_threads(s), name, s->x, s->y, s->z, s->items, s->types, t->slots);
  }
  ck_assert_int_lt(used, SOURCE_SIZE);
  return kernel_build(source);
}

static unsigned count_types(const char *types) {
  unsigned count = 1;
  for (const char *c = types; *c != '\0'; ++c) count += *c == ',';
  return count;
}

static void compare(const collective_test *t, const collective_shape *s, const int *how, const int *got,
                    const int *wanted) {
  const int tile = collective_tile(s), all = tile * t->slots;
  for (int b = 0; b < (int)count_types(s->types); ++b) {
    for (int i = 0; i < all; ++i) {
      ck_assert_msg(
          wanted[i] == ANY || got[b * all + i] == wanted[i],
          "%s: block %d x %d x %d, %d items, type %d of %s, how %d %d %d %d: result %d, item %d is %d, "
          "not %d",
          t->name, s->x, s->y, s->z, s->items, b, s->types, how[0], how[1], how[2], how[3], i / tile,
          i % tile, got[b * all + i], wanted[i]);
    }
  }
}

static void check_shape(const collective_test *t, const kernel *k, size_t shape, const int *how) {
  const collective_shape *s = &t->shapes[shape];
  char name[32];
  name_kernel(shape, name, sizeof name);
  CUfunction function;
  GPU(gpu()->cuModuleGetFunction(&function, k->module, name));
  const size_t in_count = (size_t)(collective_tile(s) + t->in_extra);
  const size_t results = (size_t)(collective_tile(s) * t->slots), types = count_types(s->types);
  int *in = malloc(in_count * sizeof *in), *wanted = malloc(results * sizeof *wanted);
  int *got = malloc(results * types * sizeof *got);
  uint64_t seed = 7 + shape;
  for (size_t i = 0; i < in_count; ++i) {
    const uint64_t random = next_random(&seed);
    in[i] = i > 0 && random >> 62 != 0 ? in[i - 1] : (int)((random >> 20) % (MOST_VALUE + 1));
  }
  for (size_t i = 0; i < results; ++i) wanted[i] = ANY;
  t->expect(s, in, how, wanted);
  void *d_in = gpu_copy(in, in_count * sizeof *in, 0),
       *d_out = gpu_alloc(results * types * sizeof *got, 0);
  void *d_how = gpu_copy(how, MOST_HOW * sizeof *how, 0), *parameters[] = {&d_in, &d_out, &d_how};
  GPU(gpu()->cuLaunchKernel(function, (unsigned)types, 1, 1, (unsigned)s->x, (unsigned)s->y,
                            (unsigned)s->z, 0, NULL, parameters, NULL));
  gpu_read(got, d_out, results * types * sizeof *got);
  compare(t, s, how, got, wanted);
  gpu_free(d_in);
  gpu_free(d_out);
  gpu_free(d_how);
  free(in);
  free(wanted);
  free(got);
}

void collective_check(const collective_test *t) {
  static const int nothing[MOST_HOW] = {0};
  kernel k = build(t);
  for (size_t i = 0; i < t->shape_count; ++i) {
    if (t->how_count == 0) check_shape(t, &k, i, nothing);
    for (size_t h = 0; h < t->how_count; ++h) check_shape(t, &k, i, t->how[h]);
  }
  kernel_free(&k);
}

static const int *sorted_keys;
static int by_key_and_place(const void *a, const void *b) {
  int x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return sorted_keys[x] != sorted_keys[y] ? sorted_keys[x] - sorted_keys[y] : x - y;
}

void collective_sort_places(const int *keys, int first, int count, int *places) {
  for (int i = 0; i < count; ++i) places[i] = first + i;
  sorted_keys = keys;
  qsort(places, (size_t)count, sizeof *places, by_key_and_place);
}
