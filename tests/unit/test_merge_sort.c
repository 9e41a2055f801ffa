/* Merge sort and merge as far as they need neither compiler nor GPU: their specs, what is refused in
 * them, what is moved about, and that tiles and temp storage have room for every plan. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/merge_sort_plan.h"
#include "count_cases.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

static jig_iter of(jig_type type) {
  return jig_pointer(NULL, type);
}

static jig_merge_sort_args sort_of(jig_type key) {
  return (jig_merge_sort_args){.keys_in = of(key), .keys_out = of(key)};
}
static jig_merge_args merge_of(jig_type key) {
  return (jig_merge_args){.first_keys_in = of(key), .second_keys_in = of(key), .keys_out = of(key)};
}

/* ---- specs */

static void check_reads_again(char *text) {
  parsed_spec parsed;
  char *again = NULL;
  OK(spec_parse(text, algorithm_schema, &parsed));
  OK(spec_write(&parsed.s, "x", &again));
  ck_assert_str_eq(text, again);
  parsed_spec_free(&parsed);
  jig_free(again);
}

START_TEST(specs_are_read_again) {
  char *texts[4] = {NULL};
  jig_merge_sort_args sort = sort_of(JIG_F32);
  OK(jig_merge_sort_spec(&sort, &texts[0]));
  sort.values_in = sort.values_out = of(JIG_U64);
  sort.compare = jig_op_source("return a > b;");
  OK(jig_merge_sort_spec(&sort, &texts[1]));
  jig_merge_args merge = merge_of(JIG_I8);
  OK(jig_merge_spec(&merge, &texts[2]));
  merge.second_keys_in = jig_counting(NULL, JIG_I8);
  merge.first_values_in = merge.second_values_in = merge.values_out = of(JIG_BOOL);
  OK(jig_merge_spec(&merge, &texts[3]));
  for (int i = 0; i < 4; ++i) {
    check_reads_again(texts[i]);
    for (int k = 0; k < i; ++k) ck_assert_str_ne(texts[i], texts[k]);
  }
  for (int i = 0; i < 4; ++i) jig_free(texts[i]);
}
END_TEST

/* The default by its name is the default: one program serves both. */
START_TEST(orders_in_specs) {
  static const char wanted[] =
      "{\"algorithm\":\"merge_sort\",%s\"keys_in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"keys_out\":{"
      "\"kind\":\"pointer\",\"type\":\"f32\"}}";
  const struct {
    jig_op op;
    const char *member;
  } cases[] = {{JIG_ZERO, ""}, {JIG_LESS, ""}, {JIG_GREATER, "\"compare\":\"greater\","}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char *text = NULL, expected[256];
    jig_merge_sort_args sort = sort_of(JIG_F32);
    sort.compare = cases[i].op;
    OK(jig_merge_sort_spec(&sort, &text));
    (void)snprintf(expected, sizeof expected, wanted, cases[i].member);
    ck_assert_str_eq(text, expected);
    check_reads_again(text);
    jig_free(text);
    jig_merge_args merge = merge_of(JIG_F32);
    merge.compare = cases[i].op;
    OK(jig_merge_spec(&merge, &text));
    ck_assert_int_eq(strstr(text, "greater") != NULL, i == 2);
    check_reads_again(text);
    jig_free(text);
  }
  parsed_spec parsed;
  char named[256], *text = NULL;
  (void)snprintf(named, sizeof named, wanted, "\"compare\":\"less\",");
  OK(spec_parse(named, algorithm_schema, &parsed));
  OK(spec_write(&parsed.s, "x", &text));
  ck_assert_ptr_null(strstr(text, "less"));
  parsed_spec_free(&parsed);
  jig_free(text);
}
END_TEST

#define REFUSED(call, args, part)                                  \
  do {                                                             \
    char *none = NULL;                                             \
    FAILS(call(&(args), &none), JIG_ERROR_INVALID_ARGUMENT, part); \
    ck_assert_ptr_null(none);                                      \
  } while (0)

START_TEST(what_is_refused) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  const jig_type shifted =
      jig_struct("pair", "struct pair { int a, b; __device__ int operator<<(int) const; };", 8, 4);
  const jig_type ordered = jig_struct(
      "pair", "struct pair { int a, b; __device__ bool operator<(pair o) const { return a < o.a; } };", 8,
      4);
  jig_merge_sort_args sort = sort_of(pair);
  REFUSED(jig_merge_sort_spec, sort, "keys_in: '<' is not defined for struct pair");
  sort = sort_of(shifted);
  REFUSED(jig_merge_sort_spec, sort, "keys_in: '<' is not defined for struct pair");
  sort = sort_of(JIG_I32);
  sort.keys_out = of(JIG_U32);
  REFUSED(jig_merge_sort_spec, sort, "keys_out: its type must be that of keys_in, i32, not u32");
  sort = sort_of(JIG_I32);
  sort.values_in = of(jig_opaque(8, 8));
  sort.values_out = of(jig_opaque(8, 4));
  REFUSED(jig_merge_sort_spec, sort, "that of values_in, opaque(8, 8), not opaque(8, 4)");
  sort.values_out = of(JIG_U64);
  REFUSED(jig_merge_sort_spec, sort, "that of values_in, opaque(8, 8), not u64");
  sort = sort_of(JIG_I32);
  sort.values_in = of(JIG_U32);
  REFUSED(jig_merge_sort_spec, sort, "values_out: missing");
  sort.values_out = of(JIG_F32);
  REFUSED(jig_merge_sort_spec, sort, "values_out: its type must be that of values_in");
  sort = sort_of(JIG_I32);
  sort.keys_out = jig_counting(NULL, JIG_I32);
  REFUSED(jig_merge_sort_spec, sort, "keys_out: an output must be");
  jig_merge_args merge = merge_of(jig_opaque(8, 4));
  REFUSED(jig_merge_spec, merge, "first_keys_in: '<' is not defined for");
  merge = merge_of(JIG_I32);
  merge.second_values_in = of(JIG_U32);
  REFUSED(jig_merge_spec, merge, "missing");
  merge.first_values_in = of(JIG_U32);
  merge.values_out = of(JIG_U8);
  REFUSED(jig_merge_spec, merge, "values_out: its type must be that of first_values_in");
  char *text = NULL;
  sort = sort_of(ordered);
  OK(jig_merge_sort_spec(&sort, &text));
  jig_free(text);
  sort.compare = JIG_GREATER; /* by operator<, too */
  OK(jig_merge_sort_spec(&sort, &text));
  jig_free(text);
}
END_TEST

START_TEST(what_orders_and_what_does_not) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  jig_merge_sort_args sort = sort_of(JIG_BOOL);
  sort.compare = JIG_LOGICAL_AND; /* of two bools it makes a bool */
  REFUSED(jig_merge_sort_spec, sort, "compare: 'logical_and' tells no order; give 'less', 'greater' or");
  sort = sort_of(JIG_F64);
  sort.compare = JIG_MIN;
  REFUSED(jig_merge_sort_spec, sort, "compare: 'min' tells no order");
  sort.compare = jig_op_with_state(JIG_LESS, "", JIG_I8);
  REFUSED(jig_merge_sort_spec, sort, "compare: 'less' has no state");
  sort = sort_of(pair);
  sort.compare = JIG_GREATER;
  REFUSED(jig_merge_sort_spec, sort,
          "compare: 'greater' is not defined for struct pair; give jig_op_source(), or an operator<");
  const jig_type opaque = jig_opaque(8, 4);
  sort = sort_of(opaque);
  sort.compare = JIG_GREATER;
  REFUSED(jig_merge_sort_spec, sort, "compare: 'greater' is not defined for opaque");
  jig_merge_args merge = merge_of(JIG_I32);
  merge.compare = JIG_PLUS;
  REFUSED(jig_merge_spec, merge, "compare: 'plus' tells no order");
  jig_reduce_args reduce = {.in = of(JIG_BOOL), .out = of(JIG_BOOL), .op = JIG_LESS};
  REFUSED(jig_reduce_spec, reduce,
          "op: 'less' tells an order of two operands, which is not what is needed");
  reduce.op = JIG_GREATER;
  REFUSED(jig_reduce_spec, reduce, "op: 'greater' tells an order");
}
END_TEST

/* ---- what is moved about: as C lays out such structs, packed to words where that is less */

START_TEST(records) {
  const jig_type key = JIG_U8, wide = jig_opaque(24, 8), odd = jig_opaque(9, 1);
  const jig_type key8 = JIG_F64, value2 = JIG_U16, value4 = JIG_U32, key16 = JIG_U128;
  ck_assert_uint_eq(merge_sort_record_of(&key8, NULL).bytes, 8);
  ck_assert_uint_eq(merge_sort_record_of(&key, &value2).bytes, 4);
  ck_assert_uint_eq(merge_sort_record_of(&key8, &value4).bytes, 12);
  ck_assert_uint_eq(merge_sort_record_of(&value4, &key8).bytes, 12);
  ck_assert_uint_eq(merge_sort_record_of(&key8, &key8).bytes, 16);
  ck_assert_uint_eq(merge_sort_record_of(&key, &key8).bytes, 12);
  ck_assert_uint_eq(merge_sort_record_of(&key16, &value4).bytes, 20);
  ck_assert_uint_eq(merge_sort_record_of(&key16, &wide).bytes, 24);
  ck_assert_uint_eq(merge_sort_record_of(&value4, &value2).bytes, 8);
  ck_assert_uint_eq(merge_sort_record_of(&key, &wide).bytes, 12);
  ck_assert_uint_eq(merge_sort_record_of(&odd, &wide).bytes, 20);
  ck_assert(merge_sort_record_of(&key, &wide).has_places);
  ck_assert(!merge_sort_record_of(&key, &value4).has_places);
}
END_TEST

/* ---- plans */

/* Every pass has a block for each of its tiles, and in the end there is one run. */
static void check_plan(const program *p, uint64_t n) {
  const merge_sort_plan plan = merge_sort_plan_of(p, n);
  uint64_t run = plan.run;
  if (plan.blocks > INT32_MAX) return; /* which is refused */
  ck_assert_uint_ge((uint64_t)plan.block_shape.grid * run, n);
  for (int i = 0; i < plan.passes; ++i) {
    const merge_sort_pass pass = merge_sort_pass_of(p, n, run);
    ck_assert_uint_le(pass.blocks, plan.blocks);
    const policy *tuning = &p->kernels[pass.kernel].tuning;
    const uint64_t blocked =
        (uint64_t)policy_threads(tuning) * (unsigned)merge_sort_block_tuning_of(tuning).items;
    const uint64_t tile = (uint64_t)policy_value(tuning, "tile_items", (int)blocked);
    const uint64_t group = pass.ways * run, groups = (n + group - 1) / group;
    ck_assert_uint_lt(run, n);
    ck_assert_uint_ge(pass.tiles * tile, group < n ? group : n);
    ck_assert_uint_eq(pass.shape.grid, groups * pass.tiles);
    /* Where the order is known, blocks search for themselves but in passes by four. */
    const policy *merge = &p->kernels[MERGE_SORT_MERGE].tuning;
    const bool alone =
        policy_value(merge, "is_sure", 0) || pass.tiles <= 1u << policy_threads(merge) / 32;
    ck_assert_int_eq(pass.split.grid > 0, pass.ways == 4 || !alone);
    if (pass.split.grid > 0) ck_assert_uint_ge(plan.splits, pass.ways * pass.blocks);
    ck_assert_int_eq(pass.coarse.grid > 0, pass.bracket > 0);
    if (pass.ways == 4) ck_assert_uint_le(group, (uint64_t)1 << 32);
    run = group;
  }
  ck_assert_uint_ge(run, n);
}

static void check_size(const program *p, uint64_t n, merge_sort_size size, size_t *before) {
  check_plan(p, n);
  size.num_items = n;
  const merge_sort_plan plan = merge_sort_plan_of(p, n);
  size.is_apart = size.is_apart && plan.is_by_four && n >= plan_limits_default.merge_sort_least_apart;
  const temp_layout temp = merge_sort_temp(&plan, &plan_limits_default, &size);
  const uint128 needed = plan.passes > 0 ? (uint128)n * size.record_bytes : 0;
  ck_assert_uint_ge(temp_size(&temp), *before);
  ck_assert(temp.sizes[0] >= needed || temp_size(&temp) == UINT64_MAX);
  *before = temp_size(&temp);
}

static void check_plans(const spec *s, int sm, int multiprocessors) {
  const program p = program_of(s, sm, multiprocessors);
  const merge_sort_size asks[] = {{.record_bytes = 8, .copied_bytes = 3},
                                  {.record_bytes = 12, .is_apart = true}};
  uint64_t powers[COUNTS_NEAR_POWERS];
  counts_near_powers(powers);
  for (size_t a = 0; a < COUNT_OF(asks); ++a) {
    size_t before = 0;
    for (uint64_t n = 1; n < (uint64_t)1 << 36; n += n / 3 + 1) check_size(&p, n, asks[a], &before);
    before = 0;
    for (size_t i = 0; i < COUNTS_NEAR_POWERS; ++i) check_size(&p, powers[i], asks[a], &before);
  }
}

START_TEST(plans_have_room) {
  static const int sms[] = {75, 86, 90, 120};
  const jig_type keys[] = {JIG_U8, JIG_U32, JIG_U128, jig_opaque(256, 1)};
  for (size_t i = 0; i < COUNT_OF(keys); ++i) {
    char *text = NULL;
    parsed_spec parsed;
    jig_merge_sort_args args = sort_of(keys[i]);
    const jig_op ops[] = {jig_op_source("return false;"), JIG_GREATER};
    for (size_t o = 0; o < (keys[i].kind == JIG_KIND_OPAQUE ? 1 : COUNT_OF(ops)); ++o) {
      args.compare = ops[o];
      OK(jig_merge_sort_spec(&args, &text));
      OK(spec_parse(text, algorithm_schema, &parsed));
      for (size_t k = 0; k < COUNT_OF(sms); ++k) {
        check_plans(&parsed.s, sms[k], 1);
        check_plans(&parsed.s, sms[k], 132);
      }
      parsed_spec_free(&parsed);
      jig_free(text);
    }
  }
}
END_TEST

/* What a block asks for is what it may have on that GPU. */
static int most_shared_bytes(int sm) {
  const bool is_small = sm == 86 || sm == 89 || sm >= 120;
  return 1024 * (sm < 80 ? 64 : is_small ? 99 : sm < 90 ? 163 : 227);
}

static void check_tiles(const jig_merge_sort_args *args) {
  static const int sms[] = {75, 80, 86, 89, 90, 100, 120};
  char *text = NULL;
  parsed_spec parsed;
  OK(jig_merge_sort_spec(args, &text));
  OK(spec_parse(text, algorithm_schema, &parsed));
  for (size_t k = 0; k < COUNT_OF(sms); ++k) {
    const program p = program_of(&parsed.s, sms[k], 1);
    for (int kernel = 0; kernel < MERGE_SORT_GATHER; ++kernel) {
      const int bytes = policy_value(&p.kernels[kernel].tuning, "shared_bytes", 0);
      ck_assert_int_gt(bytes, 0);
      ck_assert_int_le(bytes, most_shared_bytes(sms[k]));
    }
  }
  parsed_spec_free(&parsed);
  jig_free(text);
}

START_TEST(tiles_fit) {
  const jig_type keys[] = {JIG_U8,   JIG_U16,           JIG_U32,           JIG_F64,
                           JIG_U128, jig_opaque(48, 4), jig_opaque(256, 1)};
  for (size_t i = 0; i < COUNT_OF(keys); ++i) {
    jig_merge_sort_args args = sort_of(keys[i]);
    args.compare = jig_op_source("return false;");
    check_tiles(&args);
    args.values_in = args.values_out = of(JIG_U32);
    check_tiles(&args);
    args.values_in = args.values_out = of(JIG_U64);
    check_tiles(&args);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(specs_are_read_again),
      SUITE_TEST(orders_in_specs),
      SUITE_TEST(what_is_refused),
      SUITE_TEST(what_orders_and_what_does_not),
      SUITE_TEST(records),
      SUITE_TEST(plans_have_room),
      SUITE_TEST(tiles_fit),
  };
  return SUITE_RUN("unit/merge_sort", tests, false);
}
