/* Keys that radix sorts do not move, as far as it takes neither compiler nor GPU: which programs their
 * specs name, and that their policies fit every GPU. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "policy/radix_sort.h"
#include "policy/segmented_sort.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

static const jig_type no_type = JIG_ZERO;

static jig_type row_of(uint32_t size) {
  return jig_struct("row", "struct row { unsigned char bytes[1]; };", size, 1);
}

static char *spec_of(jig_type key, const char *decomposer, jig_type value, bool by_segments) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, key), values = jig_pointer(NULL, value);
  jig_radix_sort_args sort = {.keys_in = keys, .keys_out = keys, .decomposer = decomposer};
  jig_segmented_sort_args segmented = {.keys_in = keys,
                                       .keys_out = keys,
                                       .begin_offsets = jig_pointer(NULL, JIG_I32),
                                       .end_offsets = jig_pointer(NULL, JIG_I32),
                                       .decomposer = decomposer};
  if (value.kind != JIG_KIND_NONE) {
    sort.values_in = sort.values_out = values;
    segmented.values_in = segmented.values_out = values;
  }
  OK(by_segments ? jig_segmented_sort_spec(&segmented, &text) : jig_radix_sort_spec(&sort, &text));
  return text;
}

/* ---- programs */

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; ++at) ++count;
  return count;
}

enum { ALL = 3 };
typedef struct named {
  jig_type key;
  const char *decomposer;
  jig_type value;
  bool moves_indices; /* whatever fields have */
  /* What the others gather, which have items of so many bytes; 0: there are none. */
  uint32_t others[ALL - 1];
} named;

static void check_programs(const named *n, bool by_segments) {
  char *text = spec_of(n->key, n->decomposer, n->value, by_segments), *parts[ALL], size[32];
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const algorithm_programs programs = algorithm_programs_of(&parsed.s);
  ck_assert_int_eq(programs.count, 1 + (n->others[0] > 0) + (n->others[1] > 0));
  for (int i = 0; i < programs.count; ++i) OK(spec_write(&programs.of[i], "x", &parts[i]));
  ck_assert_int_eq(count_of(parts[0], "\"values_in\":{\"kind\":\"counting\""), n->moves_indices);
  /* Those of values alone are short. */
  const bool are_short = n->moves_indices && !by_segments && n->key.size <= 16;
  ck_assert_int_eq(count_of(parts[0], "\"kind\":\"counting\",\"type\":\"u32\""), are_short);
  for (int i = 1; i < programs.count; ++i) {
    (void)snprintf(size, sizeof size, "\"size\":%u", n->others[i - 1]);
    ck_assert_int_eq(count_of(parts[i], "\"algorithm\":\"transform\""), 1);
    ck_assert_int_ge(count_of(parts[i], size), 1);
    ck_assert_int_eq(count_of(parts[i], "stencil"), by_segments); /* only what is in one */
  }
  for (int i = 0; i < programs.count; ++i) jig_free(parts[i]);
  parsed_spec_free(&parsed);
  jig_free(text);
}

/* The sort's own first, then that of keys, then that of values. */
START_TEST(programs_named) {
  static const char one[] = "x.bytes[0]", two[] = "x.bytes[0], x.bytes[0]";
  const jig_type large = jig_opaque(300, 4);
  const named sorts[] = {
      {JIG_U32, NULL, JIG_U32, false, {0, 0}},       {JIG_U32, NULL, large, true, {300, 0}},
      {JIG_U64, NULL, JIG_U128, false, {0, 0}},      {JIG_U64, NULL, jig_opaque(17, 1), true, {17, 0}},
      {row_of(16), two, JIG_U32, false, {0, 0}},     {row_of(16), one, large, true, {300, 0}},
      {row_of(17), one, no_type, true, {17, 0}},     {row_of(17), two, JIG_U32, true, {17, 4}},
      {row_of(4096), two, large, true, {4096, 300}},
  };
  const named segmented[] = {
      {JIG_U32, NULL, JIG_U32, false, {0, 0}},       {JIG_U32, NULL, large, true, {300, 0}},
      {row_of(16), two, JIG_U32, false, {0, 0}},     {row_of(17), one, JIG_U32, false, {0, 0}},
      {row_of(17), two, JIG_U32, false, {17, 4}},    {row_of(64), two, no_type, false, {64, 0}},
      {row_of(64), one, large, true, {300, 0}},      {row_of(64), two, large, true, {64, 300}},
      {row_of(65), one, no_type, true, {65, 0}},     {row_of(65), one, JIG_U32, true, {65, 4}},
      {row_of(4096), two, large, true, {4096, 300}},
  };
  for (size_t i = 0; i < COUNT_OF(sorts); ++i) check_programs(&sorts[i], false);
  for (size_t i = 0; i < COUNT_OF(segmented); ++i) check_programs(&segmented[i], true);
}
END_TEST

/* ---- policies */

static const int sms[] = {75, 80, 86, 87, 89, 90, 100, 110, 120};
static const int kibibytes[] = {64, 163, 99, 163, 99, 227, 227, 227, 99};

/* Of what the sort's own program is of. */
static program program_of_rows(jig_type key, jig_type value, bool by_segments, int sm) {
  char *text = spec_of(key, "x.bytes[0], 0", value, by_segments);
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const algorithm_programs programs = algorithm_programs_of(&parsed.s);
  const program p = program_of(&programs.of[0], sm, 1);
  parsed_spec_free(&parsed);
  jig_free(text);
  return p;
}

/* Room for what may be sorted instead of keys: words of 16 bytes with indices. */
START_TEST(policies) {
  static const uint32_t sizes[] = {17, 20, 24, 64, 65, 4096};
  const jig_type values[] = {no_type, JIG_U8, JIG_U64, jig_opaque(256, 16)};
  for (size_t i = 0; i < COUNT_OF(sms) * COUNT_OF(sizes) * COUNT_OF(values); ++i) {
    const size_t g = i % COUNT_OF(sms);
    const jig_type key = row_of(sizes[i / COUNT_OF(sms) % COUNT_OF(sizes)]),
                   value = values[i / COUNT_OF(sms) / COUNT_OF(sizes)];
    const program p = program_of_rows(key, value, false, sms[g]);
    const radix_sort_pass_tuning pass = radix_sort_pass_tuning_of(&p.kernels[RADIX_SORT_PASS].tuning);
    ck_assert_int_ge(pass.indexed_rows, 1);
    ck_assert_int_ge(pass.shared_bytes, pass.threads * pass.indexed_rows * (16 + 8 + 2));
    ck_assert_int_ge(pass.plain_bytes, pass.threads * pass.indexed_rows * (16 + 8 + 2));
    ck_assert_int_le(pass.min_blocks * (pass.shared_bytes + 1024), (kibibytes[g] + 1) * 1024);
    const program q = program_of_rows(key, value, true, sms[g]);
    const segmented_sort_large_tuning large =
        segmented_sort_large_tuning_of(&q.kernels[SEGMENTED_SORT_LARGE].tuning);
    ck_assert_int_ge(large.shared_bytes, large.threads / 32 * large.warp_items * 2 * (16 + 2));
    ck_assert_int_le(large.min_blocks * (large.shared_bytes + 1024), (kibibytes[g] + 1) * 1024);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(programs_named),
      SUITE_TEST(policies),
  };
  return SUITE_RUN("unit/radix_rows", tests, false);
}
