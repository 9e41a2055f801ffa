#include "top_k_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "util/integer.h"

void run_top_k(const jig_top_k_args *args) {
  size_t bytes = 0;
  OK(jig_top_k(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_top_k(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

size_t top_k_alone(jig_type key) {
  const jig_top_k_args args = {.keys_in = jig_pointer(NULL, key), .keys_out = jig_pointer(NULL, key)};
  char *text = NULL;
  OK(jig_top_k_spec(&args, &text));
  const program p = program_here(text);
  return (size_t)top_k_block_tuning_of(&p.kernels[TOP_K_BLOCK].tuning).most_items;
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

static void put_row(const top_k_case *c, char *row, const void *keys, const void *values, size_t i) {
  memcpy(row, (const char *)keys + i * c->key.size, c->key.size);
  if (c->value.kind == JIG_KIND_NONE) return;
  memcpy(row + c->key.size, (const char *)values + i * c->value.size, c->value.size);
}

static char *wanted_rows(const top_k_case *c, const void *values, size_t k) {
  const jig_sort_order order = c->choice == JIG_TOP_K_MAX ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING;
  ranked_key *ranks = malloc((c->count + 1) * sizeof *ranks);
  char *rows = malloc(k * row_bytes + 1);
  for (size_t i = 0; i < c->count; ++i)
    ranks[i] = (ranked_key){ordered_key_bits(c->key, order, c->keys, i), i};
  qsort(ranks, c->count, sizeof *ranks, by_rank);
  for (size_t i = 0; i < k; ++i) put_row(c, rows + i * row_bytes, c->keys, values, ranks[i].index);
  free(ranks);
  return rows;
}

static char *got_rows(const top_k_case *c, const void *keys_out, const void *values_out, size_t k) {
  char *keys = malloc(k * c->key.size + 1), *values = malloc(k * c->value.size + 1);
  char *rows = malloc(k * row_bytes + 1);
  gpu_read(keys, keys_out, k * c->key.size);
  if (c->value.kind != JIG_KIND_NONE) gpu_read(values, values_out, k * c->value.size);
  for (size_t i = 0; i < k; ++i) put_row(c, rows + i * row_bytes, keys, values, i);
  free(keys);
  free(values);
  return rows;
}

static void settle(const top_k_case *c, const void *values, const void *keys_out, const void *values_out,
                   size_t k) {
  char what[256];
  row_bytes = c->key.size + (c->value.kind != JIG_KIND_NONE ? c->value.size : 0);
  (void)snprintf(what, sizeof what, "%s: the %zu %s of %zu keys, %s%s%s", c->what, k,
                 c->choice == JIG_TOP_K_MAX ? "largest" : "smallest", c->count, jig_type_name(&c->key),
                 c->value.kind != JIG_KIND_NONE ? " with values" : "", c->is_sorted ? ", sorted" : "");
  char *wanted = wanted_rows(c, values, k), *got = got_rows(c, keys_out, values_out, k);
  if (!c->is_sorted) {
    qsort(wanted, k, row_bytes, by_bytes);
    qsort(got, k, row_bytes, by_bytes);
  }
  check_items(got, wanted, row_bytes, k, what);
  free(wanted);
  free(got);
}

/* A value begins with its index, as far as it has room. */
static unsigned char *numbered_values(const top_k_case *c) {
  unsigned char *values = calloc(c->count + 1, c->value.size + 1);
  for (size_t i = 0; i < c->count; ++i)
    memcpy(values + i * c->value.size, &i, min_of(c->value.size, sizeof i));
  return values;
}

static void check_as_it_is(const top_k_case *c) {
  const size_t k = c->k < c->count ? c->k : c->count;
  unsigned char *values = numbered_values(c);
  void *keys_in = gpu_copy(c->keys, c->count * c->key.size, c->offset * c->key.size);
  void *keys_out = gpu_alloc(k * c->key.size, c->offset * c->key.size);
  void *values_in = gpu_copy(values, c->count * c->value.size, c->offset * c->value.size);
  void *values_out = gpu_alloc(k * c->value.size, c->offset * c->value.size);
  jig_top_k_args args = {.keys_in = jig_pointer(keys_in, c->key),
                         .keys_out = jig_pointer(keys_out, c->key),
                         .num_items = c->count,
                         .k = c->k,
                         .choice = c->choice,
                         .is_sorted = c->is_sorted};
  if (c->value.kind != JIG_KIND_NONE) {
    args.values_in = jig_pointer(values_in, c->value);
    args.values_out = jig_pointer(values_out, c->value);
  }
  run_top_k(&args);
  settle(c, values, keys_out, values_out, k);
  char *kept = malloc(c->count * c->key.size + 1);
  gpu_read(kept, keys_in, c->count * c->key.size);
  ck_assert_msg(memcmp(kept, c->keys, c->count * c->key.size) == 0, "%s: the input has changed", c->what);
  gpu_free(keys_in);
  gpu_free(keys_out);
  gpu_free(values_in);
  gpu_free(values_out);
  free(kept);
  free(values);
}

/* More than one block takes are left to all blocks, too. */
void check_top_k(const top_k_case *c) {
  check_as_it_is(c);
  if (c->count <= top_k_alone(c->key)) return;
  limits_of(NULL)->top_k_most_single = 1;
  check_as_it_is(c);
  limits_of(NULL)->top_k_most_single = UINT64_MAX;
}

void check_top_k_pattern(top_k_case c, key_pattern pattern) {
  void *keys = keys_of(c.key, pattern, c.count, 17 + c.count);
  c.keys = keys;
  c.what = key_pattern_name(pattern);
  check_top_k(&c);
  free(keys);
}
