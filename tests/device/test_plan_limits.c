/* That calls are planned by the limits of their engine, not by those of another one: seen by how much
 * temp storage they ask for. */
#include <jig/jig.h>

#include "gpu.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

static size_t radix_sort_bytes(jig_engine *engine) {
  const jig_iter keys = jig_pointer(NULL, JIG_U32);
  const jig_radix_sort_args args = {.keys_in = keys, .keys_out = keys, .num_items = (uint64_t)1 << 32};
  size_t bytes = 0;
  OK(jig_radix_sort(engine, NULL, &bytes, &args, NULL));
  return bytes;
}

static size_t segmented_scan_bytes(jig_engine *engine) {
  const jig_iter items = jig_pointer(NULL, JIG_F32), offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_scan_args args = {.in = items,
                                        .out = items,
                                        .begin_offsets = offsets,
                                        .end_offsets = offsets,
                                        .num_segments = 1000,
                                        .op = JIG_PLUS};
  size_t bytes = 0;
  OK(jig_segmented_scan(engine, NULL, &bytes, &args, NULL));
  return bytes;
}

static size_t segmented_sort_bytes(jig_engine *engine) {
  const jig_iter keys = jig_pointer(NULL, JIG_U32), offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_sort_args args = {.keys_in = keys,
                                        .keys_out = keys,
                                        .begin_offsets = offsets,
                                        .end_offsets = offsets,
                                        .num_items = 1 << 24,
                                        .num_segments = 300};
  size_t bytes = 0;
  OK(jig_segmented_sort(engine, NULL, &bytes, &args, NULL));
  return bytes;
}

START_TEST(calls_go_by_their_engine) {
  static size_t (*const bytes_of[])(jig_engine * engine) = {radix_sort_bytes, segmented_scan_bytes,
                                                            segmented_sort_bytes};
  enum { FAMILIES = sizeof bytes_of / sizeof bytes_of[0] };
  size_t before[FAMILIES];
  jig_engine *engine = NULL;
  OK(jig_engine_create(&engine, NULL));
  for (int i = 0; i < FAMILIES; ++i) before[i] = bytes_of[i](engine);
  plan_limits *limits = limits_of(engine);
  limits->radix_sort_max_portion = 1 << 20;
  limits->segment_part_bits = 7;
  limits->segment_reach = 2;
  limits->segmented_sort_wide_items = 1;
  for (int i = 0; i < FAMILIES; ++i) {
    ck_assert_msg(bytes_of[i](engine) != before[i], "family %d", i);
    ck_assert_msg(bytes_of[i](NULL) == before[i], "family %d", i);
  }
  jig_engine_destroy(engine);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(calls_go_by_their_engine)};
  return SUITE_RUN("device/plan_limits", tests, true);
}
