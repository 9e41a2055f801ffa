/* Counting past the end of the type: integers wrap around, as the type's own arithmetic does. */
#include <jig/jig.h>
#include <string.h>

#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* The wrap falls into the first run, and for the narrow types into every row. */
static const size_t counts[] = {3, 7, 300, 4099, 20011, 300007};

static int128 largest_of(jig_type_kind kind) {
  const int bits = 8 * (int)type_of(kind).size - is_signed(kind);
  return (int128)(~(uint128)0 >> (128 - bits));
}

/* start + i in the type's arithmetic. */
static int128 item_at(jig_type_kind kind, int128 start, size_t i) {
  unsigned char item[16];
  put_integer(kind, item, 0, (int128)((uint128)start + i));
  return get_integer(kind, item, 0);
}

/* ---- sums, in a type that is wide enough for all but the widest */

static void check_sum(jig_type_kind kind, int128 start, size_t count) {
  unsigned char first[16];
  uint128 wanted = 0, got;
  put_integer(kind, first, 0, start);
  for (size_t i = 0; i < count; ++i) wanted += (uint128)item_at(kind, start, i);
  reduce_to_host(
      (jig_reduce_args){
          .in = jig_counting(first, type_of(kind)), .num_items = count, .accum_type = JIG_I128},
      JIG_I128, &got);
  ck_assert_msg(got == wanted, "the sum of %zu %s counted from %s is %s, not %s", count,
                jig_type_name(&(jig_type){.kind = kind}), bits_of(first, type_of(kind).size),
                bits_of(&got, sizeof got), bits_of(&wanted, sizeof wanted));
}

static bool is_counted(jig_type_kind kind) {
  return !is_floating(kind) && kind != JIG_KIND_BOOL;
}

START_TEST(sums_of_what_wraps_around) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!is_counted(*kind)) continue;
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      check_sum(*kind, largest_of(*kind) - 1, counts[c]);
      check_sum(*kind, largest_of(*kind) - 150, counts[c]); /* in the middle of the counts */
      check_sum(*kind, -2, counts[c]);
    }
  }
}
END_TEST

/* ---- the ends of the type, which are met only past the wrap */

static void check_ends(jig_type_kind kind, size_t count) {
  const jig_type type = type_of(kind);
  const int128 largest = largest_of(kind), smallest = is_signed(kind) ? -largest - 1 : 0;
  unsigned char first[16], got[16], wanted[16];
  put_integer(kind, first, 0, largest - 1);
  for (int is_min = 0; is_min < 2; ++is_min) {
    jig_reduce_args args = {.in = jig_counting(first, type), .num_items = count};
    args.op = is_min ? JIG_MIN : JIG_MAX;
    put_integer(kind, wanted, 0, is_min ? smallest : largest);
    reduce_to_host(args, type, got);
    ck_assert_msg(memcmp(got, wanted, type.size) == 0, "%s of %zu %s counted from %s is %s, not %s",
                  is_min ? "min" : "max", count, jig_type_name(&type), bits_of(first, type.size),
                  bits_of(got, type.size), bits_of(wanted, type.size));
  }
  const arg_result least = arg_reduce_to_host(
      (jig_arg_reduce_args){.in = jig_counting(first, type), .num_items = count, .op = JIG_MIN});
  put_integer(kind, wanted, 0, smallest);
  ck_assert_msg(least.index == 2 && memcmp(least.value, wanted, type.size) == 0,
                "the least of %zu %s counted from %s is %s at %lld, not %s at 2", count,
                jig_type_name(&type), bits_of(first, type.size), bits_of(least.value, type.size),
                (long long)least.index, bits_of(wanted, type.size));
}

START_TEST(both_ends_of_what_wraps_around) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!is_counted(*kind)) continue;
    for (size_t c = 0; c < COUNT_OF(counts); ++c) check_ends(*kind, counts[c]);
  }
}
END_TEST

/* ---- wrapped before it is widened: by a transform, and in what an operator is given */

START_TEST(counts_wrap_before_they_are_widened) {
  const int32_t start = INT32_MAX - 1000;
  const jig_iter narrow = jig_counting(&start, JIG_I32);
  const jig_iter wide = jig_iter_transform(&narrow, jig_op_source("return x;"), JIG_I64);
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    int64_t wanted = 0, got;
    for (size_t i = 0; i < counts[c]; ++i) wanted += (int64_t)item_at(JIG_KIND_I32, start, i);
    jig_reduce_args args = {.in = wide, .num_items = counts[c], .accum_type = JIG_I64};
    for (int own = 0; own < 2; ++own) {
      if (own) args.op = jig_op_source("return a + b;");
      reduce_to_host(args, JIG_I64, &got);
      ck_assert_msg(got == wanted, "%zu i32 from %d on, summed as i64 by %s: %lld, not %lld", counts[c],
                    start, own ? "an operator" : "plus", (long long)got, (long long)wanted);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_of_what_wraps_around),
      SUITE_TEST(both_ends_of_what_wraps_around),
      SUITE_TEST(counts_wrap_before_they_are_widened),
  };
  return SUITE_RUN("device/reduce_counting", tests, true);
}
