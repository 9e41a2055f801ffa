/* Reduce, scan, what is by key or by segments, select and its kin in strict mode, after prewarming from
 * the calls' own specs and nothing else. */
#include "numbers.h"
#include "strict_support.h"
#include "suite.h"

#define AT(pointer, type) jig_pointer((pointer), JIG_##type)

static const uint32_t three = 3;

/* ---- what comes out */

static uint64_t sum_of_values(uint64_t n) {
  return n * (n - 1) / 2;
}

static uint64_t number_of(uint64_t n, uint64_t each) {
  return (n + each - 1) / each;
}

static void check_word(const strict_call *t, const void *device, uint64_t wanted) {
  const uint32_t *got = strict_read(t, device, sizeof *got);
  ck_assert_uint_eq(*got, (uint32_t)wanted);
}

static void check_last_word(const strict_call *t, const void *array, uint64_t count, uint64_t wanted) {
  if (count > 0) check_word(t, (const char *)array + 4 * (count - 1), wanted);
}

/* The sum of values up to an item, from where its segment or run of that length begins, without itself if
 * `exclusive`. */
static uint64_t fold_to(uint64_t i, uint64_t length, bool exclusive) {
  uint64_t sum = 0;
  for (uint64_t k = i / length * length; k < i + !exclusive; ++k) sum += k;
  return sum;
}

/* ---- reduce */

static void reduce_of_numbers(strict_call *t) {
  const jig_reduce_args args = {.in = AT(t->d_values, U32), .out = AT(t->out[0], U32), .num_items = t->n};
  STRICT(t, jig_reduce, args);
  check_word(t, t->out[0], t->n > 0 ? sum_of_values(t->n) : 0);
}

static void reduce_by_source_with_init(strict_call *t) {
  const jig_reduce_args args = {.in = AT(t->d_values, U32),
                                .out = AT(t->out[0], U64),
                                .num_items = t->n,
                                .init = &three,
                                .init_type = JIG_U32,
                                .accum_type = JIG_U32,
                                .op = jig_op_source("return a + b;")};
  STRICT(t, jig_reduce, args);
  check_word(t, t->out[0], 3 + (t->n > 0 ? sum_of_values(t->n) : 0));
}

static void reduce_with_init_of_gpu(strict_call *t) {
  const jig_reduce_args args = {.in = AT(t->d_values, U32),
                                .out = AT(t->out[0], U64),
                                .num_items = t->n,
                                .init_in = jig_constant(&three, JIG_U32)};
  STRICT(t, jig_reduce, args);
  check_word(t, t->out[0], 3 + (t->n > 0 ? sum_of_values(t->n) : 0));
}

static void reduce_of_transformed(strict_call *t) {
  const jig_iter base = AT(t->d_keys, U32);
  const jig_reduce_args args = {
      .in = jig_iter_transform(&base, jig_op_source("return x < 1000;"), JIG_I64),
      .out = AT(t->out[0], I64),
      .num_items = t->n};
  STRICT(t, jig_reduce, args);
  check_word(t, t->out[0], t->n);
}

static void arg_reduce_of_largest(strict_call *t) {
  const jig_arg_reduce_args args = {.in = AT(t->d_values, I32),
                                    .value_out = AT(t->out[0], I32),
                                    .index_out = AT(t->d_count, I64),
                                    .num_items = t->n,
                                    .op = JIG_MAX};
  STRICT(t, jig_arg_reduce, args);
  if (t->n > 0) check_word(t, t->out[0], t->n - 1);
  ck_assert_uint_eq(strict_count(t, 0), t->n - 1);
}

static void arg_reduce_without_value(strict_call *t) {
  const jig_arg_reduce_args args = {.in = AT(t->d_values, F32),
                                    .index_out = AT(t->d_count, I64),
                                    .num_items = t->n,
                                    .op = JIG_MIN,
                                    .nan = JIG_NAN_IGNORE};
  STRICT(t, jig_arg_reduce, args);
  ck_assert_uint_eq(strict_count(t, 0), t->n > 0 ? 0 : UINT64_MAX);
}

/* By an order of its own, with an index of another type. */
static void arg_reduce_of_structs(strict_call *t) {
  const jig_arg_reduce_args args = {
      .in = jig_pointer(t->d_wide, jig_struct("hit", "struct hit { unsigned i, rest[5]; };", 24, 4)),
      .index_out = AT(t->d_count, U64),
      .num_items = t->n,
      .op = JIG_MAX,
      .compare = jig_op_source("return a.i < b.i;")};
  STRICT(t, jig_arg_reduce, args);
  ck_assert_uint_eq(strict_count(t, 0), t->n - 1);
}

/* ---- scan */

static void scan_inclusive(strict_call *t) {
  const jig_scan_args args = {.in = AT(t->d_values, U32), .out = AT(t->out[0], U32), .num_items = t->n};
  STRICT(t, jig_scan, args);
  check_last_word(t, t->out[0], t->n, sum_of_values(t->n));
}

static void scan_exclusive(strict_call *t) {
  const jig_scan_args args = {.in = AT(t->d_values, U32),
                              .out = AT(t->out[0], U32),
                              .num_items = t->n,
                              .mode = JIG_SCAN_EXCLUSIVE};
  STRICT(t, jig_scan, args);
  check_last_word(t, t->out[0], t->n, sum_of_values(t->n - 1));
}

static void scan_with_init(strict_call *t) {
  const jig_scan_args args = {.in = AT(t->d_values, U32),
                              .out = AT(t->out[0], U32),
                              .num_items = t->n,
                              .init = &three,
                              .op = jig_op_source("return a + b;"),
                              .mode = JIG_SCAN_EXCLUSIVE};
  STRICT(t, jig_scan, args);
  check_last_word(t, t->out[0], t->n, 3 + sum_of_values(t->n - 1));
}

/* The init is computed on the GPU, the input is no array. */
static void scan_of_indices(strict_call *t) {
  const jig_scan_args args = {.in = jig_counting(NULL, JIG_U32),
                              .out = AT(t->out[0], U32),
                              .num_items = t->n,
                              .init_in = jig_constant(&three, JIG_U32),
                              .op = JIG_PLUS};
  STRICT(t, jig_scan, args);
  check_last_word(t, t->out[0], t->n, 3 + sum_of_values(t->n));
}

static void scan_by_key_inclusive(strict_call *t) {
  const jig_scan_by_key_args args = {.keys_in = AT(t->d_runs, U32),
                                     .values_in = AT(t->d_values, U32),
                                     .values_out = AT(t->out[0], U32),
                                     .num_items = t->n};
  STRICT(t, jig_scan_by_key, args);
  check_last_word(t, t->out[0], t->n, fold_to(t->n - 1, STRICT_RUN, false));
}

static void scan_by_key_with_init(strict_call *t) {
  const jig_scan_by_key_args args = {.keys_in = AT(t->d_values, U32),
                                     .values_in = AT(t->d_values, U32),
                                     .values_out = AT(t->out[0], U32),
                                     .num_items = t->n,
                                     .init = &three,
                                     .mode = JIG_SCAN_EXCLUSIVE,
                                     .op = jig_op_source("return a + b;"),
                                     .equality = jig_op_source("return a / 7 == b / 7;")};
  STRICT(t, jig_scan_by_key, args);
  check_last_word(t, t->out[0], t->n, 3 + fold_to(t->n - 1, STRICT_RUN, true));
}

static jig_segmented_scan_args segmented_args(const strict_call *t) {
  return (jig_segmented_scan_args){.in = AT(t->d_values, U32),
                                   .out = AT(t->out[0], U32),
                                   .begin_offsets = AT(t->d_offsets, I64),
                                   .end_offsets = AT((char *)t->d_offsets + 8, I64),
                                   .num_segments = t->segments};
}

static void segmented_scan_inclusive(strict_call *t) {
  const jig_segmented_scan_args args = segmented_args(t);
  STRICT(t, jig_segmented_scan, args);
  check_last_word(t, t->out[0], t->n, fold_to(t->n - 1, STRICT_SEGMENT, false));
}

static void segmented_scan_with_init(strict_call *t) {
  jig_segmented_scan_args args = segmented_args(t);
  args.init = &three;
  args.mode = JIG_SCAN_EXCLUSIVE;
  args.op = jig_op_source("return a + b;");
  STRICT(t, jig_segmented_scan, args);
  check_last_word(t, t->out[0], t->n, 3 + fold_to(t->n - 1, STRICT_SEGMENT, true));
}

/* To places of their own. */
static void segmented_scan_elsewhere(strict_call *t) {
  jig_segmented_scan_args args = segmented_args(t);
  args.out_offsets = args.begin_offsets;
  STRICT(t, jig_segmented_scan, args);
  check_last_word(t, t->out[0], t->n, fold_to(t->n - 1, STRICT_SEGMENT, false));
}

/* ---- runs */

static jig_reduce_by_key_args by_key_args(const strict_call *t) {
  return (jig_reduce_by_key_args){.keys_in = AT(t->d_runs, U32),
                                  .values_in = AT(t->d_values, U32),
                                  .unique_out = AT(t->out[0], U32),
                                  .aggregates_out = AT(t->out[1], U32),
                                  .num_runs_out = AT(t->d_count, U64),
                                  .num_items = t->n};
}

static void check_runs(const strict_call *t) {
  const uint64_t runs = number_of(t->n, STRICT_RUN);
  ck_assert_uint_eq(strict_count(t, 0), runs);
  check_last_word(t, t->out[0], runs, runs - 1);
}

static void reduce_by_key_of_numbers(strict_call *t) {
  const jig_reduce_by_key_args args = by_key_args(t);
  STRICT(t, jig_reduce_by_key, args);
  check_runs(t);
  if (t->n > 0)
    check_last_word(t, t->out[1], number_of(t->n, STRICT_RUN), fold_to(t->n - 1, STRICT_RUN, false));
}

static void reduce_by_key_by_source(strict_call *t) {
  jig_reduce_by_key_args args = by_key_args(t);
  args.op = jig_op_source("return a + b;");
  args.equality = jig_op_source("return a == b;");
  STRICT(t, jig_reduce_by_key, args);
  check_runs(t);
}

static jig_run_length_encode_args encode_args(const strict_call *t) {
  return (jig_run_length_encode_args){.in = AT(t->d_runs, U32),
                                      .unique_out = AT(t->out[0], U32),
                                      .lengths_out = AT(t->out[1], U32),
                                      .num_runs_out = AT(t->d_count, U64),
                                      .num_items = t->n};
}

static void encode(strict_call *t) {
  const jig_run_length_encode_args args = encode_args(t);
  STRICT(t, jig_run_length_encode, args);
  check_runs(t);
}

static void encode_by_source(strict_call *t) {
  jig_run_length_encode_args args = encode_args(t);
  args.equality = jig_op_source("return a == b;");
  STRICT(t, jig_run_length_encode, args);
  check_runs(t);
}

static void runs_by(strict_call *t, jig_op equality) {
  const jig_non_trivial_runs_args args = {.in = AT(t->d_runs, U32),
                                          .offsets_out = AT(t->out[0], U32),
                                          .lengths_out = AT(t->out[1], U32),
                                          .num_runs_out = AT(t->d_count, U64),
                                          .num_items = t->n,
                                          .equality = equality};
  STRICT(t, jig_non_trivial_runs, args);
  const uint64_t runs = t->n / STRICT_RUN + (t->n % STRICT_RUN > 1);
  ck_assert_uint_eq(strict_count(t, 0), runs);
  check_last_word(t, t->out[0], runs, (runs - 1) * STRICT_RUN);
}

static void non_trivial_runs(strict_call *t) {
  runs_by(t, (jig_op)JIG_ZERO);
}
static void non_trivial_runs_by_source(strict_call *t) {
  runs_by(t, jig_op_source("return a == b;"));
}

/* ---- select and its kin: every third item */

static jig_select_args select_args(const strict_call *t) {
  return (jig_select_args){.in = AT(t->d_values, U32),
                           .out = AT(t->out[0], U32),
                           .num_selected_out = AT(t->d_count, U64),
                           .num_items = t->n};
}

static void check_selected(const strict_call *t) {
  const uint64_t selected = number_of(t->n, 3);
  ck_assert_uint_eq(strict_count(t, 0), selected);
  check_last_word(t, t->out[0], selected, 3 * (selected - 1));
}

static void select_if(strict_call *t) {
  jig_select_args args = select_args(t);
  args.op = jig_op_source("return x % 3 == 0;");
  STRICT(t, jig_select, args);
  check_selected(t);
}

static void select_flagged(strict_call *t) {
  jig_select_args args = select_args(t);
  args.flags = AT(t->d_flags, U8);
  STRICT(t, jig_select, args);
  check_selected(t);
}

static void select_flagged_if(strict_call *t) {
  jig_select_args args = select_args(t);
  args.flags = AT(t->d_flags, U8);
  args.op = jig_op_source("return x == 1;");
  STRICT(t, jig_select, args);
  check_selected(t);
}

static void select_of_indices(strict_call *t) {
  jig_select_args args = select_args(t);
  args.in = jig_counting(NULL, JIG_U32);
  args.op = jig_op_source("return x % 3 == 0;");
  STRICT(t, jig_select, args);
  check_selected(t);
}

static void unique_of_keys(strict_call *t) {
  const jig_unique_args args = {.in = AT(t->d_runs, U32),
                                .out = AT(t->out[0], U32),
                                .num_selected_out = AT(t->d_count, U64),
                                .num_items = t->n};
  STRICT(t, jig_unique, args);
  check_runs(t);
}

static void unique_by_source_with_values(strict_call *t) {
  const jig_unique_args args = {.in = AT(t->d_runs, U32),
                                .out = AT(t->out[0], U32),
                                .values_in = AT(t->d_values, F32),
                                .values_out = AT(t->out[1], F32),
                                .num_selected_out = AT(t->d_count, U64),
                                .num_items = t->n,
                                .equality = jig_op_source("return a == b;")};
  STRICT(t, jig_unique, args);
  check_runs(t);
  const uint64_t runs = number_of(t->n, STRICT_RUN);
  check_last_word(t, t->out[1], runs, (runs - 1) * STRICT_RUN);
}

static jig_partition_args partition_args(const strict_call *t) {
  return (jig_partition_args){.in = AT(t->d_values, U32),
                              .out = AT(t->out[0], U32),
                              .num_selected_out = AT(t->d_count, U64),
                              .num_items = t->n};
}

static void partition_if(strict_call *t) {
  jig_partition_args args = partition_args(t);
  args.op = jig_op_source("return x % 3 == 0;");
  STRICT(t, jig_partition, args);
  check_selected(t);
  if (t->n > 1) check_last_word(t, t->out[0], t->n, 1); /* the rest in reverse order */
}

static void partition_flagged(strict_call *t) {
  jig_partition_args args = partition_args(t);
  args.flags = AT(t->d_flags, U8);
  STRICT(t, jig_partition, args);
  check_selected(t);
}

static void partition_with_rejected(strict_call *t) {
  jig_partition_args args = partition_args(t);
  args.flags = AT(t->d_flags, U8);
  args.op = jig_op_source("return x == 1;");
  args.unselected_out = AT(t->out[1], U32);
  STRICT(t, jig_partition, args);
  check_selected(t);
  if (t->n > 1) check_word(t, t->out[1], 1);
}

static void three_way_partition(strict_call *t) {
  const jig_three_way_partition_args args = {.in = AT(t->d_values, U32),
                                             .first_out = AT(t->out[0], U32),
                                             .second_out = AT(t->out[1], U32),
                                             .unselected_out = AT(t->out[2], U32),
                                             .num_selected_out = AT(t->d_count, U64),
                                             .num_items = t->n,
                                             .first_op = jig_op_source("return x % 3 == 0;"),
                                             .second_op = jig_op_source("return x % 3 == 1;")};
  STRICT(t, jig_three_way_partition, args);
  check_selected(t);
  ck_assert_uint_eq(strict_count(t, 1), t->n / 3 + (t->n % 3 == 2));
  if (t->n > 2) check_word(t, t->out[2], 2);
}

/* ---- all of them */

START_TEST(reductions) {
  static const strict_case cases[] = {
      STRICT_CASE(reduce_of_numbers),       STRICT_CASE(reduce_by_source_with_init),
      STRICT_CASE(reduce_of_transformed),   STRICT_CASE(arg_reduce_of_largest),
      STRICT_CASE(reduce_with_init_of_gpu), STRICT_CASE(arg_reduce_without_value),
      STRICT_CASE(arg_reduce_of_structs),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(scans) {
  static const strict_case cases[] = {
      STRICT_CASE(scan_inclusive),           STRICT_CASE(scan_exclusive),
      STRICT_CASE(scan_with_init),           STRICT_CASE(scan_of_indices),
      STRICT_CASE(scan_by_key_inclusive),    STRICT_CASE(scan_by_key_with_init),
      STRICT_CASE(segmented_scan_inclusive), STRICT_CASE(segmented_scan_with_init),
      STRICT_CASE(segmented_scan_elsewhere),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(runs_of_keys) {
  static const strict_case cases[] = {
      STRICT_CASE(reduce_by_key_of_numbers),
      STRICT_CASE(reduce_by_key_by_source),
      STRICT_CASE(encode),
      STRICT_CASE(encode_by_source),
      STRICT_CASE(non_trivial_runs),
      STRICT_CASE(non_trivial_runs_by_source),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(selections) {
  static const strict_case cases[] = {
      STRICT_CASE(select_if),
      STRICT_CASE(select_flagged),
      STRICT_CASE(select_flagged_if),
      STRICT_CASE(select_of_indices),
      STRICT_CASE(unique_of_keys),
      STRICT_CASE(unique_by_source_with_values),
      STRICT_CASE(partition_if),
      STRICT_CASE(partition_flagged),
      STRICT_CASE(partition_with_rejected),
      STRICT_CASE(three_way_partition),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* PTX serves newer GPUs, whatever kernels these had got of their own. */
START_TEST(programs_for_older_gpus) {
  static const strict_case cases[] = {STRICT_CASE(scan_inclusive), STRICT_CASE(select_if)};
  check_strict_of(cases, COUNT_OF(cases), "compute_75");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(reductions),
      SUITE_TEST(scans),
      SUITE_TEST(runs_of_keys),
      SUITE_TEST(selections),
      SUITE_TEST(programs_for_older_gpus),
  };
  return SUITE_RUN("device/strict_folds", tests, true);
}
