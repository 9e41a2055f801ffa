/* What blocks do by radix, rank and sort, by themselves, as the author of a kernel uses them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "scan_support.h"
#include "suite.h"

enum { SOURCE_SIZE = 8192 };

typedef struct shape {
  int x, y, z, items, radix_bits;
  const char *algorithm;
} shape;
#define EARLY_ANY "match_early_counts_any"
#define EARLY_OR "match_early_counts_atomic_or"
static const shape shapes[] = {
    {64, 1, 1, 3, 4, "basic"},   {16, 3, 1, 1, 1, "basic"},   {45, 1, 1, 5, 5, "basic"},
    {256, 1, 1, 7, 4, "basic"},  {5, 4, 3, 2, 3, "basic"},    {64, 1, 1, 4, 8, "match"},
    {16, 6, 1, 1, 3, "match"},   {256, 1, 1, 9, 6, "match"},  {64, 1, 1, 4, 8, EARLY_ANY},
    {16, 6, 1, 1, 3, EARLY_ANY}, {8, 4, 5, 3, 1, EARLY_ANY},  {1024, 1, 1, 1, 6, EARLY_ANY},
    {32, 1, 1, 5, 8, EARLY_OR},  {32, 16, 1, 1, 8, EARLY_OR}, {8, 4, 3, 7, 4, EARLY_OR},
    {1024, 1, 1, 1, 5, EARLY_OR}};

static size_t tile_of(const shape *s) {
  return (size_t)(s->x * s->y * s->z * s->items);
}

static void launch(const kernel *k, const shape *s, void **parameters) {
  GPU(gpu()->cuLaunchKernel(k->function, 1, 1, 1, (unsigned)s->x, (unsigned)s->y, (unsigned)s->z, 0, NULL,
                            parameters, NULL));
}

/* ---- rank */

/* The counts of each digit are noted, early ones when nothing has been ranked; the digits' starts are
 * told in both ways. */
static void check_rank(const shape *s, bool own_storage, bool same) {
  char source[SOURCE_SIZE];
  const bool striped = strcmp(s->algorithm, "basic") != 0;
  (void)snprintf(
      source, sizeof source,
      "#include <jig/block/radix_rank.cuh>\n"
      "using Rank = jig::BlockRadixRank<%d, %d, jig::BlockRadixRankAlgorithm::%s, %d, %d>;\n"
      "extern \"C\" __global__ void test(const uint32_t *in, int *ranks, int *starts, int *prefixes, int "
      "*counts) {\n"
      "  __shared__ Rank::TempStorage storage;\n"
      "  const int thread = jig::linear_thread_id<%d, %d, %d>();\n"
      "  jig::array<uint32_t, %d> digits;\n"
      "  auto place = [&](int k) { return %s; };\n"
      "  for (int k = 0; k < %d; ++k) digits[k] = in[place(k)];\n"
      "  Rank rank%s;\n"
      "  constexpr int mine = Rank::digits_per_thread;\n"
      "  jig::array<int, mine> prefix;\n"
      "  auto found = rank.Rank(digits);\n"
      "  __syncthreads();\n"
      "  const auto again = rank.Rank(digits, prefix, [&](const jig::array<int, mine> &noted) {\n"
      "    for (int i = 0; i < mine && thread * mine + i < Rank::digits; ++i) counts[thread * mine + i] "
      "= "
      "noted[i];\n"
      "  });\n"
      "  for (int k = 0; k < %d; ++k) ranks[place(k)] = found[k] == again[k] ? found[k] : -1;\n"
      "  for (int i = 0; i < mine && thread * mine + i < Rank::digits; ++i)\n"
      "    prefixes[thread * mine + i] = prefix[i];\n"
      "  for (int d = thread; d < Rank::digits; d += %d) starts[d] = rank.DigitStart(d);\n"
      "}\n",
      s->x, s->radix_bits, s->algorithm, s->y, s->z, s->x, s->y, s->z, s->items,
      striped ? "thread / 32 * 32 * digits.size + k * 32 + thread % 32" : "thread * digits.size + k",
      s->items, own_storage ? "" : "(storage)", s->items, s->x * s->y * s->z);
  kernel k = kernel_build(source);
  const size_t tile = tile_of(s), digits = (size_t)1 << s->radix_bits;
  uint32_t *in = malloc(tile * 4), *wanted = malloc(tile * 4), *got = malloc(tile * 4);
  uint32_t *starts = calloc(digits + 1, 4), *counts = calloc(digits, 4), *got_digits = malloc(digits * 4);
  uint64_t seed = 3;
  for (size_t i = 0; i < tile; ++i)
    in[i] = same ? (uint32_t)digits - 1 : (uint32_t)(next_random(&seed) >> 32) % (uint32_t)digits;
  for (size_t i = 0; i < tile; ++i) ++counts[in[i]];
  for (size_t d = 0; d < digits; ++d) starts[d + 1] = starts[d] + counts[d];
  for (size_t i = 0; i < tile; ++i) {
    wanted[i] = starts[in[i]];
    for (size_t j = 0; j < i; ++j) wanted[i] += in[j] == in[i];
  }
  void *d_in = gpu_copy(in, tile * 4, 0), *d_ranks = gpu_alloc(tile * 4, 0), *d_digits[3];
  for (int i = 0; i < 3; ++i) d_digits[i] = gpu_alloc(digits * 4, 0);
  void *parameters[] = {&d_in, &d_ranks, &d_digits[0], &d_digits[1], &d_digits[2]};
  launch(&k, s, parameters);
  gpu_read(got, d_ranks, tile * 4);
  check_items(got, wanted, 4, tile, s->algorithm);
  for (int i = 0; i < 3; ++i) {
    gpu_read(got_digits, d_digits[i], digits * 4);
    check_items(got_digits, i < 2 ? starts : counts, 4, digits, i < 2 ? "where digits start" : "counts");
    gpu_free(d_digits[i]);
  }
  gpu_free(d_in);
  gpu_free(d_ranks);
  free(in);
  free(wanted);
  free(got);
  free(starts);
  free(counts);
  free(got_digits);
  kernel_free(&k);
}

START_TEST(rank) {
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) check_rank(&shapes[i], i % 2, i % 3 == 2);
}
END_TEST

/* ---- sort */

typedef struct order {
  jig_type_kind kind;
  bool descending, striped, values;
  int begin, end; /* 0: all */
} order;

static bool is_before(const order *o, const void *keys, size_t a, size_t b) {
  if (is_floating(o->kind)) {
    const double x = get_float(o->kind, keys, a), y = get_float(o->kind, keys, b);
    return o->descending ? x > y : x < y;
  }
  const int128 x = get_integer(o->kind, keys, a), y = get_integer(o->kind, keys, b);
  if (o->end == 0) return o->descending ? x > y : x < y;
  const int128 mask = (((int128)1 << o->end) - 1) >> o->begin << o->begin;
  return o->descending ? (x & mask) > (y & mask) : (x & mask) < (y & mask);
}

static kernel build_sort(const shape *s, const order *o, const char *type) {
  char source[SOURCE_SIZE], bits[32] = "";
  if (o->end != 0) (void)snprintf(bits, sizeof bits, ", %d, %d", o->begin, o->end);
  (void)snprintf(
      source, sizeof source,
      "#include <jig/block/radix_sort.cuh>\n"
      "using Key = %s;\n"
      "using Sort = jig::BlockRadixSort<Key, %d, %d, %s, %d, jig::BlockRadixRankAlgorithm::%s, %d, "
      "%d>;\n"
      "extern \"C\" __global__ void test(const Key *in, Key *out, int *values_out) {\n"
      "  __shared__ Sort::TempStorage storage;\n"
      "  constexpr int N = %d, threads = %d;\n"
      "  const int thread = jig::linear_thread_id<%d, %d, %d>();\n"
      "  jig::array<Key, N> keys;\n"
      "  jig::array<int, N> values;\n"
      "  for (int k = 0; k < N; ++k) keys[k] = in[values[k] = thread * N + k];\n"
      "  Sort(storage).Sort%s%s(keys%s%s);\n"
      "  for (int k = 0; k < N; ++k) {\n"
      "    const int place = %s;\n"
      "    out[place] = keys[k];\n"
      "    values_out[place] = values[k];\n"
      "  }\n"
      "}\n",
      type, s->x, s->items, o->values ? "int" : "jig::none", s->radix_bits, s->algorithm, s->y, s->z,
      s->items, s->x * s->y * s->z, s->x, s->y, s->z, o->descending ? "Descending" : "",
      o->striped ? "ToStriped" : "", o->values ? ", values" : "", bits,
      o->striped ? "k * threads + thread" : "thread * N + k");
  return kernel_build(source);
}

static void check_sort(const shape *s, const order *o, const char *type) {
  kernel k = build_sort(s, o, type);
  const size_t tile = tile_of(s), size = type_of(o->kind).size;
  char *keys = malloc(tile * size), *wanted = malloc(tile * size), *got = malloc(tile * size);
  int *places = malloc(tile * sizeof *places), *values = malloc(tile * sizeof *values);
  fill_random(o->kind, keys, tile, 7);
  for (size_t i = 0; i < tile; ++i) { /* by insertion: stable */
    size_t at = i;
    for (; at > 0 && is_before(o, keys, i, (size_t)places[at - 1]); --at) places[at] = places[at - 1];
    places[at] = (int)i;
  }
  for (size_t i = 0; i < tile; ++i) memcpy(wanted + i * size, keys + (size_t)places[i] * size, size);
  void *in = gpu_copy(keys, tile * size, 0), *out = gpu_alloc(tile * size, 0);
  void *values_out = gpu_alloc(tile * sizeof *values, 0), *parameters[] = {&in, &out, &values_out};
  launch(&k, s, parameters);
  gpu_read(got, out, tile * size);
  check_items(got, wanted, size, tile, type);
  gpu_read(values, values_out, tile * sizeof *values);
  if (o->values) check_items(values, places, sizeof *values, tile, type);
  gpu_free(in);
  gpu_free(out);
  gpu_free(values_out);
  free(keys);
  free(wanted);
  free(got);
  free(places);
  free(values);
  kernel_free(&k);
}

START_TEST(sort) {
  static const order orders[] = {
      {JIG_KIND_U8, false, false, true, 0, 0},  {JIG_KIND_I32, true, true, true, 0, 0},
      {JIG_KIND_F32, false, true, false, 0, 0}, {JIG_KIND_I64, false, false, true, 0, 0},
      {JIG_KIND_F64, true, false, true, 0, 0},  {JIG_KIND_U16, true, false, true, 3, 13},
      {JIG_KIND_U32, false, true, true, 7, 7},  {JIG_KIND_I128, false, false, false, 0, 0},
      {JIG_KIND_U32, true, false, true, 5, 40}, /* more bits than there are */
  };
  static const char *const types[] = {"uint8_t",  "int32_t",  "float",         "int64_t", "double",
                                      "uint16_t", "uint32_t", "jig::int128_t", "uint32_t"};
  for (size_t i = 0; i < COUNT_OF(orders); ++i) {
    for (size_t k = i % 2; k < COUNT_OF(shapes); k += 2) check_sort(&shapes[k], &orders[i], types[i]);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(rank), SUITE_TEST(sort)};
  return SUITE_RUN("device/radix_collectives", tests, true);
}
