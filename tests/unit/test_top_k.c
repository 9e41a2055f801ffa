/* Top-k as far as it needs neither compiler nor GPU: its specs, what is refused in them, and that its
 * plans fit the temp storage and every GPU. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/top_k_plan.h"
#include "count_cases.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

static const int sms[] = {75, 80, 86, 87, 89, 90, 100, 110, 120};

static jig_top_k_args top_k_of(jig_type key, jig_type value) {
  const jig_iter keys = jig_pointer(NULL, key), values = jig_pointer(NULL, value);
  jig_top_k_args args = {.keys_in = keys, .keys_out = keys};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = values;
  return args;
}

static char *spec_text(jig_top_k_args args) {
  char *text = NULL;
  OK(jig_top_k_spec(&args, &text));
  return text;
}

/* ---- specs */

START_TEST(spec_texts) {
#define POINTER(type) "{\"kind\":\"pointer\",\"type\":" type "}"
#define KEYS(type) "\"keys_in\":" POINTER(type) ",\"keys_out\":" POINTER(type)
#define STRUCT "{\"align\":4,\"definition\":\"struct s { int a, b; };\",\"name\":\"s\",\"size\":8}"
#define FOUR "{\"align\":4,\"kind\":\"opaque\",\"size\":4}"
  static const char *const wanted[] = {
      "{\"algorithm\":\"top_k\"," KEYS("\"u32\"") ",\"order\":\"integer\"}",
      "{\"algorithm\":\"top_k\"," KEYS("\"u16\"") ",\"order\":\"float\"}",
      "{\"algorithm\":\"top_k\"," KEYS("\"u8\"") ",\"order\":\"integer\",\"values_in\":" POINTER(
          FOUR) ",\"values_out\":" POINTER(FOUR) "}",
      "{\"algorithm\":\"top_k\",\"decomposer\":{\"kind\":\"source\",\"source\":\"x.a\"}," KEYS(
          STRUCT) ",\"order\":\"fields\"}",
      "{\"algorithm\":\"top_k\",\"keys_in\":{\"kind\":\"counting\",\"type\":\"i32\"},\"keys_"
      "out\":" POINTER("\"i32\"") ",\"order\":\"integer\"}",
      "{\"algorithm\":\"top_k\",\"is_sorted\":true," KEYS("\"u32\"") ",\"order\":\"float\"}"};
  const jig_type none = JIG_ZERO;
  jig_top_k_args of_structs = top_k_of(jig_struct("s", "struct s { int a, b; };", 8, 4), none);
  of_structs.decomposer = "x.a";
  jig_top_k_args of_numbers = top_k_of(JIG_I32, none);
  of_numbers.keys_in = jig_counting(NULL, JIG_I32);
  jig_top_k_args sorted = top_k_of(JIG_F32, none);
  sorted.is_sorted = 1;
  const jig_top_k_args args[] = {top_k_of(JIG_I32, none),
                                 top_k_of(JIG_BF16, none),
                                 top_k_of(JIG_BOOL, JIG_F32),
                                 of_structs,
                                 of_numbers,
                                 sorted};
  for (size_t i = 0; i < COUNT_OF(args); ++i) check_spec_text(spec_text(args[i]), wanted[i]);
}
END_TEST

/* Specs that no call makes. */
START_TEST(refused_specs) {
  static const refused_spec specs[] = {
      {"{\"algorithm\":\"top_k\"," KEYS("\"u8\"") ",\"order\":\"float\"}", "no floating-point numbers"},
      {"{\"algorithm\":\"top_k\"," KEYS("\"u8\"") ",\"order\":\"fields\"}", "decomposer: a list"},
      {"{\"algorithm\":\"top_k\"," KEYS(FOUR) ",\"order\":\"integer\"}", "keys_in: keys must be"},
      {"{\"algorithm\":\"top_k\"," KEYS("\"u8\"") ",\"order\":\"integer\",\"values_in\":" POINTER(
           FOUR) "}",
       "values_out: missing"},
      {"{\"algorithm\":\"top_k\",\"is_sorted\":1," KEYS("\"u8\"") ",\"order\":\"integer\"}",
       "is_sorted: neither true nor false"},
  };
  check_refused_specs(specs, COUNT_OF(specs));
  jig_top_k_args both = top_k_of(JIG_F32, (jig_type)JIG_ZERO);
  char *text = NULL;
  both.is_sorted = 2;
  FAILS(jig_top_k_spec(&both, &text), JIG_ERROR_INVALID_ARGUMENT, "is_sorted: no such choice (2)");
  ck_assert_ptr_null(text);
}

/* The program that sorts a result, and that no two kinds of keys share it unless they may. */
START_TEST(programs_of_sorted_results) {
  static const struct {
    jig_type_kind key;
    const char *bits;
  } rows[] = {{JIG_KIND_BOOL, "{ unsigned bits;"},
              {JIG_KIND_F32, "{ unsigned bits;"},
              {JIG_KIND_I64, "{ unsigned long long bits;"},
              {JIG_KIND_U128, "{ unsigned __int128 bits;"}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_top_k_args args = top_k_of(type_of(rows[i].key), (jig_type)JIG_ZERO);
    char *alone = spec_text(args);
    args.is_sorted = 1;
    char *both = spec_text(args), *texts[2];
    parsed_spec parsed;
    OK(spec_parse(both, algorithm_schema, &parsed));
    const algorithm_programs programs = algorithm_programs_of(&parsed.s);
    ck_assert_int_eq(programs.count, 2);
    for (int k = 0; k < 2; ++k) OK(spec_write(&programs.of[k], "x", &texts[k]));
    ck_assert_str_eq(texts[0], alone);
    ck_assert_ptr_nonnull(strstr(texts[1], rows[i].bits));
    parsed_spec_free(&parsed);
    for (int k = 0; k < 2; ++k) jig_free(texts[k]);
    jig_free(alone);
    jig_free(both);
  }
}
END_TEST

/* ---- plans */

static program make(jig_type key, int sm, int multiprocessors) {
  return program_of_spec(spec_text(top_k_of(key, (jig_type)JIG_ZERO)), sm, multiprocessors);
}

static void check_ranks(const top_k_plan *plan, uint64_t n, uint64_t k) {
  const double expected = (double)plan->samples * ((double)k / (double)n);
  ck_assert_uint_le(plan->last_rank, plan->samples);
  ck_assert_uint_le(plan->sure_rank, plan->samples);
  ck_assert(plan->last_rank == 0 || plan->last_rank >= expected + 4);
  ck_assert(plan->sure_rank == 0 || plan->sure_rank + 4 <= expected);
  /* What is between them has room: so many stretches, and half as many again for few of them. */
  const double last = plan->last_rank > 0 ? plan->last_rank : plan->samples;
  const double between = (last - plan->sure_rank) * ((double)n / plan->samples);
  ck_assert(plan->capacity == n || (double)plan->capacity > between * 1.1);
  ck_assert(plan->capacity == n || (double)plan->capacity > 1.5 * (double)n / plan->samples * 16);
}

static void check_plan(const program *p, uint64_t n, uint64_t k, size_t *last) {
  const top_k_size size = {.num_items = n, .k = k < n ? k : n, .bits_bytes = 4};
  const top_k_plan plan = top_k_plan_of(p, &plan_limits_default, &size);
  const temp_layout temp = top_k_temp(p, &plan_limits_default, &size);
  ck_assert_uint_ge(temp_size(&temp), *last);
  *last = temp_size(&temp);
  ck_assert_uint_ge(plan.gather.grid, 1);
  if (plan.counts) {
    ck_assert_int_eq(plan.single_kernel, TOP_K_LARGE_BLOCK);
    ck_assert(plan.block.grid >= 1 && plan.block.grid <= (unsigned)p->multiprocessors);
    ck_assert_uint_ge(n, plan.block.grid);
    ck_assert_uint_le(n / plan.block.grid, (uint64_t)1 << 31);
    ck_assert_uint_eq(temp.sizes[TOP_K_CONTROL_SLOT], (plan.block.grid - 1) * (size_t)2048);
    ck_assert_uint_eq(temp.sizes[TOP_K_BITS_SLOT], plan.writes_apart ? 2048 : 0);
    return;
  }
  if (plan.single_kernel >= 0) {
    ck_assert_uint_le(plan.block.grid, p->kernels[plan.single_kernel].max_cluster);
    ck_assert_uint_eq(plan.block.grid, plan.block.cluster);
    ck_assert_uint_eq(plan.block.grid & (plan.block.grid - 1), 0);
    return;
  }
  const unsigned processors = (unsigned)p->multiprocessors;
  ck_assert_uint_ge(plan.pass.grid, 1);
  ck_assert_uint_le(plan.pass.grid, processors * (unsigned)p->kernels[TOP_K_PASS].tuning.values[1]);
  ck_assert_uint_eq(plan.select.grid % plan.select.cluster, 0);
  ck_assert(plan.select.grid == plan.select.cluster ||
            plan.select.grid <= processors * (unsigned)p->kernels[TOP_K_SELECT].tuning.values[1]);
  ck_assert_uint_eq(plan.samples & (plan.samples - 1), 0);
  ck_assert_uint_le(plan.samples, plan.capacity);
  ck_assert_uint_le(plan.samples * (uint64_t)256, n);
  ck_assert_uint_eq(temp.sizes[TOP_K_BITS_SLOT], plan.capacity * 8);
  ck_assert_uint_eq(temp.sizes[TOP_K_INDICES_SLOT], 0);
  check_ranks(&plan, n, size.k);
}

START_TEST(plans) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F32, JIG_KIND_U128};
  static const uint64_t all_k[] = {1, 16, 256, 4096, 100000, 1 << 24, 1ULL << 31, 1ULL << 35, 1ULL << 40};
  uint64_t powers[COUNTS_NEAR_POWERS];
  counts_near_powers(powers);
  for (size_t i = 0; i < COUNT_OF(keys) * COUNT_OF(all_k); ++i) {
    const program p = make(type_of(keys[i % COUNT_OF(keys)]), i % 2 ? 75 : 90, 1 + 43 * (int)(i % 4));
    size_t last = 0;
    for (uint64_t n = 1; n < (uint64_t)1 << 40; n += n / 20 + 1)
      check_plan(&p, n, all_k[i / COUNT_OF(keys)], &last);
    last = 0;
    for (size_t c = 1; c < COUNTS_NEAR_POWERS && powers[c] <= INT64_MAX; ++c)
      check_plan(&p, powers[c], all_k[i / COUNT_OF(keys)], &last);
  }
}
END_TEST

/* A GPU has threads for all blocks that are to be resident; digits are shared out evenly. */
START_TEST(policies) {
  static const int most_threads[] = {1024, 2048, 1536, 1536, 1536, 2048, 2048, 1536, 1536};
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_F32, JIG_KIND_U64,
                                       JIG_KIND_U128};
  for (size_t i = 0; i < COUNT_OF(sms) * COUNT_OF(keys); ++i) {
    const size_t g = i % COUNT_OF(sms);
    const program p = make(type_of(keys[i / COUNT_OF(sms)]), sms[g], 1);
    for (int kernel = 0; kernel < TOP_K_GATHER; ++kernel) {
      const policy *tuning = &p.kernels[kernel].tuning;
      const int threads = (int)policy_threads(tuning);
      ck_assert_int_eq(2048 % threads, 0);
      ck_assert_int_le(threads, 1024);
      ck_assert_int_le(threads * policy_value(tuning, "min_blocks", 0), most_threads[g]);
      ck_assert_int_ge(policy_value(tuning, "items", 0), 1);
      ck_assert_int_le(policy_value(tuning, "items", 0), 32);
    }
    /* So that a sample is of many. */
    ck_assert_int_ge(top_k_block_tuning_of(&p.kernels[TOP_K_BLOCK].tuning).most_items, 2048);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(spec_texts), SUITE_TEST(refused_specs), SUITE_TEST(programs_of_sorted_results),
      SUITE_TEST(plans),      SUITE_TEST(policies),
  };
  return SUITE_RUN("unit/top_k", tests, false);
}
