/* Select, unique and the partitions as far as they need neither compiler nor GPU: their specs, what is
 * refused in them, and that their tiles and temp storage have room for every plan. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/selection.h"
#include "numbers.h"
#include "policy/select.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

static const jig_op test = {.kind = JIG_OP_SOURCE, .source = "return x < 9;"};

static jig_iter of(jig_type type) {
  return jig_pointer(NULL, type);
}

static jig_select_args select_of(jig_type type) {
  return (jig_select_args){.in = of(type), .out = of(type), .num_selected_out = of(JIG_U32), .op = test};
}
static jig_unique_args unique_of(jig_type type) {
  return (jig_unique_args){.in = of(type), .out = of(type), .num_selected_out = of(JIG_I64)};
}
static jig_partition_args partition_of(jig_type type) {
  return (jig_partition_args){
      .in = of(type), .out = of(type), .num_selected_out = of(JIG_I32), .op = test};
}
static jig_three_way_partition_args three_way_of(jig_type type) {
  return (jig_three_way_partition_args){.in = of(type),
                                        .first_out = of(type),
                                        .second_out = of(type),
                                        .unselected_out = of(type),
                                        .num_selected_out = of(JIG_I32),
                                        .first_op = test,
                                        .second_op = test};
}

/* ---- specs */

static void check_reads_again(char *text, uint64_t *hash) {
  parsed_spec parsed;
  char *again = NULL;
  OK(spec_parse(text, algorithm_schema, &parsed));
  *hash = spec_hash(&parsed.s);
  OK(spec_write(&parsed.s, "x", &again));
  ck_assert_str_eq(text, again);
  parsed_spec_free(&parsed);
  jig_free(again);
}

START_TEST(specs_are_read_again) {
  enum { VARIANTS = 12 };
  char *texts[VARIANTS];
  uint64_t hashes[VARIANTS];
  jig_select_args select[4];
  jig_unique_args unique[3];
  jig_partition_args partition[3];
  jig_three_way_partition_args three[2] = {three_way_of(JIG_I32), three_way_of(JIG_I32)};
  for (int i = 0; i < 4; ++i) select[i] = select_of(JIG_I32);
  for (int i = 0; i < 3; ++i) unique[i] = unique_of(JIG_I32), partition[i] = partition_of(JIG_I32);
  select[1].flags = select[2].flags = of(JIG_BOOL);
  select[2].op = (jig_op)JIG_ZERO;
  select[3].num_selected_out = of(JIG_I8);
  unique[1].values_in = unique[1].values_out = of(JIG_F64);
  unique[2].equality = jig_op_source("return a == b;");
  partition[1].unselected_out = of(JIG_I32);
  partition[2].flags = of(JIG_F32);
  three[1].second_op = jig_op_source("return x > 9;");
  for (int i = 0; i < VARIANTS; ++i) {
    texts[i] = NULL;
    if (i < 4)
      OK(jig_select_spec(&select[i], &texts[i]));
    else if (i < 7)
      OK(jig_unique_spec(&unique[i - 4], &texts[i]));
    else if (i < 10)
      OK(jig_partition_spec(&partition[i - 7], &texts[i]));
    else
      OK(jig_three_way_partition_spec(&three[i - 10], &texts[i]));
    check_reads_again(texts[i], &hashes[i]);
    for (int j = 0; j < i; ++j) {
      ck_assert_str_ne(texts[i], texts[j]);
      ck_assert(hashes[i] != hashes[j]);
    }
  }
  for (int i = 0; i < VARIANTS; ++i) jig_free(texts[i]);
}
END_TEST

/* ---- what is refused */

#define REFUSED(call, args, part)                                  \
  do {                                                             \
    char *none = NULL;                                             \
    FAILS(call(&(args), &none), JIG_ERROR_INVALID_ARGUMENT, part); \
    ck_assert_ptr_null(none);                                      \
  } while (0)

START_TEST(selects_that_are_refused) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  jig_select_args args = select_of(JIG_I32);
  args.op = (jig_op)JIG_ZERO;
  REFUSED(jig_select_spec, args, "jig_select_spec: op: missing, and there are no flags");
  args.flags = of(pair);
  REFUSED(jig_select_spec, args, "flags: their type");
  args = select_of(JIG_I32);
  args.op = JIG_PLUS;
  REFUSED(jig_select_spec, args, "op: 'plus' has two operands; a unary operator is needed here");
  args = select_of(JIG_I32);
  args.num_selected_out = of(JIG_F32);
  REFUSED(jig_select_spec, args, "num_selected_out: its type must be an integer, not f32");
  args.num_selected_out = of(JIG_BOOL);
  REFUSED(jig_select_spec, args, "num_selected_out: its type must be an integer, not bool");
  args.num_selected_out = (jig_iter)JIG_ZERO;
  REFUSED(jig_select_spec, args, "num_selected_out: no iterator");
  args = select_of(pair);
  args.out = of(JIG_I32);
  REFUSED(jig_select_spec, args, "out: the item type of in");
  args = select_of(JIG_I32);
  args.out = jig_counting(NULL, JIG_I32);
  REFUSED(jig_select_spec, args, "out: an output must be");
  jig_partition_args partition = partition_of(pair);
  partition.unselected_out = of(JIG_I32);
  REFUSED(jig_partition_spec, partition, "unselected_out: the item type of in");
  jig_three_way_partition_args three = three_way_of(JIG_I32);
  three.second_op = (jig_op)JIG_ZERO;
  REFUSED(jig_three_way_partition_spec, three, "second_op: no operator");
  three = three_way_of(JIG_I32);
  three.second_out = (jig_iter)JIG_ZERO;
  REFUSED(jig_three_way_partition_spec, three, "second_out: no iterator");
}
END_TEST

START_TEST(uniques_that_are_refused) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  const jig_type assigned =
      jig_struct("pair", "struct pair { int a, b; __device__ void operator=(int); };", 8, 4);
  const jig_type equal = jig_struct(
      "pair",
      "struct pair { int a, b; __device__ bool operator == (pair o) const { return a == o.a; } };", 8, 4);
  jig_unique_args args = unique_of(pair);
  REFUSED(jig_unique_spec, args, "in: '==' is not defined for struct pair");
  args = unique_of(assigned);
  REFUSED(jig_unique_spec, args, "in: '==' is not defined for struct pair");
  args = unique_of(jig_opaque(8, 4));
  REFUSED(jig_unique_spec, args, "in: '==' is not defined for");
  args = unique_of(JIG_I32);
  args.equality = JIG_PLUS;
  REFUSED(jig_unique_spec, args,
          "equality: 'plus' makes i32 of two; what is needed here makes bool of them");
  args = unique_of(JIG_I32);
  args.values_in = of(JIG_F32);
  REFUSED(jig_unique_spec, args, "values_out: missing");
  args = unique_of(JIG_I32);
  args.values_out = of(JIG_F32);
  REFUSED(jig_unique_spec, args, "values_in: missing");
  args = unique_of(JIG_I32);
  args.values_in = of(pair);
  args.values_out = of(JIG_F32);
  REFUSED(jig_unique_spec, args, "values_out: the item type of values_in");
  char *text = NULL;
  args = unique_of(equal);
  OK(jig_unique_spec(&args, &text));
  jig_free(text);
}
END_TEST

/* ---- plans and policies */

typedef struct planned {
  program p;
  chain_size size;
} planned;

static planned plan_for(char *text, size_t state_bytes) {
  planned made = {.p = {.count = 2, .multiprocessors = 132}};
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  made.p.kernels[CHAIN_SINGLE_WAVE].tuning = select_single_wave_space.choose(&parsed.s, 90, NULL);
  made.p.kernels[CHAIN_LARGE].tuning = select_lookback_space.choose(&parsed.s, 90, NULL);
  made.size = (chain_size){0, state_bytes};
  parsed_spec_free(&parsed);
  jig_free(text);
  return made;
}

START_TEST(no_items_are_planned_for) {
  char *text = NULL;
  const jig_select_args args = select_of(JIG_I32);
  OK(jig_select_spec(&args, &text));
  planned m = plan_for(text, 8);
  const chain_plan plan = chain_plan_of(&m.p, &m.size);
  ck_assert(plan.form == CHAIN_IS_SINGLE_WAVE);
  ck_assert_uint_eq(plan.shape.grid, 1);
  ck_assert_int_eq(plan.rows, 1);
  m.size.num_items = (uint64_t)1 << 40; /* every tile is there */
  const chain_plan large = chain_plan_of(&m.p, &m.size);
  const policy *p = &m.p.kernels[CHAIN_LARGE].tuning;
  ck_assert(large.form == CHAIN_IS_LOOKBACK);
  ck_assert_uint_ge(
      (uint64_t)large.shape.grid * policy_threads(p) * (unsigned)chain_tuning_of(p).rows * 4,
      m.size.num_items);
}
END_TEST

/* What more than the first kernel takes, but no more than the last one does, and temp storage is as it
 * would be for a pipeline. */
static void check_long_waves(char *text) {
  const program p = program_of_spec(text, 90, 132);
  ck_assert_int_eq(p.count, SELECTION_KERNELS);
  const chain_tuning from = chain_tuning_of(&p.kernels[CHAIN_SINGLE_WAVE].tuning),
                     to = chain_tuning_of(&p.kernels[SELECTION_LONG_WAVE].tuning);
  const uint64_t vector = chain_vector_items(&p, SELECTION_LONG_WAVE);
  const uint64_t first = 132 * vector * (unsigned)(from.min_blocks * from.rows * from.threads) + 1,
                 last = 132 * vector * (unsigned)(to.min_blocks * to.rows * to.threads);
  chain_size size = {
      .state_bytes = sizeof(uint64_t), .has_cluster = true, .another = SELECTION_LONG_WAVE};
  ck_assert_uint_gt(last, first);
  const uint64_t counts[] = {first - 1, first, (first + last) / 2, last, last + 1};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    size.num_items = counts[i];
    const chain_plan plan = chain_plan_of(&p, &size);
    const temp_layout temp = chain_temp(&p, &size);
    ck_assert_int_eq(plan.kernel, i == 0   ? CHAIN_SINGLE_WAVE
                                  : i == 4 ? CHAIN_LARGE
                                           : SELECTION_LONG_WAVE);
    if (plan.kernel != SELECTION_LONG_WAVE) continue;
    ck_assert(plan.form == CHAIN_IS_SINGLE_WAVE && plan.rows <= to.rows);
    ck_assert_uint_le(plan.shape.grid, 132 * (unsigned)to.min_blocks);
    ck_assert_uint_ge((uint64_t)plan.shape.grid * (unsigned)(plan.rows * to.threads) * vector, counts[i]);
    ck_assert_uint_ge(temp_size(&temp), 64 * plan.shape.grid);
    size.another = 0;
    const temp_layout without = chain_temp(&p, &size);
    ck_assert_uint_eq(temp_size(&temp), temp_size(&without));
    size.another = SELECTION_LONG_WAVE;
  }
}

START_TEST(long_waves_take_a_few_more) {
  static const jig_type_kind kinds[] = {JIG_KIND_I32, JIG_KIND_F64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    char *text = NULL;
    jig_select_args select = select_of(type_of(kinds[k]));
    OK(jig_select_spec(&select, &text));
    check_long_waves(text);
    select.flags = of(JIG_U8);
    OK(jig_select_spec(&select, &text));
    check_long_waves(text);
    jig_unique_args unique = unique_of(type_of(kinds[k]));
    unique.values_in = unique.values_out = of(JIG_I32);
    OK(jig_unique_spec(&unique, &text));
    check_long_waves(text);
  }
}
END_TEST

/* What is staged has to fit into the 48 KiB that a block may have, with what two blocks exchange. Of
 * values that are gathered, but in a cluster, it is their numbers, of all rows. */
static void check_policies(const planned *m, size_t item, size_t value, int classes) {
  for (int k = 0; k < CHAIN_KERNELS; ++k) {
    const policy *p = &m->p.kernels[k].tuning;
    const bool gathers = value >= 16 && k != CHAIN_CLUSTER;
    const size_t warps = policy_threads(p) / 32, vector = chain_vector_items(&m->p, k),
                 vector_bytes = vector * (gathers || value < item ? item : value);
    ck_assert_uint_eq(policy_threads(p) % 32, 0);
    ck_assert_uint_le(policy_threads(p) * (unsigned)chain_tuning_of(p).min_blocks, 1024);
    ck_assert_str_eq(p->names[4], "staged_rows");
    ck_assert_int_ge(p->values[4], 1);
    const select_tuning tuning = select_tuning_of(p);
    ck_assert_int_le(tuning.staged_rows, tuning.rows);
    if (gathers) ck_assert_uint_le(warps * 32 * vector * (unsigned)tuning.rows * 2, 40 << 10);
    if (vector_bytes <= 128) /* as agent/select/select_tile.cuh has it */
      ck_assert_uint_le(warps * (32 * vector_bytes * (unsigned)p->values[4] + 32 * (unsigned)classes),
                        40 << 10);
  }
}

/* A block of a pipeline may have 227 KiB in all, and has to be of that many threads. */
START_TEST(pipelines_fit_a_multiprocessor) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8, JIG_KIND_BF16, JIG_KIND_I32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_select_args one = select_of(type_of(kinds[k]));
    const jig_three_way_partition_args two = three_way_of(type_of(kinds[k]));
    for (int tests = 1; tests <= 2; ++tests) {
      char *text = NULL;
      parsed_spec parsed;
      OK(tests == 1 ? jig_select_spec(&one, &text) : jig_three_way_partition_spec(&two, &text));
      OK(spec_parse(text, algorithm_schema, &parsed));
      ck_assert(select_pipeline_fits(&parsed.s, 90) && !select_pipeline_fits(&parsed.s, 89));
      const policy p = select_pipeline_space.choose(&parsed.s, 90, NULL);
      const int reducers = policy_value(&p, "reducers", 0),
                emitters = (int)policy_threads(&p) / 32 - 3 - reducers;
      const int tile_bytes = emitters * chain_tuning_of(&p).rows * 512;
      ck_assert_int_eq(emitters % reducers, 0);
      ck_assert_int_ge(policy_value(&p, "stages", 0), 3);
      ck_assert_int_gt(policy_value(&p, "shared_bytes", 0), policy_value(&p, "stages", 0) * tile_bytes);
      ck_assert_int_le(policy_value(&p, "shared_bytes", 0), 227 << 10);
      parsed_spec_free(&parsed);
      jig_free(text);
    }
  }
}
END_TEST

START_TEST(policies_are_sound) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    for (const jig_type_kind *value = all_kinds; *value != JIG_KIND_NONE; ++value) {
      const jig_type type = type_of(*kind), other = type_of(*value);
      char *text = NULL;
      jig_unique_args unique = unique_of(type);
      unique.values_in = unique.values_out = of(other);
      OK(jig_unique_spec(&unique, &text));
      const planned by_key = plan_for(text, 8);
      check_policies(&by_key, type.size, other.size, 1);
      const jig_iter base = of(type);
      jig_three_way_partition_args three = three_way_of(other);
      three.in = jig_iter_transform(&base, jig_op_source("return x;"), other);
      OK(jig_three_way_partition_spec(&three, &text));
      const planned ways = plan_for(text, 16);
      check_policies(&ways, other.size, 0, 3);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(specs_are_read_again),       SUITE_TEST(selects_that_are_refused),
      SUITE_TEST(uniques_that_are_refused),   SUITE_TEST(no_items_are_planned_for),
      SUITE_TEST(policies_are_sound),         SUITE_TEST(pipelines_fit_a_multiprocessor),
      SUITE_TEST(long_waves_take_a_few_more),
  };
  return SUITE_RUN("unit/select", tests, false);
}
