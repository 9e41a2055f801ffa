/* Tile states and what comes before a tile, as the author of a single-pass kernel uses them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "items.h"
#include "kernel.h"
#include "numbers.h"
#include "suite.h"

enum { SOURCE_SIZE = 8192, TYPE_SOURCE_SIZE = 1024 };

/* How a launch learns that no state is there yet. */
typedef enum clearing { BY_MEMSET, BY_KERNEL, BY_TAG, CLEARINGS } clearing;

typedef struct chain_case {
  const item_type *type;
  const char *algorithm; /* of the block's scan */
  int x, y, items, tiles;
  bool exclusive, initial, draws; /* draws: tile numbers, from a queue */
  bool apart;                     /* a first tile without an initial value is scanned without a prefix */
} chain_case;

static size_t tile_of(const chain_case *c) {
  return (size_t)(c->x * c->y * c->items);
}

/* Scans `tiles` tiles in one launch, and has the last thread of each block tell what it knows of its
 * tile; with tiles of 0 it initialises instead. */
static kernel build_chain(const chain_case *c) {
  static char source[SOURCE_SIZE];
  char type[TYPE_SOURCE_SIZE];
  items_source(c->type, type, sizeof type);
  const char *const mode = c->exclusive ? "Exclusive" : "Inclusive";
  (void)snprintf(
      source, sizeof source,
      "#include <jig/block/scan.cuh>\n#include <jig/grid/queue.cuh>\n#include "
      "<jig/grid/tile_prefix.cuh>\n%s"
      "constexpr int N = %d, threads = %d;\n"
      "using Scan = jig::BlockScan<item, %d, jig::BlockScanAlgorithm::%s, %d>;\n"
      "using Prefix = jig::TilePrefixCallbackOp<item, item_op>;\n"
      "extern \"C\" __global__ void __launch_bounds__(threads)\n"
      "test(const item *in, item *out, item *told, void *temp, void *counters, int tiles, uint64_t tag,\n"
      "     bool initialises) {\n"
      "  jig::ScanTileState<item> states(temp, tiles, tag);\n"
      "  if (initialises) return states.InitializeStatus(tiles);\n"
      "  __shared__ Scan::TempStorage scan_storage;\n"
      "  __shared__ Prefix::TempStorage prefix_storage;\n"
      "  __shared__ int drawn;\n"
      "  const int thread = jig::linear_thread_id<%d, %d, 1>();\n"
      "  if (%d && thread == 0) drawn = jig::GridQueue<>(counters).Drain(1);\n"
      "  __syncthreads();\n"
      "  const int tile = %d ? drawn : blockIdx.x;\n"
      "  const item initial = in[size_t(tiles) * threads * N];\n"
      "  Prefix prefix(prefix_storage, states, item_op(), tile%s);\n"
      "  const size_t first = (size_t(tile) * threads + thread) * N;\n"
      "  jig::array<item, N> items;\n"
      "  for (int k = 0; k < N; ++k) items[k] = in[first + k];\n"
      "  if (tile > 0 || %d) {\n"
      "    items = Scan(scan_storage).%sScanWithPrefix(items, item_op(), prefix);\n"
      "  } else {\n"
      "    item aggregate;\n"
      "    items = Scan(scan_storage).%sScan(items, item_op(), aggregate);\n"
      "    if (thread < 32) prefix(aggregate);\n"
      "    __syncthreads();\n"
      "  }\n"
      "  if (%d && !prefix.HasPrefix() && thread == 0) items[0] = initial;\n"
      "  for (int k = 0; k < N; ++k) out[first + k] = items[k];\n"
      "  if (thread != threads - 1) return;\n"
      "  told[3 * tile] = tile > 0 || %d ? prefix.GetExclusivePrefix() : initial;\n"
      "  told[3 * tile + 1] = prefix.GetInclusivePrefix();\n"
      "  told[3 * tile + 2] = prefix.GetBlockAggregate();\n"
      "  if (prefix.GetTileIndex() != tile) told[3 * tile] = initial;\n"
      "}\n",
      type, c->items, c->x * c->y, c->x, c->algorithm, c->y, c->x, c->y, c->draws, c->draws,
      c->initial ? ", initial" : "", c->initial || !c->apart, mode, mode, c->exclusive, c->initial);
  return kernel_build(source);
}

/* The fold of items first .. last - 1, after `before` unless that is NULL. */
static void fold(const item_type *type, const void *items, size_t first, size_t last, const void *before,
                 void *result) {
  unsigned char sum[MAX_ITEM_SIZE];
  const bool has_before = before != NULL;
  if (has_before) memcpy(sum, before, type->size);
  for (size_t i = first; i < last; ++i) {
    if (i == first && !has_before)
      memcpy(sum, item_at(type, items, i), type->size);
    else
      items_combine(type, sum, item_at(type, items, i), sum);
  }
  memcpy(result, sum, type->size);
}

static void check_item(const chain_case *c, const void *got, const void *wanted, const char *what,
                       size_t i) {
  ck_assert_msg(memcmp(got, wanted, c->type->size) == 0,
                "%s, %s, %d x %d threads, %d items: %s %zu is wrong", c->type->name, c->algorithm, c->x,
                c->y, c->items, what, i);
}

static void check_results(const chain_case *c, const void *host, const void *out, const void *told) {
  const size_t tile = tile_of(c), count = tile * (size_t)c->tiles;
  const void *initial = item_at(c->type, host, count);
  unsigned char sum[MAX_ITEM_SIZE], whole[MAX_ITEM_SIZE];
  const void *before = initial; /* out[0] of an exclusive scan, also where it means nothing */
  for (size_t i = 0; i < count; ++i) {
    if (i % tile == 0) {
      check_item(c, item_at(c->type, told, i / tile * 3), before, "exclusive prefix", i / tile);
      fold(c->type, host, i, i + tile, NULL, whole);
      check_item(c, item_at(c->type, told, i / tile * 3 + 2), whole, "aggregate", i / tile);
    }
    if (c->exclusive) check_item(c, item_at(c->type, out, i), before, "item", i);
    fold(c->type, host, i, i + 1, i > 0 || c->initial ? before : NULL, sum);
    if (!c->exclusive) check_item(c, item_at(c->type, out, i), sum, "item", i);
    before = sum;
    if (i % tile == tile - 1)
      check_item(c, item_at(c->type, told, i / tile * 3 + 1), sum, "inclusive prefix", i / tile);
  }
}

typedef struct chain {
  void *in, *out, *told, *temp, *counters;
  size_t temp_bytes;
} chain;

static void launch(const chain_case *c, const kernel *k, const chain *m, clearing how, uint64_t tag) {
  bool initialises = how == BY_KERNEL;
  int tiles = c->tiles;
  void *in = m->in, *out = m->out, *told = m->told, *temp = m->temp, *counters = m->counters;
  void *parameters[] = {&in, &out, &told, &temp, &counters, &tiles, &tag, &initialises};
  if (how == BY_MEMSET) GPU(gpu()->cuMemsetD8Async((CUdeviceptr)m->temp, 0, m->temp_bytes, NULL));
  if (how == BY_KERNEL)
    GPU(gpu()->cuLaunchKernel(k->function, 3, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
  initialises = false;
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)m->counters, 0, 16, NULL));
  GPU(gpu()->cuLaunchKernel(k->function, (unsigned)tiles, 1, 1, (unsigned)c->x, (unsigned)c->y, 1, 0,
                            NULL, parameters, NULL));
}

/* Launches that use the same states, which are cleared in one way after the other. */
static void check_chain(const chain_case *c) {
  const size_t size = c->type->size, count = tile_of(c) * (size_t)c->tiles,
               told_bytes = 3 * size * (size_t)c->tiles;
  kernel k = build_chain(c);
  chain m;
  ck_assert_int_eq(jig_tile_state_size(size, (uint64_t)c->tiles, &m.temp_bytes), JIG_SUCCESS);
  void *host = items_random(c->type, count + 1, 51 + count), *out = malloc(count * size),
       *told = malloc(told_bytes);
  m.in = gpu_copy(host, (count + 1) * size, 0);
  m.temp = gpu_alloc(m.temp_bytes, 0);
  m.counters = gpu_alloc(16, 0);
  for (clearing how = BY_MEMSET; how < CLEARINGS; ++how) {
    m.out = gpu_alloc(count * size, 0);
    m.told = gpu_alloc(told_bytes, 0);
    launch(c, &k, &m, how, how == BY_TAG ? 0x123456789abcdef0u : 0x9e3779b97f4a7c15u);
    gpu_read(out, m.out, count * size);
    gpu_read(told, m.told, told_bytes);
    check_results(c, host, out, told);
    gpu_free(m.out);
    gpu_free(m.told);
  }
  gpu_free(m.in);
  gpu_free(m.temp);
  gpu_free(m.counters);
  free(host);
  free(out);
  free(told);
  kernel_free(&k);
}

static const char *const algorithms[] = {"warp_scans", "raking", "raking_memoize"};

START_TEST(chains_of_every_type) {
  const int threads[] = {32, 64, 96, 128}, items[] = {1, 2, 3};
  for (size_t t = 0; t < item_type_count; ++t) {
    check_chain(&(chain_case){&item_types[t], algorithms[t % 3], threads[t % 4], 1,
                              items[(t + t / 3) % 3], 70 + (int)t, t % 2 == 0, t / 2 % 2 == 0, t % 3 == 0,
                              t / 4 % 2 == 0});
  }
}
END_TEST

/* Groups of tiles have 32: around one, and around two. */
START_TEST(chains_of_every_length) {
  const int tiles[] = {1, 2, 31, 32, 33, 63, 64, 65, 1100};
  for (size_t n = 0; n < COUNT_OF(tiles); ++n) {
    check_chain(&(chain_case){&item_types[6], "warp_scans", 32, 1, 1, tiles[n], false, n % 2 == 0,
                              n % 3 == 0, n == 3});
  }
}
END_TEST

/* Of rows that are no warps, and with a last warp that is not whole. */
START_TEST(chains_of_blocks_of_any_shape) {
  check_chain(&(chain_case){&item_types[7], "warp_scans", 8, 6, 2, 40, true, false, false, false});
  check_chain(&(chain_case){&item_types[7], "raking", 5, 13, 1, 40, false, true, true, false});
  check_chain(&(chain_case){&item_types[7], "raking_memoize", 5, 13, 3, 40, true, false, false, false});
  check_chain(&(chain_case){&item_types[6], "warp_scans", 1024, 1, 1, 3, false, false, false, true});
}
END_TEST

/* ---- sizes */

START_TEST(sizes_are_those_of_the_device) {
  const size_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 12, 16, 17, 24, 32, 33, 64, 100, 255, 256};
  const uint64_t tiles[] = {0, 1, 31, 32, 33, 1000, 0x7fffffff};
  static char source[SOURCE_SIZE];
  size_t length =
      (size_t)snprintf(source, sizeof source,
                       "#include <jig/grid/tile_state.cuh>\n"
                       "template <int S> struct bytes_of { unsigned char b[S]; };\n"
                       "extern \"C\" __global__ void test(const uint64_t *tiles, uint64_t *out) {\n"
                       "  const int n = tiles[threadIdx.x];\n");
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    length +=
        (size_t)snprintf(source + length, sizeof source - length,
                         "  out[%zu + threadIdx.x] = jig::ScanTileState<bytes_of<%zu>>::bytes(n);\n",
                         s * COUNT_OF(tiles), sizes[s]);
  }
  (void)snprintf(source + length, sizeof source - length, "}\n");
  kernel k = kernel_build(source);
  uint64_t results[COUNT_OF(sizes) * COUNT_OF(tiles)];
  void *in = gpu_copy(tiles, sizeof tiles, 0), *out = gpu_alloc(sizeof results, 0);
  void *parameters[] = {&in, &out};
  GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, COUNT_OF(tiles), 1, 1, 0, NULL, parameters, NULL));
  gpu_read(results, out, sizeof results);
  for (size_t i = 0; i < COUNT_OF(results); ++i) {
    size_t bytes = 1;
    ck_assert_int_eq(jig_tile_state_size(sizes[i / COUNT_OF(tiles)], tiles[i % COUNT_OF(tiles)], &bytes),
                     JIG_SUCCESS);
    ck_assert_uint_eq(bytes, results[i]);
  }
  gpu_free(in);
  gpu_free(out);
  kernel_free(&k);
}
END_TEST

static void check_refused(size_t state_size, uint64_t num_tiles, size_t *bytes, const char *named) {
  ck_assert_int_eq(jig_tile_state_size(state_size, num_tiles, bytes), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_msg(strncmp(jig_last_error(), named, strlen(named)) == 0, "%s", jig_last_error());
}

START_TEST(sizes_that_no_state_has) {
  size_t bytes = 7;
  check_refused(0, 1, &bytes, "jig_tile_state_size: state_size: ");
  check_refused(257, 1, &bytes, "jig_tile_state_size: state_size: ");
  check_refused(4, (uint64_t)1 << 31, &bytes, "jig_tile_state_size: num_tiles: ");
  check_refused(4, 1, NULL, "jig_tile_state_size: bytes: ");
  ck_assert_uint_eq(bytes, 7);
  ck_assert_int_eq(jig_tile_state_size(256, 1, &bytes), JIG_SUCCESS);
  ck_assert_str_eq(jig_last_error(), "");
}
END_TEST

/* ---- a pipeline of one's own: select, scan and reduce of what is kept, in one pass over the items */

static const char fused_source[] =
    "#include <jig/block/scan.cuh>\n#include <jig/grid/tile_prefix.cuh>\n"
    "struct kept { uint32_t count; uint64_t sum; };\n"
    "struct add { kept operator()(const kept &a, const kept &b) const { return {a.count + b.count, a.sum "
    "+ b.sum}; } };\n"
    "constexpr int N = 4, threads = 64;\n"
    "using Scan = jig::BlockScan<kept, threads>;\n"
    "using Prefix = jig::TilePrefixCallbackOp<kept, add>;\n"
    "extern \"C\" __global__ void __launch_bounds__(threads)\n"
    "test(const uint32_t *in, int n, uint32_t limit, uint32_t *items, uint64_t *sums, kept *total, void "
    "*temp) {\n"
    "  __shared__ Scan::TempStorage storage;\n"
    "  __shared__ Prefix::TempStorage prefix_storage;\n"
    "  Prefix prefix(prefix_storage, {temp, int(gridDim.x)}, add(), blockIdx.x, kept{0, 0});\n"
    "  jig::array<kept, N> all;\n"
    "  uint32_t mine[N];\n"
    "  for (int k = 0; k < N; ++k) {\n"
    "    const int i = (blockIdx.x * threads + threadIdx.x) * N + k;\n"
    "    mine[k] = i < n ? in[i] : limit;\n"
    "    all[k] = mine[k] < limit ? kept{1, mine[k]} : kept{0, 0};\n"
    "  }\n"
    "  const auto before = Scan(storage).ExclusiveScanWithPrefix(all, add(), prefix);\n"
    "  for (int k = 0; k < N; ++k) {\n"
    "    if (mine[k] >= limit) continue;\n"
    "    items[before[k].count] = mine[k];\n"
    "    sums[before[k].count] = before[k].sum + mine[k];\n"
    "  }\n"
    "  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *total = prefix.GetInclusivePrefix();\n"
    "}\n";

typedef struct kept {
  uint32_t count;
  uint64_t sum;
} kept;

static void check_fused(const kernel *k, int n, uint32_t limit) {
  const size_t room = (size_t)n, blocks = (room + 255) / 256;
  uint32_t *host = malloc(room * sizeof *host), *items = malloc(room * sizeof *items);
  uint64_t *sums = malloc(room * sizeof *sums);
  size_t temp_bytes;
  kept total, wanted = {0, 0};
  fill_random(JIG_KIND_U32, host, room, 61);
  ck_assert_int_eq(jig_tile_state_size(sizeof(kept), blocks, &temp_bytes), JIG_SUCCESS);
  void *in = gpu_copy(host, room * sizeof *host, 0), *d_items = gpu_alloc(room * sizeof *items, 0),
       *d_sums = gpu_alloc(room * sizeof *sums, 0), *d_total = gpu_alloc(sizeof total, 0),
       *temp = gpu_alloc(temp_bytes, 0);
  gpu_fill(temp, 0, temp_bytes);
  void *parameters[] = {&in, &n, &limit, &d_items, &d_sums, &d_total, &temp};
  GPU(gpu()->cuLaunchKernel(k->function, (unsigned)blocks, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
  gpu_read(&total, d_total, sizeof total);
  gpu_read(items, d_items, room * sizeof *items);
  gpu_read(sums, d_sums, room * sizeof *sums);
  for (size_t i = 0; i < room; ++i) {
    if (host[i] >= limit) continue;
    wanted.sum += host[i];
    ck_assert_uint_eq(items[wanted.count], host[i]);
    ck_assert_uint_eq(sums[wanted.count], wanted.sum);
    ++wanted.count;
  }
  ck_assert_uint_eq(total.count, wanted.count);
  ck_assert_uint_eq(total.sum, wanted.sum);
  ck_assert(gpu_is_untouched((char *)d_items + wanted.count * sizeof *items,
                             (room - wanted.count) * sizeof *items));
  gpu_free(in);
  gpu_free(d_items);
  gpu_free(d_sums);
  gpu_free(d_total);
  gpu_free(temp);
  free(host);
  free(items);
  free(sums);
}

START_TEST(select_scan_and_reduce_in_one_pass) {
  kernel k = kernel_build(fused_source);
  check_fused(&k, 1, UINT32_MAX);
  check_fused(&k, 256, 1u << 31);
  check_fused(&k, 30011, 1u << 31);
  check_fused(&k, 30011, 0);
  check_fused(&k, 70001, UINT32_MAX / 10);
  kernel_free(&k);
}
END_TEST

static const suite_test tests[] = {
    SUITE_TEST(chains_of_every_type),          SUITE_TEST(chains_of_every_length),
    SUITE_TEST(chains_of_blocks_of_any_shape), SUITE_TEST(sizes_are_those_of_the_device),
    SUITE_TEST(sizes_that_no_state_has),       SUITE_TEST(select_scan_and_reduce_in_one_pass),
};

int main(void) {
  return SUITE_RUN("device/tile_prefix", tests, true);
}
