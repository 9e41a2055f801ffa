/* Calls that share a program with calls of other types (spec/shared.h): an empty cache is filled from the
 * spec of a call with one type and nothing else, then the call is made with another one, by an engine
 * that never compiles. */
#include <string.h>

#include "numbers.h"
#include "strict_support.h"
#include "suite.h"

/* What the spec is asked for with, and what the call is made with. */
static jig_type other(const strict_call *t, jig_type asked, jig_type called) {
  return t->engine == NULL ? asked : called;
}

static uint64_t thirds(const strict_call *t) {
  return (t->n + 2) / 3;
}

/* ---- items that are moved */

static jig_type pair_type(void) {
  return jig_struct("half_pair", "struct alignas(4) half_pair { short a, b; };", 4, 4);
}

static void select_flagged(strict_call *t) {
  const jig_type item = other(t, JIG_F32, pair_type());
  const jig_select_args args = {.in = jig_pointer(t->d_values, item),
                                .flags = jig_pointer(t->d_flags, other(t, JIG_U8, JIG_BOOL)),
                                .out = jig_pointer(t->out[0], item),
                                .num_selected_out = jig_pointer(t->d_count, other(t, JIG_U64, JIG_I64)),
                                .num_items = t->n};
  STRICT(t, jig_select, args);
  ck_assert_uint_eq(strict_count(t, 0), thirds(t));
  const uint32_t *got = strict_read(t, t->out[0], thirds(t) * 4);
  for (uint64_t i = 0; i < thirds(t); ++i) ck_assert_uint_eq(got[i], 3 * i);
}

static void partition_flagged(strict_call *t) {
  const jig_type item = other(t, JIG_I32, JIG_F32);
  const jig_partition_args args = {.in = jig_pointer(t->d_values, item),
                                   .flags = jig_pointer(t->d_flags, other(t, JIG_I8, JIG_BOOL)),
                                   .out = jig_pointer(t->out[0], item),
                                   .unselected_out = jig_pointer(t->out[1], item),
                                   .num_selected_out = jig_pointer(t->d_count, JIG_U64),
                                   .num_items = t->n};
  STRICT(t, jig_partition, args);
  ck_assert_uint_eq(strict_count(t, 0), thirds(t));
  const uint32_t *got = strict_read(t, t->out[1], (t->n - thirds(t)) * 4);
  for (uint64_t i = 0; i < t->n - thirds(t); ++i) ck_assert_uint_eq(got[i], i / 2 * 3 + i % 2 + 1);
}

static void gather(strict_call *t) {
  const jig_type item = other(t, JIG_I32, JIG_F32);
  const jig_iter keys = jig_pointer(t->d_keys, item), values = jig_pointer(t->d_values, JIG_U32);
  const jig_iter reversed = jig_iter_reverse(&values, t->n);
  const jig_copy_args args = {
      .in = jig_permutation(&keys, &reversed), .out = jig_pointer(t->out[0], item), .num_items = t->n};
  STRICT(t, jig_copy, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], t->keys[t->n - 1 - i]);
}

static void fill_with_a_value(strict_call *t) {
  const uint32_t value = 0x8000abcd;
  const jig_type item = other(t, JIG_U32, JIG_F32);
  const jig_copy_args args = {
      .in = jig_constant(&value, item), .out = jig_pointer(t->out[0], item), .num_items = t->n};
  STRICT(t, jig_copy, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], value);
}

static void sort_with_values(strict_call *t) {
  const jig_type value = other(t, JIG_I32, JIG_F32);
  const jig_merge_sort_args args = {.keys_in = jig_pointer(t->d_keys, JIG_U32),
                                    .keys_out = jig_pointer(t->out[0], JIG_U32),
                                    .values_in = jig_pointer(t->d_values, value),
                                    .values_out = jig_pointer(t->out[1], value),
                                    .num_items = t->n};
  STRICT(t, jig_merge_sort, args);
  const uint32_t *got = strict_read(t, t->out[1], t->n * 4);
  for (uint64_t i = 1; i < t->n; ++i) {
    const uint32_t before = t->keys[got[i - 1]], key = t->keys[got[i]];
    ck_assert(before < key || (before == key && got[i - 1] < got[i]));
  }
}

/* ---- integers that are compared by == */

static void unique(strict_call *t) {
  const jig_type key = other(t, JIG_U32, JIG_I32), value = other(t, JIG_U32, JIG_F32);
  const jig_unique_args args = {.in = jig_pointer(t->d_runs, key),
                                .out = jig_pointer(t->out[0], key),
                                .values_in = jig_pointer(t->d_values, value),
                                .values_out = jig_pointer(t->out[1], value),
                                .num_selected_out = jig_pointer(t->d_count, JIG_I64),
                                .num_items = t->n};
  STRICT(t, jig_unique, args);
  const uint64_t runs = (t->n + STRICT_RUN - 1) / STRICT_RUN;
  ck_assert_uint_eq(strict_count(t, 0), runs);
  const uint32_t *got = strict_read(t, t->out[1], runs * 4);
  for (uint64_t i = 0; i < runs; ++i) ck_assert_uint_eq(got[i], i * STRICT_RUN);
}

/* ---- sums. Keys are below 1000: of negative ones as of their bits. */

static void scan_with_init(strict_call *t) {
  const int32_t init = -1234567;
  const jig_type item = other(t, JIG_U32, JIG_I32);
  const jig_scan_args args = {.in = jig_pointer(t->d_keys, item),
                              .out = jig_pointer(t->out[0], item),
                              .init = &init,
                              .mode = JIG_SCAN_EXCLUSIVE,
                              .num_items = t->n};
  STRICT(t, jig_scan, args);
  const int32_t *got = strict_read(t, t->out[0], t->n * 4);
  uint32_t sum = (uint32_t)init;
  for (uint64_t i = 0; i < t->n; sum += t->keys[i++]) ck_assert_int_eq(got[i], (int32_t)sum);
}

static void reduce_to_a_wider_type(strict_call *t) {
  const jig_reduce_args args = {.in = jig_pointer(t->d_keys, JIG_I32),
                                .out = jig_pointer(t->out[0], other(t, JIG_I64, JIG_U64)),
                                .num_items = t->n};
  STRICT(t, jig_reduce, args);
  const uint64_t *got = strict_read(t, t->out[0], 8);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < t->n; ++i) sum += t->keys[i];
  ck_assert_uint_eq(*got, sum);
}

static void reduce_by_key(strict_call *t) {
  const jig_type key = other(t, JIG_I32, JIG_U32), value = other(t, JIG_U32, JIG_I32);
  const jig_reduce_by_key_args args = {.keys_in = jig_pointer(t->d_runs, key),
                                       .unique_out = jig_pointer(t->out[0], key),
                                       .values_in = jig_pointer(t->d_keys, value),
                                       .aggregates_out = jig_pointer(t->out[1], value),
                                       .num_runs_out = jig_pointer(t->d_count, JIG_I64),
                                       .num_items = t->n};
  STRICT(t, jig_reduce_by_key, args);
  const uint32_t *got = strict_read(t, t->out[1], (t->n + STRICT_RUN - 1) / STRICT_RUN * 4);
  for (uint64_t i = 0; i < t->n; i += STRICT_RUN) {
    uint32_t sum = 0;
    for (uint64_t k = i; k < i + STRICT_RUN && k < t->n; ++k) sum += t->keys[k];
    ck_assert_uint_eq(got[i / STRICT_RUN], sum);
  }
}

START_TEST(the_program_of_another_type_serves) {
  static const strict_case cases[] = {
      STRICT_CASE(select_flagged),    STRICT_CASE(partition_flagged),      STRICT_CASE(gather),
      STRICT_CASE(fill_with_a_value), STRICT_CASE(sort_with_values),       STRICT_CASE(unique),
      STRICT_CASE(scan_with_init),    STRICT_CASE(reduce_to_a_wider_type), STRICT_CASE(reduce_by_key),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(the_program_of_another_type_serves)};
  return SUITE_RUN("device/shared_programs", tests, true);
}
