/* From specs to sources, keys and messages, as far as it needs neither compiler nor GPU. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "jit/arch.h"
#include "jit/build.h"
#include "jit/template_text.h"
#include "jit/templates.h"
#include "numbers.h"
#include "policy/reduce.h"
#include "spec/canonical.h"
#include "suite.h"
#include "util/error.h"
#include "util/text_file.h"

/* The spec of args, read back from its text. */
static void parse_reduce(jig_reduce_args args, parsed_spec *parsed) {
  char *text = NULL;
  ck_assert_msg(jig_reduce_spec(&args, &text) == JIG_SUCCESS, "%s", jig_last_error());
  ck_assert_msg(spec_parse(text, algorithm_schema, parsed) == JIG_SUCCESS, "%s", jig_last_error());
  jig_free(text);
}

START_TEST(architectures_are_read_strictly) {
  static const char *const bad[] = {"",       "sm",     "sm_",       "sm_70", "sm90",
                                    "sm_90x", "sm_90a", "compute90", "SM_90", "sm_-90",
                                    "sm_090", "sm_90 ", "sm_9999",   "native"};
  arch a;
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    ck_assert_msg(arch_parse(bad[i], &a) == JIG_ERROR_INVALID_ARGUMENT, "'%s'", bad[i]);
  }
  ck_assert_int_eq(arch_parse(NULL, &a), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(arch_parse("sm_90", &a), JIG_SUCCESS);
  ck_assert(a.sm == 90 && !a.ptx && strcmp(a.name, "sm_90") == 0);
  ck_assert_int_eq(arch_parse("compute_120", &a), JIG_SUCCESS);
  ck_assert(a.sm == 120 && a.ptx);
}
END_TEST

/* ---- policies */

START_TEST(every_spec_has_a_policy_on_every_architecture) {
  static const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 65, 128, 256};
  for (int sm = 75; sm < 200; ++sm) {
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      const jig_type type = jig_struct("s", "struct s {};", sizes[i], 1);
      parsed_spec parsed;
      parse_reduce((jig_reduce_args){.in = jig_pointer(NULL, type),
                                     .out = jig_pointer(NULL, type),
                                     .op = jig_op_source("return a;")},
                   &parsed);
      const policy p = reduce_space.choose(&parsed.s, sm, NULL);
      const reduce_tuning tuning = reduce_tuning_of(&p);
      ck_assert_int_eq(p.count, 4);
      ck_assert_str_eq(p.names[0], "threads");
      ck_assert_uint_eq(policy_threads(&p) % 32, 0);
      ck_assert_uint_le(policy_threads(&p), 1024);
      ck_assert_int_ge(tuning.unroll, 1);
      ck_assert_int_ge(tuning.lane_vectors, 1);
      ck_assert_int_ge(tuning.min_blocks, 1);
      ck_assert_uint_le(policy_threads(&p) * (unsigned)tuning.min_blocks, 1024);
      parsed_spec_free(&parsed);
    }
  }
}
END_TEST

START_TEST(policies_come_from_the_nearest_architecture_below) {
  parsed_spec parsed;
  parse_reduce((jig_reduce_args){.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)},
               &parsed);
  static const struct {
    int sm, like;
  } pairs[] = {{87, 86}, {89, 86}, {100, 90}, {103, 90}, {121, 120}, {150, 120}};
  for (size_t i = 0; i < COUNT_OF(pairs); ++i) {
    const policy a = reduce_space.choose(&parsed.s, pairs[i].sm, NULL),
                 b = reduce_space.choose(&parsed.s, pairs[i].like, NULL);
    ck_assert_mem_eq(a.values, b.values, sizeof a.values);
  }
  const policy old = reduce_space.choose(&parsed.s, 75, NULL),
               fast = reduce_space.choose(&parsed.s, 90, NULL);
  ck_assert_mem_ne(old.values, fast.values, sizeof old.values);
  parsed_spec_free(&parsed);
}
END_TEST

/* ---- sources */

static char *source_of(jig_reduce_args args) {
  parsed_spec parsed;
  parse_reduce(args, &parsed);
  const build_settings nothing = {0};
  const arch target = arch_of_sm(90, false);
  char *source = NULL;
  jig_status status = build_source(&nothing, &parsed.s, &target, &source);
  ck_assert_msg(status == JIG_SUCCESS, "%s", jig_last_error());
  parsed_spec_free(&parsed);
  return source;
}

START_TEST(sources_include_only_what_they_need) {
  char *plain =
      source_of((jig_reduce_args){.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)});
  ck_assert_ptr_null(strstr(plain, "half.cuh"));
  ck_assert_ptr_null(strstr(plain, "transform.cuh"));
  char *half =
      source_of((jig_reduce_args){.in = jig_pointer(NULL, JIG_F16), .out = jig_pointer(NULL, JIG_F16)});
  ck_assert_ptr_nonnull(strstr(half, "half.cuh"));
  char *mention =
      source_of((jig_reduce_args){.in = jig_pointer(NULL, JIG_F32),
                                  .out = jig_pointer(NULL, JIG_F32),
                                  .op = jig_op_source("return jig::bf16(a) < jig::bf16(b) ? a : b;")});
  ck_assert_ptr_nonnull(strstr(mention, "half.cuh"));
  size_t count;
  const template_file *templates = templates_get(&count);
  const digest of_plain = templates_digest(templates, count, plain);
  const digest again = templates_digest(templates, count, plain);
  const digest of_half = templates_digest(templates, count, half);
  ck_assert_mem_ne(of_plain.bytes, of_half.bytes, sizeof of_half.bytes);
  ck_assert_mem_eq(of_plain.bytes, again.bytes, sizeof again.bytes);
  free(plain);
  free(half);
  free(mention);
}
END_TEST

START_TEST(the_callers_text_keeps_its_lines) {
  char *source = source_of((jig_reduce_args){
      .in = jig_pointer(NULL, jig_struct("hit", "struct hit {\n  int x;\n}; // done", 4, 4)),
      .out = jig_pointer(NULL, jig_struct("hit", "struct hit {\n  int x;\n}; // done", 4, 4)),
      .op = jig_op_source("// first line\nreturn a; // last")});
  ck_assert_ptr_nonnull(strstr(source, "#line 1 \"struct hit\"\nstruct hit {\n"));
  ck_assert_ptr_nonnull(strstr(
      source,
      "#line 1 \"operator\"\n// first line\nreturn a; // last\n#line 1 \"end of operator\"\n  }\n"));
  /* A struct that is used three times is defined once. */
  ck_assert_ptr_null(strstr(strstr(source, "struct hit {") + 1, "struct hit {"));
  free(source);
}
END_TEST

START_TEST(templates_are_those_of_the_tree) {
  size_t count;
  const template_file *templates = templates_get(&count);
  ck_assert_ptr_nonnull(templates);
  for (size_t i = 0; i < count; ++i) {
    char path[512];
    if (i > 0) ck_assert_str_lt(templates[i - 1].name, templates[i].name);
    (void)snprintf(path, sizeof path, "templates/%s", templates[i].name);
    char *text;
    size_t length;
    if (text_file_read(path, 1 << 20, &text, &length) != 0) continue; /* not run from the tree's root */
    ck_assert_uint_eq(template_text_strip(text, length), templates[i].length);
    ck_assert_str_eq(text, templates[i].text);
    free(text);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(architectures_are_read_strictly),
      SUITE_TEST(every_spec_has_a_policy_on_every_architecture),
      SUITE_TEST(policies_come_from_the_nearest_architecture_below),
      SUITE_TEST(sources_include_only_what_they_need),
      SUITE_TEST(the_callers_text_keeps_its_lines),
      SUITE_TEST(templates_are_those_of_the_tree),
  };
  return SUITE_RUN("unit/jit", tests, false);
}
