/* Reverse, rotate and shuffle: types, sizes, in place, iterators, what is refused. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "strict_support.h"
#include "suite.h"

static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 255, 256, 1000, 2048, 4097, 65536, 100003};

/* ---- reverse */

static void check_reverse(jig_type type, size_t count, size_t offset, bool in_place) {
  const size_t size = type.size;
  unsigned char *items = random_bytes(count * size, count + 1);
  unsigned char *wanted = malloc(count * size + 1);
  for (size_t i = 0; i < count; ++i) memcpy(wanted + i * size, items + (count - 1 - i) * size, size);
  void *in = gpu_copy(items, count * size, offset * size);
  void *out = in_place ? in : gpu_alloc(count * size, count % 5 * size);
  const jig_reverse_args args = {
      .in = jig_pointer(in, type), .out = jig_pointer(out, type), .num_items = count};
  RUN_WITHOUT_STORAGE(jig_reverse, &args);
  check_sorted(out, wanted, size, count, jig_type_name(&type));
  if (!in_place) {
    check_kept(in, items, count * size, "in");
    gpu_free(out);
  }
  gpu_free(in);
  free(items);
  free(wanted);
}

START_TEST(items_are_reversed) {
  const jig_type types[] = {JIG_U8,
                            JIG_U16,
                            JIG_U32,
                            JIG_F64,
                            JIG_U128,
                            jig_opaque(3, 1),
                            jig_opaque(12, 4),
                            jig_opaque(256, 8),
                            jig_opaque(64, 32)};
  for (size_t t = 0; t < COUNT_OF(types); ++t)
    for (size_t s = 0; s < COUNT_OF(sizes); ++s)
      check_reverse(types[t], sizes[s], s % 2, (s + t) % 3 == 0);
  /* Small ones at any alignment of either side. */
  for (size_t offset = 0; offset < 16; ++offset) {
    check_reverse(JIG_U8, 20000 + offset * 7, offset, false);
    check_reverse(JIG_U16, 20000 + offset * 7, offset, false);
    check_reverse(JIG_U8, 1 + offset * 5, offset, false);
    check_reverse(JIG_F16, 1 + offset * 5, offset, offset % 2 == 1);
  }
  for (size_t count = 1; count <= 130; ++count) {
    check_reverse(JIG_U8, count, count % 16, false);
    check_reverse(JIG_U16, count, count % 8, false);
  }
  /* Many of sizes that are no powers of two, at any alignment of either side. */
  const jig_type odd[] = {jig_opaque(12, 4),  jig_opaque(5, 1), jig_opaque(24, 8),
                          jig_opaque(48, 16), jig_opaque(6, 2), jig_opaque(72, 8)};
  for (size_t t = 0; t < COUNT_OF(odd); ++t)
    for (size_t offset = 0; offset < 16; offset += t == 0 ? 1 : 5)
      check_reverse(odd[t], 20000 + offset * 7, offset, offset == 10);
  check_reverse(JIG_U32, 3000001, 0, true);
  check_reverse(JIG_U8, 3000001, 1, false);
}
END_TEST

START_TEST(iterators_are_reversed) {
  enum { COUNT = 5001 };
  int32_t *numbers = malloc(COUNT * 4);
  int64_t *got = malloc(COUNT * 8);
  for (int i = 0; i < COUNT; ++i) numbers[i] = -i;
  void *in = gpu_copy(numbers, COUNT * 4, 4), *out = gpu_alloc(COUNT * 8, 8);
  const jig_iter from = jig_pointer(in, JIG_I32), to = jig_pointer(out, JIG_I64);
  jig_reverse_args args = {.in = from, .out = to, .num_items = COUNT};
  RUN_WITHOUT_STORAGE(jig_reverse, &args); /* converts */
  gpu_read(got, out, COUNT * 8);
  for (int i = 0; i < COUNT; ++i) ck_assert_int_eq(got[i], -(COUNT - 1 - i));
  args.in = jig_counting(NULL, JIG_I32);
  args.out = jig_transform_output(&to, jig_op_source("return 2 * x;"), JIG_I32);
  RUN_WITHOUT_STORAGE(jig_reverse, &args);
  gpu_read(got, out, COUNT * 8);
  for (int i = 0; i < COUNT; ++i) ck_assert_int_eq(got[i], 2 * (COUNT - 1 - i));
  gpu_free(in);
  gpu_free(out);
  free(numbers);
  free(got);
}
END_TEST

/* ---- rotate */

START_TEST(items_are_rotated) {
  const jig_type types[] = {JIG_U8,
                            JIG_F16,
                            JIG_U32,
                            jig_opaque(3, 1),
                            jig_opaque(12, 4),
                            jig_opaque(24, 8),
                            jig_opaque(32, 32),
                            jig_opaque(64, 32)};
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
      const size_t count = sizes[s], size = types[t].size;
      const size_t firsts[] = {0, count / 3, count - count / 5, count};
      unsigned char *items = random_bytes(count * size, count + 1), *wanted = malloc(count * size + 1);
      void *in = gpu_copy(items, count * size, (1 + s % 3) * size),
           *out = gpu_alloc(count * size, s % 5 * size);
      for (size_t k = 0; k < COUNT_OF(firsts); ++k) {
        const size_t first = firsts[k], rest = count - first;
        memcpy(wanted, items + first * size, rest * size);
        memcpy(wanted + rest * size, items, first * size);
        OK(jig_rotate(NULL, NULL, NULL, jig_pointer(in, types[t]), jig_pointer(out, types[t]), count,
                      first, NULL));
        check_sorted(out, wanted, size, count, "rotated");
      }
      gpu_free(in);
      gpu_free(out);
      free(items);
      free(wanted);
    }
  }
}
END_TEST

START_TEST(iterators_are_rotated) {
  enum { COUNT = 5001, FIRST = 1234 };
  int32_t *got = malloc(COUNT * 4);
  void *out = gpu_alloc(COUNT * 4, 4);
  OK(jig_rotate(NULL, NULL, NULL, jig_counting(NULL, JIG_U8), jig_pointer(out, JIG_I32), COUNT, FIRST,
                NULL));
  gpu_read(got, out, COUNT * 4);
  for (int i = 0; i < COUNT; ++i) ck_assert_int_eq(got[i], (i + FIRST) % COUNT % 256);
  gpu_free(out);
  free(got);
}
END_TEST

/* ---- shuffle: what templates/jig/core/iterator/shuffle.cuh says, again */

static uint32_t mixed(uint64_t number, uint64_t key) {
  uint32_t x = (uint32_t)number ^ (uint32_t)key;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  return (x ^ x >> 13) * 0xc2b2ae35u;
}
static uint64_t hash64(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint64_t shuffled(uint64_t i, uint64_t count, uint64_t seed) {
  const uint64_t last = count > 256 ? count - 1 : 255;
  int bits = 8;
  while (bits < 64 && last >> bits != 0) ++bits;
  const int low_bits = (bits + 1) / 2;
  const uint64_t low_mask = ((uint64_t)1 << low_bits) - 1, highs = (last >> low_bits) + 1;
  do {
    uint64_t low = i & low_mask, high = i >> low_bits;
    for (uint64_t r = 1; r <= 6; ++r) {
      const uint64_t key = hash64(seed + r * 0x9e3779b97f4a7c15u);
      low ^= mixed(high, key) >> (32 - low_bits);
      high = (high + (mixed(low, key >> 32) * highs >> 32)) % highs;
    }
    i = high << low_bits | low;
  } while (i >= count);
  return i;
}

static const uint64_t seeds[] = {0, 1, 0x123456789abcdefu};

START_TEST(shuffles_are_what_they_are_said_to_be) {
  for (size_t s = 1; s < COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s];
    uint32_t *got = malloc(count * 4);
    unsigned char *seen = malloc(count);
    void *out = gpu_alloc(count * 4, 0);
    for (size_t k = 0; k < COUNT_OF(seeds); ++k) {
      OK(jig_shuffle(NULL, NULL, NULL, jig_counting(NULL, JIG_U32), jig_pointer(out, JIG_U32), count,
                     seeds[k], NULL));
      gpu_read(got, out, count * 4);
      memset(seen, 0, count);
      for (size_t i = 0; i < count; ++i) {
        ck_assert_uint_eq(got[i], shuffled(i, count, seeds[k]));
        ck_assert_uint_eq(seen[got[i]]++, 0);
      }
    }
    gpu_free(out);
    free(got);
    free(seen);
  }
}
END_TEST

/* Where an item comes to by many seeds: by chi squared, whose mean is the degrees of freedom, and which
 * exceeds this by chance less than once in 10^6. Of two neighbours, too. */
START_TEST(shuffles_are_random) {
  enum { SEEDS = 100000 };
  static const struct {
    uint64_t count;
    double most;
  } rows[] = {{2, 24}, {5, 34}, {8, 41}, {13, 52}, {64, 126}, {300, 431}};
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    const uint64_t n = rows[r].count;
    for (uint64_t item = 0; item < 2; ++item) {
      unsigned counts[300] = {0}, distances[300] = {0};
      for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        const uint64_t place = shuffled(item, n, seed), other = shuffled(n - 1 - item, n, seed);
        ++counts[place];
        ++distances[(other + n - place) % n];
      }
      double chi = 0, chi_of_pairs = 0;
      for (uint64_t k = 0; k < n; ++k) {
        const double wanted = (double)SEEDS / (double)n,
                     wanted_of_pairs = (double)SEEDS / (double)(n - 1);
        chi += (counts[k] - wanted) * (counts[k] - wanted) / wanted;
        if (k > 0)
          chi_of_pairs +=
              (distances[k] - wanted_of_pairs) * (distances[k] - wanted_of_pairs) / wanted_of_pairs;
      }
      ck_assert_msg(chi < rows[r].most, "%zu items, item %zu: %g", (size_t)n, (size_t)item, chi);
      ck_assert_msg(n == 2 || chi_of_pairs < rows[r].most, "%zu items, pair %zu: %g", (size_t)n,
                    (size_t)item, chi_of_pairs);
    }
  }
}
END_TEST

/* Numbers of any type, and values that are shuffled with others. */
START_TEST(a_shuffle_is_an_iterator) {
  enum { COUNT = 250 };
  const uint64_t seed = 99;
  uint8_t bytes[COUNT];
  int64_t wide[COUNT];
  void *out = gpu_alloc(COUNT, 0), *wide_out = gpu_alloc(COUNT * 8, 0);
  jig_copy_args copy = {
      .in = jig_iter_shuffle(COUNT, seed, JIG_U8), .out = jig_pointer(out, JIG_U8), .num_items = COUNT};
  OK(jig_copy(NULL, NULL, NULL, &copy, NULL));
  copy.in = jig_iter_shuffle(COUNT, seed, JIG_I64);
  copy.out = jig_pointer(wide_out, JIG_I64);
  OK(jig_copy(NULL, NULL, NULL, &copy, NULL));
  gpu_read(bytes, out, COUNT);
  gpu_read(wide, wide_out, COUNT * 8);
  for (int i = 0; i < COUNT; ++i) {
    ck_assert_uint_eq(bytes[i], shuffled((uint64_t)i, COUNT, seed));
    ck_assert_int_eq(wide[i], bytes[i]);
  }
  gpu_free(out);
  gpu_free(wide_out);
}
END_TEST

/* ---- calls */

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 100, JIG_U32);
  const jig_status bad = JIG_ERROR_INVALID_ARGUMENT;
  size_t bytes;
  jig_reverse_args args = {.in = in, .out = out, .num_items = 101};
  FAILS(jig_reverse(NULL, NULL, NULL, &args, NULL), bad, "jig_reverse: out overlaps in");
  FAILS(jig_reverse(NULL, NULL, NULL, NULL, NULL), bad, "args");
  args.out = jig_pointer(memory, jig_opaque(4, 4));
  FAILS(jig_reverse(NULL, NULL, NULL, &args, NULL), bad, "in: the item type");
  args = (jig_reverse_args){.in = in, .out = out, .num_items = UINT64_MAX};
  FAILS(jig_reverse(NULL, NULL, &bytes, &args, NULL), bad, "num_items");
  FAILS(jig_rotate(NULL, NULL, NULL, in, out, 101, 3, NULL), bad, "jig_rotate: out overlaps in");
  FAILS(jig_rotate(NULL, NULL, NULL, in, out, 100, 101, NULL), bad,
        "jig_rotate: first: there is no item 101");
  for (int i = 0; i < 2; ++i) { /* by indices, and by words: it is a copy by name */
    const jig_type type = i == 0 ? JIG_U32 : JIG_U8;
    FAILS(jig_rotate(NULL, NULL, NULL, jig_pointer(memory, type), jig_pointer(NULL, type), 9, 3, NULL),
          bad, "jig_copy: out: the pointer is NULL");
  }
  FAILS(jig_shuffle(NULL, NULL, NULL, in, in, 2, 3, NULL), bad, "jig_shuffle: out overlaps in");
  FAILS(jig_shuffle(NULL, NULL, NULL, jig_pointer(NULL, JIG_U32), out, 2, 3, NULL), bad,
        "pointer is NULL");
  ck_assert(gpu_is_untouched(memory, 4096));
  gpu_free(memory);
}
END_TEST

static void strict_reverse(strict_call *t) {
  const jig_reverse_args args = {
      .in = jig_pointer(t->d_values, JIG_U32), .out = jig_pointer(t->out[0], JIG_U32), .num_items = t->n};
  STRICT(t, jig_reverse, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], t->n - 1 - i);
}

static void strict_shuffle(strict_call *t) {
  const jig_iter values = jig_pointer(t->d_values, JIG_U32), indices = jig_iter_shuffle(t->n, 5, JIG_U64);
  const jig_copy_args args = {.in = jig_permutation(&values, &indices),
                              .out = jig_pointer(t->out[0], JIG_U32),
                              .num_items = t->n};
  STRICT(t, jig_copy, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], shuffled(i, t->n, 5));
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_reverse), STRICT_CASE(strict_shuffle)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* More than 32 bits count, the last item of all included. */
START_TEST(more_items_than_32_bits_count) {
  const size_t count = ((size_t)1 << 32) + 12345;
  const uint8_t one = 1;
  uint8_t got[2];
  if (!gpu_begin_large("device/reorder: more_items_than_32_bits_count", (size_t)1 << 36)) return;
  CUdeviceptr in;
  GPU(gpu()->cuMemAlloc(&in, count));
  gpu_fill((void *)(uintptr_t)in, 0, count);
  gpu_write((void *)(uintptr_t)(in + count - 7), &one, 1);
  const jig_iter items = jig_pointer((void *)(uintptr_t)in, JIG_U8);
  const jig_reverse_args args = {.in = items, .out = items, .num_items = count};
  OK(jig_reverse(NULL, NULL, NULL, &args, NULL));
  gpu_read(&got[0], (void *)(uintptr_t)(in + 6), 1);
  gpu_read(&got[1], (void *)(uintptr_t)(in + count - 7), 1);
  ck_assert_uint_eq(got[0], 1);
  ck_assert_uint_eq(got[1], 0);
  GPU(gpu()->cuMemFree(in));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(items_are_reversed),
                                     SUITE_TEST(iterators_are_reversed),
                                     SUITE_TEST(items_are_rotated),
                                     SUITE_TEST(iterators_are_rotated),
                                     SUITE_TEST(shuffles_are_what_they_are_said_to_be),
                                     SUITE_TEST(shuffles_are_random),
                                     SUITE_TEST(a_shuffle_is_an_iterator),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(a_spec_prewarms_its_calls),
                                     SUITE_TEST(more_items_than_32_bits_count)};
  return SUITE_RUN("device/reorder", tests, true);
}
