/* Top-k as it is called: keys that are structs, graphs, temp storage, and what is refused. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"
#include "top_k_support.h"
#include "util/integer.h"

/* ---- structs */

typedef struct hit {
  float score;
  int16_t shard;
  uint16_t id;
} hit;
#define HIT jig_struct("hit", "struct hit { float score; short shard; unsigned short id; };", 8, 4)

static int by_shard_and_score(const void *a, const void *b) {
  const hit *x = a, *y = b;
  if (x->shard != y->shard) return x->shard < y->shard ? -1 : 1;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Numbered as they come, which is the order of equal ones. */
static void check_hits(uint16_t count, size_t k) {
  hit *hits = malloc(count * sizeof *hits), *got = malloc(k * sizeof *got);
  uint64_t seed = 5;
  for (uint16_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed) >> 20;
    hits[i] = (hit){(float)(r % 7) - 3, (int16_t)(r / 8 % 9 - 4), i};
  }
  hit *in = gpu_copy(hits, count * sizeof *hits, 4), *out = gpu_alloc(k * sizeof *hits, 0);
  run_top_k(&(jig_top_k_args){.keys_in = jig_pointer(in, HIT),
                              .keys_out = jig_pointer(out, HIT),
                              .num_items = count,
                              .k = k,
                              .choice = JIG_TOP_K_MIN,
                              .is_sorted = 1,
                              .decomposer = "x.shard, x.score"});
  gpu_read(got, out, k * sizeof *got);
  qsort(hits, count, sizeof *hits, by_shard_and_score);
  check_items(got, hits, sizeof *hits, k, "hits");
  gpu_free(in);
  gpu_free(out);
  free(hits);
  free(got);
}

START_TEST(structs) {
  check_hits(900, 100);
  check_hits(30000, 3000);
}
END_TEST

/* ---- graphs */

/* A call, with temp storage that is the caller's to free. */
static CUgraphExec capture(const jig_top_k_args *args, CUstream stream, void **storage) {
  size_t bytes = 0;
  OK(jig_top_k(NULL, NULL, &bytes, args, stream));
  *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_top_k(NULL, *storage, &bytes, args, stream));
  return gpu_end_capture(stream);
}

/* Each round has other keys, and finds what the one before has left; the second misleads nobody less. */
static void check_replays(size_t count, size_t k) {
  enum { ROUNDS = 3 };
  CUstream stream;
  uint32_t *got = malloc(k * 4);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(count * 4, 0), *out = gpu_alloc(k * 4, 0);
  const jig_top_k_args args = {.keys_in = jig_pointer(in, JIG_U32),
                               .keys_out = jig_pointer(out, JIG_U32),
                               .num_items = count,
                               .k = k,
                               .is_sorted = 1};
  void *storage;
  CUgraphExec exec = capture(&args, stream, &storage);
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    uint32_t *keys = keys_of(JIG_U32, round == 1 ? KEYS_FEW : KEYS_RANDOM, count, round + 1);
    uint32_t least = UINT32_MAX;
    size_t above = 0, same = 0;
    gpu_write(in, keys, count * 4);
    gpu_replay(exec, stream);
    gpu_read(got, out, k * 4);
    for (size_t i = 0; i < k; ++i) {
      ck_assert_msg(got[i] <= least, "replay %d: key %zu is out of order", (int)round, i);
      least = got[i];
    }
    /* The last is the one of its rank. */
    for (size_t i = 0; i < count; ++i) above += keys[i] > least, same += keys[i] == least;
    ck_assert_msg(above < k && k <= above + same, "replay %d: the last one is %u", (int)round, least);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(got);
}

START_TEST(replays) {
  check_replays(3000, 100);
  check_replays(60000, 300);
  limits_of(NULL)->top_k_most_single = 1;
  check_replays(60000, 300);
  limits_of(NULL)->top_k_forced_mistake =
      TOP_K_KEEPS_TOO_MANY; /* so that all kernels have something to do */
  check_replays(60000, 300);
  limits_of(NULL)->top_k_forced_mistake = TOP_K_NO_MISTAKE;
  limits_of(NULL)->top_k_most_single = UINT64_MAX;
}
END_TEST

/* Bytes that are counted, by several blocks, of numbers that change with each replay. */
START_TEST(counted_replays) {
  enum { COUNT = 100000, K = 70000, ROUNDS = 4 };
  static const uint64_t counts[ROUNDS] = {COUNT, 3, 0, 80001};
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint8_t *in = gpu_alloc(COUNT, 0), *out = gpu_alloc(K, 0), *got = malloc(K);
  uint64_t *number = gpu_alloc(sizeof *number, 0);
  const jig_top_k_args args = {.keys_in = jig_pointer(in, JIG_U8),
                               .keys_out = jig_pointer(out, JIG_U8),
                               .num_items = COUNT,
                               .k = K,
                               .num_items_in = number};
  void *storage;
  CUgraphExec exec = capture(&args, stream, &storage);
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    const uint64_t count = counts[round], k = min_of(K, count);
    uint8_t *keys = keys_of(JIG_U8, round == 3 ? KEYS_FEW : KEYS_RANDOM, COUNT, round + 1);
    size_t wanted[256] = {0};
    for (uint64_t i = 0; i < count; ++i) ++wanted[keys[i]];
    gpu_write(in, keys, COUNT);
    gpu_write(number, &count, sizeof count);
    gpu_replay(exec, stream);
    gpu_read(got, out, K);
    for (uint64_t i = 0; i < k; ++i) ck_assert_msg(wanted[got[i]]-- > 0, "round %d", (int)round);
    for (uint64_t i = 0, least = 255; i < k; ++i)
      least = got[i] < least ? got[i] : least, ck_assert(got[i] == least);
    for (int b = k > 0 ? got[k - 1] + 1 : 256; b < 256; ++b) ck_assert_uint_eq(wanted[b], 0);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(number);
  gpu_free(in);
  gpu_free(out);
  free(got);
}
END_TEST

/* ---- wrappers, and a call that takes temp storage for itself */

START_TEST(wrappers) {
  static const int32_t keys[] = {5, -7, 9, 0, 3, -7, 2, 9};
  static const float values[] = {0, 1, 2, 3, 4, 5, 6, 7};
  enum { COUNT = COUNT_OF(keys) };
  int32_t key;
  float value;
  void *k_in = gpu_copy(keys, sizeof keys, 0), *v_in = gpu_copy(values, sizeof values, 0);
  void *k_out = gpu_alloc(4, 0), *v_out = gpu_alloc(4, 0);
  const jig_iter in = jig_pointer(k_in, JIG_I32), out = jig_pointer(k_out, JIG_I32);
  const jig_iter from = jig_pointer(v_in, JIG_F32), to = jig_pointer(v_out, JIG_F32);
  OK(jig_top_k_max_keys(NULL, NULL, NULL, in, out, COUNT, 1, NULL));
  gpu_read(&key, k_out, 4);
  ck_assert_int_eq(key, 9);
  OK(jig_top_k_min_keys(NULL, NULL, NULL, in, out, COUNT, 1, NULL));
  gpu_read(&key, k_out, 4);
  ck_assert_int_eq(key, -7);
  OK(jig_top_k_max_pairs(NULL, NULL, NULL, in, out, from, to, COUNT, 1, NULL));
  gpu_read(&value, v_out, 4);
  ck_assert(value == 2);
  OK(jig_top_k_min_pairs(NULL, NULL, NULL, in, out, from, to, COUNT, 1, NULL));
  gpu_read(&value, v_out, 4);
  ck_assert(value == 1);
  gpu_free(k_in);
  gpu_free(v_in);
  gpu_free(k_out);
  gpu_free(v_out);
}
END_TEST

/* ---- more than 2^32 items */

/* An iterator's, so that they take no memory; the last of them are the largest, and others that are equal
 * lie far apart. */
START_TEST(more_items_than_32_bits_count) {
  enum { K = 8, LAST = 5 };
  static const uint64_t zero = 0;
  const uint64_t edge = (uint64_t)1 << 32;
  uint64_t got[K];
  if (!gpu_begin_large("device/top_k_calls: more_items_than_32_bits_count", (size_t)40 << 30)) return;
  const jig_iter numbers = jig_counting(&zero, JIG_U64);
  const jig_iter keys = jig_iter_transform(
      &numbers, jig_op_source("return x < 1ull << 32 ? x % 1000003u : x - (1ull << 32) + 2000000;"),
      JIG_U64);
  uint64_t *out = gpu_alloc(sizeof got, 0);
  run_top_k(&(jig_top_k_args){.keys_in = keys,
                              .keys_out = jig_discard(JIG_U64),
                              .values_in = numbers,
                              .values_out = jig_pointer(out, JIG_U64),
                              .num_items = edge + LAST,
                              .k = K,
                              .is_sorted = 1});
  gpu_read(got, out, sizeof got);
  for (uint64_t i = 0; i < K; ++i)
    ck_assert_uint_eq(got[i], i < LAST ? edge + LAST - 1 - i : 1000002 + (i - LAST) * 1000003);
  gpu_free(out);
  gpu_end_large();
}
END_TEST

/* ---- what is refused */

static void refuses(jig_top_k_args args, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_top_k(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

START_TEST(refused) {
  char *memory = gpu_alloc(4096, 0);
  const jig_iter keys = jig_pointer(memory, JIG_U32), others = jig_pointer(memory + 2048, JIG_U32);
  const jig_top_k_args good = {.keys_in = keys, .keys_out = others, .num_items = 100, .k = 10};
  jig_top_k_args args = good;
  args.keys_in = (jig_iter)JIG_ZERO;
  refuses(args, "keys_in: no iterator is given");
  args = good;
  args.keys_out = (jig_iter)JIG_ZERO;
  refuses(args, "keys_out: no iterator is given");
  args.keys_out = jig_pointer(memory + 2048, JIG_I32);
  refuses(args, "keys_out: its type must be that of keys_in, u32, not i32");
  args.keys_out = jig_pointer(memory + 396, JIG_U32);
  refuses(args, "keys_out overlaps keys_in");
  args.keys_out = jig_pointer(NULL, JIG_U32);
  refuses(args, "keys_out: the pointer is NULL");
  args = good;
  args.values_in = keys;
  refuses(args, "values_out: missing");
  args.values_out = others;
  refuses(args, "overlaps");
  args.values_out = jig_pointer(memory + 3000, JIG_F32);
  refuses(args, "values_out: its type must be that of values_in, u32, not f32");
  args = good;
  args.choice = (jig_top_k_choice)2;
  refuses(args, "choice: no such choice (2)");
  args = good;
  args.is_sorted = 2;
  refuses(args, "is_sorted: no such choice (2)");
  args = good;
  args.decomposer = "x";
  refuses(args, "keys_in: keys must be structs if there is a decomposer");
  args = good;
  args.keys_in = args.keys_out = jig_pointer(memory, HIT);
  refuses(args, "keys_in: keys must be of a built-in type, or there has to be a decomposer");
  args.decomposer = "x.score)";
  refuses(args, "decomposer");
  size_t bytes = 0;
  FAILS(jig_top_k(NULL, memory, &bytes, &good, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "*temp_storage_bytes is 0");
  FAILS(jig_top_k(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "args: the pointer is NULL");
  gpu_free(memory);
}
END_TEST

/* Nothing is touched if nothing is wanted. */
START_TEST(nothing) {
  char *memory = gpu_alloc(400, 0);
  jig_top_k_args args = {.keys_in = jig_pointer(memory, JIG_U32),
                         .keys_out = jig_pointer(memory + 200, JIG_U32),
                         .num_items = 50,
                         .is_sorted = 1};
  run_top_k(&args);
  args.k = 50;
  args.num_items = 0;
  run_top_k(&args);
  args.keys_in.pointer = args.keys_out.pointer = NULL;
  run_top_k(&args);
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

/* ---- temp storage */

/* Never less for more items; next to none of what fits a block; else as the header says. */
START_TEST(temp_storage) {
  static const uint64_t all_k[] = {1, 1000, 1000000, (uint64_t)1 << 31};
  for (size_t i = 0; i < COUNT_OF(all_k); ++i) {
    for (int is_sorted = 0; is_sorted < 2; ++is_sorted) {
      jig_top_k_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                             .keys_out = jig_pointer(NULL, JIG_U32),
                             .k = all_k[i],
                             .is_sorted = is_sorted};
      size_t last = 0;
      for (uint64_t n = 1; n < (uint64_t)1 << 36; n += n / 5 + 1) {
        size_t bytes = 0;
        args.num_items = n;
        OK(jig_top_k(NULL, NULL, &bytes, &args, NULL));
        ck_assert_uint_ge(bytes, last);
        last = bytes;
        if (is_sorted) continue;
        if (n <= top_k_alone(JIG_U32)) ck_assert_uint_eq(bytes, 1);
        ck_assert_uint_le(bytes, 1000000 + 12 * (n / 20 + n / 500));
      }
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs),
      SUITE_TEST(replays),
      SUITE_TEST(counted_replays),
      SUITE_TEST(wrappers),
      SUITE_TEST(refused),
      SUITE_TEST(nothing),
      SUITE_TEST(more_items_than_32_bits_count),
      SUITE_TEST(temp_storage),
  };
  return SUITE_RUN("device/top_k_calls", tests, true);
}
