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

/* ---- sizes */

scan_marks by_key_marks(char *text, const char *values, size_t state_bytes) {
  parsed_spec parsed;
  int count;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const int sm = driver_devices(&count)->sm;
  const policy wave = by_key_wave_policy(&parsed.s, sm), lookback = by_key_lookback_policy(&parsed.s, sm);
  const unsigned run_items =
      by_key_run_items(spec_find(&parsed.s, "keys_in")->iter, spec_find(&parsed.s, values)->iter);
  parsed_spec_free(&parsed);
  jig_free(text);
  return chain_marks_of(&wave, &lookback, (chain_size){0, run_items, state_bytes});
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
  args.out = jig_pointer(out, out_type);
  run_scan_by_key(&args, 0);
  gpu_read(got, out, bytes);
  check_items(got, wanted, out_type.size, (size_t)args.num_items, what);
  gpu_free(out);
  free(got);
}
