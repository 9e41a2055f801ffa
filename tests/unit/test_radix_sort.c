/* Radix sort as far as it needs neither compiler nor GPU: its specs, what is refused in them, and that
 * its plans fit the temp storage and every GPU. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/radix_sort_plan.h"
#include "count_cases.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

static const int sms[] = {75, 80, 86, 87, 89, 90, 100, 110, 120};

static jig_radix_sort_args sort_of(jig_type key, jig_type value) {
  const jig_iter keys = jig_pointer(NULL, key), values = jig_pointer(NULL, value);
  jig_radix_sort_args args = {.keys_in = keys, .keys_out = keys};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = values;
  return args;
}

static char *spec_text(jig_radix_sort_args args) {
  char *text = NULL;
  OK(jig_radix_sort_spec(&args, &text));
  return text;
}

/* ---- specs */

START_TEST(spec_texts) {
  static const char *const wanted[] = {
      "{\"algorithm\":\"radix_sort\",\"key\":\"u32\",\"order\":\"integer\"}",
      "{\"algorithm\":\"radix_sort\",\"key\":\"u16\",\"order\":\"float\"}",
      "{\"algorithm\":\"radix_sort\",\"key\":\"u8\",\"order\":\"integer\",\"value\":{\"align\":4,"
      "\"kind\":"
      "\"opaque\",\"size\":4}}",
      "{\"algorithm\":\"radix_sort\",\"decomposer\":{\"kind\":\"source\",\"source\":\"x.a\"},\"key\":{"
      "\"align\":4,\"definition\":\"struct s { int a, b; };\",\"name\":\"s\",\"size\":8},\"order\":"
      "\"fields\"}"};
  const jig_type none = JIG_ZERO;
  jig_radix_sort_args of_structs = sort_of(jig_struct("s", "struct s { int a, b; };", 8, 4), none);
  of_structs.decomposer = "x.a";
  const jig_radix_sort_args args[] = {sort_of(JIG_I32, none), sort_of(JIG_BF16, none),
                                      sort_of(JIG_BOOL, JIG_F32), of_structs};
  for (size_t i = 0; i < COUNT_OF(args); ++i) check_spec_text(spec_text(args[i]), wanted[i]);
}
END_TEST

/* Specs that no call makes. */
START_TEST(refused_specs) {
  static const refused_spec specs[] = {
      {"{\"algorithm\":\"radix_sort\",\"key\":\"i32\",\"order\":\"integer\"}", "must be an unsigned"},
      {"{\"algorithm\":\"radix_sort\",\"key\":\"u8\",\"order\":\"float\"}", "no floating-point numbers"},
      {"{\"algorithm\":\"radix_sort\",\"key\":\"u8\",\"order\":\"fields\"}", "decomposer: a list"},
      {"{\"algorithm\":\"radix_sort\",\"key\":\"u8\",\"order\":\"integer\",\"value\":\"u8\"}",
       "value: its type must be opaque"},
  };
  check_refused_specs(specs, COUNT_OF(specs));
}
END_TEST

/* What the compiler would take for fewer fields than there are, or none. */
START_TEST(lists_of_fields) {
  static const char *const lists[] = {"x.a",
                                      "(x.a)",
                                      "x.a, (x.b)",
                                      "(x.a + x.b)",
                                      "f(x.a, x.b)",
                                      "(f<1, 2>(x))",
                                      "(int)f(x.a, 1)",
                                      "x.a, // last",
                                      "\n#define F x.a\nF, x.b"};
  static const struct {
    const char *list, *problem;
  } refused[] = {
      {"", "jig_radix_sort_spec: decomposer: the operator's source is empty"},
      {" // x.a\n#if 0\n#endif", "jig_radix_sort_spec: decomposer: the list of fields is empty"},
      {"(x.a, x.b)", "decomposer:1:1: error: fields in brackets would be one field"},
      {"x.a,\n (x.a, (x.b))", "decomposer:2:2: error: fields in brackets would be one field"},
      {"(x.a, x.b), x.a", "decomposer:1:1: error: fields in brackets would be one field"},
      {"{x.a, x.b}", "decomposer:1:1: error: fields in brackets would be one field"},
      {"(x.a", "decomposer:1:1: error: this '(' is not closed"},
  };
  const jig_type none = JIG_ZERO;
  jig_radix_sort_args args = sort_of(jig_struct("s", "struct s { int a, b; };", 8, 4), none);
  char *text = NULL;
  for (size_t i = 0; i < COUNT_OF(lists); ++i) {
    args.decomposer = lists[i];
    free(spec_text(args));
  }
  for (size_t i = 0; i < COUNT_OF(refused); ++i) {
    args.decomposer = refused[i].list;
    FAILS(jig_radix_sort_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT, refused[i].problem);
  }
}
END_TEST

/* ---- plans */

typedef struct made {
  program p;
  size_t key_bytes, value_bytes;
} made;

static made make(jig_type key, jig_type value, int sm, int multiprocessors) {
  return (made){.p = program_of_spec(spec_text(sort_of(key, value)), sm, multiprocessors),
                .key_bytes = key.size,
                .value_bytes = value.size};
}

/* Whether specs of such items have a kernel that sorts buckets; larger values are not moved. */
static bool is_local(const made *m) {
  return m->key_bytes >= 8 || (m->key_bytes >= 4 && m->value_bytes >= 8);
}

static void check_local(const made *m, const radix_sort_plan *plan, uint64_t num_items) {
  const radix_sort_local_tuning local =
      radix_sort_local_tuning_of(&m->p.kernels[RADIX_SORT_LOCAL].tuning);
  ck_assert_int_eq(plan->local_items, local.threads * local.rows);
  ck_assert_uint_ge((uint64_t)plan->local.grid * plan->chunk_items, num_items);
  ck_assert_uint_lt((uint64_t)(plan->local.grid - 1) * plan->chunk_items, num_items);
}

static void check_plan(const made *m, uint64_t num_items, bool is_partial, size_t *last) {
  const policy *pass = &m->p.kernels[RADIX_SORT_PASS].tuning;
  const char *rows = is_partial ? "indexed_rows" : "rows";
  const radix_sort_size size = {.num_items = num_items,
                                .key_bytes = m->key_bytes,
                                .value_bytes = m->value_bytes,
                                .passes = (int)m->key_bytes,
                                .is_partial = is_partial,
                                .can_be_local = is_local(m)};
  const radix_sort_plan plan = radix_sort_plan_of(&m->p, &plan_limits_default, &size);
  const temp_layout temp = radix_sort_temp(&m->p, &plan_limits_default, &size);
  ck_assert_uint_ge(temp_size(&temp), *last);
  *last = temp_size(&temp);
  if (plan.fits_cluster) {
    const policy *cluster = &m->p.kernels[plan.cluster_kernel].tuning;
    const uint64_t row = (uint64_t)plan.cluster.grid * plan.cluster.threads;
    ck_assert_uint_ge(row * (unsigned)plan.rows, num_items);
    /* Rows are whole batches of four, but of wide keys, or where all blocks have more than one. */
    const bool has_batches =
        plan.cluster.grid > 1 ? num_items <= 4 * row : m->key_bytes <= 4 || num_items > 5 * row;
    const bool is_batched = m->key_bytes <= 8 && policy_value(cluster, rows, 0) % 4 == 0 && has_batches;
    ck_assert_uint_lt(row * (unsigned)(plan.rows - (is_batched ? 4 : 1)), num_items);
    ck_assert_uint_eq(plan.cluster.cluster, plan.cluster.grid);
    ck_assert_uint_le(plan.cluster.cluster, m->p.kernels[plan.cluster_kernel].max_cluster);
    ck_assert_uint_ge(plan.cluster.threads, 256);
    ck_assert_int_le(plan.rows, policy_value(cluster, rows, 0));
    return;
  }
  ck_assert(is_local(m) || plan.local.grid == 0);
  if (plan.local.grid > 0) check_local(m, &plan, num_items);
  ck_assert_int_ge(plan.rows, 1);
  ck_assert_int_le(plan.rows, policy_value(pass, rows, 0));
  ck_assert_uint_le(plan.pass_bytes, (unsigned)policy_value(pass, "shared_bytes", 0));
  ck_assert_uint_eq(plan.portions, (num_items - 1) / plan.portion_items + 1);
  ck_assert_uint_le(plan.portion_items, ((uint64_t)1 << 30) - 1);
  ck_assert_uint_ge(temp.sizes[1], 2 * (size_t)plan.state_tiles * 1024);
  const uint128 bytes = (uint128)num_items * m->key_bytes * (m->key_bytes > 1);
  ck_assert(temp.sizes[2] == (bytes < UINT64_MAX ? bytes : UINT64_MAX));
}

START_TEST(plans) {
  const jig_type keys[] = {JIG_U8, JIG_F32, JIG_U64, JIG_U128};
  const jig_type values[] = {{.kind = JIG_KIND_NONE}, JIG_U32, jig_opaque(40, 8)};
  uint64_t powers[COUNTS_NEAR_POWERS];
  counts_near_powers(powers);
  for (size_t i = 0; i < COUNT_OF(keys) * COUNT_OF(values); ++i) {
    for (int multiprocessors = 1; multiprocessors < 200; multiprocessors += 43) {
      const int sm = multiprocessors % 2 ? 75 : 90;
      const made m = make(keys[i % COUNT_OF(keys)], values[i / COUNT_OF(keys)], sm, multiprocessors);
      for (int is_partial = 0; is_partial < 2; ++is_partial) {
        size_t last = 0;
        for (uint64_t n = 1; n < (uint64_t)1 << 36; n += n / 50 + 1) check_plan(&m, n, is_partial, &last);
        last = 0;
        for (size_t k = 1; k < COUNTS_NEAR_POWERS; ++k) check_plan(&m, powers[k], is_partial, &last);
      }
    }
  }
}
END_TEST

/* A block's shared memory, threads and digits. */
START_TEST(policies) {
  static const int kibibytes[] = {64, 163, 99, 163, 99, 227, 227, 227, 99};
  const jig_type keys[] = {JIG_U8, JIG_F32, JIG_U64, JIG_U128};
  const jig_type values[] = {{.kind = JIG_KIND_NONE}, JIG_U8, JIG_U64, jig_opaque(256, 16)};
  for (size_t i = 0; i < COUNT_OF(sms) * COUNT_OF(keys) * COUNT_OF(values); ++i) {
    const size_t g = i % COUNT_OF(sms), k = i / COUNT_OF(sms) % COUNT_OF(keys);
    const made m = make(keys[k], values[i / COUNT_OF(sms) / COUNT_OF(keys)], sms[g], 1);
    const int kernels = is_local(&m) ? RADIX_SORT_KERNELS : RADIX_SORT_LOCAL;
    for (int kernel = 0; kernel < kernels; ++kernel) {
      const policy *p = &m.p.kernels[kernel].tuning;
      ck_assert_int_le(policy_value(p, "shared_bytes", 0), kibibytes[g] * 1024);
      ck_assert_uint_ge(policy_threads(p), 256);
      ck_assert_uint_eq(policy_threads(p) % 32, 0);
      ck_assert_int_ge(policy_value(p, "rows", 1), 1);
      ck_assert_int_ge(policy_value(p, "indexed_rows", 1), 1);
      ck_assert_int_ge(policy_value(p, "rows", 1), policy_value(p, "indexed_rows", 1));
      ck_assert_uint_le(policy_threads(p) * (unsigned)policy_value(p, "rows", 1), 65535);
    }
    const policy *p = &m.p.kernels[RADIX_SORT_PASS].tuning;
    ck_assert_int_le(
        radix_sort_pass_tuning_of(p).min_blocks * (policy_value(p, "shared_bytes", 0) + 1024),
        (kibibytes[g] + 1) * 1024);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(spec_texts), SUITE_TEST(refused_specs), SUITE_TEST(lists_of_fields),
      SUITE_TEST(plans),      SUITE_TEST(policies),
  };
  return SUITE_RUN("unit/radix_sort", tests, false);
}
