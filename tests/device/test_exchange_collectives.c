/* The exchanges, loads and stores of blocks by themselves, as the author of a kernel uses them. */
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

/* ---- arrangements: which item of a tile thread t holds as its j-th */

typedef struct shape {
  const item_type *type;
  int threads, items;
} shape;

typedef enum arrangement { BLOCKED, STRIPED, WARP_STRIPED } arrangement;

static size_t tile_of(const shape *s) {
  return (size_t)s->threads * (size_t)s->items;
}

/* For place i of the tile in the order in which the kernels write it: items of a thread together. */
static size_t held_at(const shape *s, arrangement a, size_t i) {
  const size_t n = (size_t)s->items, t = i / n, j = i % n;
  return a == BLOCKED ? i : a == STRIPED ? j * (size_t)s->threads + t : t / 32 * 32 * n + j * 32 + t % 32;
}

static void describe(const shape *s, char *source, size_t size) {
  char type[TYPE_SOURCE_SIZE];
  items_source(s->type, type, sizeof type);
  (void)snprintf(source, size,
                 "%s#include <jig/core/types.cuh>\n"
                 "constexpr int threads = %d, N = %d, tile = threads * N;\n"
                 "using Items = jig::array<item, N>;\n"
                 "template <class Storage> __device__ void poison(Storage &storage, bool wanted) {\n"
                 "  for (int i = threadIdx.x; wanted && i < sizeof storage; i += threads)\n"
                 "    reinterpret_cast<unsigned char *>(&storage)[i] = 0xcd;\n"
                 "  __syncthreads();\n"
                 "}\n",
                 type, s->threads, s->items);
}

/* The kernel's parameters are in, out and what more points to or is. */
static void launch(const kernel *k, const shape *s, void **parameters) {
  GPU(gpu()->cuLaunchKernel(k->function, 1, 1, 1, (unsigned)s->threads, 1, 1, 0, NULL, parameters, NULL));
}

static void check_item(const shape *s, const void *got, const void *wanted, const char *what, size_t i) {
  ck_assert_msg(memcmp(got, wanted, s->type->size) == 0,
                "%s of %s, %d threads, %d items: item %zu is wrong", what, s->type->name, s->threads,
                s->items, i);
}

/* ---- exchange */

typedef struct move {
  const char *call;
  arrangement from, to;
  enum { ALL, GUARDED, FLAGGED } kept;
  bool scatters;
} move;
static const move moves[] = {
    {"StripedToBlocked(items)", STRIPED, BLOCKED, ALL, false},
    {"BlockedToStriped(items)", BLOCKED, STRIPED, ALL, false},
    {"ScatterToBlocked(items, ranks)", BLOCKED, BLOCKED, ALL, true},
    {"ScatterToStriped(items, ranks)", BLOCKED, STRIPED, ALL, true},
    {"ScatterToStripedGuarded(items, guarded)", BLOCKED, STRIPED, GUARDED, true},
    {"ScatterToStripedFlagged(items, ranks, flags)", BLOCKED, STRIPED, FLAGGED, true},
    {"WarpStripedToBlocked(items)", WARP_STRIPED, BLOCKED, ALL, false},
    {"BlockedToWarpStriped(items)", BLOCKED, WARP_STRIPED, ALL, false},
};
/* Without whole warps, the last two are left out. */
static size_t moves_of(const shape *s) {
  return s->threads % 32 == 0 ? COUNT_OF(moves) : COUNT_OF(moves) - 2;
}

/* A permutation of the places of a tile; every third item is not kept where some are not. */
static int *random_ranks(size_t tile) {
  int *ranks = malloc(tile * sizeof *ranks);
  uint64_t seed = 61;
  for (size_t i = 0; i < tile; ++i) {
    const size_t j = next_random(&seed) % (i + 1);
    ranks[i] = ranks[j];
    ranks[j] = (int)i;
  }
  return ranks;
}
static bool is_kept(const move *m, const int *ranks, size_t i) {
  return m->kept == ALL || ranks[i] % 3 != 0;
}

static kernel build_exchange(const shape *s, bool own_storage) {
  static char source[SOURCE_SIZE];
  describe(s, source, sizeof source);
  size_t used = strlen(source);
  used +=
      (size_t)snprintf(source + used, sizeof source - used,
                       "#include <jig/block/exchange.cuh>\n"
                       "using Exchange = jig::BlockExchange<item, threads, N>;\n"
                       "extern \"C\" __global__ void test(const item *in, item *out, const int *places,\n"
                       "                                int poisoned) {\n"
                       "  __shared__ Exchange::TempStorage storage;\n"
                       "  poison(storage, poisoned);\n"
                       "  Items items, moved;\n"
                       "  jig::array<int, N> ranks, guarded;\n"
                       "  jig::array<bool, N> flags;\n"
                       "  for (int j = 0; j < N; ++j) {\n"
                       "    items[j] = in[threadIdx.x * N + j];\n"
                       "    ranks[j] = places[threadIdx.x * N + j];\n"
                       "    flags[j] = ranks[j] %% 3 != 0;\n"
                       "    guarded[j] = flags[j] ? ranks[j] : -1 - j;\n"
                       "  }\n");
  for (size_t m = 0; m < moves_of(s); ++m) {
    /* To which no item came is not read. */
    used += (size_t)snprintf(source + used, sizeof source - used,
                             "  moved = %s.%s;\n"
                             "  for (int j = 0; j < N; ++j)\n"
                             "    if (%s(j * threads + threadIdx.x) %% 3 != 0)\n"
                             "      out[%zu * tile + threadIdx.x * N + j] = moved[j];\n"
                             "  __syncthreads();\n",
                             own_storage ? "Exchange()" : "Exchange(storage)", moves[m].call,
                             moves[m].kept == ALL ? "true || " : "", m);
  }
  (void)snprintf(source + used, sizeof source - used, "}\n");
  return kernel_build(source);
}

/* What move m makes of the items, in the order in which the kernel writes them. */
static void check_move(const shape *s, const move *m, const void *items, const int *ranks,
                       const void *results) {
  const size_t tile = tile_of(s);
  size_t *source = malloc(tile * sizeof *source); /* for each place of the tile, what comes there */
  bool *comes = calloc(tile, sizeof *comes);
  for (size_t i = 0; i < tile; ++i) {
    const size_t place = m->scatters ? (size_t)ranks[i] : held_at(s, m->from, i);
    source[place] = i;
    comes[place] = is_kept(m, ranks, i);
  }
  for (size_t i = 0; i < tile; ++i) {
    const size_t place = held_at(s, m->to, i);
    if (!comes[place]) continue;
    check_item(s, item_at(s->type, results, i), item_at(s->type, items, source[place]), m->call, i);
  }
  free(source);
  free(comes);
}

static void check_exchange(const shape *s, bool own_storage) {
  const size_t tile = tile_of(s), size = s->type->size, results_size = COUNT_OF(moves) * tile * size;
  kernel k = build_exchange(s, own_storage);
  void *items = items_random(s->type, tile, 62), *results = malloc(results_size);
  int *ranks = random_ranks(tile);
  void *in = gpu_copy(items, tile * size, 0), *places = gpu_copy(ranks, tile * sizeof *ranks, 0);
  for (int poisoned = 0; poisoned < 2; ++poisoned) {
    void *out = gpu_alloc(results_size, 0), *parameters[] = {&in, &out, &places, &poisoned};
    launch(&k, s, parameters);
    gpu_read(results, out, results_size);
    for (size_t m = 0; m < moves_of(s); ++m) {
      check_move(s, &moves[m], items, ranks, item_at(s->type, results, m * tile));
    }
    gpu_free(out);
  }
  gpu_free(in);
  gpu_free(places);
  free(items);
  free(results);
  free(ranks);
  kernel_free(&k);
}

/* A few thousand items at most, so that any of them fits static shared memory. */
static shape shape_of(const item_type *type, int threads, int items) {
  while ((size_t)threads * (size_t)items * type->size > 40000) {
    if (items > 2)
      items = (items + 1) / 2;
    else
      threads /= 2;
  }
  return (shape){type, threads, items};
}

START_TEST(exchange_of_every_type) {
  const int threads[] = {32, 33, 64, 96, 128, 256, 512}, items[] = {1, 2, 3, 4, 7, 8};
  size_t turn = 0;
  for (size_t t = 0; t < item_type_count; ++t) {
    for (int n = 0; n < 2; ++n, ++turn) {
      const shape s = shape_of(&item_types[t], threads[turn % COUNT_OF(threads)],
                               items[(turn + t) % COUNT_OF(items)]);
      check_exchange(&s, turn % 4 == 0);
    }
  }
}
END_TEST

/* Numbers of items for which room is left between some, in words of 4, 8 and 16 bytes. */
START_TEST(exchange_with_padding) {
  const shape shapes[] = {{&item_types[2], 128, 24}, {&item_types[2], 33, 12}, {&item_types[2], 1024, 8},
                          {&item_types[6], 96, 12},  {&item_types[6], 32, 16}, {&item_types[7], 64, 20},
                          {&item_types[4], 64, 12},  {&item_types[8], 65, 8}};
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) check_exchange(&shapes[i], false);
}
END_TEST

/* ---- load and store */

typedef struct transfer {
  const char *algorithm;
  arrangement held;
} transfer;
static const transfer transfers[] = {{"direct", BLOCKED},
                                     {"striped", STRIPED},
                                     {"vectorized", BLOCKED},
                                     {"transpose", BLOCKED},
                                     {"warp_transpose", BLOCKED}};

/* Items go from `in` through registers to `held`, as the threads hold them, and to `out`, all at once: a
 * tile that starts at item `start`, whole or (valid >= 0) in part. Through, an iterator: the pointer
 * itself, or one that has no vectors. */
static kernel build_transfer(const shape *s, const transfer *t, const char *through, bool own_storage) {
  static char source[SOURCE_SIZE];
  describe(s, source, sizeof source);
  const size_t used = strlen(source);
  const char *l = own_storage ? "" : "storage.load", *st = own_storage ? "" : "storage.store";
  (void)snprintf(source + used, sizeof source - used,
                 "#include <jig/block/load.cuh>\n"
                 "#include <jig/block/store.cuh>\n"
                 "#include <jig/core/iterator/strided.cuh>\n"
                 "using Load = jig::BlockLoad<item, threads, N, jig::BlockLoadAlgorithm::%s>;\n"
                 "using Store = jig::BlockStore<item, threads, N, jig::BlockStoreAlgorithm::%s>;\n"
                 "using Through = jig::%s<item>;\n"
                 "template <class It> It make(item *data) {\n"
                 "  if constexpr (jig::is_same<It, jig::Strided<item>>) return {data, sizeof(item)};\n"
                 "  else return {data};\n"
                 "}\n"
                 "extern \"C\" __global__ void test(item *in, item *out, item *held, uint64_t start,\n"
                 "                                int valid, int poisoned) {\n"
                 "  __shared__ union { Load::TempStorage load; Store::TempStorage store; } storage;\n"
                 "  poison(storage, poisoned);\n"
                 "  const auto from = make<Through>(in), to = make<Through>(out);\n"
                 "  const item fill = in[0];\n"
                 "  Items items;\n"
                 "  Load load%s%s%s;\n"
                 "  if (valid < 0) load.Load(from, start, items);\n"
                 "  else load.Load(from, start, items, valid, fill);\n"
                 "  for (int j = 0; j < N; ++j) held[threadIdx.x * N + j] = items[j];\n"
                 "  __syncthreads();\n"
                 "  Store store%s%s%s;\n"
                 "  if (valid < 0) store.Store(to, start, items);\n"
                 "  else store.Store(to, start, items, valid);\n"
                 "}\n",
                 t->algorithm, t->algorithm, through, own_storage ? "" : "(", l, own_storage ? "" : ")",
                 own_storage ? "" : "(", st, own_storage ? "" : ")");
  return kernel_build(source);
}

static void check_transferred(const shape *s, const transfer *t, const void *host, const void *held,
                              const void *out, size_t start, size_t valid) {
  const size_t tile = tile_of(s), size = s->type->size;
  for (size_t i = 0; i < tile; ++i) {
    const size_t item = held_at(s, t->held, i);
    check_item(s, item_at(s->type, held, i), item_at(s->type, host, item < valid ? start + item : 0),
               t->algorithm, i);
  }
  for (size_t i = 0; i < start + tile; ++i) {
    const void *got = item_at(s->type, out, i);
    unsigned char untouched[MAX_ITEM_SIZE];
    memset(untouched, 0xcd, sizeof untouched);
    const bool written = i >= start && i < start + valid;
    ck_assert_msg(memcmp(got, written ? item_at(s->type, host, i) : untouched, size) == 0,
                  "stored by %s of %s, %d threads, %d items, from %zu: item %zu of %zu is wrong",
                  t->algorithm, s->type->name, s->threads, s->items, start, i, start + valid);
  }
}

/* From item `start` of memory that is `offset` items past what vectors are aligned to. */
static void check_transfer(const shape *s, const transfer *t, const kernel *k, uint64_t start,
                           size_t offset) {
  const size_t tile = tile_of(s), size = s->type->size, count = (size_t)start + tile;
  const int valids[] = {-1, 0, 1, (int)tile / 2 + 1, (int)tile};
  void *host = items_random(s->type, count, 63), *held = malloc(tile * size),
       *stored = malloc(count * size);
  void *in = gpu_copy(host, count * size, offset * size), *kept = gpu_alloc(tile * size, 0);
  for (size_t v = 0; v < COUNT_OF(valids); ++v) {
    int valid = valids[v], poisoned = v % 2 == 0;
    void *out = gpu_alloc(count * size, offset * size);
    void *parameters[] = {&in, &out, &kept, &start, &valid, &poisoned};
    launch(k, s, parameters);
    gpu_read(held, kept, tile * size);
    gpu_read(stored, out, count * size);
    check_transferred(s, t, host, held, stored, start, valid < 0 ? tile : (size_t)valid);
    gpu_free(out);
  }
  gpu_free(in);
  gpu_free(kept);
  free(host);
  free(held);
  free(stored);
}

static void check_transfers(const shape *s, size_t t, const char *through, bool own_storage) {
  kernel k = build_transfer(s, &transfers[t], through, own_storage);
  check_transfer(s, &transfers[t], &k, 64, 0);
  check_transfer(s, &transfers[t], &k, 64, 1);
  check_transfer(s, &transfers[t], &k, 3, 0);
  kernel_free(&k);
}

START_TEST(transfers_of_every_type) {
  const int threads[] = {32, 128, 64, 256, 96, 33, 512}, items[] = {3, 1, 8, 7, 2, 4};
  size_t turn = 0;
  for (size_t t = 0; t < item_type_count; ++t) {
    for (size_t a = 0; a < COUNT_OF(transfers); ++a, ++turn) {
      /* Vectors need whole runs: 16 bytes, or as many items as fill whole vectors. */
      if (a == 2 || (a + t) % 2 == 0) continue;
      shape s =
          shape_of(&item_types[t], threads[turn % COUNT_OF(threads)], items[turn % COUNT_OF(items)]);
      if (a == 4 && s.threads % 32 != 0) s.threads = 32;
      check_transfers(&s, a, turn % 3 == 0 ? "Strided" : "Pointer", turn % 4 == 0);
    }
  }
}
END_TEST

START_TEST(transfers_by_vectors) {
  const shape shapes[] = {{&item_types[0], 33, 16}, {&item_types[1], 64, 8},  {&item_types[2], 128, 12},
                          {&item_types[3], 96, 2},  {&item_types[4], 256, 3}, {&item_types[5], 32, 16},
                          {&item_types[7], 64, 4},  {&item_types[9], 32, 2}};
  for (size_t i = 0; i < COUNT_OF(shapes); ++i) check_transfers(&shapes[i], 2, "Pointer", false);
  check_transfers(&shapes[2], 2, "Strided", true);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(exchange_of_every_type),
      SUITE_TEST(exchange_with_padding),
      SUITE_TEST(transfers_of_every_type),
      SUITE_TEST(transfers_by_vectors),
  };
  return SUITE_RUN("device/exchange_collectives", tests, true);
}
