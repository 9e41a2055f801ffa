/* Merge sorts of warps and blocks, sorts of threads and searches along merge paths by themselves, as the
 * author of a kernel uses them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "sort_support.h"
#include "suite.h"

enum { SOURCE_SIZE = 4096 };

/* Items are ranks in the upper half, or in the third of three words, with their index beside them, so
 * that every item is another one and a sort by ranks has only one stable result. */
typedef struct triple {
  uint32_t index, unused, rank;
} triple;

static const char u64_source[] =
    "using item = uint64_t;\n"
    "__device__ unsigned rank_of(item a) { return unsigned(a >> 32); }\n";
static const char triple_source[] =
    "struct item { uint32_t index, unused, rank; };\n"
    "__device__ unsigned rank_of(const item &a) { return a.rank; }\n";
static const char by_rank_body[] = "return a < b;";

typedef struct shape {
  bool triples;
  int threads, items, width; /* width: of a logical warp; 0: the whole block sorts */
  const char *block;         /* the template's dimensions */
} shape;

static size_t item_size(const shape *s) {
  return s->triples ? sizeof(triple) : sizeof(uint64_t);
}

static void put(const shape *s, void *items, size_t i, uint32_t rank, size_t index) {
  if (s->triples)
    ((triple *)items)[i] = (triple){(uint32_t)index, 7, rank};
  else
    ((uint64_t *)items)[i] = (uint64_t)rank << 32 | index;
}

static int by_rank(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x < y ? -1 : x > y;
}

/* What each sort of `each` items has to come to, one after another; `valid` of each count. */
static void *expected(const shape *s, const uint32_t *ranks, size_t tile, size_t each, size_t valid) {
  char *items = calloc(tile, item_size(s));
  for (size_t begin = 0; begin < tile; begin += each) {
    size_t *order = stable_order(ranks + begin, sizeof *ranks, valid, by_rank);
    for (size_t i = 0; i < valid; ++i)
      put(s, items, begin + i, ranks[begin + order[i]], begin + order[i]);
    free(order);
  }
  return items;
}

static kernel build_sort(const shape *s, const char *body) {
  char source[SOURCE_SIZE], sort[256];
  if (s->width == 0)
    (void)snprintf(sort, sizeof sort, "BlockMergeSort<item, %s>", s->block);
  else
    (void)snprintf(sort, sizeof sort, "WarpMergeSort<item, N, %d>", s->width);
  (void)snprintf(source, sizeof source,
                 "#include <jig/block/merge_sort.cuh>\n%s"
                 "struct by_rank {\n"
                 "  int state;\n"
                 "  __device__ bool operator()(const item &first, const item &second) const {\n"
                 "    const unsigned a = rank_of(first), b = rank_of(second);\n%s\n"
                 "  }\n"
                 "};\n"
                 "constexpr int threads = %d, N = %d, width = %d;\n"
                 "using Sort = jig::%s;\n"
                 "extern \"C\" __global__ void test(const item *in, item *out, int valid, int state) {\n"
                 "  __shared__ Sort::TempStorage storage[width > 0 ? threads / width : 1];\n"
                 "  const int t = jig::linear_thread_id<%d, %d, 1>();\n"
                 "  const int place = width > 0 ? t %% width : t;\n"
                 "  jig::array<item, N> items;\n"
                 "  for (int j = 0; j < N; ++j)\n"
                 "    if (place * N + j < valid) items[j] = in[t * N + j];\n"
                 "  Sort sort(storage[width > 0 ? t / width : 0]);\n"
                 "  items = valid == (width > 0 ? width : threads) * N\n"
                 "      ? sort.Sort(items, by_rank{state}) : sort.Sort(items, by_rank{state}, valid);\n"
                 "  for (int j = 0; j < N; ++j)\n"
                 "    if (place * N + j < valid) out[t * N + j] = items[j];\n"
                 "}\n",
                 s->triples ? triple_source : u64_source, body, s->threads, s->items, s->width, sort,
                 strcmp(s->block, "24, N, 4") == 0 ? 24 : s->threads,
                 strcmp(s->block, "24, N, 4") == 0 ? 4 : 1);
  return kernel_build(source);
}

/* The same for every order: each sort's items by their indices. */
static int by_index(const void *a, const void *b) {
  uint64_t x, y; /* of triples: the index, and 7 */
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (uint32_t)x < (uint32_t)y ? -1 : (uint32_t)x > (uint32_t)y;
}
static void undo_order(const shape *s, char *items, size_t tile, size_t each, size_t valid) {
  for (size_t begin = 0; begin < tile; begin += each)
    qsort(items + begin * item_size(s), valid, item_size(s), by_index);
}

enum { IN_ORDER = -1 };
/* Whether the result is in order; or, by the hostile operator of that number, has the same items. */
static void check_sort(const shape *s, const kernel *k, order_pattern pattern, size_t valid,
                       int hostile) {
  const size_t tile = (size_t)s->threads * (size_t)s->items, size = item_size(s);
  const size_t each = s->width > 0 ? (size_t)s->width * (size_t)s->items : tile;
  uint32_t *ranks = ranks_of(pattern, tile, 31 + valid);
  char *items = malloc(tile * size), *got = malloc(tile * size);
  for (size_t i = 0; i < tile; ++i) put(s, items, i, ranks[i], i);
  char *wanted = expected(s, ranks, tile, each, valid);
  void *in = gpu_copy(items, tile * size, 0), *out = gpu_alloc(tile * size, 0);
  int count = (int)valid;
  void *parameters[] = {&in, &out, &count, &hostile};
  const bool is_two = strcmp(s->block, "24, N, 4") == 0;
  GPU(gpu()->cuLaunchKernel(k->function, 1, 1, 1, is_two ? 24 : (unsigned)s->threads, is_two ? 4 : 1, 1,
                            0, NULL, parameters, NULL));
  gpu_read(got, out, tile * size);
  if (hostile != IN_ORDER) {
    undo_order(s, got, tile, each, valid);
    undo_order(s, wanted, tile, each, valid);
  }
  for (size_t i = 0; i < tile; ++i) {
    if (i % each >= valid) continue;
    ck_assert_msg(memcmp(got + i * size, wanted + i * size, size) == 0,
                  "%d threads, %d items, width %d, pattern %d, %zu valid: item %zu is wrong", s->threads,
                  s->items, s->width, (int)pattern, valid, i);
  }
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(got);
  free(wanted);
  free(ranks);
}

static void check_shape(const shape *s) {
  const size_t n = (size_t)s->items;
  const size_t each = n * (size_t)(s->width > 0 ? s->width : s->threads);
  const size_t valid[] = {1, n, n + 1, each / 2 + 1, each - 1};
  kernel k = build_sort(s, by_rank_body);
  for (int p = 0; p < ORDER_PATTERNS; ++p) check_sort(s, &k, (order_pattern)p, each, IN_ORDER);
  for (size_t i = 0; i < COUNT_OF(valid); ++i) {
    if (valid[i] >= 1 && valid[i] <= each)
      check_sort(s, &k, i % 2 ? ORDER_FEW : ORDER_RANDOM, valid[i], IN_ORDER);
  }
  kernel_free(&k);
}

START_TEST(blocks) {
  static const shape shapes[] = {
      {false, 32, 1, 0, "32, N"},    {false, 64, 5, 0, "64, N"},   {true, 128, 4, 0, "128, N"},
      {false, 96, 3, 0, "24, N, 4"}, {true, 50, 7, 0, "50, N"},    {false, 1, 9, 0, "1, N"},
      {true, 160, 2, 0, "160, N"},   {false, 512, 3, 0, "512, N"}, {false, 96, 2, 0, "24, N, 4"},
  };
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) check_shape(&shapes[i]);
}
END_TEST

START_TEST(warps) {
  static const shape shapes[] = {
      {false, 32, 4, 32, ""}, {true, 64, 3, 16, ""}, {false, 96, 5, 8, ""},
      {true, 32, 2, 4, ""},   {false, 64, 1, 2, ""}, {false, 32, 6, 1, ""},
  };
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) check_shape(&shapes[i]);
}
END_TEST

/* ---- numbers by a well-known order, of sizes that threads put to shared memory by words of 16 bytes, of
 * 8, or one by one: all of a block's, some of them, and each warp's */

static const char numbers_source[] =
    "#include <jig/block/merge_sort.cuh>\n"
    "using item = %s;\n"
    "constexpr int threads = %d, N = %d;\n"
    "using Block = jig::BlockMergeSort<item, threads, N>;\n"
    "using Warp = jig::WarpMergeSort<item, N>;\n"
    "extern \"C\" __global__ void test(const int *in, int *out, int valid) {\n"
    "  __shared__ Block::TempStorage storage;\n"
    "  __shared__ Warp::TempStorage storages[threads / 32];\n"
    "  const int t = threadIdx.x;\n"
    "  jig::array<item, N> items;\n"
    "  for (int j = 0; j < N; ++j) items[j] = item(in[t * N + j]);\n"
    "  const auto by_warp = Warp(storages[t / 32]).Sort(items, jig::greater_than());\n"
    "  const auto all = Block(storage).Sort(items, jig::less_than());\n"
    "  __syncthreads();\n"
    "  const auto some = Block(storage).Sort(items, jig::less_than(), valid);\n"
    "  for (int j = 0; j < N; ++j) {\n"
    "    out[t * N + j] = int(all[j]);\n"
    "    out[threads * N + t * N + j] = t * N + j < valid ? int(some[j]) : -1;\n"
    "    out[2 * threads * N + t * N + j] = -int(by_warp[j]);\n"
    "  }\n"
    "}\n";

static int by_int(const void *a, const void *b) {
  int x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x < y ? -1 : x > y;
}

static void check_numbers(const char *type, int threads, int items) {
  enum { MOST = 4096, WARP = 32 };
  static int in[MOST], wanted[3 * MOST], got[3 * MOST];
  char source[SOURCE_SIZE];
  (void)snprintf(source, sizeof source, numbers_source, type, threads, items);
  kernel k = kernel_build(source);
  const size_t n = (size_t)(threads * items), each = (size_t)(WARP * items);
  int valid = (int)(n * 2 / 3);
  ck_assert_uint_le(n, MOST);
  for (size_t i = 0; i < n; ++i) {
    in[i] = (int)((i * 2654435761u >> 7) % 101);
    wanted[i] = wanted[n + i] = in[i];
    wanted[2 * n + i] = -in[i];
    if (i >= (size_t)valid) wanted[n + i] = -1;
  }
  qsort(wanted, n, sizeof *wanted, by_int);
  qsort(wanted + n, (size_t)valid, sizeof *wanted, by_int);
  for (size_t i = 0; i < n; i += each) qsort(wanted + 2 * n + i, each, sizeof *wanted, by_int);
  void *from = gpu_copy(in, n * sizeof *in, 0), *to = gpu_alloc(3 * n * sizeof *in, 0);
  void *parameters[] = {&from, &to, &valid};
  GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, parameters, NULL));
  gpu_read(got, to, 3 * n * sizeof *in);
  for (size_t i = 0; i < 3 * n; ++i)
    ck_assert_msg(got[i] == wanted[i], "%s, %d threads, %d items: item %zu is %d, not %d", type, threads,
                  items, i, got[i], wanted[i]);
  gpu_free(from);
  gpu_free(to);
  kernel_free(&k);
}

START_TEST(numbers) {
  check_numbers("uint32_t", 256, 4);
  check_numbers("uint32_t", 64, 6);
  check_numbers("int16_t", 128, 4);
  check_numbers("int8_t", 32, 16);
  check_numbers("int8_t", 64, 3);
  check_numbers("float", 128, 8);
  check_numbers("double", 96, 2);
  check_numbers("uint64_t", 64, 4);
}
END_TEST

/* By operators that are no strict weak orders nothing is lost. */
START_TEST(any_operator) {
  static const shape shapes[] = {
      {false, 64, 5, 0, "64, N"}, {true, 128, 4, 0, "128, N"},  {false, 96, 3, 0, "24, N, 4"},
      {true, 50, 7, 0, "50, N"},  {false, 512, 3, 0, "512, N"}, {false, 32, 4, 32, ""},
      {true, 64, 3, 16, ""},      {false, 32, 6, 1, ""},
  };
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
    const shape *s = &shapes[i];
    const size_t each = (size_t)(s->items * (s->width > 0 ? s->width : s->threads));
    kernel k = build_sort(s, hostile_body(false));
    for (int o = 0; o < HOSTILE_OPS; ++o) {
      check_sort(s, &k, ORDER_RANDOM, each, o);
      check_sort(s, &k, ORDER_SAWTOOTH, each - 1, o);
      check_sort(s, &k, ORDER_RANDOM, each / 2 + 1, o);
    }
    kernel_free(&k);
  }
}
END_TEST

/* ---- merge paths: every diagonal of two runs, by a thread each and by a warp each */

static const char path_source[] =
    "#include <jig/core/less.cuh>\n"
    "#include <jig/thread/merge.cuh>\n"
    "#include <jig/warp/merge_path.cuh>\n"
    "extern \"C\" __global__ void test(const uint32_t *a, int a_count, const uint32_t *b, int b_count,\n"
    "                                int *by_thread, int *by_warp) {\n"
    "  const int t = blockIdx.x * blockDim.x + threadIdx.x, w = t / 32;\n"
    "  if (t <= a_count + b_count)\n"
    "    by_thread[t] = jig::merge_path(a, a_count, b, b_count, t, jig::less_than{});\n"
    "  if (w <= a_count + b_count)\n"
    "    by_warp[w] = int(jig::warp_merge_path(a, uint64_t(a_count), b, uint64_t(b_count), uint64_t(w),\n"
    "                                          jig::less_than{}));\n"
    "}\n";

static void check_paths(const kernel *k, int a_count, int b_count, uint32_t different) {
  enum { MOST = 600 };
  const int count = a_count + b_count;
  uint32_t items[MOST];
  int wanted[MOST + 1], got[2][MOST + 1];
  for (int i = 0; i < a_count; ++i) items[i] = (uint32_t)i * different / (uint32_t)a_count;
  for (int i = 0; i < b_count; ++i) items[a_count + i] = (uint32_t)i * different / (uint32_t)b_count;
  const uint32_t *a = items, *b = items + a_count;
  for (int d = 0, from_a = 0; d <= count; ++d) {
    wanted[d] = from_a;
    const int from_b = d - from_a;
    from_a += from_a < a_count && (from_b == b_count || a[from_a] <= b[from_b]);
  }
  void *in[] = {gpu_copy(a, (size_t)a_count * 4, 0), gpu_copy(b, (size_t)b_count * 4, 0)};
  void *out[] = {gpu_alloc(((size_t)count + 1) * 4, 0), gpu_alloc(((size_t)count + 1) * 4, 0)};
  void *parameters[] = {&in[0], &a_count, &in[1], &b_count, &out[0], &out[1]};
  const unsigned grid = (unsigned)((count + 1) * 32 + 127) / 128;
  GPU(gpu()->cuLaunchKernel(k->function, grid, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
  for (int i = 0; i < 2; ++i) {
    gpu_read(got[i], out[i], ((size_t)count + 1) * 4);
    for (int d = 0; d <= count; ++d)
      ck_assert_msg(got[i][d] == wanted[d], "%d and %d items, %s: diagonal %d: %d, not %d", a_count,
                    b_count, i == 0 ? "threads" : "warps", d, got[i][d], wanted[d]);
    gpu_free(in[i]);
    gpu_free(out[i]);
  }
}

START_TEST(paths) {
  kernel k = kernel_build(path_source);
  static const int counts[][2] = {{0, 0}, {0, 5}, {7, 0}, {1, 1}, {33, 32}, {300, 3}, {100, 170}};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    check_paths(&k, counts[i][0], counts[i][1], 1000);
    check_paths(&k, counts[i][0], counts[i][1], 5);
    check_paths(&k, counts[i][0], counts[i][1], 1);
  }
  kernel_free(&k);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(blocks), SUITE_TEST(warps), SUITE_TEST(any_operator),
                                     SUITE_TEST(numbers), SUITE_TEST(paths)};
  return SUITE_RUN("device/merge_collectives", tests, true);
}
