#include "segmented_sort_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/segmented_sort_plan.h"
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "sort_support.h"

/* ---- calls */

void run_segmented_sort(jig_engine *engine, const jig_segmented_sort_args *args) {
  size_t bytes = 0;
  OK(jig_segmented_sort(engine, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_segmented_sort(engine, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

static program program_of_pair(jig_type key, jig_type value) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, key), offsets = jig_pointer(NULL, JIG_I32);
  jig_segmented_sort_args args = {
      .keys_in = keys, .keys_out = keys, .begin_offsets = offsets, .end_offsets = offsets};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = jig_pointer(NULL, value);
  OK(jig_segmented_sort_spec(&args, &text));
  return program_here(text);
}

static segmented_sort_few_tuning few_tuning(const program *p, int kernel) {
  return segmented_sort_few_tuning_of(&p->kernels[kernel].tuning);
}

static size_t few_items(const program *p, int kernel) {
  const segmented_sort_few_tuning tuning = few_tuning(p, kernel);
  return (size_t)tuning.threads * (size_t)tuning.indexed_rows;
}

segmented_sort_marks segmented_sort_marks_of(jig_type key, jig_type value) {
  const program p = program_of_pair(key, value);
  const segmented_sort_small_tuning small =
      segmented_sort_small_tuning_of(&p.kernels[SEGMENTED_SORT_SMALL].tuning);
  const segmented_sort_large_tuning large =
      segmented_sort_large_tuning_of(&p.kernels[SEGMENTED_SORT_LARGE].tuning);
  const size_t share = (size_t)large.warp_items;
  return (segmented_sort_marks){.small = (size_t)small.small_items,
                                .first = share,
                                .block = share * (size_t)large.threads / 32,
                                .compared = (size_t)few_tuning(&p, SEGMENTED_SORT_FEW).compared_items,
                                .few = few_items(&p, SEGMENTED_SORT_FEW),
                                .few_long = few_items(&p, SEGMENTED_SORT_FEW_LONG)};
}

segment_list segments_around(const segmented_sort_marks *marks) {
  size_t lengths[64] = {0, 1, 0, 2, 3, 31, 32, 33, 0}, count = 9;
  for (size_t mark = marks->small; mark <= marks->block;) {
    for (size_t i = 0; i < 3; ++i) lengths[count++] = mark + i - 1;
    mark = mark < marks->first ? marks->first : mark * 2;
  }
  lengths[count++] = marks->block + marks->block / 3;
  lengths[count++] = 2 * marks->block + 77;
  segment_list list = segments_of(lengths, count, true);
  shuffle_segments(&list);
  return list;
}

segment_list few_segments(jig_type key, jig_type value, int number) {
  const program p = program_of_pair(key, value);
  const segmented_sort_marks m = segmented_sort_marks_of(key, value);
  const size_t lengths[SEGMENTED_SORT_FEW_LISTS][8] = {
      {m.few},
      {0, 1, m.compared, 2, m.compared + 1, 31, m.compared - 1, 33},
      {m.few - 1, 3, m.few + 1, 40, m.few / 2 * 3, 0, 31, m.compared + 2},
      {5, 3 * m.few, 100, m.few / 3, 7, m.compared, 2, 300},
      {m.few_long},
      {m.few_long / 2, 0, 3, m.few_long / 2 - 10, 1, 1, 5, 0}};
  const bool lists = number == 2 || number == 3;
  const size_t count = number == 0 || number == 4 ? 1 : 8;
  segment_list list = segments_of(lengths[number], count, lists);
  if (lists) shuffle_segments(&list);
  const segmented_sort_size size = {list.items, count, key.size, value.size, (int)key.size, false};
  const segmented_sort_plan plan = segmented_sort_plan_of(&p, &plan_limits_default, &size);
  ck_assert(p.multiprocessors < 8 / 2 || (plan.first != SEGMENTED_SORT_SMALL && plan.lists == lists));
  return list;
}

/* ---- the host's side */

/* Compares what a sort wrote with the same items in the order of the host's, and what was there before
 * elsewhere. */
static void settle(const void *device, const void *before, const void *items, size_t size,
                   const size_t *order, const sort_case *c, const segment_list *list, const char *of) {
  char what[256], *wanted = malloc(c->count * size + 1);
  memcpy(wanted, before, c->count * size);
  for (size_t s = 0; s < list->count; ++s) {
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i)
      memcpy(wanted + (size_t)i * size, (const char *)items + order[i] * size, size);
  }
  (void)snprintf(what, sizeof what, "%s: %zu %s by %s in %zu segments, %s, bits %d to %d", c->what,
                 c->count, of, jig_type_name(&c->key), list->count,
                 c->order == JIG_SORT_DESCENDING ? "descending" : "ascending", c->begin_bit, c->end_bit);
  check_sorted(device, wanted, size, c->count, what);
  free(wanted);
}

void check_segmented_sort(const sort_case *c, const segment_list *list) {
  const size_t key_bytes = c->count * c->key.size, value_bytes = c->count * c->value.size;
  size_t *order = malloc((c->count + 1) * sizeof *order);
  for (size_t s = 0; s < list->count; ++s) {
    if (list->begins[s] >= list->ends[s]) continue;
    const size_t first = (size_t)list->begins[s];
    sort_on_host(c, first, (size_t)list->ends[s] - first, order + first);
  }
  unsigned char *values = random_bytes(value_bytes, 99), *keys_before = random_bytes(key_bytes, 5),
                *values_before = random_bytes(value_bytes, 6);
  void *in = gpu_copy(c->keys, key_bytes, c->offset * c->key.size);
  void *out = gpu_copy(keys_before, key_bytes, c->offset * c->key.size);
  void *values_in = gpu_copy(values, value_bytes, c->offset * c->value.size);
  void *values_out = gpu_copy(values_before, value_bytes, c->offset * c->value.size);
  void *begins = gpu_copy(list->begins, list->count * 8, 0),
       *ends = gpu_copy(list->ends, list->count * 8, 8);
  const bool has_values = c->value.kind != JIG_KIND_NONE;
  int selector = -1;
  jig_segmented_sort_args args = {.keys_in = sort_input(in, c->key, c->iterates_keys),
                                  .keys_out = jig_pointer(out, c->key),
                                  .num_items = c->count,
                                  .begin_offsets = jig_pointer(begins, JIG_I64),
                                  .end_offsets = jig_pointer(ends, JIG_I64),
                                  .num_segments = list->count,
                                  .order = c->order,
                                  .begin_bit = c->begin_bit,
                                  .end_bit = c->end_bit,
                                  .selector = c->has_buffers ? &selector : NULL};
  if (has_values) args.values_in = sort_input(values_in, c->value, c->iterates_values);
  if (has_values) args.values_out = jig_pointer(values_out, c->value);
  run_segmented_sort(c->engine, &args);
  if (c->has_buffers) ck_assert_int_eq(selector, 1);
  settle(out, keys_before, c->keys, c->key.size, order, c, list, "keys");
  if (has_values) settle(values_out, values_before, values, c->value.size, order, c, list, "values");
  if (!c->has_buffers) check_kept(in, c->keys, key_bytes, c->what);
  void *const device[] = {in, out, values_in, values_out, begins, ends};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(values);
  free(keys_before);
  free(values_before);
  free(order);
}

void check_segmented_pattern(sort_case c, const segment_list *list, key_pattern pattern) {
  void *keys = keys_of(c.key, pattern, list->items, 17 + list->items);
  c.keys = keys;
  c.count = list->items;
  if (c.what == NULL) c.what = "segments";
  check_segmented_sort(&c, list);
  free(keys);
}
