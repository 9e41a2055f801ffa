/* That a policy's names, which device code has, and the fields of the struct that the host reads it as
 * are the same numbers; and what policies say where every GPU is to give the same bits. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "policy/chain.h"
#include "policy/policy.h"
#include "policy/radix_sort.h"
#include "policy/scan.h"
#include "policy/vector.h"
#include "spec/canonical.h"
#include "suite.h"

START_TEST(names_are_fields) {
  const policy p = pipeline_tuning_pack((pipeline_tuning){.reducers = 7,
                                                          .threads = 1,
                                                          .rows = 2,
                                                          .min_blocks = 3,
                                                          .vector_items = 4,
                                                          .stages = 5,
                                                          .shared_bytes = 6});
  const char *const names[] = {"threads", "rows",         "min_blocks", "vector_items",
                               "stages",  "shared_bytes", "reducers"};
  ck_assert_int_eq(p.count, COUNT_OF(names));
  ck_assert_uint_eq(policy_threads(&p), 1);
  for (int i = 0; i < p.count; ++i) {
    ck_assert_str_eq(p.names[i], names[i]);
    ck_assert_int_eq(policy_value(&p, names[i], 0), i + 1);
  }
  const pipeline_tuning read = pipeline_tuning_of(&p);
  ck_assert_int_eq(read.min_blocks, 3);
  ck_assert_int_eq(read.reducers, 7);
  ck_assert_int_eq(policy_value(&p, "unroll", -1), -1);
}
END_TEST

START_TEST(first_fields_can_be_read_alone) {
  const policy scan = scan_tuning_pack((scan_tuning){.threads = 1, .rows = 2, .vector_items = 4});
  ck_assert_int_eq(chain_tuning_of(&scan).rows, 2);
  ck_assert_int_eq(policy_value(&scan, "vector_items", 0), 4);
  const policy pass = radix_sort_pass_tuning_pack(
      (radix_sort_pass_tuning){.threads = 1, .indexed_rows = 3, .shared_bytes = 9});
  ck_assert_int_eq(radix_sort_tile_tuning_of(&pass).indexed_rows, 3);
  ck_assert_int_eq(policy_value(&pass, "shared_bytes", 0), 9);
}
END_TEST

/* Folds of items of so many bytes into accumulators of so many. */
static size_t list_gpu_to_gpu(uint32_t item, uint32_t accum, char *texts[6]) {
  const jig_determinism same = JIG_DETERMINISM_GPU_TO_GPU;
  char definition[64];
  (void)snprintf(definition, sizeof definition, "struct item { char bytes[%u]; };", item);
  const jig_type items = jig_struct("item", definition, item, 1);
  const jig_type accums = accum > 8   ? jig_struct("accum", "struct accum { double of[4]; };", 32, 8)
                          : accum > 4 ? JIG_F64
                                      : JIG_F32;
  const jig_iter base = jig_pointer(NULL, items), out = jig_pointer(NULL, accums);
  const jig_iter in = jig_iter_transform(&base, jig_op_source("return {};"), accums);
  const jig_iter number = jig_pointer(NULL, JIG_I32);
  const jig_op op = jig_op_source("return a;");
  size_t n = 0;
  (void)jig_reduce_spec(&(jig_reduce_args){.in = in, .out = out, .op = op, .determinism = same},
                        &texts[n++]);
  (void)jig_scan_spec(&(jig_scan_args){.in = in, .out = out, .op = op, .determinism = same}, &texts[n++]);
  (void)jig_segmented_reduce_spec(&(jig_segmented_reduce_args){.in = in,
                                                               .out = out,
                                                               .begin_offsets = number,
                                                               .end_offsets = number,
                                                               .op = op,
                                                               .determinism = same},
                                  &texts[n++]);
  (void)jig_segmented_reduce_spec(
      &(jig_segmented_reduce_args){
          .in = in, .out = out, .segment_size = 1, .op = op, .determinism = same},
      &texts[n++]);
  (void)jig_segmented_scan_spec(&(jig_segmented_scan_args){.in = in,
                                                           .out = out,
                                                           .begin_offsets = number,
                                                           .end_offsets = number,
                                                           .op = op,
                                                           .determinism = same},
                                &texts[n++]);
  (void)jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = number,
                                                         .unique_out = number,
                                                         .values_in = in,
                                                         .aggregates_out = out,
                                                         .num_runs_out = number,
                                                         .op = op,
                                                         .determinism = same},
                               &texts[n++]);
  return n;
}

/* What associates a fold: all but how many loads are under way, and how many rows a warp stores together.
 */
static bool associates(const kernel_row *kernel, const char *name) {
  if (strcmp(name, "unroll") == 0) return strcmp(kernel->name, "jig_reduce") != 0;
  if (strcmp(name, "min_blocks") == 0) {
    static const char *const groups[] = {"jig_segmented_reduce_items", "jig_segmented_reduce_vectors",
                                         "jig_segmented_reduce_tiny"};
    for (size_t i = 0; i < COUNT_OF(groups); ++i)
      if (strcmp(kernel->name, groups[i]) == 0) return false;
    return true;
  }
  return strcmp(name, "staged_rows") != 0;
}

static void check_same_everywhere(const spec *s, int i) {
  static const int others[] = {80, 86, 89, 90, 100, 103, 120};
  const kernel_row *kernel = algorithm_kernel(s, i, POLICY_OLDEST_SM);
  const policy wanted = kernel_policy(kernel, s, POLICY_OLDEST_SM, NULL);
  for (size_t o = 0; o < COUNT_OF(others); ++o) {
    ck_assert_ptr_eq(algorithm_kernel(s, i, others[o]), kernel);
    const policy got = kernel_policy(kernel, s, others[o], NULL);
    for (int v = 0; v < wanted.count; ++v)
      ck_assert_msg(!associates(kernel, wanted.names[v]) || got.values[v] == wanted.values[v],
                    "%s: %s is %d on SM 75, and %d on SM %d", kernel->name, wanted.names[v],
                    wanted.values[v], got.values[v], others[o]);
  }
}

START_TEST(every_gpu_associates_in_the_same_way) {
  static const uint32_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 64, 100};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    for (uint32_t accum = 4; accum <= 16; accum *= 2) {
      char *texts[6];
      const size_t count = list_gpu_to_gpu(sizes[i], accum, texts);
      for (size_t t = 0; t < count; ++t) {
        parsed_spec parsed;
        ck_assert_int_eq(spec_parse(texts[t], algorithm_schema, &parsed), JIG_SUCCESS);
        ck_assert(spec_is_gpu_to_gpu(&parsed.s));
        for (int k = 0; k < algorithm_kernel_count(&parsed.s); ++k) check_same_everywhere(&parsed.s, k);
        parsed_spec_free(&parsed);
        jig_free(texts[t]);
      }
    }
  }
}
END_TEST

/* What a thread of a transform has at once, from items of one type to those of another. */
static vector_tuning transform_tuning(jig_type from, jig_type to) {
  const jig_iter in = jig_pointer(NULL, from), out = jig_pointer(NULL, to);
  char *text;
  ck_assert_int_eq(jig_transform_spec(
                       &(jig_transform_args){
                           .in = &in, .num_inputs = 1, .out = out, .op = jig_op_source("return {};")},
                       &text),
                   JIG_SUCCESS);
  parsed_spec parsed;
  ck_assert_int_eq(spec_parse(text, algorithm_schema, &parsed), JIG_SUCCESS);
  const policy found = kernel_policy(algorithm_kernel(&parsed.s, 0, 90), &parsed.s, 90, NULL);
  parsed_spec_free(&parsed);
  jig_free(text);
  return vector_tuning_of(&found);
}

START_TEST(transforms_fit_what_they_load_and_store) {
  const jig_type pixel = jig_struct("pixel", "struct pixel { char of[3]; };", 3, 1),
                 three = jig_struct("three", "struct three { float of[3]; };", 12, 4);
  const struct {
    jig_type from, to;
    int items, unroll;
  } cases[] = {{JIG_I8, JIG_F32, 4, 1},  {JIG_F32, JIG_I8, 4, 1}, {JIG_F16, JIG_F64, 2, 1},
               {JIG_F32, JIG_F32, 4, 2}, {three, three, 1, 1},    {three, JIG_F32, 4, 1},
               {pixel, pixel, 16, 1}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const vector_tuning got = transform_tuning(cases[i].from, cases[i].to);
    ck_assert_msg(got.items == cases[i].items && got.unroll == cases[i].unroll,
                  "case %zu: %d items, %d at once", i, got.items, got.unroll);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(names_are_fields),
      SUITE_TEST(first_fields_can_be_read_alone),
      SUITE_TEST(every_gpu_associates_in_the_same_way),
      SUITE_TEST(transforms_fit_what_they_load_and_store),
  };
  return SUITE_RUN("unit/policy", tests, false);
}
