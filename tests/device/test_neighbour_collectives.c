/* What blocks find out about neighbouring items, discontinuities and adjacent differences, by themselves,
 * as the author of a kernel uses them. */
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

typedef struct shape {
  const item_type *type;
  int x, y, items; /* x * y threads */
} shape;

static size_t threads_of(const shape *s) {
  return (size_t)(s->x * s->y);
}
static size_t tile_of(const shape *s) {
  return threads_of(s) * (size_t)s->items;
}

/* A tile of items, with the neighbours before and after it, and every second item like the one before. */
static void *random_runs(const shape *s) {
  const size_t count = tile_of(s) + 2;
  void *items = items_random(s->type, count, 71);
  uint64_t seed = 72;
  for (size_t i = 1; i < count; ++i) {
    if (next_random(&seed) >> 63)
      memcpy(item_at(s->type, items, i), item_at(s->type, items, i - 1), s->type->size);
  }
  return items;
}

/* What all kernels here begin with. Only the threads that are to look at a neighbouring tile have its
 * item. */
static void describe(const shape *s, const char *header, const char *collective, char *source,
                     size_t size) {
  char type[TYPE_SOURCE_SIZE];
  items_source(s->type, type, sizeof type);
  (void)snprintf(source, size,
                 "%s#include <jig/block/%s.cuh>\n"
                 "constexpr int threads = %zu, N = %d, tile = threads * N;\n"
                 "using Collective = jig::%s<item, %d, %d>;\n"
                 "#define PROLOGUE \\\n"
                 "  __shared__ Collective::TempStorage storage; \\\n"
                 "  const int thread = jig::linear_thread_id<%d, %d, 1>(); \\\n"
                 "  for (int i = thread; poisoned && i < sizeof storage; i += threads) \\\n"
                 "    reinterpret_cast<unsigned char *>(&storage)[i] = 0xcd; \\\n"
                 "  __syncthreads(); \\\n"
                 "  jig::array<item, N> items; \\\n"
                 "  for (int i = 0; i < N; ++i) items[i] = in[1 + thread * N + i]; \\\n"
                 "  item before, after; \\\n"
                 "  if (thread == 0) before = in[0]; \\\n"
                 "  if (thread == threads - 1) after = in[1 + tile];\n",
                 type, header, threads_of(s), s->items, collective, s->x, s->y, s->x, s->y);
}

static void launch(const kernel *k, const shape *s, void **parameters) {
  GPU(gpu()->cuLaunchKernel(k->function, 1, 1, 1, (unsigned)s->x, (unsigned)s->y, 1, 0, NULL, parameters,
                            NULL));
}

/* ---- discontinuity: an item begins a run if it is more than the one before, an unsymmetric relation */

static bool is_less(const item_type *type, const void *a, const void *b) {
  if (is_floating(type->kind)) return get_float(type->kind, a, 0) < get_float(type->kind, b, 0);
  return get_integer(type->kind, a, 0) < get_integer(type->kind, b, 0);
}

typedef struct flagging {
  const char *call;
  bool heads, tails, before, after;
} flagging;
static const flagging flaggings[] = {
    {"heads = block.FlagHeads(items, less())", true, false, false, false},
    {"heads = block.FlagHeads(items, less(), before)", true, false, true, false},
    {"tails = block.FlagTails(items, less())", false, true, false, false},
    {"tails = block.FlagTails(items, less(), after)", false, true, false, true},
    {"block.FlagHeadsAndTails(heads, tails, items, less())", true, true, false, false},
    {"block.FlagHeadsAndTails(heads, tails, items, less(), before)", true, true, true, false},
    {"block.FlagHeadsAndTails(heads, tails, items, less(), jig::none(), after)", true, true, false, true},
    {"block.FlagHeadsAndTails(heads, tails, items, less(), before, after)", true, true, true, true},
};

static kernel build_discontinuity(const shape *s, bool own_storage) {
  static char source[SOURCE_SIZE];
  describe(s, "discontinuity", "BlockDiscontinuity", source, sizeof source);
  size_t used = strlen(source);
  used +=
      (size_t)snprintf(source + used, sizeof source - used,
                       "struct less { bool operator()(const item &a, const item &b) const {\n"
                       "  return a%s < b%s; } };\n"
                       "extern \"C\" __global__ void test(const item *in, uint8_t *out, int poisoned) {\n"
                       "  PROLOGUE\n"
                       "  jig::array<bool, N> heads, tails;\n"
                       "  Collective block%s;\n",
                       s->type->words > 1 ? ".w[0]" : "", s->type->words > 1 ? ".w[0]" : "",
                       own_storage ? "" : "(storage)");
  for (size_t f = 0; f < COUNT_OF(flaggings); ++f) {
    used += (size_t)snprintf(source + used, sizeof source - used,
                             "  %s;\n"
                             "  for (int i = 0; i < N; ++i)\n"
                             "    out[%zu * tile + thread * N + i] = %s%s%s;\n"
                             "  __syncthreads();\n",
                             flaggings[f].call, f, flaggings[f].heads ? "heads[i]" : "0",
                             flaggings[f].heads && flaggings[f].tails ? " + " : "+",
                             flaggings[f].tails ? "2 * tails[i]" : "0");
  }
  (void)snprintf(source + used, sizeof source - used, "}\n");
  return kernel_build(source);
}

static void check_flags(const shape *s, const flagging *f, const void *items,
                        const unsigned char *flags) {
  const size_t tile = tile_of(s);
  for (size_t i = 0; i < tile; ++i) {
    const void *item = item_at(s->type, items, 1 + i);
    const bool head = (i == 0 && !f->before) || is_less(s->type, item_at(s->type, items, i), item);
    const bool tail =
        (i == tile - 1 && !f->after) || is_less(s->type, item, item_at(s->type, items, i + 2));
    ck_assert_msg(flags[i] == (f->heads && head) + 2 * (f->tails && tail),
                  "%s of %s, %zu threads, %d items: item %zu is flagged %d", f->call, s->type->name,
                  threads_of(s), s->items, i, flags[i]);
  }
}

static void check_discontinuity(const shape *s, bool own_storage) {
  const size_t tile = tile_of(s);
  kernel k = build_discontinuity(s, own_storage);
  void *items = random_runs(s), *in = gpu_copy(items, (tile + 2) * s->type->size, 0);
  unsigned char *flags = malloc(COUNT_OF(flaggings) * tile);
  for (int poisoned = 0; poisoned < 2; ++poisoned) {
    void *out = gpu_alloc(COUNT_OF(flaggings) * tile, 0), *parameters[] = {&in, &out, &poisoned};
    launch(&k, s, parameters);
    gpu_read(flags, out, COUNT_OF(flaggings) * tile);
    for (size_t f = 0; f < COUNT_OF(flaggings); ++f) {
      check_flags(s, &flaggings[f], items, flags + f * tile);
    }
    gpu_free(out);
  }
  gpu_free(in);
  free(items);
  free(flags);
  kernel_free(&k);
}

/* ---- adjacent difference: of an item and its neighbour, by an operator in which order matters */

typedef struct subtraction {
  const char *call;
  bool right, neighbour, partial;
} subtraction;
static const subtraction subtractions[] = {
    {"SubtractLeft(items, item_op())", false, false, false},
    {"SubtractLeft(items, item_op(), before)", false, true, false},
    {"SubtractLeftPartialTile(items, item_op(), valid)", false, false, true},
    {"SubtractLeftPartialTile(items, item_op(), valid, before)", false, true, true},
    {"SubtractRight(items, item_op())", true, false, false},
    {"SubtractRight(items, item_op(), after)", true, true, false},
    {"SubtractRightPartialTile(items, item_op(), valid)", true, false, true},
};

static kernel build_difference(const shape *s, bool own_storage) {
  static char source[SOURCE_SIZE];
  describe(s, "adjacent_difference", "BlockAdjacentDifference", source, sizeof source);
  size_t used = strlen(source);
  used += (size_t)snprintf(source + used, sizeof source - used,
                           "extern \"C\" __global__ void test(const item *in, item *out, int valid,\n"
                           "                                int poisoned) {\n"
                           "  PROLOGUE\n"
                           "  Collective block%s;\n"
                           "  jig::array<item, N> result;\n",
                           own_storage ? "" : "(storage)");
  for (size_t f = 0; f < COUNT_OF(subtractions); ++f) {
    used +=
        (size_t)snprintf(source + used, sizeof source - used,
                         "  result = block.%s;\n"
                         "  for (int i = 0; i < N; ++i) out[%zu * tile + thread * N + i] = result[i];\n"
                         "  __syncthreads();\n",
                         subtractions[f].call, f);
  }
  (void)snprintf(source + used, sizeof source - used, "}\n");
  return kernel_build(source);
}

static void check_differences(const shape *s, const subtraction *f, const void *items,
                              const void *results, size_t valid) {
  const size_t tile = tile_of(s), end = f->partial ? valid : tile;
  for (size_t i = 0; i < tile; ++i) {
    const void *item = item_at(s->type, items, 1 + i);
    unsigned char wanted[MAX_ITEM_SIZE];
    memcpy(wanted, item, s->type->size);
    const bool has_neighbour = f->neighbour || (f->right ? i + 1 < end : i > 0);
    if (i < end && has_neighbour)
      items_combine(s->type, item, item_at(s->type, items, f->right ? i + 2 : i), wanted);
    ck_assert_msg(memcmp(item_at(s->type, results, i), wanted, s->type->size) == 0,
                  "%s of %s, %zu threads, %d items, %zu valid: item %zu is wrong", f->call, s->type->name,
                  threads_of(s), s->items, valid, i);
  }
}

static void check_difference(const shape *s, bool own_storage) {
  const size_t tile = tile_of(s), size = s->type->size,
               results_size = COUNT_OF(subtractions) * tile * size;
  const int valids[] = {0, 1, (int)tile / 2 + 1, (int)tile};
  kernel k = build_difference(s, own_storage);
  void *items = random_runs(s), *in = gpu_copy(items, (tile + 2) * size, 0),
       *results = malloc(results_size);
  for (size_t v = 0; v < COUNT_OF(valids); ++v) {
    int valid = valids[v], poisoned = v % 2 == 0;
    void *out = gpu_alloc(results_size, 0), *parameters[] = {&in, &out, &valid, &poisoned};
    launch(&k, s, parameters);
    gpu_read(results, out, results_size);
    for (size_t f = 0; f < COUNT_OF(subtractions); ++f) {
      check_differences(s, &subtractions[f], items, item_at(s->type, results, f * tile), (size_t)valid);
    }
    gpu_free(out);
  }
  gpu_free(in);
  free(items);
  free(results);
  kernel_free(&k);
}

/* ---- tests */

static void for_some_shapes(void (*check)(const shape *, bool)) {
  const int threads[] = {32, 33, 64, 96, 128, 256, 512, 1}, items[] = {1, 2, 3, 4, 7, 8};
  for (size_t t = 0; t < item_type_count; ++t) {
    const shape s = {&item_types[t], threads[t % COUNT_OF(threads)], 1,
                     items[(t + t / 6) % COUNT_OF(items)]};
    check(&s, t % 3 == 0);
  }
  check(&(shape){&item_types[6], 1024, 1, 1}, false);
  check(&(shape){&item_types[6], 12, 5, 4}, true);
}

START_TEST(discontinuity) {
  for_some_shapes(check_discontinuity);
}
END_TEST

START_TEST(adjacent_difference) {
  for_some_shapes(check_difference);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(discontinuity), SUITE_TEST(adjacent_difference)};
  return SUITE_RUN("device/neighbour_collectives", tests, true);
}
