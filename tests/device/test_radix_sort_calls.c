/* Radix sort as it is called: keys that are structs, graphs, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

/* ---- structs */

typedef struct hit {
  float score;
  int16_t shard;
  uint8_t flags, tag;
  uint32_t id;
} hit;
#define HIT \
  jig_struct("hit", "struct hit { float score; int16_t shard; uint8_t flags, tag; uint32_t id; };", 12, 4)

/* Host's comparisons, by the lists of fields beside them. */
static int by_shard_and_score(const hit *a, const hit *b) {
  if (a->shard != b->shard) return a->shard < b->shard ? -1 : 1;
  return a->score != b->score ? (a->score < b->score ? -1 : 1) : 0;
}
static int by_tag(const hit *a, const hit *b) {
  return (a->tag > b->tag) - (a->tag < b->tag);
}
static int by_all(const hit *a, const hit *b) {
  if (a->id % 16 != b->id % 16) return a->id % 16 < b->id % 16 ? -1 : 1;
  const int by_flags = (a->flags > b->flags) - (a->flags < b->flags);
  return by_flags != 0 ? -by_flags : by_shard_and_score(a, b);
}

typedef struct hit_order {
  const char *decomposer;
  int (*compare)(const hit *a, const hit *b);
} hit_order;
static const hit_order hit_orders[] = {
    {"x.shard, x.score", by_shard_and_score},
    {"x.tag", by_tag},
    {"x.id % 16u, uint8_t(~x.flags), x.shard, x.score", by_all},
};

static const hit_order *current;
static const hit *current_hits;
static int sign;
static int compare(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  const int by_fields = sign * current->compare(&current_hits[x], &current_hits[y]);
  return by_fields != 0 ? by_fields : (x > y) - (x < y);
}

static hit *random_hits(size_t count) {
  static const float scores[] = {0.0F, -0.0F, 1.5F, -2.5F, 1e30F, -1e-30F};
  uint64_t seed = 5;
  hit *hits = malloc(count * sizeof *hits);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed);
    hits[i] = (hit){scores[r % COUNT_OF(scores)], (int16_t)((r >> 16) % 9 - 4), (uint8_t)(r >> 32),
                    (uint8_t)(r >> 40), (uint32_t)(r >> 24)};
  }
  return hits;
}

static void check_hits(jig_engine *engine, const hit_order *order, size_t count, jig_sort_order direction,
                       bool with_values) {
  hit *hits = random_hits(count), *wanted = malloc(count * sizeof *wanted);
  size_t *places = malloc(count * sizeof *places);
  uint32_t *numbers = malloc(count * 4), *wanted_numbers = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) places[i] = i;
  for (size_t i = 0; i < count; ++i) numbers[i] = (uint32_t)i;
  current = order;
  current_hits = hits;
  sign = direction == JIG_SORT_DESCENDING ? -1 : 1;
  qsort(places, count, sizeof *places, compare);
  for (size_t i = 0; i < count; ++i) wanted[i] = hits[places[i]];
  for (size_t i = 0; i < count; ++i) wanted_numbers[i] = (uint32_t)places[i];
  void *in = gpu_copy(hits, count * sizeof *hits, 4), *out = gpu_alloc(count * sizeof *hits, 8);
  void *values_in = gpu_copy(numbers, count * 4, 0), *values_out = gpu_alloc(count * 4, 0);
  jig_radix_sort_args args = {.keys_in = jig_pointer(in, HIT),
                              .keys_out = jig_pointer(out, HIT),
                              .num_items = count,
                              .order = direction,
                              .decomposer = order->decomposer};
  if (with_values) args.values_in = jig_pointer(values_in, JIG_U32);
  if (with_values) args.values_out = jig_pointer(values_out, JIG_U32);
  run_radix_sort(engine, &args);
  gpu_read(hits, out, count * sizeof *hits);
  check_items(hits, wanted, sizeof *hits, count, order->decomposer);
  if (with_values) {
    gpu_read(numbers, values_out, count * 4);
    check_items(numbers, wanted_numbers, 4, count, order->decomposer);
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(values_in);
  gpu_free(values_out);
  free(hits);
  free(wanted);
  free(places);
  free(numbers);
  free(wanted_numbers);
}

/* By one block; by passes; and the latter items by a cluster. */
static void check_orders(jig_engine *engine) {
  for (size_t i = 0; i < COUNT_OF(hit_orders); ++i) {
    check_hits(engine, &hit_orders[i], 900, JIG_SORT_ASCENDING, i == 1);
    const jig_sort_order direction = i == 0 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING;
    limits_of(engine)->radix_sort_max_cluster = 1;
    check_hits(engine, &hit_orders[i], 6000, direction, i == 0);
    limits_of(engine)->radix_sort_max_cluster = ~0U;
    check_hits(engine, &hit_orders[i], 6000, direction, i == 0);
  }
}

START_TEST(structs) {
  check_orders(NULL);
}
END_TEST

/* As agent/radix_sort/radix_rank.cuh says. */
START_TEST(structs_by_lanes_in_another_order) {
  jig_engine *engine = engine_with_option("-DJIG_RADIX_SORT_FORCE=4");
  check_orders(engine);
  jig_engine_destroy(engine);
}
END_TEST

/* Of as many bytes as their alignment, more than a vector has. */
START_TEST(aligned_structs) {
  enum { WORDS = 4, COUNT = 70000 };
  const jig_type key =
      jig_struct("aligned", "struct alignas(32) aligned { unsigned long long a, b, c, d; };", 32, 32);
  uint64_t seed = 3, *keys = malloc(COUNT * WORDS * sizeof *keys),
           *got = malloc(COUNT * WORDS * sizeof *got);
  for (size_t i = 0; i < COUNT * WORDS; ++i) keys[i] = next_random(&seed);
  void *in = gpu_copy(keys, COUNT * WORDS * sizeof *keys, 0),
       *out = gpu_alloc(COUNT * WORDS * sizeof *got, 0);
  for (size_t count = 1000; count <= COUNT; count *= 8) {
    const jig_radix_sort_args args = {.keys_in = jig_pointer(in, key),
                                      .keys_out = jig_pointer(out, key),
                                      .num_items = count,
                                      .decomposer = "x.c"};
    uint64_t sums[2] = {0, 0};
    run_radix_sort(NULL, &args);
    gpu_read(got, out, count * WORDS * sizeof *got);
    for (size_t i = 0; i < count; ++i) {
      ck_assert_msg(i == 0 || got[(i - 1) * WORDS + 2] <= got[i * WORDS + 2], "key %zu of %zu", i, count);
      for (size_t w = 0; w < WORDS; ++w) {
        sums[0] += keys[i * WORDS + w] * (w + keys[i * WORDS]);
        sums[1] += got[i * WORDS + w] * (w + got[i * WORDS]);
      }
    }
    ck_assert_msg(sums[0] == sums[1], "other keys than there were, of %zu", count);
  }
  gpu_free(in);
  gpu_free(out);
  free(keys);
  free(got);
}
END_TEST

/* ---- graphs */

/* Replays have the tag of the one before, and find what that has left. */
START_TEST(replays) {
  enum { COUNT = 20000, ROUNDS = 3 };
  limits_of(NULL)->radix_sort_max_cluster = 1;
  CUstream stream;
  uint32_t *got = malloc(COUNT * 4);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  const jig_radix_sort_args args = {
      .keys_in = jig_pointer(in, JIG_U32), .keys_out = jig_pointer(out, JIG_U32), .num_items = COUNT};
  size_t bytes = 0;
  OK(jig_radix_sort(NULL, NULL, &bytes, &args, stream));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_radix_sort(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    uint32_t *keys = keys_of(JIG_U32, round == 1 ? KEYS_FEW : KEYS_RANDOM, COUNT, round + 1);
    uint64_t sum = 0;
    gpu_write(in, keys, COUNT * 4);
    gpu_replay(exec, stream);
    gpu_read(got, out, COUNT * 4);
    for (size_t i = 0; i < COUNT; ++i) {
      ck_assert_msg(i == 0 || got[i - 1] <= got[i], "replay %d: key %zu is out of order", (int)round, i);
      sum += (uint64_t)keys[i] * keys[i] - (uint64_t)got[i] * got[i];
    }
    ck_assert_msg(sum == 0, "replay %d: other keys than there were", (int)round);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(got);
}
END_TEST

/* ---- more than 2^32 items in memory */

typedef struct stretch {
  uint8_t key;
  uint64_t count;
} stretch;
enum { STRETCHES = 5 };
static const uint64_t large = ((uint64_t)1 << 32) + 1;
/* As they come in; what is left is the last one's. Even keys, so that the lowest bit may be left out. */
static const stretch stretches[STRETCHES] = {
    {200, 1000003}, {8, (uint64_t)1 << 31}, {254, 77}, {6, (uint64_t)1 << 30}, {100, 0}};
static const int sorted_stretches[STRETCHES] = {3, 1, 4, 0, 2};

static uint64_t length_of(int k) {
  uint64_t rest = large;
  for (int i = 0; i + 1 < STRETCHES; ++i) rest -= stretches[i].count;
  return k + 1 < STRETCHES ? stretches[k].count : rest;
}

static void check_stretches(CUdeviceptr in, CUdeviceptr out, int begin_bit) {
  const jig_radix_sort_args args = {.keys_in = jig_pointer((void *)(uintptr_t)in, JIG_U8),
                                    .keys_out = jig_pointer((void *)(uintptr_t)out, JIG_U8),
                                    .num_items = large,
                                    .begin_bit = begin_bit};
  gpu_fill((void *)(uintptr_t)out, 0xcd, large);
  run_radix_sort(NULL, &args);
  uint64_t first = 0, seed = 1;
  for (int k = 0; k < STRETCHES; ++k) {
    const uint64_t length = length_of(sorted_stretches[k]);
    for (int i = 0; i < 500; ++i) {
      const uint64_t place = i == 0 ? 0 : i == 1 ? length - 1 : next_random(&seed) % length;
      uint8_t key;
      GPU(gpu()->cuMemcpyDtoH(&key, out + first + place, 1));
      ck_assert_msg(key == stretches[sorted_stretches[k]].key, "key %llu is %d",
                    (unsigned long long)(first + place), key);
    }
    first += length;
  }
}

START_TEST(more_items_than_32_bits_count) {
  if (!gpu_begin_large("device/radix_sort_calls: more_items_than_32_bits_count", (size_t)40 << 30))
    return;
  CUdeviceptr in, out;
  GPU(gpu()->cuMemAlloc(&in, large));
  GPU(gpu()->cuMemAlloc(&out, large));
  uint64_t first = 0;
  for (int k = 0; k < STRETCHES; ++k) {
    gpu_fill((void *)(uintptr_t)(in + first), stretches[k].key, length_of(k));
    first += length_of(k);
  }
  check_stretches(in, out, 0);
  check_stretches(in, out, 1);
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  gpu_end_large();
}
END_TEST

/* ---- what is refused */

static void refuses(jig_radix_sort_args args, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_radix_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

START_TEST(refused) {
  char *memory = gpu_alloc(4096, 0);
  const jig_iter keys = jig_pointer(memory, JIG_U32), others = jig_pointer(memory + 2048, JIG_U32);
  const jig_radix_sort_args good = {.keys_in = keys, .keys_out = others, .num_items = 100};
  jig_radix_sort_args args = good;
  args.keys_in = (jig_iter)JIG_ZERO;
  refuses(args, "keys_in: missing");
  args = good;
  args.keys_out = jig_strided(memory + 2048, 8, JIG_U32);
  refuses(args, "keys_out: it must be a pointer");
  args = good;
  args.keys_out = (jig_iter)JIG_ZERO;
  refuses(args, "keys_out: missing");
  args.keys_out = jig_pointer(memory + 2048, JIG_I32);
  refuses(args, "keys_out: its type must be that of keys_in, u32, not i32");
  args.keys_out = jig_pointer(memory + 396, JIG_U32);
  refuses(args, "keys_out overlaps keys_in");
  args = good;
  args.values_in = keys;
  refuses(args, "values_out: missing");
  args.values_out = others;
  refuses(args, "overlaps");
  args = good;
  args.end_bit = 33;
  refuses(args, "end_bit: it is 33, and keys have 32 bits");
  args.end_bit = 4;
  args.begin_bit = 5;
  refuses(args, "begin_bit: it is 5, and the end is 4");
  args = good;
  args.order = (jig_sort_order)2;
  refuses(args, "order: no such choice (2)");
  args = good;
  args.keys_in = args.keys_out = jig_pointer(memory, HIT);
  refuses(args, "keys_in: keys must be of a built-in type, or there has to be a decomposer");
  args = good;
  args.decomposer = "x";
  refuses(args, "keys_in: keys must be structs if there is a decomposer");
  gpu_free(memory);
}
END_TEST

START_TEST(wrong_decomposers) {
  jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, HIT), .keys_out = jig_pointer(NULL, HIT)};
  size_t bytes = 0;
  args.decomposer = "x.score, x.colour";
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_COMPILE, "decomposer:1:12");
  args.decomposer = "x.id, x.id, x.id, x.id";
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_COMPILE,
        "more bits than are sorted by");
  args.decomposer = "x.id)";
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "decomposer");
}
END_TEST

/* Of one digit, with two buffers, or what fits a block: next to nothing. Never less for more items. */
START_TEST(temp_storage) {
  jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                              .keys_out = jig_pointer(NULL, JIG_U32)};
  int selector;
  size_t last = 0;
  for (uint64_t n = 1; n < (uint64_t)1 << 34; n += n / 3 + 1) {
    size_t bytes = 0, with_buffers = 0;
    args.num_items = n;
    args.selector = NULL;
    OK(jig_radix_sort(NULL, NULL, &bytes, &args, NULL));
    ck_assert_uint_ge(bytes, last);
    last = bytes;
    args.selector = &selector;
    OK(jig_radix_sort(NULL, NULL, &with_buffers, &args, NULL));
    ck_assert_uint_le(with_buffers, 4096 * 1024 + n / 4);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs),         SUITE_TEST(structs_by_lanes_in_another_order),
      SUITE_TEST(aligned_structs), SUITE_TEST(replays),
      SUITE_TEST(refused),         SUITE_TEST(wrong_decomposers),
      SUITE_TEST(temp_storage),    SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/radix_sort_calls", tests, true);
}
