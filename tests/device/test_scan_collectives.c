/* The scans of threads, warps and blocks by themselves, as the author of a kernel uses them. */
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

/* What every kernel here begins with. Poison is what shared memory may hold before it is used; without
 * it, the software GPU knows that it is not set. */
#define COMMON_SOURCE                                                                  \
  "template <class Storage> __device__ void poison(Storage &storage, bool wanted) {\n" \
  "  for (int i = threadIdx.x; wanted && i < sizeof storage; i += blockDim.x)\n"       \
  "    reinterpret_cast<unsigned char *>(&storage)[i] = 0xcd;\n"                       \
  "  __syncthreads();\n"                                                               \
  "}\n"

/* What a scan of count items is to give: items, to which init is added on the left unless it is NULL. */
typedef struct model {
  unsigned char *inclusive, *exclusive;   /* exclusive[0] is init, or the first item if there is none */
  unsigned char aggregate[MAX_ITEM_SIZE]; /* of the items alone */
} model;

static model new_model(const item_type *type, const void *items, size_t count, const void *init) {
  const size_t size = type->size;
  model m = {.inclusive = malloc(count * size), .exclusive = malloc(count * size)};
  memcpy(m.aggregate, items, size);
  for (size_t i = 1; i < count; ++i)
    items_combine(type, m.aggregate, item_at(type, items, i), m.aggregate);
  for (size_t i = 0; i < count; ++i) {
    const void *before = i > 0 ? m.inclusive + (i - 1) * size : init;
    memcpy(m.exclusive + i * size, before != NULL ? before : items, size);
    if (before != NULL)
      items_combine(type, before, item_at(type, items, i), m.inclusive + i * size);
    else
      memcpy(m.inclusive, items, size);
  }
  return m;
}

static void free_model(model *m) {
  free(m->inclusive);
  free(m->exclusive);
}

static void check_same(const item_type *type, const void *got, const void *wanted, size_t count,
                       const char *what, const char *form) {
  for (size_t i = 0; i < count; ++i) {
    ck_assert_msg(memcmp(item_at(type, got, i), item_at(type, wanted, i), type->size) == 0,
                  "%s of %s, %s: result %zu is wrong", form, type->name, what, i);
  }
}

/* ---- block scan: every form, one after the other with one storage */

typedef struct form {
  const char *call;
  bool exclusive, initial, aggregate;
} form;
static const form forms[] = {
    {"InclusiveScan(items, op, aggregate)", false, false, true},
    {"ExclusiveScan(items, op, aggregate)", true, false, true},
    {"InclusiveScan(items, initial, op, aggregate)", false, true, true},
    {"ExclusiveScan(items, initial, op, aggregate)", true, true, true},
    {"InclusiveScanWithPrefix(items, op, callback)", false, true, false},
    {"ExclusiveScanWithPrefix(items, op, callback)", true, true, false},
    {"InclusiveScan(items, op)", false, false, false},
    {"ExclusiveScan(items, op)", true, false, false},
    {"InclusiveScan(items, initial, op)", false, true, false},
    {"ExclusiveScan(items, initial, op)", true, true, false},
};
enum { FORM_COUNT = COUNT_OF(forms) };
/* Sets of them, a bit for each: what a program has is what it costs to compile. */
enum { ALL_FORMS = (1 << FORM_COUNT) - 1, SOME_FORMS = 1 | 8 | 16, OTHER_FORMS = 2 | 4 | 32 };

typedef struct block_case {
  const item_type *type;
  const char *algorithm;
  int x, y, z, items;
  unsigned forms;
  bool own_storage;
} block_case;

static size_t threads_of(const block_case *c) {
  return (size_t)(c->x * c->y * c->z);
}

/* One form: its results, and what each thread was told of the aggregate. */
static void add_form(char *source, const block_case *c, size_t f) {
  const size_t used = strlen(source);
  (void)snprintf(source + used, SOURCE_SIZE - used,
                 "  { %s auto result = %s.%s;\n"
                 "    save(result, %d, initial, thread, out + %zu * tile);\n"
                 "    aggregates[%zu * threads + thread] = %s;\n"
                 "    __syncthreads(); }\n",
                 c->items == 1 ? "item items = all[0];" : "jig::array<item, per_thread> items = all;",
                 c->own_storage ? "Scan()" : "Scan(storage)", forms[f].call,
                 forms[f].exclusive && !forms[f].initial, f, f,
                 forms[f].aggregate                  ? "aggregate"
                 : strstr(forms[f].call, "callback") ? "callback.seen"
                                                     : "initial");
}

static kernel build_block_scan(const block_case *c) {
  static char source[SOURCE_SIZE];
  char type[TYPE_SOURCE_SIZE];
  items_source(c->type, type, sizeof type);
  (void)snprintf(
      source, sizeof source,
      "#include <jig/block/scan.cuh>\n%s" COMMON_SOURCE
      "constexpr int threads = %zu, per_thread = %d, tile = threads * per_thread;\n"
      "using Scan = jig::BlockScan<item, %d, jig::BlockScanAlgorithm::%s, %d, %d>;\n"
      "struct Callback { item prefix, seen; int thread;\n"
      "  item operator()(const item &all) { seen = all; return thread == 0 ? prefix : all; } };\n"
      "template <int N> void save(jig::array<item, N> result, bool undefined, const item &first,\n"
      "                           int thread, item *out) {\n"
      "  if (undefined && thread == 0) result[0] = first;\n"
      "  for (int i = 0; i < N; ++i) out[thread * N + i] = result[i];\n"
      "}\n"
      "void save(item result, bool undefined, const item &first, int thread, item *out) {\n"
      "  save(jig::array<item, 1>{result}, undefined, first, thread, out);\n"
      "}\n"
      "extern \"C\" __global__ void __launch_bounds__(threads)\n"
      "test(const item *in, item *out, item *aggregates, int poisoned) {\n"
      "  __shared__ Scan::TempStorage storage;\n"
      "  if (%d) poison(storage, poisoned);\n"
      "  const int thread = jig::linear_thread_id<%d, %d, %d>();\n"
      "  jig::array<item, per_thread> all;\n"
      "  for (int i = 0; i < per_thread; ++i) all[i] = in[thread * per_thread + i];\n"
      "  const item initial = in[tile];\n"
      "  item aggregate = initial;\n"
      "  Callback callback{initial, initial, thread};\n"
      "  item_op op;\n",
      type, threads_of(c), c->items, c->x, c->algorithm, c->y, c->z, c->y * c->z == 1, c->x, c->y, c->z);
  for (size_t f = 0; f < FORM_COUNT; ++f) {
    if (c->forms >> f & 1) add_form(source, c, f);
  }
  strcat(source, "}\n");
  return kernel_build(source);
}

static void check_form(const block_case *c, size_t f, const void *results, const void *aggregates,
                       const model *plain, const model *after, const void *initial) {
  const size_t threads = threads_of(c), size = c->type->size;
  char what[128];
  (void)snprintf(what, sizeof what, "%s, %zu threads, %d items", c->algorithm, threads, c->items);
  const model *m = forms[f].initial ? after : plain;
  const size_t first = forms[f].exclusive && !forms[f].initial;
  check_same(c->type, (const char *)results + first * size,
             (forms[f].exclusive ? m->exclusive : m->inclusive) + first * size,
             threads * (size_t)c->items - first, what, forms[f].call);
  const bool calls = strstr(forms[f].call, "callback") != NULL;
  const size_t told = calls && threads > 32 ? 32 : threads;
  for (size_t t = 0; t < told; ++t) {
    check_same(c->type, item_at(c->type, aggregates, t),
               forms[f].aggregate || calls ? plain->aggregate : initial, 1, "aggregate", what);
  }
}

static void check_block_scan(const block_case *c) {
  const size_t threads = threads_of(c), tile = threads * (size_t)c->items, size = c->type->size;
  kernel k = build_block_scan(c);
  void *host = items_random(c->type, tile + 1, 31 + tile), *initial = item_at(c->type, host, tile);
  model plain = new_model(c->type, host, tile, NULL), after = new_model(c->type, host, tile, initial);
  void *results = malloc((size_t)FORM_COUNT * tile * size),
       *aggregates = malloc((size_t)FORM_COUNT * threads * size);
  void *in = gpu_copy(host, (tile + 1) * size, 0), *out = gpu_alloc((size_t)FORM_COUNT * tile * size, 0),
       *told = gpu_alloc((size_t)FORM_COUNT * threads * size, 0);
  for (int poisoned = 0; poisoned < 2; ++poisoned) {
    void *parameters[] = {&in, &out, &told, &poisoned};
    GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, (unsigned)c->x, (unsigned)c->y, (unsigned)c->z, 0,
                              NULL, parameters, NULL));
    gpu_read(results, out, (size_t)FORM_COUNT * tile * size);
    gpu_read(aggregates, told, (size_t)FORM_COUNT * threads * size);
    for (size_t f = 0; f < FORM_COUNT; ++f) {
      if ((c->forms >> f & 1) == 0) continue;
      check_form(c, f, item_at(c->type, results, f * tile), item_at(c->type, aggregates, f * threads),
                 &plain, &after, initial);
    }
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(told);
  free_model(&plain);
  free_model(&after);
  free(results);
  free(aggregates);
  free(host);
  kernel_free(&k);
}

static const char *const algorithms[] = {"warp_scans", "raking", "raking_memoize"};

START_TEST(block_scan_of_every_type) {
  const int threads[] = {32, 33, 64, 96, 128, 256, 512, 1024}, items[] = {1, 2, 3, 4, 7, 8};
  size_t turn = 0;
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    for (size_t t = 0; t < item_type_count; ++t) {
      for (int n = 0; n < (a == 0 ? 2 : 1); ++n, ++turn) {
        block_case c = {&item_types[t],
                        algorithms[a],
                        threads[turn % COUNT_OF(threads)],
                        1,
                        1,
                        items[(turn + turn / 8) % COUNT_OF(items)],
                        (turn + a) % 2 == 0 ? SOME_FORMS : OTHER_FORMS,
                        false};
        /* What takes long to compile. */
        while (a > 0 && (size_t)c.x * c.type->size > 16384) c.x /= 2;
        if (c.type->size == MAX_ITEM_SIZE && c.items > 2) c.items = 2;
        check_block_scan(&c);
      }
    }
  }
}
END_TEST

START_TEST(block_scan_in_every_form) {
  const int threads[] = {5, 33};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    for (size_t n = 0; n < COUNT_OF(threads); ++n) {
      check_block_scan(&(block_case){&item_types[6], algorithms[a], threads[n], 1, 1, n % 2 == 0 ? 1 : 3,
                                     ALL_FORMS, n % 3 == a});
    }
    check_block_scan(&(block_case){&item_types[6], algorithms[a], 8, 6, 3, 3, ALL_FORMS, a == 0});
  }
}
END_TEST

/* ---- warp scan */

static kernel build_warp_scan(const item_type *type, int width, int logical) {
  static char source[SOURCE_SIZE];
  char type_source[TYPE_SOURCE_SIZE];
  items_source(type, type_source, sizeof type_source);
  (void)snprintf(
      source, sizeof source,
      "#include <jig/warp/scan.cuh>\n%s" COMMON_SOURCE
      "using Scan = jig::WarpScan<item, %d>;\n"
      "extern \"C\" __global__ void test(const item *in, item *out, int valid, int poisoned) {\n"
      "  constexpr int width = %d, logical = %d, count = 96;\n"
      "  __shared__ Scan::TempStorage storage[count / 32];\n"
      "  poison(storage, poisoned);\n"
      "  const int thread = threadIdx.x, lane = thread %% logical;\n"
      "  if (thread %% 32 >= width && width != logical) return;\n"
      "  Scan scan(storage[thread / 32]);\n"
      "  const item mine = in[thread], initial = in[count];\n"
      "  item aggregates[6];\n"
      "  item results[9] = {\n"
      "    scan.InclusiveScan(mine, item_op()), scan.InclusiveScan(mine, item_op(), aggregates[0]),\n"
      "    scan.InclusiveScan(mine, initial, item_op()),\n"
      "    scan.InclusiveScan(mine, initial, item_op(), aggregates[1]),\n"
      "    scan.ExclusiveScan(mine, item_op()), scan.ExclusiveScan(mine, item_op(), aggregates[2]),\n"
      "    scan.ExclusiveScan(mine, initial, item_op()),\n"
      "    scan.ExclusiveScan(mine, initial, item_op(), aggregates[3]), scan.Broadcast(mine, valid - 1)\n"
      "  };\n"
      "  if (lane == 0) results[4] = results[5] = initial;\n"
      "  for (int r = 0; r < 9; ++r) out[r * count + thread] = results[r];\n"
      "  item held;\n"
      "  if (lane < valid) held = mine;\n"
      "  item some = scan.InclusiveScanPartial(held, item_op(), valid, aggregates[4]);\n"
      "  item below = scan.ExclusiveScanPartial(held, item_op(), valid, aggregates[5]);\n"
      "  if (lane < valid) out[9 * count + thread] = some;\n"
      "  if (lane > 0 && lane < valid) out[10 * count + thread] = below;\n"
      "  for (int a = 0; a < 6; ++a) out[(11 + a) * count + thread] = aggregates[a];\n"
      "}\n",
      type_source, width, width, logical);
  return kernel_build(source);
}

enum { WARP_COUNT = 96, WARP_RESULTS = 17 };

/* One logical warp, whose first item is item `first`. */
static void check_logical_warp(const item_type *type, const void *host, const void *results, size_t first,
                               size_t width, size_t valid) {
  const void *items = item_at(type, host, first), *initial = item_at(type, host, WARP_COUNT);
  model plain = new_model(type, items, width, NULL), after = new_model(type, items, width, initial);
  model some = new_model(type, items, valid, NULL);
  const model *const models[] = {&plain, &plain, &after, &after};
  char what[64];
  (void)snprintf(what, sizeof what, "%zu of a warp of %zu, from item %zu", valid, width, first);
#define RESULT(r) item_at(type, results, (r)*WARP_COUNT + first)
  for (size_t r = 0; r < 4; ++r) {
    check_same(type, RESULT(r), models[r]->inclusive, width, what, "inclusive");
    const size_t skip = r < 2;
    check_same(type, item_at(type, RESULT(4 + r), skip), models[r]->exclusive + skip * type->size,
               width - skip, what, "exclusive");
  }
  check_same(type, RESULT(9), some.inclusive, valid, what, "partial inclusive");
  check_same(type, item_at(type, RESULT(10), 1), some.exclusive + type->size, valid - 1, what,
             "partial exclusive");
  for (size_t lane = 0; lane < width; ++lane) {
    check_same(type, item_at(type, RESULT(8), lane), item_at(type, items, valid - 1), 1, what,
               "broadcast");
    for (size_t a = 0; a < 6; ++a) {
      check_same(type, item_at(type, RESULT(11 + a), lane), a < 4 ? plain.aggregate : some.aggregate, 1,
                 what, "aggregate");
    }
  }
#undef RESULT
  free_model(&plain);
  free_model(&after);
  free_model(&some);
}

static void check_warp_scan(const item_type *type, int width) {
  const bool power = (width & (width - 1)) == 0;
  const int logical = power ? width : 32;
  kernel k = build_warp_scan(type, width, logical);
  void *host = items_random(type, WARP_COUNT + 1, 41),
       *results = malloc(WARP_RESULTS * WARP_COUNT * type->size);
  void *in = gpu_copy(host, (WARP_COUNT + 1) * type->size, 0);
  for (int valid = 1; valid <= width; valid += valid < 3 ? 1 : 9) {
    int poisoned = valid % 2;
    void *out = gpu_alloc(WARP_RESULTS * WARP_COUNT * type->size, 0);
    void *parameters[] = {&in, &out, &valid, &poisoned};
    GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, WARP_COUNT, 1, 1, 0, NULL, parameters, NULL));
    gpu_read(results, out, WARP_RESULTS * WARP_COUNT * type->size);
    for (size_t first = 0; first < WARP_COUNT; first += (size_t)logical) {
      check_logical_warp(type, host, results, first, (size_t)width, (size_t)valid);
    }
    gpu_free(out);
  }
  gpu_free(in);
  free(host);
  free(results);
  kernel_free(&k);
}

START_TEST(warp_scan_of_every_width) {
  const int widths[] = {1, 2, 5, 8, 16, 31, 32};
  for (size_t w = 0; w < COUNT_OF(widths); ++w) {
    check_warp_scan(&item_types[6], widths[w]);
    check_warp_scan(&item_types[w], widths[w]);
    check_warp_scan(&item_types[item_type_count - 1 - w], widths[w]);
  }
  for (size_t t = 0; t < item_type_count; ++t) check_warp_scan(&item_types[t], t % 2 == 0 ? 32 : 13);
}
END_TEST

/* ---- thread scan */

static void check_thread_scan(const item_type *type, int items) {
  static char source[SOURCE_SIZE];
  char type_source[TYPE_SOURCE_SIZE];
  items_source(type, type_source, sizeof type_source);
  (void)snprintf(source, sizeof source,
                 "#include <jig/thread/scan.cuh>\n%s"
                 "constexpr int N = %d;\n"
                 "void save(const jig::array<item, N> &scanned, item *out) {\n"
                 "  for (int i = 0; i < N; ++i) out[i] = scanned[i];\n"
                 "}\n"
                 "extern \"C\" __global__ void test(const item *in, item *out) {\n"
                 "  jig::array<item, N> items;\n"
                 "  for (int i = 0; i < N; ++i) items[i] = in[i];\n"
                 "  item prefix = in[N], garbage;\n"
                 "  item_op op;\n"
                 "  save(jig::thread_inclusive_scan(items, op), out);\n"
                 "  save(jig::thread_inclusive_scan(items, op, garbage, false), out + N);\n"
                 "  save(jig::thread_exclusive_scan(items, op), out + 2 * N);\n"
                 "  save(jig::thread_exclusive_scan(items, op, garbage, false), out + 3 * N);\n"
                 "  save(jig::thread_inclusive_scan(items, op, prefix), out + 4 * N);\n"
                 "  save(jig::thread_exclusive_scan(items, op, prefix), out + 5 * N);\n"
                 "  out[2 * N] = out[3 * N] = prefix;\n"
                 "}\n",
                 type_source, items);
  kernel k = kernel_build(source);
  const size_t count = (size_t)items;
  void *host = items_random(type, count + 1, 51), *results = malloc(6 * count * type->size);
  void *in = gpu_copy(host, (count + 1) * type->size, 0), *out = gpu_alloc(6 * count * type->size, 0),
       *parameters[] = {&in, &out};
  GPU(gpu()->cuLaunchKernel(k.function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
  gpu_read(results, out, 6 * count * type->size);
  model plain = new_model(type, host, count, NULL),
        after = new_model(type, host, count, item_at(type, host, count));
  for (size_t r = 0; r < 6; ++r) {
    const model *m = r < 4 ? &plain : &after;
    const size_t skip = r == 2 || r == 3;
    const bool exclusive = skip || r == 5;
    check_same(type, item_at(type, results, r * count + skip),
               (exclusive ? m->exclusive : m->inclusive) + skip * type->size, count - skip, "one thread",
               exclusive ? "exclusive" : "inclusive");
  }
  free_model(&plain);
  free_model(&after);
  gpu_free(in);
  gpu_free(out);
  free(host);
  free(results);
  kernel_free(&k);
}

START_TEST(thread_scan) {
  const int items[] = {1, 2, 3, 8};
  for (size_t n = 0; n < COUNT_OF(items); ++n) {
    check_thread_scan(&item_types[6], items[n]);
    check_thread_scan(&item_types[n], items[n]);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(thread_scan),
      SUITE_TEST(warp_scan_of_every_width),
      SUITE_TEST(block_scan_in_every_form),
      SUITE_TEST(block_scan_of_every_type),
  };
  return SUITE_RUN("device/scan_collectives", tests, true);
}
