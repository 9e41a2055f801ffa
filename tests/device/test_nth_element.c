/* Nth element: every type, pattern and size, values, iterators, structs, graphs, samples that mislead,
 * and what is refused. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/top_k_plan.h"
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "seed.h"
#include "sort_support.h"
#include "suite.h"
#include "util/integer.h"

static void run_nth_element(const jig_nth_element_args *args) {
  size_t bytes = 0;
  OK(jig_nth_element(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_nth_element(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

/* What one block looks through at most. */
static size_t alone(jig_type key) {
  const jig_nth_element_args args = {.in = jig_pointer(NULL, key), .out = jig_pointer(NULL, key)};
  char *text = NULL;
  OK(jig_nth_element_spec(&args, &text));
  const program p = program_here(text);
  return (size_t)top_k_block_tuning_of(&p.kernels[2 + TOP_K_BLOCK].tuning).most_items;
}

/* ---- the host's side */

typedef struct nth_case {
  jig_type key, value; /* value of kind NONE: there are none */
  const void *keys;
  size_t count, nth;
  jig_sort_order order;
  bool has_out, has_nth_out;
  bool iterates_keys, iterates_values; /* these inputs are no pointers */
  size_t offset;                       /* of all arrays off their alignment, in items */
  const char *what;
} nth_case;

typedef struct ranked_key {
  uint128 bits;
  size_t index;
} ranked_key;

static int by_rank(const void *a, const void *b) {
  const ranked_key *x = a, *y = b;
  if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* Which item goes to each place. */
static size_t *wanted_places(const nth_case *c) {
  ranked_key *ranks = malloc((c->count + 1) * sizeof *ranks);
  size_t *places = malloc((c->count + 1) * sizeof *places), front = 0, back = c->nth + 1;
  for (size_t i = 0; i < c->count; ++i)
    ranks[i] = (ranked_key){ordered_key_bits(c->key, c->order, c->keys, i), i};
  qsort(ranks, c->count, sizeof *ranks, by_rank);
  const ranked_key nth = ranks[c->nth];
  for (size_t i = 0; i < c->count; ++i) {
    const ranked_key own = {ordered_key_bits(c->key, c->order, c->keys, i), i};
    const int side = i == nth.index ? 0 : by_rank(&own, &nth);
    places[side < 0 ? front++ : side > 0 ? back++ : c->nth] = i;
  }
  ck_assert_uint_eq(front, c->nth);
  free(ranks);
  return places;
}

static void settle(const nth_case *c, const void *device, const void *items, size_t size,
                   const size_t *places, size_t count, const char *of) {
  char what[256];
  char *wanted = permuted(items, size, places, count);
  (void)snprintf(what, sizeof what, "%s: %s of item %zu of %zu %s, %s", c->what, of, c->nth, c->count,
                 jig_type_name(&c->key), c->order == JIG_SORT_DESCENDING ? "descending" : "ascending");
  check_sorted(device, wanted, size, count, what);
  free(wanted);
}

static void check_as_it_is(const nth_case *c) {
  const size_t n = c->count, key = c->key.size, value = c->value.size;
  const bool has_values = c->value.kind != JIG_KIND_NONE;
  unsigned char *values = random_bytes(n * value, 77);
  void *in = gpu_copy(c->keys, n * key, c->offset * key), *out = gpu_alloc(n * key, c->offset * key);
  void *values_in = gpu_copy(values, n * value, c->offset * value);
  void *values_out = gpu_alloc(n * value, c->offset * value), *nth_out = gpu_alloc(key, 0);
  jig_nth_element_args args = {
      .in = sort_input(in, c->key, c->iterates_keys), .num_items = n, .nth = c->nth, .order = c->order};
  if (c->has_out) args.out = jig_pointer(out, c->key);
  if (c->has_nth_out) args.nth_out = jig_pointer(nth_out, c->key);
  if (has_values) args.values_in = sort_input(values_in, c->value, c->iterates_values);
  if (has_values) args.values_out = jig_pointer(values_out, c->value);
  run_nth_element(&args);
  size_t *places = wanted_places(c);
  if (c->has_out) settle(c, out, c->keys, key, places, n, "keys");
  if (has_values) settle(c, values_out, values, value, places, n, "values");
  if (c->has_nth_out) settle(c, nth_out, c->keys, key, places + c->nth, 1, "the key");
  check_kept(in, c->keys, n * key, c->what);
  void *const device[] = {in, out, values_in, values_out, nth_out};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(places);
  free(values);
}

/* More than one block takes are left to all blocks, too. */
static void check_nth(const nth_case *c) {
  check_as_it_is(c);
  if (c->count <= alone(c->key)) return;
  limits_of(NULL)->top_k_most_single = 1;
  check_as_it_is(c);
  limits_of(NULL)->top_k_most_single = UINT64_MAX;
}

static void check_pattern(nth_case c, key_pattern pattern) {
  void *keys = keys_of(c.key, pattern, c.count, 17 + c.count);
  c.keys = keys;
  c.what = key_pattern_name(pattern);
  check_nth(&c);
  free(keys);
}

/* ---- types and patterns */

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!test_turn((unsigned)*kind)) continue;
    const jig_type key = type_of(*kind);
    const size_t counts[] = {300, alone(key) + 3001};
    for (size_t i = 0; i < 4; ++i)
      check_pattern((nth_case){.key = key,
                               .count = counts[i % 2],
                               .nth = counts[i % 2] / (i + 2),
                               .order = i < 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                               .has_out = true,
                               .offset = i},
                    KEYS_RANDOM);
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_F64};
  for (size_t t = 0; t < COUNT_OF(kinds); ++t) {
    const jig_type key = type_of(kinds[t]);
    const size_t many = alone(key) + 5001;
    for (int p = 0; p < KEY_PATTERNS; ++p) {
      if (!test_turn((unsigned)p / 2 + t)) continue;
      const size_t count = p % 3 == 0 ? 5000 : many;
      check_pattern((nth_case){.key = key,
                               .count = count,
                               .nth = count / 2,
                               .order = p % 2 == 0 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                               .has_out = true,
                               .has_nth_out = p % 4 == 0},
                    (key_pattern)p);
      check_pattern((nth_case){.key = key, .count = many, .nth = many / 3, .has_nth_out = true},
                    (key_pattern)p);
    }
  }
}
END_TEST

/* ---- sizes and places */

static void check_every_nth(size_t count) {
  const size_t all[] = {0, 1, count / 100, count / 2, count - 2, count - 1};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    if (all[i] >= count) continue;
    check_pattern((nth_case){.key = i % 2 ? JIG_U32 : JIG_F32,
                             .count = count,
                             .nth = all[i],
                             .order = i % 3 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                             .has_out = i != 4,
                             .has_nth_out = i > 2},
                  i % 4 == 3 ? KEYS_FEW : KEYS_RANDOM);
  }
}

START_TEST(few_items) {
  static const size_t counts[] = {1, 2, 3, 31, 32, 33, 1023, 1024, 1025, 8191, 8192, 8193};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) check_every_nth(counts[i]);
}
END_TEST

START_TEST(many_items) {
  const size_t most = alone(JIG_U32);
  check_every_nth(most);
  check_every_nth(most + 1);
  check_every_nth(700001);
}
END_TEST

/* ---- samples that mislead */

START_TEST(misled) {
  static const top_k_mistake mistakes[] = {TOP_K_FINDS_TOO_FEW, TOP_K_TAKES_TOO_MANY,
                                           TOP_K_KEEPS_TOO_MANY};
  const size_t count = alone(JIG_U32) + 9000;
  for (size_t m = 0; m < COUNT_OF(mistakes); ++m) {
    limits_of(NULL)->top_k_forced_mistake = mistakes[m];
    for (int p = 0; p < 3; ++p)
      check_pattern((nth_case){.key = JIG_U32,
                               .count = count,
                               .nth = p == 0 ? 0 : count / 2 + (size_t)p,
                               .has_out = true,
                               .has_nth_out = true},
                    p == 2 ? KEYS_FEW : KEYS_RANDOM);
  }
  limits_of(NULL)->top_k_forced_mistake = TOP_K_NO_MISTAKE;
}
END_TEST

/* Which item the last one of a sample is; jig::TopKSampled::index() in device code. */
static size_t last_sampled(uint32_t samples, size_t count) {
  uint32_t random = samples * 0x9e3779b9U;
  random = (random ^ random >> 16) * 0x85ebca6bU;
  random = (random ^ random >> 13) * 0xc2b2ae35U;
  random ^= random >> 16;
  const uint64_t fraction = (uint64_t)(samples - 1) << 32 | random;
  int shift = 32;
  for (uint32_t s = samples; s > 1; s /= 2) --shift;
  return (size_t)((uint128)(fraction << shift) * count >> 64);
}

/* The last item of those that count as sure must be found, though they are as many as are wanted. What is
 * sure is told by the first digit of the last one of the sample, as that is the greatest. */
START_TEST(sure_too_far) {
  const size_t count = alone(JIG_U32) + 9000;
  uint32_t *keys = keys_of(JIG_U32, KEYS_SORTED, count, 3), samples = 1;
  while (samples * 2 <= count / 256) samples *= 2;
  const uint32_t digit = keys[last_sampled(samples, count)] >> 21;
  size_t sure = 0;
  for (size_t i = 0; i < count; ++i) sure += keys[i] >> 21 <= digit;
  limits_of(NULL)->top_k_forced_mistake = TOP_K_TAKES_TOO_MANY;
  for (size_t nth = sure - 2; nth <= sure && nth < count; ++nth)
    check_nth(&(nth_case){
        .key = JIG_U32, .keys = keys, .count = count, .nth = nth, .has_nth_out = true, .what = "sure"});
  limits_of(NULL)->top_k_forced_mistake = TOP_K_NO_MISTAKE;
  free(keys);
}
END_TEST

/* ---- values and iterators */

START_TEST(pairs) {
  const jig_type types[] = {JIG_U8, JIG_U32, JIG_F64, jig_opaque(24, 8)};
  static const jig_type_kind kinds[] = {JIG_KIND_F32, JIG_KIND_U8, JIG_KIND_U64, JIG_KIND_I128};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type key = type_of(kinds[i]);
    const size_t counts[] = {999, alone(key) + 20000};
    for (size_t k = 0; k < 2; ++k)
      check_pattern((nth_case){.key = key,
                               .value = types[i],
                               .count = counts[k],
                               .nth = counts[k] / 3,
                               .has_out = true,
                               .offset = i,
                               .iterates_keys = i == 0,
                               .iterates_values = i % 2 == 0},
                    i % 2 ? KEYS_MOSTLY_ONE : KEYS_RANDOM);
  }
}
END_TEST

/* A median of what is computed, and which item it is, by a sort of indices. */
START_TEST(computed) {
  enum { COUNT = 70001 };
  static const int32_t zero = 0;
  int32_t key = 0;
  static int32_t order[COUNT];
  const jig_iter numbers = jig_counting(&zero, JIG_I32);
  const jig_iter keys =
      jig_iter_transform(&numbers, jig_op_source("return int(x * 7919ll % 70001);"), JIG_I32);
  int32_t *nth = gpu_alloc(4, 0), *out = gpu_alloc(sizeof order, 0);
  run_nth_element(&(jig_nth_element_args){.in = keys,
                                          .out = jig_discard(JIG_I32),
                                          .values_in = numbers,
                                          .values_out = jig_pointer(out, JIG_I32),
                                          .nth_out = jig_pointer(nth, JIG_I32),
                                          .num_items = COUNT,
                                          .nth = 12345});
  gpu_read(&key, nth, 4);
  gpu_read(order, out, sizeof order);
  ck_assert_int_eq(key, 12345);
  for (int64_t i = 0; i < COUNT; ++i) {
    const int64_t own = order[i] * (int64_t)7919 % COUNT;
    ck_assert(i < 12345 ? own < 12345 : i > 12345 ? own > 12345 : own == 12345);
    if (i != 0 && i != 12345 && i != 12346) ck_assert_int_lt(order[i - 1], order[i]);
  }
  gpu_free(nth);
  gpu_free(out);
}
END_TEST

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
START_TEST(structs) {
  static const uint16_t counts[] = {900, 30000};
  for (size_t t = 0; t < COUNT_OF(counts); ++t) {
    const size_t count = counts[t], n = count / 3;
    hit *hits = malloc(count * sizeof *hits), *got = malloc(count * sizeof *got);
    uint64_t seed = 5;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t r = next_random(&seed) >> 20;
      hits[i] = (hit){(float)(r % 7) - 3, (int16_t)(r / 8 % 9 - 4), (uint16_t)i};
    }
    hit *in = gpu_copy(hits, count * sizeof *hits, 4), *out = gpu_alloc(count * sizeof *hits, 0);
    run_nth_element(&(jig_nth_element_args){.in = jig_pointer(in, HIT),
                                            .out = jig_pointer(out, HIT),
                                            .num_items = count,
                                            .nth = n,
                                            .decomposer = "x.shard, x.score"});
    gpu_read(got, out, count * sizeof *got);
    qsort(got, n, sizeof *got, by_shard_and_score);
    qsort(got + n + 1, count - n - 1, sizeof *got, by_shard_and_score);
    qsort(hits, count, sizeof *hits, by_shard_and_score);
    check_items(got, hits, sizeof *hits, count, "hits");
    gpu_free(in);
    gpu_free(out);
    free(hits);
    free(got);
  }
}
END_TEST

/* ---- graphs */

START_TEST(replays) {
  enum { COUNT = 60000, NTH = 20000, ROUNDS = 3 };
  CUstream stream;
  static uint32_t got[COUNT];
  uint32_t key = 0;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0), *nth = gpu_alloc(4, 0);
  const jig_nth_element_args args = {.in = jig_pointer(in, JIG_U32),
                                     .out = jig_pointer(out, JIG_U32),
                                     .nth_out = jig_pointer(nth, JIG_U32),
                                     .num_items = COUNT,
                                     .nth = NTH};
  size_t bytes = 0;
  OK(jig_nth_element(NULL, NULL, &bytes, &args, stream));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_nth_element(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    uint32_t *keys = keys_of(JIG_U32, round == 1 ? KEYS_FEW : KEYS_RANDOM, COUNT, round + 1);
    gpu_write(in, keys, COUNT * 4);
    gpu_replay(exec, stream);
    const nth_case c = {
        .key = JIG_U32, .keys = keys, .count = COUNT, .nth = NTH, .what = "a graph's replay"};
    size_t *places = wanted_places(&c);
    settle(&c, out, keys, 4, places, COUNT, "keys");
    gpu_read(&key, nth, 4);
    gpu_read(got, out, sizeof got);
    ck_assert_uint_eq(key, got[NTH]);
    free(places);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  gpu_free(nth);
}
END_TEST

/* ---- more than 2^32 items */

START_TEST(more_items_than_32_bits_count) {
  static const uint64_t zero = 0;
  const uint64_t count = ((uint64_t)1 << 32) + 5;
  uint64_t got = 0;
  if (!gpu_begin_large("device/nth_element: more_items_than_32_bits_count", (size_t)40 << 30)) return;
  uint64_t *out = gpu_alloc(8, 0);
  const jig_iter numbers = jig_counting(&zero, JIG_U64);
  for (int i = 0; i < 2; ++i) {
    const uint64_t nth = i == 0 ? count - 2 : count / 3;
    run_nth_element(&(jig_nth_element_args){
        .in = numbers, .nth_out = jig_pointer(out, JIG_U64), .num_items = count, .nth = nth});
    gpu_read(&got, out, 8);
    ck_assert_uint_eq(got, nth);
  }
  gpu_free(out);
  gpu_end_large();
}
END_TEST

/* ---- what is refused */

static void refuses(jig_nth_element_args args, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_nth_element(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

START_TEST(refused) {
  char *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), others = jig_pointer(memory + 2048, JIG_U32);
  const jig_nth_element_args good = {.in = in, .out = others, .num_items = 100, .nth = 10};
  jig_nth_element_args args = good;
  args.in = (jig_iter)JIG_ZERO;
  refuses(args, "in: no iterator is given");
  args = good;
  args.out = (jig_iter)JIG_ZERO;
  refuses(args, "out: missing, and there is no nth_out either");
  args.nth_out = jig_pointer(memory + 4, JIG_U32);
  refuses(args, "nth_out overlaps in");
  args.values_in = in;
  args.values_out = others;
  refuses(args, "values_in: values are only for calls with out");
  args = good;
  args.nth_out = jig_pointer(memory + 3000, JIG_F32);
  refuses(args, "nth_out: its type must be that of in, u32, not f32");
  args = good;
  args.out = jig_pointer(memory + 2048, JIG_I32);
  refuses(args, "out: its type must be that of in, u32, not i32");
  args.out = jig_pointer(memory + 396, JIG_U32);
  refuses(args, "out overlaps in");
  args.out = jig_pointer(NULL, JIG_U32);
  refuses(args, "out: the pointer is NULL");
  args = good;
  args.values_in = in;
  refuses(args, "values_out: missing");
  args = good;
  args.nth = 100;
  refuses(args, "nth: it is 100, of 100 items");
  args = good;
  args.order = (jig_sort_order)2;
  refuses(args, "order: no such choice (2)");
  args = good;
  args.decomposer = "x";
  refuses(args, "in: keys must be structs if there is a decomposer");
  gpu_free(memory);
}
END_TEST

START_TEST(nothing) {
  char *memory = gpu_alloc(400, 0);
  jig_nth_element_args args = {.in = jig_pointer(memory, JIG_U32),
                               .out = jig_pointer(memory + 200, JIG_U32),
                               .nth_out = jig_pointer(memory + 300, JIG_U32)};
  run_nth_element(&args);
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

/* Never less for more items. */
START_TEST(temp_storage) {
  for (int part = 2; part < 1000; part *= 7) {
    jig_nth_element_args args = {.in = jig_pointer(NULL, JIG_U32), .out = jig_pointer(NULL, JIG_U32)};
    size_t last = 0;
    for (uint64_t n = 1; n < (uint64_t)1 << 36; n += n / 5 + 1) {
      size_t bytes = 0;
      args.num_items = n;
      args.nth = n / (unsigned)part;
      OK(jig_nth_element(NULL, NULL, &bytes, &args, NULL));
      ck_assert_uint_ge(bytes, last);
      last = bytes;
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),
      SUITE_TEST(every_pattern),
      SUITE_TEST(few_items),
      SUITE_TEST(many_items),
      SUITE_TEST(misled),
      SUITE_TEST(sure_too_far),
      SUITE_TEST(pairs),
      SUITE_TEST(computed),
      SUITE_TEST(structs),
      SUITE_TEST(replays),
      SUITE_TEST(more_items_than_32_bits_count),
      SUITE_TEST(refused),
      SUITE_TEST(nothing),
      SUITE_TEST(temp_storage),
  };
  return SUITE_RUN("device/nth_element", tests, true);
}
