#include "segmented_top_k_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "policy/segmented_top_k.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "sort_support.h"
#include "util/integer.h"

/* ---- calls */

void run_segmented_top_k(const jig_segmented_top_k_args *args) {
  size_t bytes = 0;
  OK(jig_segmented_top_k(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_segmented_top_k(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

segmented_top_k_marks segmented_top_k_marks_of(jig_type key) {
  const jig_segmented_top_k_args args = {.keys_in = jig_pointer(NULL, key),
                                         .keys_out = jig_pointer(NULL, key)};
  char *text = NULL;
  OK(jig_segmented_top_k_spec(&args, &text));
  const program p = program_here(text);
  const segmented_top_k_small_tuning small =
      segmented_top_k_small_tuning_of(&p.kernels[SEGMENTED_TOP_K_SMALL].tuning);
  const segmented_top_k_large_tuning large =
      segmented_top_k_large_tuning_of(&p.kernels[SEGMENTED_TOP_K_LARGE].tuning);
  const size_t warp = (size_t)large.capacity;
  return (segmented_top_k_marks){.small = (size_t)small.small_items,
                                 .tile = (size_t)small.tile,
                                 .warp = warp,
                                 .block = warp * (size_t)large.threads / 32};
}

segment_list segments_around_marks(const segmented_top_k_marks *marks) {
  size_t lengths[64] = {0, 1, 0, 2, 3, 31, 32, 33, 0}, count = 9;
  const size_t around[] = {marks->small,    marks->warp,  marks->tile,     2 * marks->tile,
                           4 * marks->tile, marks->block, 16 * marks->tile};
  for (size_t m = 0; m < COUNT_OF(around); ++m)
    for (size_t i = 0; i < 3; ++i) lengths[count++] = around[m] + i - 1;
  lengths[count++] = 20 * marks->tile + 77;
  segment_list list = segments_of(lengths, count, true);
  shuffle_segments(&list);
  return list;
}

segment_list segments_of_size(size_t count, size_t size) {
  size_t *lengths = malloc((count + 1) * sizeof *lengths);
  for (size_t i = 0; i < count; ++i) lengths[i] = size;
  const segment_list list = segments_of(lengths, count, false);
  free(lengths);
  return list;
}

/* ---- the host's side: rows of a key and its value */

typedef struct ranked_key {
  uint128 bits;
  size_t index;
} ranked_key;

static int by_rank(const void *a, const void *b) {
  const ranked_key *x = a, *y = b;
  if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static size_t row_bytes;
static int by_bytes(const void *a, const void *b) {
  return memcmp(a, b, row_bytes);
}

static char *rows_of(const segmented_top_k_case *c, const char *keys, const char *values, size_t count) {
  char *rows = malloc(count * row_bytes + 1);
  for (size_t i = 0; i < count; ++i) {
    memcpy(rows + i * row_bytes, keys + i * c->key.size, c->key.size);
    if (c->value.kind == JIG_KIND_NONE) continue;
    memcpy(rows + i * row_bytes + c->key.size, values + i * c->value.size, c->value.size);
  }
  return rows;
}

/* Puts a segment's results into the rows of all; how many there are. */
static size_t put_wanted(const segmented_top_k_case *c, const char *items, int64_t begin, int64_t end,
                         char *rows) {
  const jig_sort_order order = c->choice == JIG_TOP_K_MAX ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING;
  const size_t length = end > begin ? (size_t)(end - begin) : 0, count = min_of(length, c->k);
  ranked_key *ranks = malloc((length + 1) * sizeof *ranks);
  for (size_t i = 0; i < length; ++i)
    ranks[i] =
        (ranked_key){ordered_key_bits(c->key, order, c->keys, (size_t)begin + i), (size_t)begin + i};
  qsort(ranks, length, sizeof *ranks, by_rank);
  for (size_t i = 0; i < count; ++i)
    memcpy(rows + i * row_bytes, items + ranks[i].index * row_bytes, row_bytes);
  free(ranks);
  return count;
}

static void settle(const segmented_top_k_case *c, const segment_list *list, const char *items,
                   char *wanted, char *got) {
  char what[256];
  (void)snprintf(what, sizeof what, "%s: the %zu %s of %zu segments, %s%s%s%s", c->what, c->k,
                 c->choice == JIG_TOP_K_MAX ? "largest" : "smallest", list->count, jig_type_name(&c->key),
                 c->value.kind != JIG_KIND_NONE ? " with values" : "", c->is_sorted ? ", sorted" : "",
                 c->is_fixed ? ", of one size" : "");
  for (size_t s = 0; s < list->count; ++s) {
    char *first = wanted + s * c->k * row_bytes, *got_first = got + s * c->k * row_bytes;
    const size_t count = put_wanted(c, items, list->begins[s], list->ends[s], first);
    if (c->is_sorted) continue;
    qsort(first, count, row_bytes, by_bytes);
    qsort(got_first, count, row_bytes, by_bytes);
  }
  check_items(got, wanted, row_bytes, list->count * c->k, what);
}

/* A value begins with its index, as far as it has room. */
static char *numbered_values(const segmented_top_k_case *c, size_t count) {
  char *values = calloc(count + 1, c->value.size + 1);
  for (size_t i = 0; i < count; ++i)
    memcpy(values + i * c->value.size, &i, min_of(c->value.size, sizeof i));
  return values;
}

static jig_segmented_top_k_args args_of(const segmented_top_k_case *c, const segment_list *list) {
  jig_segmented_top_k_args args = {.num_items = list->items,
                                   .num_segments = list->count,
                                   .k = c->k,
                                   .choice = c->choice,
                                   .is_sorted = c->is_sorted};
  if (c->is_fixed) args.segment_size = list->count > 0 ? (uint64_t)(list->ends[0] - list->begins[0]) : 0;
  return args;
}

void check_segmented_top_k(const segmented_top_k_case *c, const segment_list *list) {
  const size_t n = list->items, results = list->count * c->k, key = c->key.size;
  const bool has_values = c->value.kind != JIG_KIND_NONE;
  const size_t value = has_values ? c->value.size : 0;
  row_bytes = key + value;
  char *values = numbered_values(c, n);
  unsigned char *keys_got = random_bytes(results * key, 5),
                *values_got = random_bytes(results * value, 6);
  void *keys_in = gpu_copy(c->keys, n * key, c->offset * key);
  void *keys_out = gpu_copy(keys_got, results * key, c->offset * key);
  void *values_in = gpu_copy(values, n * value, c->offset * value);
  void *values_out = gpu_copy(values_got, results * value, c->offset * value);
  void *begins = gpu_copy(list->begins, list->count * 8, 0),
       *ends = gpu_copy(list->ends, list->count * 8, 8);
  jig_segmented_top_k_args args = args_of(c, list);
  args.keys_in = sort_input(keys_in, c->key, c->iterates_keys);
  args.keys_out = jig_pointer(keys_out, c->key);
  if (has_values) args.values_in = sort_input(values_in, c->value, c->iterates_values);
  if (has_values) args.values_out = jig_pointer(values_out, c->value);
  if (!c->is_fixed) args.begin_offsets = jig_pointer(begins, JIG_I64);
  if (!c->is_fixed) args.end_offsets = jig_pointer(ends, JIG_I64);
  char *wanted = rows_of(c, (char *)keys_got, (char *)values_got, results);
  run_segmented_top_k(&args);
  gpu_read(keys_got, keys_out, results * key);
  if (has_values) gpu_read(values_got, values_out, results * value);
  char *got = rows_of(c, (char *)keys_got, (char *)values_got, results);
  char *items = rows_of(c, c->keys, values, n);
  settle(c, list, items, wanted, got);
  check_kept(keys_in, c->keys, n * key, c->what);
  void *const device[] = {keys_in, keys_out, values_in, values_out, begins, ends};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  void *const host[] = {values, keys_got, values_got, wanted, got, items};
  for (size_t i = 0; i < COUNT_OF(host); ++i) free(host[i]);
}

void check_segmented_top_k_pattern(segmented_top_k_case c, const segment_list *list,
                                   key_pattern pattern) {
  char *keys = keys_of(c.key, KEYS_RANDOM, list->items, 1);
  for (size_t s = 0; s < list->count; ++s) {
    if (list->ends[s] <= list->begins[s]) continue;
    const size_t begin = (size_t)list->begins[s], length = (size_t)list->ends[s] - begin;
    void *own = keys_of(c.key, pattern, length, 17 + s);
    memcpy(keys + begin * c.key.size, own, length * c.key.size);
    free(own);
  }
  c.keys = keys;
  c.what = key_pattern_name(pattern);
  check_segmented_top_k(&c, list);
  free(keys);
}
