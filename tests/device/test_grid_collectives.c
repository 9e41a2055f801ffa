/* What the blocks of a grid share: a barrier, even shares of an input, a queue; as the author of a kernel
 * uses them. (tile_prefix has what their tiles tell each other.) */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "suite.h"

typedef struct shape {
  unsigned grid[3], block[3];
} shape;

static unsigned volume(const unsigned side[3]) {
  return side[0] * side[1] * side[2];
}

static void launch(const kernel *k, const shape *s, bool cooperative, void **parameters) {
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  const CUlaunchConfig config = {.gridDimX = s->grid[0],
                                 .gridDimY = s->grid[1],
                                 .gridDimZ = s->grid[2],
                                 .blockDimX = s->block[0],
                                 .blockDimY = s->block[1],
                                 .blockDimZ = s->block[2],
                                 .attrs = &attribute,
                                 .numAttrs = cooperative};
  GPU(gpu()->cuLaunchKernelEx(&config, k->function, parameters, NULL));
}

/* ---- barrier: in each round every thread adds up what the threads of another block have written in the
 * round before, and writes what comes of it over that */

static const char barrier_source[] =
    "#include <jig/block/thread_id.cuh>\n#include <jig/grid/barrier.cuh>\n"
    "extern \"C\" __global__ void test(uint32_t *values, void *word, int rounds) {\n"
    "  jig::GridBarrier barrier(word);\n"
    "  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;\n"
    "  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;\n"
    "  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
    "  for (int round = 1; round <= rounds; ++round) {\n"
    "    const unsigned other = (block + round) % blocks;\n"
    "    uint32_t sum = 0;\n"
    "    for (unsigned i = 0; i < threads; ++i) sum = sum * 3 + values[other * threads + i];\n"
    "    barrier.Sync();\n"
    "    values[block * threads + thread] = sum + thread;\n"
    "    barrier.Sync();\n"
    "  }\n"
    "}\n";

static void rounds_on_host(uint32_t *values, uint32_t *next, unsigned blocks, unsigned threads,
                           int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    for (unsigned block = 0; block < blocks; ++block) {
      uint32_t sum = 0;
      for (unsigned i = 0; i < threads; ++i)
        sum = sum * 3 + values[(block + (unsigned)round) % blocks * threads + i];
      for (unsigned i = 0; i < threads; ++i) next[block * threads + i] = sum + i;
    }
    memcpy(values, next, sizeof *values * blocks * threads);
  }
}

/* One word for launches of every shape, one after the other. */
START_TEST(barrier_of_grids_of_any_shape) {
  const shape shapes[] = {{{1, 1, 1}, {1, 1, 1}},   {{2, 1, 1}, {32, 1, 1}}, {{3, 1, 1}, {33, 1, 1}},
                          {{2, 3, 1}, {8, 4, 2}},   {{1, 2, 3}, {5, 1, 7}},  {{8, 1, 1}, {64, 1, 1}},
                          {{1, 1, 1}, {1024, 1, 1}}};
  kernel k = kernel_build(barrier_source);
  void *word = gpu_alloc(4, 0);
  gpu_fill(word, 0, 4);
  for (size_t s = 0; s < COUNT_OF(shapes); ++s) {
    const unsigned blocks = volume(shapes[s].grid), threads = volume(shapes[s].block),
                   count = blocks * threads;
    uint32_t *host = malloc(count * sizeof *host), *next = malloc(count * sizeof *next);
    int rounds = 5 + (int)s;
    fill_random(JIG_KIND_U32, host, count, 81 + s);
    void *values = gpu_copy(host, count * sizeof *host, 0), *parameters[] = {&values, &word, &rounds};
    launch(&k, &shapes[s], true, parameters);
    rounds_on_host(host, next, blocks, threads, rounds);
    gpu_read(next, values, count * sizeof *next);
    for (unsigned i = 0; i < count; ++i) ck_assert_msg(next[i] == host[i], "shape %zu: value %u", s, i);
    gpu_free(values);
    free(host);
    free(next);
  }
  gpu_free(word);
  kernel_free(&k);
}
END_TEST

/* ---- even shares: each block lists the tiles of its share */

static const char share_source[] =
    "#include <jig/grid/even_share.cuh>\n"
    "template <jig::GridMapping Mapping, class Index>\n"
    "void list(Index n, int tile_items, uint64_t *tiles, int *counts, int room) {\n"
    "  const jig::GridEvenShare<Mapping, Index> share(n, tile_items);\n"
    "  int count = 0;\n"
    "  for (Index i = share.block_offset; i < share.block_end && count < room; i += share.block_stride, "
    "++count) {\n"
    "    tiles[2 * (blockIdx.x * room + count)] = i;\n"
    "    tiles[2 * (blockIdx.x * room + count) + 1] = share.valid_items(i);\n"
    "  }\n"
    "  counts[blockIdx.x] = count;\n"
    "}\n"
    "extern \"C\" __global__ void test(uint64_t n, int tile_items, bool rakes, bool is_wide, uint64_t "
    "*tiles,\n"
    "                                int *counts, int room) {\n"
    "  using jig::GridMapping;\n"
    "  if (rakes && is_wide) list<GridMapping::rake, uint64_t>(n, tile_items, tiles, counts, room);\n"
    "  else if (rakes) list<GridMapping::rake, uint32_t>(n, tile_items, tiles, counts, room);\n"
    "  else if (is_wide) list<GridMapping::strip_mine, uint64_t>(n, tile_items, tiles, counts, room);\n"
    "  else list<GridMapping::strip_mine, uint32_t>(n, tile_items, tiles, counts, room);\n"
    "}\n";

typedef struct share_case {
  uint64_t items;
  int tile_items;
  unsigned blocks;
  bool rakes, is_wide;
} share_case;

/* Block after block, or in turn, the tiles of the whole input come one after the other. */
static void check_tiles(const share_case *c, const uint64_t *tiles, const int *counts, int room) {
  const uint64_t size = (uint64_t)c->tile_items, all = c->items / size + (c->items % size != 0);
  const uint64_t least = all / c->blocks, larger = all % c->blocks;
  uint64_t before = 0;
  for (unsigned b = 0; b < c->blocks; ++b) {
    ck_assert_uint_eq((uint64_t)counts[b], least + (b < larger));
    for (int i = 0; i < counts[b]; ++i, ++before) {
      const uint64_t tile = c->rakes ? before : (uint64_t)i * c->blocks + b;
      const uint64_t *const listed = tiles + 2 * (b * (unsigned)room + (unsigned)i);
      ck_assert_uint_eq(listed[0], tile * size);
      ck_assert_uint_eq(listed[1], tile + 1 < all ? size : c->items - tile * size);
    }
  }
  ck_assert_uint_eq(before, all);
}

static void check_shares(const kernel *k, share_case *c) {
  int room = (int)(c->items / (uint64_t)c->tile_items / c->blocks) + 3;
  const size_t bytes = sizeof(uint64_t) * 2 * (size_t)room * c->blocks;
  uint64_t *tiles = malloc(bytes);
  int *counts = malloc(c->blocks * sizeof *counts);
  void *d_tiles = gpu_alloc(bytes, 0), *d_counts = gpu_alloc(c->blocks * sizeof *counts, 0);
  void *parameters[] = {&c->items, &c->tile_items, &c->rakes, &c->is_wide, &d_tiles, &d_counts, &room};
  launch(k, &(shape){{c->blocks, 1, 1}, {1, 1, 1}}, false, parameters);
  gpu_read(tiles, d_tiles, bytes);
  gpu_read(counts, d_counts, c->blocks * sizeof *counts);
  check_tiles(c, tiles, counts, room);
  gpu_free(d_tiles);
  gpu_free(d_counts);
  free(tiles);
  free(counts);
}

START_TEST(even_shares_have_every_tile_once) {
  const uint64_t items[] = {0, 1, 255, 256, 257, 2560, 10007, 3900000001u, ((uint64_t)1 << 40) + 7};
  const unsigned blocks[] = {1, 2, 7, 40};
  kernel k = kernel_build(share_source);
  for (size_t n = 0; n < COUNT_OF(items); ++n) {
    for (size_t b = 0; b < COUNT_OF(blocks); ++b) {
      for (int way = 0; way < 4; ++way) {
        share_case c = {items[n], 256, blocks[b], way % 2 == 0, way / 2 == 0 || items[n] > UINT32_MAX};
        if (items[n] > 1 << 20) c.tile_items = (int)(items[n] / 500 < 1 << 30 ? items[n] / 500 : 1 << 30);
        check_shares(&k, &c);
      }
    }
  }
  kernel_free(&k);
}
END_TEST

/* ---- queue: threads draw numbers until there are none left, and put each where it has room */

static kernel build_queue(const char *index) {
  static char source[2048];
  (void)snprintf(
      source, sizeof source,
      "#include <jig/grid/queue.cuh>\n"
      "using Index = %s;\n"
      "extern \"C\" __global__ void test(void *counters, Index work, Index *places, int step) {\n"
      "  jig::GridQueue<Index> queue(counters);\n"
      "  if (step == 0) return queue.FillAndResetDrain(work);\n"
      "  if (step == 2) { places[0] = queue.FillSize(); return; }\n"
      "  while (true) {\n"
      "    const Index first = queue.Drain(3);\n"
      "    if (first >= work) return;\n"
      "    const Index count = jig::min_of(Index(3), work - first), at = queue.Fill(count);\n"
      "    for (Index i = 0; i < count; ++i) places[at + i] = first + i;\n"
      "  }\n"
      "}\n",
      index);
  return kernel_build(source);
}

static void check_queue(const char *index, size_t size, uint64_t work, uint64_t filled) {
  const jig_type_kind kind = size == 8 ? JIG_KIND_U64 : JIG_KIND_U32;
  const shape one = {{1, 1, 1}, {1, 1, 1}};
  kernel k = build_queue(index);
  int step = 0;
  const size_t bytes = (size_t)(filled + work) * size;
  unsigned char *host = malloc(bytes), seen[256] = {0};
  void *queue = gpu_alloc(16, 0), *places = gpu_alloc(bytes, 0),
       *parameters[] = {&queue, &filled, &places, &step};
  launch(&k, &one, false, parameters);
  step = 1;
  parameters[1] = &work;
  launch(&k, &(shape){{3, 1, 1}, {32, 1, 1}}, false, parameters);
  gpu_read(host, places, bytes);
  ck_assert(gpu_is_untouched(places, (size_t)filled * size));
  for (uint64_t i = filled; i < filled + work; ++i) {
    const uint64_t number = (uint64_t)get_integer(kind, host, i);
    ck_assert_uint_lt(number, work);
    ck_assert_uint_eq(seen[number]++, 0);
  }
  step = 2;
  launch(&k, &one, false, parameters);
  gpu_read(host, places, size);
  ck_assert_uint_eq((uint64_t)get_integer(kind, host, 0), filled + work);
  gpu_free(queue);
  gpu_free(places);
  free(host);
  kernel_free(&k);
}

START_TEST(queue_gives_every_number_once) {
  check_queue("uint32_t", 4, 250, 5);
  check_queue("uint64_t", 8, 251, 3);
  check_queue("uint32_t", 4, 1, 1);
}
END_TEST

static const suite_test tests[] = {
    SUITE_TEST(barrier_of_grids_of_any_shape),
    SUITE_TEST(even_shares_have_every_tile_once),
    SUITE_TEST(queue_gives_every_number_once),
};

int main(void) {
  return SUITE_RUN("device/grid_collectives", tests, true);
}
