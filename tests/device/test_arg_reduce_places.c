/* Smallest and largest item wherever it is: found there, the first of equals, and with its own bits. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* One run, one block with a few, and several blocks; all end within a run, so that there is a tail. */
static const size_t sizes[] = {17, 4099, 70003, 300007};
static const jig_type_kind floating[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};

/* Items on the host and on the device, the same on both. */
typedef struct items {
  jig_type_kind kind;
  jig_type type;
  size_t count, offset;
  unsigned char *host, *device;
} items;

/* ---- values: a background, and what is smaller or larger than all of it */

/* The value whose uppermost byte is this, of a type with 8 bits or more. */
static int128 integer_with(jig_type_kind kind, int upper_byte, uint64_t lower) {
  const int shift = 8 * (int)type_of(kind).size - 8;
  const uint128 ones = ((uint128)1 << shift) - 1;
  return (int128)((uint128)(int128)upper_byte << shift | (((uint128)lower << 64 | lower) & ones));
}

/* One item; the background is strictly above the smallest one, and below the largest. */
static void put_background(jig_type_kind kind, void *to, size_t i, bool smallest, uint64_t random) {
  if (is_floating(kind))
    put_float(kind, to, i, (smallest ? 1 : -1) * (1 + (double)(random % 2000) / 16));
  else if (kind == JIG_KIND_BOOL)
    put_integer(kind, to, i, smallest);
  else
    put_integer(kind, to, i, integer_with(kind, 20 + (int)(random % 80), random * random));
}

static void put_extreme(jig_type_kind kind, void *to, size_t i, bool smallest) {
  if (is_floating(kind))
    put_float(kind, to, i, smallest ? -7.5 : 1000);
  else if (kind == JIG_KIND_BOOL)
    put_integer(kind, to, i, !smallest);
  else
    put_integer(kind, to, i, integer_with(kind, !smallest ? 120 : is_signed(kind) ? -100 : 3, 12345));
}

static items new_items(jig_type_kind kind, size_t count, size_t offset_items, bool smallest) {
  items all = {.kind = kind, .type = type_of(kind), .count = count, .offset = offset_items};
  uint64_t seed = 500 + (uint64_t)kind;
  all.host = malloc(count * all.type.size);
  for (size_t i = 0; i < count; ++i) {
    put_background(kind, all.host, i, smallest, next_random(&seed));
  }
  all.device = gpu_copy(all.host, count * all.type.size, offset_items * all.type.size);
  return all;
}

static void free_items(items *all) {
  gpu_free(all->device);
  free(all->host);
}

/* Sets one item. */
static void set(items *all, size_t place, const void *value) {
  const size_t size = all->type.size;
  memcpy(all->host + place * size, value, size);
  gpu_write(all->device + place * size, value, size);
}

static void set_extreme(items *all, size_t place, bool smallest) {
  unsigned char value[16];
  put_extreme(all->kind, value, 0, smallest);
  set(all, place, value);
}

/* Makes it what it was. */
static void reset(items *all, size_t place, bool smallest) {
  unsigned char value[16];
  put_background(all->kind, value, 0, smallest, 77 * place);
  set(all, place, value);
}

/* ---- checking */

static arg_result find(const items *all, bool smallest, jig_nan nan) {
  return arg_reduce_to_host((jig_arg_reduce_args){.in = jig_pointer(all->device, all->type),
                                                  .num_items = all->count,
                                                  .op = smallest ? JIG_MIN : JIG_MAX,
                                                  .nan = nan});
}

/* That it is found at this place, with the bits of the item there; `what` is for the message. */
static void check_at(const items *all, bool smallest, jig_nan nan, size_t place, const char *what) {
  const arg_result f = find(all, smallest, nan);
  const size_t size = all->type.size;
  const void *wanted = all->host + place * size;
  ck_assert_msg(f.index == (int64_t)place && memcmp(f.value, wanted, size) == 0,
                "%s: %s of %zu %s%s at offset %zu is %s at %lld, not %s at %zu", what,
                smallest ? "min" : "max", all->count, jig_type_name(&all->type),
                nan == JIG_NAN_IGNORE ? ", NaNs ignored," : "", all->offset, bits_of(f.value, size),
                (long long)f.index, bits_of(wanted, size), place);
}

/* ---- one extreme */

START_TEST(the_only_extreme_is_found_anywhere) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    for (size_t c = 0; c < 2 * 2 * COUNT_OF(sizes); ++c) {
      const bool smallest = c & 1;
      const size_t n = sizes[c / 4];
      const size_t places[] = {0, 1, 13, n / 2, n / 2 + 700, n - n / 7, n - 18, n - 2, n - 1};
      items all = new_items(*kind, n, c / 2 % 2, smallest);
      for (size_t p = 0; p < COUNT_OF(places); ++p) {
        if (places[p] >= n) continue; /* n - 18 wraps around, too */
        set_extreme(&all, places[p], smallest);
        check_at(&all, smallest, JIG_NAN_PROPAGATE, places[p], "one extreme");
        reset(&all, places[p], smallest);
      }
      free_items(&all);
    }
  }
}
END_TEST

/* ---- equal ones */

/* Places in one run, in one thread's next run, in another row, block, the tail; and random ones. */
static void choose_places(size_t n, size_t round, uint64_t *seed, size_t places[3]) {
  static const size_t steps[] = {1, 3, 16, 512, 2048, 8192, 65536};
  for (size_t k = 0; k < 3; ++k) places[k] = next_random(seed) % n;
  if (round < COUNT_OF(steps)) places[1] = (places[0] + steps[round]) % n;
  if (round % 5 == 4) places[2] = n - 1;
}

static size_t first_of(const size_t places[3]) {
  size_t first = places[0];
  for (size_t k = 1; k < 3; ++k) first = places[k] < first ? places[k] : first;
  return first;
}

START_TEST(the_first_of_equal_ones_wins) {
  enum { ROUNDS = 15 };
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    for (size_t c = 0; c < 2 * COUNT_OF(sizes); ++c) {
      const bool smallest = c & 1;
      items all = new_items(*kind, sizes[c / 2], 0, smallest);
      uint64_t seed = 900 + c;
      for (size_t round = 0; round < ROUNDS; ++round) {
        size_t places[3];
        choose_places(all.count, round, &seed, places);
        for (size_t k = 0; k < 3; ++k) set_extreme(&all, places[k], smallest);
        check_at(&all, smallest, JIG_NAN_PROPAGATE, first_of(places), "three equal extremes");
        for (size_t k = 0; k < 3; ++k) reset(&all, places[k], smallest);
      }
      free_items(&all);
    }
  }
}
END_TEST

/* ---- equal, but not to the bit */

/* -0 and 0 at two places, in either order: the first is found, as it is. */
static void check_zeros(items *all, bool smallest, size_t first, size_t second) {
  for (int negative_first = 0; negative_first < 2; ++negative_first) {
    unsigned char zero[8], negative[8];
    put_float(all->kind, zero, 0, 0.0);
    put_float(all->kind, negative, 0, -0.0);
    set(all, first, negative_first ? negative : zero);
    set(all, second, negative_first ? zero : negative);
    const char *what = negative_first ? "-0 before 0" : "0 before -0";
    check_at(all, smallest, JIG_NAN_PROPAGATE, first, what);
    check_at(all, smallest, JIG_NAN_IGNORE, first, what);
  }
  reset(all, first, smallest);
  reset(all, second, smallest);
}

START_TEST(zeros_keep_their_signs) {
  for (size_t k = 0; k < COUNT_OF(floating); ++k) {
    for (size_t c = 0; c < 2 * COUNT_OF(sizes); ++c) {
      const bool smallest = c & 1;
      const size_t n = sizes[c / 2];
      items all = new_items(floating[k], n, 0, smallest);
      check_zeros(&all, smallest, 4, 5);
      check_zeros(&all, smallest, 4, 7);
      check_zeros(&all, smallest, 3, n - 1);
      check_zeros(&all, smallest, n / 2, n - n / 9);
      check_zeros(&all, smallest, n - 17, n - 2);
      check_zeros(&all, smallest, n - 2, n - 1);
      free_items(&all);
    }
  }
}
END_TEST

/* ---- NaN */

/* A NaN, quiet, with a payload; the second sort is negative. */
static void put_nan(jig_type_kind kind, void *to, int sort) {
  const uint64_t bits = kind == JIG_KIND_F16    ? (sort == 0 ? 0x7e55 : 0xff01)
                        : kind == JIG_KIND_BF16 ? (sort == 0 ? 0x7fd5 : 0xffc1)
                        : kind == JIG_KIND_F32  ? (sort == 0 ? 0x7fc12345 : 0xffd54321)
                        : sort == 0             ? 0x7ff8000012345678
                                                : 0xfffabcdef0123456;
  memcpy(to, &bits, type_of(kind).size);
}

static void check_nans(items *all, bool smallest, size_t first, size_t second, size_t best) {
  unsigned char nan[8];
  for (int sort = 0; sort < 2; ++sort) {
    put_nan(all->kind, nan, sort);
    set(all, first, nan);
    put_nan(all->kind, nan, !sort);
    set(all, second, nan);
    set_extreme(all, best, smallest);
    check_at(all, smallest, JIG_NAN_PROPAGATE, first, "two NaNs and an extreme");
    check_at(all, smallest, JIG_NAN_IGNORE, best, "two NaNs and an extreme");
  }
  reset(all, first, smallest);
  reset(all, second, smallest);
  reset(all, best, smallest);
}

START_TEST(nans_are_found_or_passed_over_anywhere) {
  for (size_t k = 0; k < COUNT_OF(floating); ++k) {
    for (size_t c = 0; c < 2 * COUNT_OF(sizes); ++c) {
      const bool smallest = c & 1;
      const size_t n = sizes[c / 2];
      items all = new_items(floating[k], n, c / 2 % 2, smallest);
      check_nans(&all, smallest, 0, 1, 2);
      check_nans(&all, smallest, 6, 7, 5);
      check_nans(&all, smallest, n / 2, n - 1, 0);
      check_nans(&all, smallest, n - n / 7, n - 2, n - 1);
      check_nans(&all, smallest, n - 2, n - 1, n / 3);
      free_items(&all);
    }
  }
}
END_TEST

static void fill_with_nans(items *all) {
  for (size_t i = 0; i < all->count; ++i) {
    put_nan(all->kind, all->host + i * all->type.size, i % 3 == 1);
  }
  gpu_write(all->device, all->host, all->count * all->type.size);
}

static void check_nothing_found(const items *all, bool smallest) {
  unsigned char identity[8];
  put_float(all->kind, identity, 0, smallest ? INFINITY : -INFINITY);
  const arg_result f = find(all, smallest, JIG_NAN_IGNORE);
  ck_assert_msg(f.index == -1 && memcmp(f.value, identity, all->type.size) == 0,
                "%s of %zu %s that are all NaN and ignored is %s at %lld, not %s at -1",
                smallest ? "min" : "max", all->count, jig_type_name(&all->type),
                bits_of(f.value, all->type.size), (long long)f.index, bits_of(identity, all->type.size));
}

/* Nothing but NaNs, and then one item that is no better than the identity. */
START_TEST(nothing_but_nans) {
  for (size_t k = 0; k < COUNT_OF(floating); ++k) {
    for (size_t c = 0; c < 2 * COUNT_OF(sizes); ++c) {
      const bool smallest = c & 1;
      const size_t n = sizes[c / 2], places[] = {0, n / 2, n - n / 7, n - 1};
      items all = new_items(floating[k], n, 0, smallest);
      fill_with_nans(&all);
      check_nothing_found(&all, smallest);
      check_at(&all, smallest, JIG_NAN_PROPAGATE, 0, "all NaN");
      for (size_t p = 0; p < COUNT_OF(places); ++p) {
        unsigned char infinity[8], nan[8];
        put_float(all.kind, infinity, 0, smallest ? INFINITY : -INFINITY);
        put_nan(all.kind, nan, 0);
        set(&all, places[p], infinity);
        check_at(&all, smallest, JIG_NAN_IGNORE, places[p], "one infinity among NaNs");
        set(&all, places[p], nan);
      }
      free_items(&all);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(the_only_extreme_is_found_anywhere),
      SUITE_TEST(the_first_of_equal_ones_wins),
      SUITE_TEST(zeros_keep_their_signs),
      SUITE_TEST(nans_are_found_or_passed_over_anywhere),
      SUITE_TEST(nothing_but_nans),
  };
  return SUITE_RUN("device/arg_reduce_places", tests, true);
}
