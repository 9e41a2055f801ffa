/* Cases of jig's warp and block collectives in kernels of one shape: every block loads a tile, does the
 * same a number of times, each time with what the last one came to, and stores the tile. The peers are in
 * cub_collectives.cu: the same kernels with CUB's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"

#define WORDS "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }"

enum { THREADS = 256, ITEMS = 4, TILE = THREADS * ITEMS };

/* The body works on `array<uint32_t, 4> x` of a thread of a block of 256, thread `t`. */
typedef struct own {
  const char *headers, *types, *body;
} own;

static const char kernel_text[] =
    "%s\n"
    "using jig::array;\n"
    "constexpr int threads = 256, items = 4, tile = threads * items;\n"
    "%s\n"
    "extern \"C\" __global__ void __launch_bounds__(threads) collective(const uint32_t *in, uint32_t "
    "*out) {\n"
    "  const unsigned t = threadIdx.x;\n"
    "  const uint4 loaded = reinterpret_cast<const uint4 *>(in)[blockIdx.x * threads + t];\n"
    "  array<uint32_t, items> x = {loaded.x, loaded.y, loaded.z, loaded.w};\n"
    "  %s\n"
    "  reinterpret_cast<uint4 *>(out)[blockIdx.x * threads + t] = make_uint4(x[0], x[1], x[2], x[3]);\n"
    "}\n";

static CUfunction compile(const own *o) {
  const size_t size = sizeof kernel_text + strlen(o->headers) + strlen(o->types) + strlen(o->body);
  char *source = malloc(size);
  if (source == NULL) die("out of memory");
  (void)snprintf(source, size, kernel_text, o->headers, o->types, o->body);
  const CUfunction kernel = gpu_compile_with_templates(source, "collective");
  free(source);
  return kernel;
}

/* Compiled once. */
static CUfunction kernel_of(const own *o) {
  enum { MOST = 64 };
  static struct {
    const own *what;
    CUfunction kernel;
  } kept[MOST];
  int i = 0;
  while (i < MOST && kept[i].what != NULL && kept[i].what != o) ++i;
  if (i == MOST) die("more collectives than there is room for");
  if (kept[i].what == NULL) {
    kept[i].kernel = compile(o);
    kept[i].what = o;
  }
  return kept[i].kernel;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  (void)c;
  gpu_fill(data->in[0], whole_items(data->n, TILE), WORDS, seed);
}

static void arrange(const bench_case *c, const bench_data *data) {
  const CUfunction kernel = kernel_of(c->own);
  memcpy(data->args, &kernel, sizeof kernel);
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  (void)engine;
  if (temp == NULL) {
    *temp_bytes = 1;
    return JIG_SUCCESS;
  }
  CUfunction kernel;
  memcpy(&kernel, data->args, sizeof kernel);
  const void *in = data->in[0];
  void *out = data->out[0], *parameters[] = {&in, &out};
  GPU(gpu()->cuLaunchKernel(kernel, (unsigned)(whole_items(data->n, TILE) / TILE), 1, 1, THREADS, 1, 1, 0,
                            stream, parameters, NULL));
  return JIG_SUCCESS;
}

#define REDUCE(algorithm)                                                                              \
  "#include <jig/block/reduce.cuh>",                                                                   \
      "using Reduce = jig::BlockReduce<uint32_t, threads, jig::BlockReduceAlgorithm::" algorithm ">;", \
      "__shared__ Reduce::TempStorage storage;\n"                                                      \
      "for (int i = 0; i < 16; ++i) {\n"                                                               \
      "  const uint32_t sum = Reduce(storage).Sum(x);\n"                                               \
      "  if (t == 0) x[0] ^= sum;\n"                                                                   \
      "  __syncthreads();\n"                                                                           \
      "}\n"
#define SCAN(algorithm)                                                                          \
  "#include <jig/block/scan.cuh>",                                                               \
      "using Scan = jig::BlockScan<uint32_t, threads, jig::BlockScanAlgorithm::" algorithm ">;", \
      "__shared__ Scan::TempStorage storage;\n"                                                  \
      "for (int i = 0; i < 16; ++i) {\n"                                                         \
      "  x = Scan(storage).InclusiveSum(x);\n"                                                   \
      "  __syncthreads();\n"                                                                     \
      "}\n"
#define HISTOGRAM(algorithm)                                                  \
  "#include <jig/block/histogram.cuh>",                                       \
      "using Histogram = jig::BlockHistogram<uint8_t, threads, items, 256, "  \
      "jig::BlockHistogramAlgorithm::" algorithm ">;",                        \
      "__shared__ Histogram::TempStorage storage;\n"                          \
      "__shared__ uint32_t counters[256];\n"                                  \
      "array<uint8_t, items> bins;\n"                                         \
      "for (int i = 0; i < 4; ++i) {\n"                                       \
      "  for (int j = 0; j < items; ++j) bins[j] = uint8_t(x[j] >> 8 * i);\n" \
      "  Histogram(storage).Histogram(bins, counters);\n"                     \
      "  __syncthreads();\n"                                                  \
      "  x[i] += counters[t];\n"                                              \
      "  __syncthreads();\n"                                                  \
      "}\n"
#define EXCHANGE(there, back)                                                                            \
  "#include <jig/block/exchange.cuh>", "using Exchange = jig::BlockExchange<uint32_t, threads, items>;", \
      "__shared__ Exchange::TempStorage storage;\n"                                                      \
      "for (int i = 0; i < 8; ++i) {\n"                                                                  \
      "  x = Exchange(storage)." there                                                                   \
      "(x);\n"                                                                                           \
      "  __syncthreads();\n"                                                                             \
      "  x[0] += t;\n"                                                                                   \
      "  x = Exchange(storage)." back                                                                    \
      "(x);\n"                                                                                           \
      "  __syncthreads();\n"                                                                             \
      "}\n"
#define TRANSFER(algorithm)                                                                          \
  "#include <jig/block/load.cuh>\n#include <jig/block/store.cuh>",                                   \
      "using Load = jig::BlockLoad<uint32_t, threads, items, jig::BlockLoadAlgorithm::" algorithm    \
      ">;\n"                                                                                         \
      "using Store = jig::BlockStore<uint32_t, threads, items, jig::BlockStoreAlgorithm::" algorithm \
      ">;",                                                                                          \
      "__shared__ union { Load::TempStorage load; Store::TempStorage store; } storage;\n"            \
      "for (int i = 0; i < 8; ++i) {\n"                                                              \
      "  Load(storage.load).Load(i == 0 ? in : out, uint64_t(blockIdx.x) * tile, x);\n"              \
      "  __syncthreads();\n"                                                                         \
      "  x[0] += t;\n"                                                                               \
      "  Store(storage.store).Store(out, uint64_t(blockIdx.x) * tile, x);\n"                         \
      "  __syncthreads();\n"                                                                         \
      "}\n"

#define CASE(algorithm_, variant_, ...)                                                                  \
  {                                                                                                      \
    .algorithm = algorithm_, .type = "u32", .variant = variant_, .in = {{.per_item = 4, .whole = TILE}}, \
    .out = {{.per_item = 4, .whole = TILE}}, .fill = fill, .arrange = arrange, .call = call,             \
    .own = &(const own) {                                                                                \
      __VA_ARGS__                                                                                        \
    }                                                                                                    \
  }
static const bench_case cases[] = {
    CASE("block_reduce", "warp_reductions", REDUCE("warp_reductions")),
    CASE("block_reduce", "raking", REDUCE("raking")),
    CASE("block_reduce", "raking_commutative_only", REDUCE("raking_commutative_only")),
    CASE("block_scan", "warp_scans", SCAN("warp_scans")),
    CASE("block_scan", "raking", SCAN("raking")),
    CASE("block_scan", "raking_memoize", SCAN("raking_memoize")),
    CASE("block_exchange", "striped", EXCHANGE("BlockedToStriped", "StripedToBlocked")),
    CASE("block_exchange", "warp_striped", EXCHANGE("BlockedToWarpStriped", "WarpStripedToBlocked")),
    CASE("block_load_store", "transpose", TRANSFER("transpose")),
    CASE("block_load_store", "warp_transpose", TRANSFER("warp_transpose")),
    CASE("block_load_store", "vectorized", TRANSFER("vectorized")),
    CASE("block_histogram", "sort", HISTOGRAM("sort")),
    CASE("block_histogram", "atomic", HISTOGRAM("atomic")),
    CASE("block_radix_sort", "keys", "#include <jig/block/radix_sort.cuh>",
         "using Sort = jig::BlockRadixSort<uint32_t, threads, items>;",
         "__shared__ Sort::TempStorage storage;\nSort(storage).Sort(x);\n"),
    CASE("block_radix_sort", "pairs", "#include <jig/block/radix_sort.cuh>",
         "using Sort = jig::BlockRadixSort<uint32_t, threads, items, uint32_t>;",
         "__shared__ Sort::TempStorage storage;\n"
         "array<uint32_t, items> y = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};\n"
         "Sort(storage).Sort(x, y);\nfor (int j = 0; j < items; ++j) x[j] ^= y[j];\n"),
    CASE("block_merge_sort", "keys", "#include <jig/block/merge_sort.cuh>",
         "using Sort = jig::BlockMergeSort<uint32_t, threads, items>;",
         "__shared__ Sort::TempStorage storage;\nx = Sort(storage).Sort(x, jig::less_than());\n"),
    CASE("block_merge_sort", "pairs", "#include <jig/block/merge_sort_pairs.cuh>",
         "using Sort = jig::BlockMergeSortPairs<uint32_t, threads, items, uint32_t>;",
         "__shared__ Sort::TempStorage storage;\n"
         "array<uint32_t, items> y = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};\n"
         "Sort(storage).Sort(x, y, jig::less_than());\nfor (int j = 0; j < items; ++j) x[j] ^= y[j];\n"),
    CASE("warp_reduce", "sum", "#include <jig/warp/reduce.cuh>", "",
         "for (int i = 0; i < 64; ++i) {\n"
         "  const uint32_t sum = jig::WarpReduce<uint32_t>().Sum(x[0]);\n"
         "  if (t % 32 == 0) x[0] ^= sum;\n"
         "}\n"),
    CASE("warp_reduce", "f32", "#include <jig/warp/reduce.cuh>", "",
         "float y = float(x[0] & 7);\n"
         "for (int i = 0; i < 64; ++i) {\n"
         "  const float sum = jig::WarpReduce<float>().Sum(y);\n"
         "  if (t % 32 == 0) y = sum > 1000.0f ? 1.0f : sum;\n"
         "}\nx[0] = uint32_t(y);\n"),
    CASE("warp_reduce", "head_segmented", "#include <jig/warp/reduce.cuh>", "",
         "for (int i = 0; i < 64; ++i) {\n"
         "  const uint32_t sum = jig::WarpReduce<uint32_t>().HeadSegmentedSum(x[0], (x[0] & 7) == 0);\n"
         "  if (t % 32 == 0) x[0] ^= sum;\n"
         "}\n"),
    CASE("warp_scan", "sum", "#include <jig/warp/scan.cuh>", "",
         "for (int i = 0; i < 64; ++i) x[0] = jig::WarpScan<uint32_t>().InclusiveSum(x[0]) ^ x[1];\n"),
    CASE("warp_exchange", "striped", "#include <jig/warp/exchange.cuh>",
         "using Exchange = jig::WarpExchange<uint32_t, items>;",
         "__shared__ Exchange::TempStorage storages[threads / 32];\n"
         "auto &storage = storages[t / 32];\n"
         "for (int i = 0; i < 16; ++i) {\n"
         "  x = Exchange(storage).BlockedToStriped(x);\n  __syncwarp();\n  x[0] += t;\n"
         "  x = Exchange(storage).StripedToBlocked(x);\n  __syncwarp();\n"
         "}\n"),
    CASE("warp_merge_sort", "keys", "#include <jig/warp/merge_sort.cuh>",
         "using Sort = jig::WarpMergeSort<uint32_t, items>;",
         "__shared__ Sort::TempStorage storages[threads / 32];\n"
         "x = Sort(storages[t / 32]).Sort(x, jig::less_than());\n"),
};

const bench_family bench_collectives = {cases, sizeof cases / sizeof cases[0]};
