/* That plans go by the limits that they are given: what tests set of them is of use only then. */
#include "engine/plan_limits.h"

#include <jig/jig.h>

#include "algorithm/radix_sort_plan.h"
#include "algorithm/segment_plan.h"
#include "algorithm/segmented_sort_plan.h"
#include "algorithm/top_k_plan.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

enum { MULTIPROCESSORS = 132 };

START_TEST(engines_begin_with_defaults_of_their_own) {
  const jig_engine_config config = {.cache_dir = "", .cache_path = ""};
  jig_engine *one = NULL, *other = NULL;
  OK(jig_engine_create(&one, &config));
  OK(jig_engine_create(&other, &config));
  limits_of(one)->radix_sort_max_cluster = 1;
  ck_assert_uint_eq(limits_of(other)->radix_sort_max_cluster, plan_limits_default.radix_sort_max_cluster);
  ck_assert_uint_eq(limits_of(other)->segment_reach, plan_limits_default.segment_reach);
  jig_engine_destroy(one);
  jig_engine_destroy(other);
}
END_TEST

START_TEST(of_radix_sort) {
  char *text = NULL;
  const jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                                    .keys_out = jig_pointer(NULL, JIG_U32)};
  OK(jig_radix_sort_spec(&args, &text));
  const program p = program_of_spec(text, 90, MULTIPROCESSORS);
  plan_limits limits = plan_limits_default;
  radix_sort_size size = {.num_items = 6000, .key_bytes = 4, .passes = 4};
  ck_assert(radix_sort_plan_of(&p, &limits, &size).fits_cluster);
  limits.radix_sort_max_cluster = 1;
  ck_assert(!radix_sort_plan_of(&p, &limits, &size).fits_cluster);
  size.num_items = 100000;
  ck_assert_uint_eq(radix_sort_plan_of(&p, &limits, &size).portions, 1);
  limits.radix_sort_max_portion = 7000;
  ck_assert_uint_gt(radix_sort_plan_of(&p, &limits, &size).portions, 1);
}
END_TEST

START_TEST(of_segmented_sort) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, JIG_U32), offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_sort_args args = {
      .keys_in = keys, .keys_out = keys, .begin_offsets = offsets, .end_offsets = offsets};
  OK(jig_segmented_sort_spec(&args, &text));
  const program p = program_of_spec(text, 90, MULTIPROCESSORS);
  plan_limits limits = plan_limits_default;
  const segmented_sort_size size = {
      .num_items = 1 << 24, .num_segments = 300, .key_bytes = 4, .passes = 4};
  const segmented_sort_plan ordinary = segmented_sort_plan_of(&p, &limits, &size);
  ck_assert_uint_eq(ordinary.segments, 300);
  ck_assert(!ordinary.has_wide_words && ordinary.max_long > 0);
  limits.segmented_sort_max_segments = 70;
  ck_assert_uint_eq(segmented_sort_plan_of(&p, &limits, &size).segments, 70);
  limits.segmented_sort_wide_items = 1;
  ck_assert(segmented_sort_plan_of(&p, &limits, &size).has_wide_words);
  limits.segmented_sort_parts = 0;
  ck_assert_uint_gt(segmented_sort_plan_of(&p, &limits, &size).long_items, ordinary.long_items);
}
END_TEST

START_TEST(of_segmented_scan) {
  char *text = NULL;
  const jig_iter items = jig_pointer(NULL, JIG_F32), offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_scan_args args = {
      .in = items, .out = items, .begin_offsets = offsets, .end_offsets = offsets, .op = JIG_PLUS};
  OK(jig_segmented_scan_spec(&args, &text));
  const program p = program_of_spec(text, 90, MULTIPROCESSORS);
  plan_limits limits = plan_limits_default;
  const segment_plan ordinary = segment_plan_of(&p, &limits, 1000, false, 4);
  limits = (plan_limits){.segment_part_bits = 7, .segment_reach = 2, .segment_most_short = 30};
  const segment_plan plan = segment_plan_of(&p, &limits, 1000, false, 4);
  ck_assert_uint_lt(temp_size(&plan.temp), temp_size(&ordinary.temp));
  ck_assert_uint_eq(plan.call.part_bits, 7);
  ck_assert_uint_eq(plan.call.reach, 2);
  ck_assert_uint_eq(plan.call.short_items, 30);
}
END_TEST

/* Of segments that adjoin each block's share may be listed, and so be as few as one segment. */
START_TEST(segmented_scan_lists_a_chunk_for_each_block) {
  enum { LIST = 1, STARTS = 2, ENTRY = 64 };
  const jig_iter items = jig_pointer(NULL, JIG_I32), offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_scan_args args = {
      .in = items, .out = items, .begin_offsets = offsets, .end_offsets = offsets, .op = JIG_PLUS};
  plan_limits limits = plan_limits_default;
  for (int multiprocessors = 1; multiprocessors <= 200; ++multiprocessors) {
    char *text = NULL;
    OK(jig_segmented_scan_spec(&args, &text));
    const program p = program_of_spec(text, 90, multiprocessors);
    uint64_t least = 0;
    limits.segment_most_few = multiprocessors % 2 > 0 ? UINT64_MAX : 4320;
    for (uint64_t n = 1; n < 43000; n += n < 4300 ? 41 : n < 41000 ? 31 : 7) {
      const segment_plan plan = segment_plan_of(&p, &limits, n, true, 4);
      char *storage = NULL;
      const char *list = temp_address(&plan.temp, LIST, storage),
                 *starts = temp_address(&plan.temp, STARTS, storage);
      const uint64_t shares = n < plan.long_blocks ? n : plan.long_blocks;
      ck_assert_uint_ge((uint64_t)(starts - list), shares * ENTRY);
      ck_assert_uint_ge(temp_size(&plan.temp), least);
      least = temp_size(&plan.temp);
    }
  }
}
END_TEST

START_TEST(of_top_k) {
  char *text = NULL;
  const jig_top_k_args args = {.keys_in = jig_pointer(NULL, JIG_F32),
                               .keys_out = jig_pointer(NULL, JIG_F32)};
  OK(jig_top_k_spec(&args, &text));
  const program p = program_of_spec(text, 90, MULTIPROCESSORS);
  plan_limits limits = plan_limits_default;
  const top_k_size size = {.num_items = 1 << 24, .k = 10000, .bits_bytes = 4};
  const top_k_plan ordinary = top_k_plan_of(&p, &limits, &size);
  ck_assert_uint_gt(ordinary.last_rank, 1);
  limits.top_k_forced_mistake = TOP_K_FINDS_TOO_FEW;
  ck_assert_uint_eq(top_k_plan_of(&p, &limits, &size).last_rank, 1);
  limits.top_k_forced_mistake = TOP_K_TAKES_TOO_MANY;
  ck_assert_uint_eq(top_k_plan_of(&p, &limits, &size).sure_rank, ordinary.samples);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(engines_begin_with_defaults_of_their_own),
      SUITE_TEST(of_radix_sort),
      SUITE_TEST(of_segmented_sort),
      SUITE_TEST(of_segmented_scan),
      SUITE_TEST(segmented_scan_lists_a_chunk_for_each_block),
      SUITE_TEST(of_top_k),
  };
  return SUITE_RUN("unit/plan_limits", tests, false);
}
