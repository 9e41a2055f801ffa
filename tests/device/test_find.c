/* find_if, any_of, all_of and none_of: every type at sizes around every boundary, items that pass at the
 * beginning, in the middle, at the end, often and nowhere; inputs of every kind; what a predicate is
 * called with; early exits. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/find_plan.h"
#include "algorithm/reduce_plan.h"
#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "policy/find_if.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"
#include "words.h"

/* Around vectors, rows of a block, and what a block takes by itself. */
static const size_t sizes[] = {1,   2,   3,    4,    5,     15,    16,    17,    33,     511,
                               512, 513, 2047, 4097, 16385, 32769, 65537, 70001, 131073, 300007};
enum { MOST = 300007 };

static const char *const names[] = {"find_if", "find_if_not", "any_of", "all_of", "none_of"};

static int64_t find(const jig_find_if_args *args) {
  jig_find_if_args stored = *args;
  void *out = gpu_alloc(8, 0);
  int64_t found;
  stored.out = jig_pointer(out, JIG_I64);
  RUN_PHASES(jig_find_if, &stored, 8);
  gpu_read(&found, out, 8);
  gpu_free(out);
  return found;
}

/* What it is where the first item that passes, and the first that does not, are these. */
static int64_t wanted(jig_find_mode mode, size_t passing, size_t failing, size_t count) {
  switch (mode) {
    case JIG_FIND_IF:
      return (int64_t)passing;
    case JIG_FIND_IF_NOT:
      return (int64_t)failing;
    case JIG_FIND_ANY_OF:
      return passing < count;
    case JIG_FIND_ALL_OF:
      return failing == count;
    default:
      return passing == count;
  }
}

/* By all modes, over items of which it is told on the host whether they pass. */
static void check_modes(jig_iter in, jig_op predicate, const bool *passes, size_t count,
                        const char *what) {
  size_t passing = 0, failing = 0;
  while (passing < count && !passes[passing]) ++passing;
  while (failing < count && passes[failing]) ++failing;
  for (int mode = JIG_FIND_IF; mode <= JIG_FIND_NONE_OF; ++mode) {
    const int64_t found = find(&(jig_find_if_args){
        .in = in, .num_items = count, .predicate = predicate, .mode = (jig_find_mode)mode});
    const int64_t right = wanted((jig_find_mode)mode, passing, failing, count);
    ck_assert_msg(found == right, "%s, %s of %zu: %lld, not %lld", what, names[mode], count,
                  (long long)found, (long long)right);
  }
}

/* Items of any size, of which those pass whose first byte is 1, where all others are 0. */
static void check_places(jig_type type, jig_op predicate, size_t offset) {
  bool *passes = calloc(MOST, 1);
  unsigned char *items = calloc(MOST, type.size);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s], places[] = {0, count / 2, count - 1, count * 7 / 8, count};
    const size_t place = places[s % COUNT_OF(places)];
    memset(passes, 0, count);
    memset(items, 0, count * type.size);
    if (place < count) passes[place] = true;
    for (size_t i = place + 1; i < count && s % 3 == 0; i += 1 + i % 7) passes[i] = true;
    for (size_t i = 0; i < count; ++i) items[i * type.size] = passes[i];
    void *device = gpu_copy(items, count * type.size, offset * type.align);
    check_modes(jig_pointer(device, type), predicate, passes, count, jig_type_name(&type));
    gpu_free(device);
  }
  free(passes);
  free(items);
}

START_TEST(every_place_of_every_size) {
  static const uint32_t widths[] = {1, 2, 3, 4, 8, 12, 16, 24};
  for (size_t w = 0; w < COUNT_OF(widths); ++w) {
    if (!test_turn(w)) continue;
    char name[16], definition[64];
    (void)snprintf(name, sizeof name, "s%u", widths[w]);
    (void)snprintf(definition, sizeof definition, "struct s%u { unsigned char m[%u]; };", widths[w],
                   widths[w]);
    check_places(jig_struct(name, definition, widths[w], 1), jig_op_source("return x.m[0];"), w % 3);
  }
  check_places(JIG_U8, (jig_op)JIG_ZERO, 0);
  check_places(JIG_I64, (jig_op)JIG_ZERO, 1);
}
END_TEST

/* So many items of 8 bytes, 0 but for those that are given as 1, which are then 0 again. */
static void check_ones(uint64_t *items, size_t count, size_t one, size_t other) {
  const uint64_t values[] = {0, 1};
  const size_t first = one < other ? one : other;
  if (one < count) gpu_write(items + one, &values[1], 8);
  if (other < count) gpu_write(items + other, &values[1], 8);
  const int64_t found = find(&(jig_find_if_args){.in = jig_pointer(items, JIG_U64), .num_items = count});
  ck_assert_msg(found == (int64_t)(first < count ? first : count), "%zu and %zu of %zu: %lld", one, other,
                count, (long long)found);
  if (one < count) gpu_write(items + one, &values[0], 8);
  if (other < count) gpu_write(items + other, &values[0], 8);
}

/* How many items of 8 bytes all blocks take in one step of those that have no hint. */
static size_t items_of_step(void) {
  const jig_find_if_args args = {.in = jig_pointer(NULL, JIG_U64), .out = jig_pointer(NULL, JIG_I64)};
  const unsigned vector_items = iter_vector_items(&args.in);
  char *text = NULL;
  OK(jig_find_if_spec(&args, &text));
  const program p = program_here(text);
  const policy *tuned = &p.kernels[FIND_STEP].tuning;
  const find_tuning tuning = find_tuning_of(tuned);
  const size_t blocks = reduce_shape_of(&p, tuned, (uint64_t)1 << 40, vector_items, REDUCE_SEARCH).grid;
  ck_assert_int_eq(tuning.steps, 2);
  return blocks * (size_t)tuning.threads * (size_t)tuning.unroll * vector_items;
}

/* Of one step, of two, and a little more than either. */
START_TEST(two_steps_of_8_bytes) {
  const size_t step = items_of_step();
  const size_t counts[] = {step,         step + 1,     step + 2,    step + step / 3 + 1,
                           2 * step - 1, 2 * step + 1, 2 * step + 3};
  uint64_t *zeros = calloc(2 * step + 8, 8), *items = gpu_copy(zeros, (2 * step + 8) * 8, 0);
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    const size_t count = counts[c], last = count - 1;
    for (size_t start = 0; start < 2; ++start) {
      check_ones(items + start, count, count, count);
      check_ones(items + start, count, last, last);
      check_ones(items + start, count, 12345, last);     /* of a block that has both, or of two */
      check_ones(items + start, count, step - 1, step);  /* in the first step and in the second */
      check_ones(items + start, count, step + 7, count); /* in the second one alone */
      check_ones(items + start, count, last, last - step / 9);
    }
  }
  gpu_free(items);
  free(zeros);
}
END_TEST

START_TEST(wide_items) {
  enum { COUNT = 3001 };
  const jig_type wide = jig_struct("wide", "struct wide { unsigned char m[256]; };", 256, 1);
  unsigned char *items = calloc(COUNT, 256);
  bool *passes = calloc(COUNT, 1);
  passes[2999] = true;
  items[2999 * 256 + 255] = 1;
  void *device = gpu_copy(items, COUNT * 256, 3);
  check_modes(jig_pointer(device, wide), jig_op_source("return x.m[255] == 1;"), passes, COUNT, "wide");
  gpu_free(device);
  free(items);
  free(passes);
}
END_TEST

/* Numbers by themselves: whether they are not 0. */
START_TEST(numbers_without_a_predicate) {
  enum { COUNT = 5001 };
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!test_turn((unsigned)*kind)) continue;
    const jig_type type = type_of(*kind);
    char *items = calloc(COUNT, type.size);
    bool *passes = calloc(COUNT, 1);
    passes[4099] = passes[4500] = true;
    for (size_t i = 4099; i <= 4500; i += 401) {
      if (is_floating(*kind))
        put_float(*kind, items, i, i == 4099 ? (double)NAN : 0.5);
      else
        put_integer(*kind, items, i, 1);
    }
    void *device = gpu_copy(items, COUNT * type.size, type.size);
    check_modes(jig_pointer(device, type), (jig_op)JIG_ZERO, passes, COUNT, jig_type_name(&type));
    gpu_free(device);
    free(items);
    free(passes);
  }
}
END_TEST

START_TEST(inputs_of_every_kind) {
  enum { COUNT = 40000 };
  const uint32_t start = 5;
  uint32_t *words = random_words(2 * COUNT, 3), *indices = malloc(COUNT * 4);
  bool *passes = malloc(COUNT);
  for (size_t i = 0; i < 2 * COUNT; ++i) words[i] &= 0xffff;
  for (size_t i = 0; i < COUNT; ++i) indices[i] = (uint32_t)(i * 7919 % COUNT);
  const jig_iter in = jig_pointer(gpu_copy(words, 2 * COUNT * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, COUNT * 4, 0), JIG_U32);
  const jig_iter both[] = {in, jig_pointer((uint32_t *)in.pointer + COUNT, JIG_U32)};
  const jig_iter inputs[] = {jig_counting(&start, JIG_U32),
                             jig_constant(&start, JIG_U32),
                             jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                             jig_iter_reverse(&in, COUNT),
                             jig_permutation(&in, &map),
                             jig_strided(in.pointer, 8, JIG_U32),
                             jig_iter_source(jig_op_source("return i * i;"), JIG_U32),
                             jig_zip_transform(both, 2, JIG_BIT_XOR, JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(inputs); ++k) {
    for (uint32_t i = 0; i < COUNT; ++i) {
      const uint32_t values[] = {
          start + i,    start, words[i] * 3 + 1,           words[COUNT - 1 - i], words[indices[i]],
          words[2 * i], i * i, words[i] ^ words[COUNT + i]};
      passes[i] = values[k] % 4096 == 77;
    }
    check_modes(inputs[k], jig_op_source("return x % 4096 == 77;"), passes, COUNT, "an input");
  }
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  free(words);
  free(indices);
  free(passes);
}
END_TEST

/* Items that are all tagged; a predicate that counts those that are not. */
START_TEST(a_predicate_is_called_with_items) {
  uint32_t *words = malloc(MOST * 4);
  void *foreign = gpu_alloc(4, 0);
  uint32_t count;
  const jig_type counter = jig_struct("counter", "struct counter { unsigned *count; };", 8, 8);
  const jig_op predicate = jig_op_with_state(
      jig_op_source("if (x >> 8 != 0xabcdef) atomicAdd(state.count, 1u); return x == 0xabcdef11;"),
      &foreign, counter);
  for (size_t i = 0; i < MOST; ++i) words[i] = 0xabcdef00;
  gpu_fill(foreign, 0, 4);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    void *items = gpu_copy(words, sizes[s] * 4, 4 * (s % 3));
    ck_assert_int_eq(
        find(&(jig_find_if_args){
            .in = jig_pointer(items, JIG_U32), .num_items = sizes[s], .predicate = predicate}),
        (int64_t)sizes[s]);
    gpu_free(items);
  }
  gpu_read(&count, foreign, 4);
  ck_assert_uint_eq(count, 0);
  gpu_free(foreign);
  free(words);
}
END_TEST

/* Of as many items as could not be read in years. */
START_TEST(it_stops_early) {
  const uint64_t zero = 0, places[] = {0, 1, 1000, 70001, 1000000};
  const jig_iter all = jig_counting(&zero, JIG_U64);
  for (size_t k = 0; k < COUNT_OF(places); ++k) {
    const jig_op predicate = jig_op_with_state(jig_op_source("return x >= state;"), &places[k], JIG_U64);
    ck_assert_int_eq(
        find(&(jig_find_if_args){.in = all, .num_items = (uint64_t)1 << 60, .predicate = predicate}),
        (int64_t)places[k]);
  }
  ck_assert_int_eq(find(&(jig_find_if_args){.in = all,
                                            .num_items = (uint64_t)1 << 60,
                                            .predicate = jig_op_source("return x < 5000;"),
                                            .mode = JIG_FIND_ALL_OF}),
                   0);
}
END_TEST

START_TEST(no_items) {
  for (int mode = JIG_FIND_IF; mode <= JIG_FIND_NONE_OF; ++mode)
    ck_assert_int_eq(
        find(&(jig_find_if_args){.in = jig_pointer(NULL, JIG_F32), .mode = (jig_find_mode)mode}),
        mode == JIG_FIND_ALL_OF || mode == JIG_FIND_NONE_OF);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(every_place_of_every_size),
                                     SUITE_TEST(two_steps_of_8_bytes),
                                     SUITE_TEST(wide_items),
                                     SUITE_TEST(numbers_without_a_predicate),
                                     SUITE_TEST(inputs_of_every_kind),
                                     SUITE_TEST(a_predicate_is_called_with_items),
                                     SUITE_TEST(it_stops_early),
                                     SUITE_TEST(no_items)};
  return SUITE_RUN("device/find", tests, true);
}
