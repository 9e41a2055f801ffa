/* Smallest and largest item with its index. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static const size_t sizes[] = {1,    2,    15,   16,   17,    33,    511,    512,    513,
                               4095, 4096, 4097, 8193, 32769, 65537, 131073, 262147, 1000003};
enum { MAX_ITEMS = 1000003 };

static arg_result find(const void *device, jig_type type, size_t count, jig_op op, jig_nan nan) {
  return arg_reduce_to_host(
      (jig_arg_reduce_args){.in = jig_pointer(device, type), .num_items = count, .op = op, .nan = nan});
}

/* Whether item a comes before item b in the order of the operator. */
static bool before(jig_type_kind kind, const void *items, size_t a, size_t b, bool smallest) {
  if (is_floating(kind)) {
    double x = get_float(kind, items, a), y = get_float(kind, items, b);
    return smallest ? x < y : y < x;
  }
  int128 x = get_integer(kind, items, a), y = get_integer(kind, items, b);
  if (!is_signed(kind)) return smallest ? (uint128)x < (uint128)y : (uint128)y < (uint128)x;
  return smallest ? x < y : y < x;
}

static void check_at_all_sizes(jig_type_kind kind, size_t offset_items, bool few_values) {
  const jig_type type = type_of(kind);
  void *host = malloc(MAX_ITEMS * type.size);
  fill_random(kind, host, MAX_ITEMS, 31 + (uint64_t)kind);
  for (size_t i = 0; few_values && !is_floating(kind) && i < MAX_ITEMS; ++i) {
    put_integer(kind, host, i, get_integer(kind, host, i) & 3);
  }
  void *device = gpu_copy(host, MAX_ITEMS * type.size, offset_items * type.size);
  for (int smallest = 0; smallest < 2; ++smallest) {
    size_t best = 0;
    for (size_t i = 0, done = 1; i < COUNT_OF(sizes); ++i) {
      for (; done < sizes[i]; ++done) {
        if (before(kind, host, done, best, smallest)) best = done;
      }
      arg_result f = find(device, type, sizes[i], smallest ? JIG_MIN : JIG_MAX, JIG_NAN_PROPAGATE);
      ck_assert_msg(f.index == (int64_t)best, "%s of %zu %s is at %zu, not at %lld",
                    smallest ? "min" : "max", sizes[i], jig_type_name(&type), best, (long long)f.index);
      ck_assert_mem_eq(f.value, (char *)host + best * type.size, type.size);
    }
  }
  gpu_free(device);
  free(host);
}

START_TEST(every_type_at_every_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    check_at_all_sizes(*kind, 0, false);
    check_at_all_sizes(*kind, 1, true); /* ties, and unaligned: the first occurrence wins */
  }
}
END_TEST

START_TEST(nan_and_zeros) {
  static const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};
  enum { COUNT = 70000 };
  char *host = malloc(COUNT * 8);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    for (size_t i = 0; i < COUNT; ++i) put_float(kinds[k], host, i, (double)(i % 7) + 1);
    put_float(kinds[k], host, 400, NAN);
    put_float(kinds[k], host, 60000, NAN);
    put_float(kinds[k], host, 9, 0.0);
    put_float(kinds[k], host, 8, 0.0);
    put_float(kinds[k], host, 10, -0.0);
    void *device = gpu_copy(host, COUNT * type.size, 0);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MIN, JIG_NAN_PROPAGATE).index, 400);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MAX, JIG_NAN_PROPAGATE).index, 400);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MIN, JIG_NAN_IGNORE).index, 8);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MAX, JIG_NAN_IGNORE).index, 6);
    gpu_free(device);
    for (size_t i = 0; i < COUNT; ++i) put_float(kinds[k], host, i, NAN);
    device = gpu_copy(host, COUNT * type.size, 0);
    arg_result f = find(device, type, COUNT, JIG_MIN, JIG_NAN_IGNORE);
    ck_assert_int_eq(f.index, -1);
    ck_assert_double_eq(get_float(kinds[k], f.value, 0), INFINITY);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MIN, JIG_NAN_PROPAGATE).index, 0);
    gpu_free(device);
    for (size_t i = 0; i < COUNT; ++i) put_float(kinds[k], host, i, INFINITY);
    device = gpu_copy(host, COUNT * type.size, 0);
    ck_assert_int_eq(find(device, type, COUNT, JIG_MIN, JIG_NAN_IGNORE).index, 0);
    gpu_free(device);
  }
  free(host);
}
END_TEST

START_TEST(nothing_in_nothing_found) {
  int32_t items[1] = {5};
  void *device = gpu_copy(items, sizeof items, 0);
  arg_result f = find(device, JIG_I32, 0, JIG_MAX, JIG_NAN_PROPAGATE);
  int32_t value;
  memcpy(&value, f.value, sizeof value);
  ck_assert_int_eq(f.index, -1);
  ck_assert_int_eq(value, INT32_MIN);
  gpu_free(device);
}
END_TEST

START_TEST(index_alone_of_a_computed_value) {
  /* Where is (i - 123456)^2 least? No memory is read. */
  int64_t zero = 0, index;
  const jig_iter i = jig_counting(&zero, JIG_I64);
  void *out = gpu_alloc(sizeof index, 0);
  const jig_arg_reduce_args args = {
      .in = jig_iter_transform(&i, jig_op_source("return (x - 123456) * (x - 123456);"), JIG_I64),
      .index_out = jig_pointer(out, JIG_I64),
      .num_items = (uint64_t)1 << 31};
  run_arg_reduce(&args, 8);
  gpu_read(&index, out, sizeof index);
  ck_assert_int_eq(index, 123456);
  gpu_free(out);
}
END_TEST

START_TEST(wrappers_find_both_ends) {
  float host[5] = {2, -1, 7, -1, 7}, value;
  float *device = gpu_copy(host, sizeof host, 0), *value_out = gpu_alloc(4, 0);
  int64_t *index_out = gpu_alloc(8, 0), index;
  const jig_iter in = jig_pointer(device, JIG_F32), v = jig_pointer(value_out, JIG_F32),
                 x = jig_pointer(index_out, JIG_I64);
  OK(jig_reduce_argmin(NULL, NULL, NULL, in, v, x, 5, NULL));
  gpu_read(&index, index_out, 8);
  gpu_read(&value, value_out, 4);
  ck_assert_int_eq(index, 1);
  ck_assert_float_eq(value, -1);
  OK(jig_reduce_argmax(NULL, NULL, NULL, in, v, x, 5, NULL));
  gpu_read(&index, index_out, 8);
  ck_assert_int_eq(index, 2);
  gpu_free(device);
  gpu_free(value_out);
  gpu_free(index_out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type_at_every_size), SUITE_TEST(nan_and_zeros),
      SUITE_TEST(nothing_in_nothing_found), SUITE_TEST(index_alone_of_a_computed_value),
      SUITE_TEST(wrappers_find_both_ends),
  };
  return SUITE_RUN("device/arg_reduce", tests, true);
}
