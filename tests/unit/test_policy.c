/* That a policy's names, which device code has, and the fields of the struct that the host reads it as
 * are the same numbers. */
#include "numbers.h"
#include "policy/chain.h"
#include "policy/policy.h"
#include "policy/radix_sort.h"
#include "policy/scan.h"
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

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(names_are_fields),
      SUITE_TEST(first_fields_can_be_read_alone),
  };
  return SUITE_RUN("unit/policy", tests, false);
}
