/* Items of up to 4096 bytes, of which kernels only move the places where they are large: sorts, merges,
 * sets and top-k, as keys and as values. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "suite.h"
#include "wide_items.h"

/* Indices by their keys, stably; for so few items any way will do. */
static void sort_order(size_t *order, size_t count, const unsigned char *keys, size_t size) {
  for (size_t i = 1; i < count; ++i)
    for (size_t k = i; k > 0 && keys[order[k] * size] < keys[order[k - 1] * size]; --k) {
      const size_t other = order[k];
      order[k] = order[k - 1];
      order[k - 1] = other;
    }
}

static void order_items(wide_items *w) {
  for (size_t i = 0; i < w->count; ++i) w->order[i] = i;
  sort_order(w->order, w->count, w->host, w->type.size);
}

static void take_order(wide_items *w, const wide_items *from, size_t count) {
  memcpy(w->order, from->order, count * sizeof *w->order);
}

/* ---- merge sort */

static void check_merge_sort(jig_type type, size_t count, bool has_values, bool in_place) {
  wide_items keys = wide_make(type, count, 1), values = wide_make(type, count, 2);
  const size_t bytes = count * type.size;
  void *keys_out = in_place ? keys.device : gpu_alloc(bytes, 0),
       *values_out = in_place ? values.device : gpu_alloc(bytes, type.align);
  jig_merge_sort_args args = {.keys_in = keys.in,
                              .keys_out = jig_pointer(keys_out, type),
                              .num_items = count,
                              .compare = WIDE_LESS};
  if (has_values) {
    args.values_in = values.in;
    args.values_out = jig_pointer(values_out, type);
  }
  RUN_PHASES(jig_merge_sort, &args, 3);
  order_items(&keys);
  wide_expect(&keys, keys_out, count, "merge sort");
  take_order(&values, &keys, count);
  if (has_values) wide_expect(&values, values_out, count, "values of merge sort");
  if (!in_place) {
    wide_expect_kept(&keys, "the keys of merge sort");
    gpu_free(keys_out);
    gpu_free(values_out);
  }
  wide_free(&keys);
  wide_free(&values);
}

static void merge_sort_all(jig_type type, size_t count) {
  for (int k = 0; k < 4; ++k) check_merge_sort(type, count, k % 2 == 1, k >= 2);
}
START_TEST(items_are_merge_sorted) {
  wide_for_all(merge_sort_all);
}
END_TEST

/* Keys that are numbers, with large values beside them. */
static void values_of_numbers(jig_type type, size_t count) {
  wide_items values = wide_make(type, count, 3);
  uint32_t *keys = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) keys[i] = wide_key(&values, i);
  void *keys_in = gpu_copy(keys, count * 4, 4), *keys_out = gpu_alloc(count * 4, 0),
       *values_out = gpu_alloc(count * type.size, 0);
  const jig_merge_sort_args args = {.keys_in = jig_pointer(keys_in, JIG_U32),
                                    .keys_out = jig_pointer(keys_out, JIG_U32),
                                    .values_in = values.in,
                                    .values_out = jig_pointer(values_out, type),
                                    .num_items = count};
  RUN_PHASES(jig_merge_sort, &args, 0);
  order_items(&values);
  wide_expect(&values, values_out, count, "values of merge-sorted numbers");
  const jig_top_k_args top = {.keys_in = jig_pointer(keys_in, JIG_U32),
                              .keys_out = jig_pointer(keys_out, JIG_U32),
                              .values_in = values.in,
                              .values_out = jig_pointer(values_out, type),
                              .num_items = count,
                              .k = count / 2 + 1,
                              .choice = JIG_TOP_K_MIN,
                              .is_sorted = 1};
  RUN_PHASES(jig_top_k, &top, 0);
  wide_expect(&values, values_out, count / 2 + 1 < count ? count / 2 + 1 : count, "values of top-k");
  gpu_free(keys_in);
  gpu_free(keys_out);
  gpu_free(values_out);
  free(keys);
  wide_free(&values);
}
START_TEST(items_are_values) {
  wide_for_all(values_of_numbers);
}
END_TEST

/* ---- radix sort */

static void check_radix_sort(jig_type type, size_t count, bool has_buffers) {
  wide_items values = wide_make(type, count, 4);
  uint16_t *keys = malloc(count * 2);
  for (size_t i = 0; i < count; ++i) keys[i] = (uint16_t)(wide_key(&values, i) * 257u);
  void *keys_in = gpu_copy(keys, count * 2, 2), *keys_out = gpu_alloc(count * 2, 0),
       *values_out = gpu_alloc(count * type.size, 0);
  int selector = -1;
  const jig_radix_sort_args args = {.keys_in = jig_pointer(keys_in, JIG_U16),
                                    .keys_out = jig_pointer(keys_out, JIG_U16),
                                    .values_in = values.in,
                                    .values_out = jig_pointer(values_out, type),
                                    .num_items = count,
                                    .selector = has_buffers ? &selector : NULL};
  RUN_PHASES(jig_radix_sort, &args, 0);
  order_items(&values);
  const bool is_first = has_buffers && selector == 0;
  wide_expect(&values, is_first ? values.device : values_out, count, "values of radix sort");
  gpu_read(keys, is_first ? keys_in : keys_out, count * 2);
  for (size_t i = 0; i < count; ++i)
    ck_assert_uint_eq(keys[i], wide_key(&values, values.order[i]) * 257u);
  gpu_free(keys_in);
  gpu_free(keys_out);
  gpu_free(values_out);
  free(keys);
  wide_free(&values);
}

static void radix_sort_all(jig_type type, size_t count) {
  check_radix_sort(type, count, false);
  check_radix_sort(type, count, true);
}
START_TEST(items_are_values_of_a_radix_sort) {
  wide_for_all(radix_sort_all);
}
END_TEST

/* Segments with gaps, in which nothing is touched, before, between and behind them. */
static void check_segmented_sort(jig_type type, size_t count) {
  if (count < 33) return;
  const uint32_t begins[] = {1, 9, (uint32_t)count / 2}, ends[] = {7, 9, (uint32_t)count - 2};
  wide_items values = wide_make(type, count, 5);
  void *keys_in = gpu_alloc(count, 0), *keys_out = gpu_alloc(count, 0),
       *values_out = gpu_alloc(count * type.size, 0), *d_begins = gpu_copy(begins, sizeof begins, 0),
       *d_ends = gpu_copy(ends, sizeof ends, 0);
  unsigned char *keys = malloc(count);
  for (size_t i = 0; i < count; ++i) keys[i] = wide_key(&values, i);
  gpu_write(keys_in, keys, count);
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(keys_in, JIG_U8),
                                        .keys_out = jig_pointer(keys_out, JIG_U8),
                                        .values_in = values.in,
                                        .values_out = jig_pointer(values_out, type),
                                        .num_items = count,
                                        .begin_offsets = jig_pointer(d_begins, JIG_U32),
                                        .end_offsets = jig_pointer(d_ends, JIG_U32),
                                        .num_segments = COUNT_OF(begins)};
  RUN_PHASES(jig_segmented_sort, &args, 0);
  size_t done = 0;
  for (size_t s = 0; s < COUNT_OF(begins); ++s) {
    const size_t n = ends[s] - begins[s];
    char *out = (char *)values_out + begins[s] * type.size;
    ck_assert(gpu_is_untouched((char *)values_out + done * type.size, (begins[s] - done) * type.size));
    for (size_t i = 0; i < n; ++i) values.order[i] = begins[s] + i;
    sort_order(values.order, n, values.host, type.size);
    wide_expect(&values, out, n, "values of a segmented sort");
    done = ends[s];
  }
  ck_assert(gpu_is_untouched((char *)values_out + done * type.size, (count - done) * type.size));
  gpu_free(keys_in);
  gpu_free(keys_out);
  gpu_free(values_out);
  gpu_free(d_begins);
  gpu_free(d_ends);
  free(keys);
  wide_free(&values);
}
START_TEST(items_are_values_of_a_segmented_sort) {
  wide_for_all(check_segmented_sort);
}
END_TEST

/* ---- merge and sets: of one array's first third with the rest, so that one array of indices tells of
 * both */

typedef struct halves {
  wide_items keys, values;
  size_t first, second;
  jig_iter second_keys, second_values;
  void *keys_out, *values_out, *num;
} halves;

static halves make_halves(jig_type type, size_t count) {
  halves h = {.keys = wide_make(type, count, 6), .values = wide_make(type, count, 7), .first = count / 3};
  wide_items *keys = &h.keys;
  const size_t size = type.size;
  for (size_t i = 0; i < count; ++i) /* in order, each */
    keys->host[i * size] =
        (unsigned char)(i < h.first ? i * 7 / (h.first + 1) : (i - h.first) * 9 / count);
  gpu_write(keys->device, keys->host, count * size);
  h.second = count - h.first;
  h.second_keys = jig_pointer((char *)keys->device + h.first * size, type);
  h.second_values = jig_pointer((char *)h.values.device + h.first * size, type);
  h.keys_out = gpu_alloc(count * size, 0);
  h.values_out = gpu_alloc(count * size, 0);
  h.num = gpu_alloc(8, 0);
  return h;
}

static void free_halves(halves *h) {
  gpu_free(h->keys_out);
  gpu_free(h->values_out);
  gpu_free(h->num);
  wide_free(&h->keys);
  wide_free(&h->values);
}

static void expect_halves(halves *h, size_t count, const char *what) {
  take_order(&h->values, &h->keys, count);
  wide_expect(&h->keys, h->keys_out, count, what);
  wide_expect(&h->values, h->values_out, count, what);
}

/* What jig/set.h says of m and n equal keys. */
static size_t set_order(halves *h, jig_set_mode mode) {
  size_t count = 0;
  for (unsigned key = 0; key < 16; ++key) {
    size_t at[2] = {0, h->first}, n[2] = {0, 0}, take[2], skip[2] = {0, 0};
    for (size_t i = 0; i < h->keys.count; ++i) {
      const int second = i >= h->first;
      if (wide_key(&h->keys, i) < key) at[second] = i + 1;
      n[second] += wide_key(&h->keys, i) == key;
    }
    const size_t common = n[0] < n[1] ? n[0] : n[1];
    take[0] = mode == JIG_SET_UNION ? n[0] : mode == JIG_SET_INTERSECTION ? common : n[0] - common;
    take[1] = mode == JIG_SET_UNION || mode == JIG_SET_SYMMETRIC_DIFFERENCE ? n[1] - common : 0;
    if (mode != JIG_SET_INTERSECTION) skip[0] = n[0] - take[0];
    skip[1] = n[1] - take[1];
    for (int half = 0; half < 2; ++half)
      for (size_t i = 0; i < take[half]; ++i) h->keys.order[count++] = at[half] + skip[half] + i;
  }
  return count;
}

static void check_merge_and_sets(halves h, jig_type type, size_t count) {
  const jig_merge_args merge = {.first_keys_in = h.keys.in,
                                .second_keys_in = h.second_keys,
                                .keys_out = jig_pointer(h.keys_out, type),
                                .first_values_in = h.values.in,
                                .second_values_in = h.second_values,
                                .values_out = jig_pointer(h.values_out, type),
                                .first_num_items = h.first,
                                .second_num_items = h.second,
                                .compare = WIDE_LESS};
  RUN_PHASES(jig_merge, &merge, 0);
  order_items(&h.keys);
  expect_halves(&h, count, "merge");
  for (jig_set_mode mode = JIG_SET_UNION; mode <= JIG_SET_SYMMETRIC_DIFFERENCE; ++mode) {
    const jig_set_operation_args set = {.first_keys_in = h.keys.in,
                                        .second_keys_in = h.second_keys,
                                        .keys_out = jig_pointer(h.keys_out, type),
                                        .first_values_in = h.values.in,
                                        .second_values_in = h.second_values,
                                        .values_out = jig_pointer(h.values_out, type),
                                        .num_items_out = jig_pointer(h.num, JIG_I64),
                                        .first_num_items = h.first,
                                        .second_num_items = h.second,
                                        .compare = WIDE_LESS,
                                        .mode = mode};
    RUN_PHASES(jig_set_operation, &set, 0);
    const size_t kept = set_order(&h, mode);
    ck_assert_int_eq(wide_count(h.num), (int64_t)kept);
    expect_halves(&h, kept, "set operation");
  }
  free_halves(&h);
}
static void check_pointers(jig_type type, size_t count) {
  check_merge_and_sets(make_halves(type, count), type, count);
}
START_TEST(items_are_merged) {
  wide_for_all(check_pointers);
}
END_TEST

/* With what lies in memory, in either input, what is made. */
START_TEST(computed_items_are_merged) {
  enum { COUNT = 300 };
  const jig_type type = wide_type(2);
  const jig_op same = jig_op_source("return x;");
  halves h = make_halves(type, COUNT);
  const jig_iter keys = h.second_keys, values = h.values.in;
  h.second_keys = jig_iter_transform(&keys, same, type);
  h.values.in = jig_iter_transform(&values, same, type);
  check_merge_and_sets(h, type, COUNT);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(items_are_merge_sorted),
                                     SUITE_TEST(items_are_values),
                                     SUITE_TEST(items_are_values_of_a_radix_sort),
                                     SUITE_TEST(items_are_values_of_a_segmented_sort),
                                     SUITE_TEST(items_are_merged),
                                     SUITE_TEST(computed_items_are_merged)};
  return SUITE_RUN("device/wide_items_sorts", tests, true);
}
