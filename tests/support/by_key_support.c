#include "by_key_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"

/* ---- keys */

static void put_key(key_list *list, size_t i, size_t run) {
  /* Neighbouring runs differ, whatever the type holds. */
  const int value = list->type.kind == JIG_KIND_BOOL ? (int)(run % 2) : (int)(run % 101);
  if (is_floating(list->type.kind))
    put_float(list->type.kind, list->keys, i, value);
  else
    put_integer(list->type.kind, list->keys, i, value);
}

key_list new_keys(jig_type_kind kind, size_t count, size_t average) {
  key_list list = {.type = type_of(kind), .count = count};
  list.keys = malloc(count * list.type.size + 1);
  list.heads = calloc(count + 1, sizeof *list.heads);
  uint64_t seed = 5 + count + average;
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    if (left == 0) {
      left = average == 0 ? count : 1 + (next_random(&seed) >> 20) % (2 * average - 1);
      list.heads[i] = true;
      ++list.runs;
    }
    --left;
    put_key(&list, i, list.runs);
  }
  return list;
}

void free_keys(key_list *list) {
  free(list->keys);
  free(list->heads);
}

/* ---- sums */

static void add_i128(void *fold, const void *item) {
  uint128 a, b;
  memcpy(&a, fold, sizeof a);
  memcpy(&b, item, sizeof b);
  a += b;
  memcpy(fold, &a, sizeof a);
}
static void add_u64(void *fold, const void *item) {
  *(uint64_t *)fold += *(const uint64_t *)item;
}
static void add_u32(void *fold, const void *item) {
  *(uint32_t *)fold += *(const uint32_t *)item;
}
static void add_u16(void *fold, const void *item) {
  *(uint16_t *)fold = (uint16_t)(*(uint16_t *)fold + *(const uint16_t *)item);
}
static void add_u8(void *fold, const void *item) {
  *(uint8_t *)fold = (uint8_t)(*(uint8_t *)fold + *(const uint8_t *)item);
}
static void add_f64(void *fold, const void *item) {
  *(double *)fold += *(const double *)item;
}
static void add_f32(void *fold, const void *item) {
  *(float *)fold += *(const float *)item;
}

scan_model sum_model(jig_type type) {
  if (type.kind == JIG_KIND_F64) return (scan_model){8, add_f64};
  if (type.kind == JIG_KIND_F32) return (scan_model){4, add_f32};
  return type.size == 1   ? (scan_model){1, add_u8}
         : type.size == 2 ? (scan_model){2, add_u16}
         : type.size == 4 ? (scan_model){4, add_u32}
         : type.size == 8 ? (scan_model){8, add_u64}
                          : (scan_model){16, add_i128};
}

/* ---- scan by key */

void scan_runs_on_host(const scan_model *model, jig_scan_mode mode, const void *init, const bool *heads,
                       const void *in, size_t count, void *out) {
  const size_t size = model->size;
  for (size_t first = 0, last; first < count; first = last) {
    for (last = first + 1; last < count && !heads[last];) ++last;
    scan_on_host(model, mode, init, (const char *)in + first * size, last - first,
                 (char *)out + first * size);
  }
}

void run_scan_by_key(const jig_scan_by_key_args *args, size_t storage_offset) {
  size_t bytes = 0;
  OK(jig_scan_by_key(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, storage_offset);
  OK(jig_scan_by_key(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

void check_scan_by_key(jig_scan_by_key_args args, jig_type out_type, size_t out_offset,
                       const void *wanted, const char *what) {
  const size_t bytes = (size_t)args.num_items * out_type.size;
  void *out = gpu_alloc(bytes, out_offset), *got = malloc(bytes + 1);
  args.values_out = jig_pointer(out, out_type);
  run_scan_by_key(&args, 0);
  gpu_read(got, out, bytes);
  check_items(got, wanted, out_type.size, (size_t)args.num_items, what);
  gpu_free(out);
  free(got);
}

/* ---- runs that come out */

size_t fold_runs_on_host(const scan_model *model, const bool *heads, const void *in, size_t count,
                         void *aggregates) {
  size_t runs = 0;
  for (size_t i = 0; i < count; ++i) {
    const char *item = (const char *)in + i * model->size;
    if (heads[i])
      memcpy((char *)aggregates + runs++ * model->size, item, model->size);
    else
      model->apply((char *)aggregates + (runs - 1) * model->size, item);
  }
  return runs;
}

void *keys_of_runs(const key_list *list, bool last) {
  const size_t size = list->type.size;
  unsigned char *keys = malloc(list->runs * size + 1);
  size_t run = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const bool wanted = last ? i + 1 == list->count || list->heads[i + 1] : list->heads[i];
    if (wanted) memcpy(keys + run++ * size, list->keys + i * size, size);
  }
  return keys;
}

void run_reduce_by_key(const jig_reduce_by_key_args *args, size_t storage_offset) {
  size_t bytes = 0;
  OK(jig_reduce_by_key(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, storage_offset);
  OK(jig_reduce_by_key(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

void check_reduce_by_key(jig_reduce_by_key_args args, const void *unique, const void *aggregates,
                         size_t runs, size_t out_offset, const char *what) {
  const size_t key_size = args.unique_out.type.size, size = args.aggregates_out.type.size;
  void *unique_out = gpu_alloc(runs * key_size, out_offset * key_size),
       *aggregates_out = gpu_alloc(runs * size, out_offset * size);
  uint64_t *num_runs = gpu_alloc(sizeof *num_runs, 8), got_runs;
  unsigned char *got = malloc(runs * (key_size > size ? key_size : size) + 1);
  args.unique_out = jig_pointer(unique_out, args.unique_out.type);
  args.aggregates_out = jig_pointer(aggregates_out, args.aggregates_out.type);
  args.num_runs_out = jig_pointer(num_runs, JIG_U64);
  run_reduce_by_key(&args, 0);
  gpu_read(&got_runs, num_runs, sizeof got_runs);
  ck_assert_msg(got_runs == runs, "%s: %zu runs, not %zu", what, (size_t)got_runs, runs);
  gpu_read(got, unique_out, runs * key_size);
  check_items(got, unique, key_size, runs, what);
  gpu_read(got, aggregates_out, runs * size);
  check_items(got, aggregates, size, runs, what);
  gpu_free(unique_out);
  gpu_free(aggregates_out);
  gpu_free(num_runs);
  free(got);
}
