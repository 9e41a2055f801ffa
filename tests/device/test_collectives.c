/* The block and warp collectives by themselves, as the author of a kernel uses them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "suite.h"

/* Composition of x -> m * x + b modulo 2^32: associative, not commutative. */
typedef struct map {
  uint32_t m, b;
} map;
#define MAP_SOURCE                                             \
  "struct map { uint32_t m, b; };\n"                           \
  "struct then { static constexpr bool commutative = false;\n" \
  "  map operator()(map p, map q) const { return {p.m * q.m, q.m * p.b + q.b}; } };\n"
static map then(map p, map q) {
  return (map){p.m * q.m, q.m * p.b + q.b};
}

static map fold(const map *maps, size_t count) {
  map result = maps[0];
  for (size_t i = 1; i < count; ++i) result = then(result, maps[i]);
  return result;
}

static map *random_maps(size_t count) {
  map *maps = malloc(count * sizeof *maps);
  fill_random(JIG_KIND_U32, maps, 2 * count, 21);
  return maps;
}

/* ---- block reduce */

enum { MAX_THREADS = 1024 };

static void check_block_reduce(const char *algorithm, int threads, bool own_storage, bool ordered) {
  char source[4096];
  (void)snprintf(
      source, sizeof source,
      "#include <jig/block/reduce.cuh>\n" MAP_SOURCE
      "using Map = jig::BlockReduce<map, %d, jig::BlockReduceAlgorithm::%s>;\n"
      "using Sum = jig::BlockReduce<int32_t, %d, jig::BlockReduceAlgorithm::%s>;\n"
      "extern \"C\" __global__ void test(const map *in, map *out, int32_t *sums, int valid) {\n"
      "  %s\n"
      "  map mine = in[threadIdx.x];\n"
      "  map all = %s.Reduce(mine, then());\n"
      "  __syncthreads();\n"
      "  map some = %s.Reduce(mine, then(), valid);\n"
      "  __syncthreads();\n"
      "  int32_t sum = %s.Sum(int32_t(mine.b));\n"
      "  __syncthreads();\n"
      "  int32_t partial = %s.Sum(int32_t(mine.b), valid);\n"
      "  if (threadIdx.x == 0) { out[0] = all; out[1] = some; sums[0] = sum; sums[1] = partial; }\n"
      "}\n",
      threads, algorithm, threads, algorithm,
      own_storage ? "" : "__shared__ union { Map::TempStorage map; Sum::TempStorage sum; } storage;",
      own_storage ? "Map()" : "Map(storage.map)", own_storage ? "Map()" : "Map(storage.map)",
      own_storage ? "Sum()" : "Sum(storage.sum)", own_storage ? "Sum()" : "Sum(storage.sum)");
  kernel k = kernel_build(source);
  map *host = random_maps(MAX_THREADS), results[2];
  int32_t sums[2];
  void *in = gpu_copy(host, MAX_THREADS * sizeof *host, 0), *out = gpu_alloc(sizeof results, 0);
  void *sums_out = gpu_alloc(sizeof sums, 0);
  const int valids[] = {1, threads / 3 + 1, threads - 1 > 0 ? threads - 1 : 1, threads};
  for (size_t v = 0; v < COUNT_OF(valids); ++v) {
    int valid = valids[v];
    void *parameters[] = {&in, &out, &sums_out, &valid};
    GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, parameters, NULL));
    gpu_read(results, out, sizeof results);
    gpu_read(sums, sums_out, sizeof sums);
    map all = fold(host, (size_t)threads), some = fold(host, (size_t)valid);
    uint32_t sum = 0, partial = 0;
    for (int i = 0; i < threads; ++i) sum += host[i].b, partial += i < valid ? host[i].b : 0;
    if (ordered) {
      ck_assert_msg(memcmp(&results[0], &all, sizeof all) == 0, "%s, %d threads", algorithm, threads);
      ck_assert_msg(memcmp(&results[1], &some, sizeof some) == 0, "%s, %d of %d threads", algorithm,
                    valid, threads);
    }
    ck_assert_msg((uint32_t)sums[0] == sum, "%s, sum of %d threads", algorithm, threads);
    ck_assert_msg((uint32_t)sums[1] == partial, "%s, sum of %d of %d threads", algorithm, valid, threads);
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(sums_out);
  kernel_free(&k);
  free(host);
}

START_TEST(block_reduce_by_every_algorithm) {
  const int threads[] = {1, 31, 32, 33, 64, 96, 100, 128, 250, 256, 512, 777, 1024};
  for (size_t i = 0; i < COUNT_OF(threads); ++i) {
    check_block_reduce("warp_reductions", threads[i], i % 2 == 0, true);
    check_block_reduce("raking", threads[i], i % 2 == 1, true);
    check_block_reduce("raking_commutative_only", threads[i], i % 2 == 0, false);
    check_block_reduce("warp_reductions_nondeterministic", threads[i], i % 2 == 1, false);
  }
}
END_TEST

START_TEST(block_reduce_in_three_dimensions) {
  kernel k = kernel_build(
      "#include <jig/block/reduce.cuh>\n" MAP_SOURCE
      "extern \"C\" __global__ void test(const map *in, map *out) {\n"
      "  using Reduce = jig::BlockReduce<map, 8, jig::BlockReduceAlgorithm::warp_reductions, 6, 3>;\n"
      "  jig::array<map, 3> items;\n"
      "  int rank = threadIdx.x + 8 * (threadIdx.y + 6 * threadIdx.z);\n"
      "  for (int i = 0; i < 3; ++i) items[i] = in[3 * rank + i];\n"
      "  map all = Reduce().Reduce(items, then());\n"
      "  if (rank == 0) *out = all;\n"
      "}\n");
  enum { COUNT = 8 * 6 * 3 * 3 };
  map *host = random_maps(COUNT), result, wanted = fold(host, COUNT);
  void *in = gpu_copy(host, COUNT * sizeof *host, 0), *out = gpu_alloc(sizeof result, 0),
       *parameters[] = {&in, &out};
  GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, 8, 6, 3, 0, NULL, parameters, NULL));
  gpu_read(&result, out, sizeof result);
  ck_assert_mem_eq(&result, &wanted, sizeof wanted);
  gpu_free(in);
  gpu_free(out);
  kernel_free(&k);
  free(host);
}
END_TEST

/* ---- warp reduce */

static void check_warp_reduce(int width) {
  char source[4096];
  bool power = (width & (width - 1)) == 0;
  (void)snprintf(
      source, sizeof source,
      "#include <jig/warp/reduce.cuh>\n" MAP_SOURCE
      "extern \"C\" __global__ void test(const map *in, map *out, uint32_t *sums, int valid) {\n"
      "  constexpr int width = %d, logical = %d;\n"
      "  if (%s) {\n"
      "    __shared__ jig::WarpReduce<map, width>::TempStorage maps[4];\n"
      "    __shared__ jig::WarpReduce<uint32_t, width>::TempStorage words[4];\n"
      "    int warp = threadIdx.x / 32, group = threadIdx.x / logical, lane = threadIdx.x %% logical;\n"
      "    unsigned members = %s;\n"
      "    map mine = in[threadIdx.x];\n"
      "    jig::WarpReduce<map, width> map_reduce(maps[warp]);\n"
      "    map all = map_reduce.Reduce(mine, then());\n"
      "    __syncwarp(members);\n"
      "    map some = map_reduce.Reduce(mine, then(), valid);\n"
      "    jig::WarpReduce<uint32_t, width> word_reduce(words[warp]);\n"
      "    uint32_t sum = word_reduce.Sum(mine.m);\n"
      "    __syncwarp(members);\n"
      "    uint32_t most = word_reduce.Reduce(mine.m, jig::maximum<true>());\n"
      "    if (lane == 0) { out[2 * group] = all; out[2 * group + 1] = some;\n"
      "                     sums[2 * group] = sum; sums[2 * group + 1] = most; }\n"
      "  }\n"
      "}\n",
      width, power ? width : 32, power ? "true" : "threadIdx.x % 32 < width",
      power ? "0xffffffffu" : "0xffffffffu >> (32 - width)");
  kernel k = kernel_build(source);
  enum { THREADS = 128 };
  const size_t stride = power ? (size_t)width : 32, groups = THREADS / stride;
  map *host = random_maps(THREADS), results[2 * THREADS];
  uint32_t sums[2 * THREADS];
  void *in = gpu_copy(host, THREADS * sizeof *host, 0), *out = gpu_alloc(sizeof results, 0);
  void *sums_out = gpu_alloc(sizeof sums, 0);
  for (int valid = 1; valid <= width; valid += valid < 4 ? 1 : 5) {
    void *parameters[] = {&in, &out, &sums_out, &valid};
    GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    gpu_read(results, out, sizeof results);
    gpu_read(sums, sums_out, sizeof sums);
    for (size_t g = 0; g < groups; ++g) {
      const map all = fold(host + g * stride, (size_t)width),
                some = fold(host + g * stride, (size_t)valid);
      uint32_t sum = 0, most = 0;
      for (int i = 0; i < width; ++i) {
        const uint32_t m = host[g * stride + (size_t)i].m;
        sum += m;
        most = m > most ? m : most;
      }
      ck_assert_msg(memcmp(&results[2 * g], &all, sizeof all) == 0, "warp of %d", width);
      ck_assert_msg(memcmp(&results[2 * g + 1], &some, sizeof some) == 0, "%d of a warp of %d", valid,
                    width);
      ck_assert_msg(sums[2 * g] == sum && sums[2 * g + 1] == most, "sum or maximum of a warp of %d",
                    width);
    }
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(sums_out);
  kernel_free(&k);
  free(host);
}

START_TEST(warp_reduce_of_every_width) {
  const int widths[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 31, 32};
  for (size_t i = 0; i < COUNT_OF(widths); ++i) check_warp_reduce(widths[i]);
}
END_TEST

/* ---- redux: all operators of 32-bit integers */

START_TEST(redux_agrees_with_shuffles) {
  kernel k = kernel_build(
      "#include <jig/warp/reduce.cuh>\n"
      "template <class T, class Op> struct hidden { Op op; T operator()(T a, T b) const { return op(a, "
      "b); } };\n"
      "template <class T, class Op> __device__ void both(T x, uint32_t *out) {\n"
      "  typename jig::WarpReduce<T>::TempStorage none;\n"
      "  jig::WarpReduce<T> warp(none);\n"
      "  T one = warp.Reduce(x, Op()), other = warp.Reduce(x, hidden<T, Op>());\n"
      "  if (threadIdx.x == 0) { out[0] = uint32_t(one); out[1] = uint32_t(other); }\n"
      "}\n"
      "extern \"C\" __global__ void test(const uint32_t *in, uint32_t *out) {\n"
      "  uint32_t x = in[threadIdx.x];\n"
      "  both<uint32_t, jig::plus>(x, out);\n"
      "  both<uint32_t, jig::minimum<true>>(x, out + 2);\n"
      "  both<uint32_t, jig::maximum<false>>(x, out + 4);\n"
      "  both<uint32_t, jig::bit_and>(x | 0x0f0f0f0f, out + 6);\n"
      "  both<uint32_t, jig::bit_or>(x & 0x10101010, out + 8);\n"
      "  both<uint32_t, jig::bit_xor>(x, out + 10);\n"
      "  both<int32_t, jig::plus>(int32_t(x), out + 12);\n"
      "  both<int32_t, jig::minimum<true>>(int32_t(x), out + 14);\n"
      "  both<int32_t, jig::maximum<true>>(int32_t(x), out + 16);\n"
      "}\n");
  uint32_t host[32], results[18];
  for (uint64_t seed = 1; seed < 20; ++seed) {
    fill_random(JIG_KIND_U32, host, 32, seed);
    void *in = gpu_copy(host, sizeof host, 0), *out = gpu_alloc(sizeof results, 0),
         *parameters[] = {&in, &out};
    GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    gpu_read(results, out, sizeof results);
    for (size_t i = 0; i < COUNT_OF(results); i += 2) ck_assert_uint_eq(results[i], results[i + 1]);
    uint32_t sum = 0;
    for (size_t i = 0; i < 32; ++i) sum += host[i];
    ck_assert_uint_eq(results[0], sum);
    gpu_free(in);
    gpu_free(out);
  }
  kernel_free(&k);
}
END_TEST

/* ---- block load */

static void check_block_load(const char *type, size_t type_size, int items, const char *algorithm) {
  char source[4096];
  (void)snprintf(source, sizeof source,
                 "#include <jig/block/load.cuh>\n#include <jig/core/iterator/pointer.cuh>\n"
                 "extern \"C\" __global__ void test(%s *in, %s *out, uint64_t start, int valid) {\n"
                 "  jig::array<%s, %d> items;\n"
                 "  jig::BlockLoad<%s, 96, %d, jig::BlockLoadAlgorithm::%s> load;\n"
                 "  jig::Pointer<%s> from{in};\n"
                 "  if (valid < 0) load.Load(from, start, items);\n"
                 "  else load.Load(from, start, items, valid, %s(9));\n"
                 "  for (int i = 0; i < %d; ++i) out[threadIdx.x * %d + i] = items[i];\n"
                 "}\n",
                 type, type, type, items, type, items, algorithm, type, type, items, items);
  kernel k = kernel_build(source);
  enum { THREADS = 96 };
  const size_t tile = THREADS * (size_t)items, start = 32;
  unsigned char *host = malloc((start + tile) * type_size), *result = malloc(tile * type_size);
  fill_random(JIG_KIND_U8, host, (start + tile) * type_size, 5);
  for (size_t offset = 0; offset < 2; ++offset) {
    void *in = gpu_copy(host, (start + tile) * type_size, offset * type_size),
         *out = gpu_alloc(tile * type_size, 0);
    const int valids[] = {-1, 0, 1, (int)tile / 2 + 1, (int)tile};
    for (size_t v = 0; v < COUNT_OF(valids); ++v) {
      uint64_t first = start;
      int valid = valids[v];
      void *parameters[] = {&in, &out, &first, &valid};
      GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
      gpu_read(result, out, tile * type_size);
      for (size_t i = 0; i < tile; ++i) {
        const size_t thread = i / (size_t)items, item = i % (size_t)items;
        const size_t source_item = strcmp(algorithm, "striped") == 0 ? item * THREADS + thread : i;
        uint64_t wanted = 0, got = 0;
        memcpy(&wanted, host + (start + source_item) * type_size, type_size);
        memcpy(&got, result + i * type_size, type_size);
        if (valid >= 0 && source_item >= (size_t)valid) wanted = 9;
        ck_assert_msg(got == wanted, "%s of %s, %d items, item %zu, %d valid", algorithm, type, items, i,
                      valid);
      }
    }
    gpu_free(in);
    gpu_free(out);
  }
  free(host);
  free(result);
  kernel_free(&k);
}

START_TEST(block_load_by_every_algorithm) {
  static const char *const algorithms[] = {"direct", "striped", "vectorized"};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    check_block_load("uint8_t", 1, 32, algorithms[a]);
    check_block_load("uint16_t", 2, 8, algorithms[a]);
    check_block_load("uint32_t", 4, 12, algorithms[a]);
    check_block_load("uint64_t", 8, 2, algorithms[a]);
  }
  check_block_load("uint32_t", 4, 1, "direct");
  check_block_load("uint8_t", 1, 5, "striped");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(block_reduce_by_every_algorithm), SUITE_TEST(block_reduce_in_three_dimensions),
      SUITE_TEST(warp_reduce_of_every_width),      SUITE_TEST(redux_agrees_with_shuffles),
      SUITE_TEST(block_load_by_every_algorithm),
  };
  return SUITE_RUN("device/collectives", tests, true);
}
