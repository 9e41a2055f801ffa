/* Algorithms by key as far as they need neither compiler nor GPU: their specs, what is refused of them,
 * and that temp storage has room for every plan. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/chain_plan.h"
#include "count_cases.h"
#include "numbers.h"
#include "policy/by_key.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

static const jig_type plain = {.kind = JIG_KIND_STRUCT,
                               .size = 4,
                               .align = 4,
                               .name = "plain",
                               .definition = "struct plain { int x; };"};
static const jig_type comparable = {
    .kind = JIG_KIND_STRUCT,
    .size = 4,
    .align = 4,
    .name = "comparable",
    .definition = "struct comparable { int x; bool operator==(comparable) const; };"};

static jig_reduce_by_key_args reduce_args(jig_type key, jig_type value) {
  return (jig_reduce_by_key_args){.keys_in = jig_pointer(NULL, key),
                                  .unique_out = jig_pointer(NULL, key),
                                  .values_in = jig_pointer(NULL, value),
                                  .aggregates_out = jig_pointer(NULL, value),
                                  .num_runs_out = jig_pointer(NULL, JIG_I32)};
}

static jig_scan_by_key_args scan_args(jig_type key, jig_type value) {
  return (jig_scan_by_key_args){.keys_in = jig_pointer(NULL, key),
                                .values_in = jig_pointer(NULL, value),
                                .values_out = jig_pointer(NULL, value)};
}

static jig_segmented_scan_args segmented_args(jig_type type, jig_type offset) {
  return (jig_segmented_scan_args){.in = jig_pointer(NULL, type),
                                   .out = jig_pointer(NULL, type),
                                   .begin_offsets = jig_pointer(NULL, offset),
                                   .end_offsets = jig_pointer(NULL, offset)};
}

/* ---- specs */

static char *reduce_text(jig_reduce_by_key_args args) {
  char *text = NULL;
  OK(jig_reduce_by_key_spec(&args, &text));
  return text;
}

START_TEST(every_difference_shows_in_text_and_hash) {
  jig_reduce_by_key_args variants[7];
  char *texts[COUNT_OF(variants)], *again;
  uint64_t hashes[COUNT_OF(variants)];
  for (size_t i = 0; i < COUNT_OF(variants); ++i) variants[i] = reduce_args(JIG_I32, JIG_F32);
  variants[1].keys_in = jig_pointer(NULL, JIG_I64);
  variants[2].equality = jig_op_source("return a == b;");
  variants[3].equality = jig_op_source("return a / 2 == b / 2;");
  variants[4].op = JIG_MIN;
  variants[5].num_runs_out = jig_pointer(NULL, JIG_U64);
  variants[6].accum_type = JIG_F64;
  for (size_t i = 0; i < COUNT_OF(variants); ++i) {
    parsed_spec parsed;
    texts[i] = reduce_text(variants[i]);
    OK(spec_parse(texts[i], algorithm_schema, &parsed));
    hashes[i] = spec_hash(&parsed.s);
    OK(spec_write(&parsed.s, "x", &again));
    ck_assert_str_eq(texts[i], again);
    jig_free(again);
    parsed_spec_free(&parsed);
    for (size_t j = 0; j < i; ++j) {
      ck_assert_str_ne(texts[i], texts[j]);
      ck_assert(hashes[i] != hashes[j]);
    }
  }
  for (size_t i = 0; i < COUNT_OF(variants); ++i) jig_free(texts[i]);
}
END_TEST

START_TEST(keys_have_to_be_comparable) {
  char *text = NULL;
  jig_scan_by_key_args args = scan_args(plain, JIG_F32);
  FAILS(jig_scan_by_key_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "keys_in: '==' is not defined for struct plain");
  args.equality = jig_op_source("return a.x == b.x;");
  OK(jig_scan_by_key_spec(&args, &text));
  jig_free(text);
  args = scan_args(comparable, JIG_F32);
  OK(jig_scan_by_key_spec(&args, &text));
  jig_free(text);
  args = scan_args(jig_opaque(4, 4), JIG_F32);
  FAILS(jig_scan_by_key_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT, "keys_in: '=='");
  const jig_iter keys = jig_pointer(NULL, plain), number = jig_pointer(NULL, JIG_I32);
  const jig_run_length_encode_args encode = {
      .in = keys, .unique_out = keys, .lengths_out = number, .num_runs_out = number};
  FAILS(jig_run_length_encode_spec(&encode, &text), JIG_ERROR_INVALID_ARGUMENT,
        "in: '==' is not defined for struct plain");
}
END_TEST

START_TEST(what_does_not_fit_is_named) {
  char *text = NULL;
  jig_reduce_by_key_args reduce = reduce_args(JIG_I32, JIG_F32);
  reduce.aggregates_out = jig_pointer(NULL, plain);
  FAILS(jig_reduce_by_key_spec(&reduce, &text), JIG_ERROR_INVALID_ARGUMENT, "aggregates_out");
  reduce = reduce_args(JIG_I32, JIG_F32);
  reduce.num_runs_out = jig_pointer(NULL, JIG_BOOL);
  FAILS(jig_reduce_by_key_spec(&reduce, &text), JIG_ERROR_INVALID_ARGUMENT,
        "num_runs_out: it must be of an integer type, not bool");
  jig_segmented_scan_args segmented = segmented_args(JIG_F32, JIG_F32);
  FAILS(jig_segmented_scan_spec(&segmented, &text), JIG_ERROR_INVALID_ARGUMENT,
        "begin_offsets: it must be of an integer type, not f32");
  segmented = segmented_args(JIG_F32, JIG_U8);
  segmented.out_offsets = jig_pointer(NULL, JIG_F64);
  FAILS(jig_segmented_scan_spec(&segmented, &text), JIG_ERROR_INVALID_ARGUMENT, "out_offsets");
  FAILS(jig_segmented_scan_spec(NULL, &text), JIG_ERROR_INVALID_ARGUMENT, "args");
  ck_assert_ptr_null(text);
}
END_TEST

/* ---- plans */

/* Of every size, temp storage has room for what is launched, and never shrinks. */
static void check_plan(const program *p, const chain_size *size, size_t *previous) {
  const temp_layout temp = chain_temp(p, size);
  const chain_plan plan = chain_plan_of(p, size);
  ck_assert(plan.shape.grid >= 1 || plan.tiles > INT32_MAX);
  ck_assert_uint_ge(temp.sizes[0], plan.group_bytes);
  ck_assert_uint_ge(temp.sizes[1], plan.tile_bytes);
  ck_assert_uint_ge(temp_size(&temp), *previous);
  *previous = temp_size(&temp);
}

static void check_plans(const program *p, chain_size size) {
  uint64_t seed = 3, powers[COUNTS_NEAR_POWERS];
  size_t previous = 0;
  for (size.num_items = 0; size.num_items < (uint64_t)1 << 36;
       size.num_items += 1 + next_random(&seed) % (1 + size.num_items / 50))
    check_plan(p, &size, &previous);
  previous = 0;
  counts_near_powers(powers);
  for (size_t i = 0; i < COUNTS_NEAR_POWERS; ++i) {
    size.num_items = powers[i];
    check_plan(p, &size, &previous);
  }
}

START_TEST(temp_storage_has_room_for_every_plan) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8, JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_I128};
  static const int processors[] = {1, 4, 132};
  for (size_t i = 0; i < COUNT_OF(kinds) * COUNT_OF(kinds); ++i) {
    const jig_type key = type_of(kinds[i / COUNT_OF(kinds)]), value = type_of(kinds[i % COUNT_OF(kinds)]);
    const jig_reduce_by_key_args args = reduce_args(key, value);
    for (size_t k = 0; k < COUNT_OF(processors); ++k) {
      const program p = program_of_spec(reduce_text(args), 90, processors[k]);
      const chain_size size = {0, by_key_state_bytes(&value, sizeof(uint64_t)), .has_runs = true,
                               .has_cluster = p.count > CHAIN_CLUSTER};
      check_plans(&p, size);
    }
  }
}
END_TEST

/* ---- shared memory */

/* Of 48 KiB that each GPU has; the rest is for what is beside the items. */
enum { SHARED_BYTES = 47 << 10 };

static void check_staging(jig_reduce_by_key_args args, int sm) {
  parsed_spec parsed;
  char *text = reduce_text(args);
  OK(spec_parse(text, algorithm_schema, &parsed));
  const int item_bytes = (int)(spec_find(&parsed.s, "accum")->type->size + args.keys_in.type.size);
  const program p = program_of(&parsed.s, sm, 132);
  for (int i = 0; i < p.count; ++i) {
    const policy *to = &p.kernels[i].tuning;
    const int vector_items = policy_value(to, "vector_items", 0);
    const int items = (int)policy_threads(to) * vector_items * policy_value(to, "staged_rows", 0);
    ck_assert_msg(items * item_bytes <= SHARED_BYTES, "kernel %d of %s: %d items of %d bytes", i, text,
                  items, item_bytes);
  }
  parsed_spec_free(&parsed);
  jig_free(text);
}

/* Also where folds are of a larger type than what is folded. */
START_TEST(blocks_have_shared_memory_for_what_they_stage) {
  for (const jig_type_kind *key = all_kinds; *key != JIG_KIND_NONE; ++key)
    for (const jig_type_kind *value = all_kinds; *value != JIG_KIND_NONE; ++value)
      for (const jig_type_kind *out = all_kinds; *out != JIG_KIND_NONE; ++out) {
        jig_reduce_by_key_args args = reduce_args(type_of(*key), type_of(*value));
        args.aggregates_out.type = type_of(*out);
        check_staging(args, 75);
        check_staging(args, 90);
      }
  /* Of computed items lanes take several, however large these are. */
  for (size_t words = 1; words <= 64; ++words) {
    char text[64];
    (void)snprintf(text, sizeof text, "struct words { int w[%zu]; };", words);
    jig_reduce_by_key_args args = reduce_args(JIG_I64, jig_struct("words", text, 4 * words, 4));
    args.keys_in = jig_counting(NULL, JIG_I64);
    args.values_in = jig_constant(NULL, args.values_in.type);
    args.op = jig_op_source("return a;");
    check_staging(args, 75);
    check_staging(args, 90);
  }
}
END_TEST

/* Sums with the same bits on every GPU: tiles of a row less where these are done sooner. */
START_TEST(few_waves_may_have_fewer_rows) {
  static const struct {
    uint64_t num_items;
    int kernel;
  } rows[] = {{1 << 21, CHAIN_LARGE},
              {(1 << 21) + 1, BY_KEY_FEWER_ROWS},
              {3000017, BY_KEY_FEWER_ROWS},
              {3 << 20, BY_KEY_FEWER_ROWS},
              {(3 << 20) + 1, CHAIN_LARGE},
              {1 << 22, CHAIN_LARGE},
              {(1 << 22) + 1, BY_KEY_FEWER_ROWS},
              {1 << 23, CHAIN_LARGE},
              {1 << 24, CHAIN_LARGE}};
  jig_reduce_by_key_args args = reduce_args(JIG_I32, JIG_F64);
  args.determinism = JIG_DETERMINISM_GPU_TO_GPU;
  const program p = program_of_spec(reduce_text(args), 90, GPU_TO_GPU_MULTIPROCESSORS);
  chain_size size = {0, by_key_state_bytes(&JIG_F64, sizeof(uint64_t)), .has_runs = true,
                     .another = BY_KEY_FEWER_ROWS, .another_form = CHAIN_IS_LOOKBACK};
  check_plans(&p, size);
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    size.num_items = rows[i].num_items;
    ck_assert_int_eq(chain_plan_of(&p, &size).kernel, rows[i].kernel);
  }
}
END_TEST

START_TEST(states_are_as_large_as_in_device_code) {
  static const struct {
    size_t size, align, count, wanted;
  } rows[] = {{1, 1, 1, 2},    {4, 4, 1, 8},    {8, 8, 1, 16},  {3, 1, 1, 4},
              {16, 16, 1, 32}, {1, 1, 8, 16},   {4, 4, 8, 16},  {8, 8, 8, 16},
              {12, 4, 8, 24},  {16, 16, 8, 32}, {64, 4, 1, 68}, {64, 4, 8, 72},
              {20, 4, 8, 32},  {1, 1, 4, 8},    {4, 4, 4, 8},   {6, 2, 4, 12}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_type type = jig_opaque(rows[i].size, rows[i].align);
    ck_assert_uint_eq(by_key_state_bytes(&type, rows[i].count), rows[i].wanted);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_difference_shows_in_text_and_hash),
      SUITE_TEST(keys_have_to_be_comparable),
      SUITE_TEST(what_does_not_fit_is_named),
      SUITE_TEST(temp_storage_has_room_for_every_plan),
      SUITE_TEST(blocks_have_shared_memory_for_what_they_stage),
      SUITE_TEST(few_waves_may_have_fewer_rows),
      SUITE_TEST(states_are_as_large_as_in_device_code),
  };
  return SUITE_RUN("unit/by_key", tests, false);
}
