#include "tune_data.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "spec/iterator.h"

/* ---- what an input needs */

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names != NULL; ++names)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

static tune_kind kind_of(const run_plan *p, const char *slot) {
  static const char *const flags[] = {"flags", "stencil", NULL}, *const by_runs[] = {"scan_by_key",
                                                                                     "reduce_by_key",
                                                                                     "run_length_encode",
                                                                                     "non_trivial_runs",
                                                                                     "unique",
                                                                                     NULL};
  const bool is_first = strcmp(slot, p->row->inputs[0].slot) == 0;
  if (is_one_of(slot, flags)) return TUNE_FLAGS;
  if (is_first && is_one_of(p->row->name, by_runs)) return TUNE_RUNS;
  return schema_slot(&p->algorithm->schema, "determinism") >= 0 ? TUNE_SUMMANDS : TUNE_ANY;
}

static bool is_in_order(const run_plan *p, const char *slot) {
  static const char *const keys[] = {"first_keys_in", "second_keys_in", NULL}, *const items[] = {
                                                                                   "binary_search",
                                                                                   "is_sorted", NULL};
  return is_one_of(slot, keys) || (strcmp(slot, "in") == 0 && is_one_of(p->row->name, items));
}

static bool has_memory(const jig_iter *iter) {
  return iter_is_pointed(iter) || iter->kind == JIG_ITER_STRIDED;
}

/* ---- memory */

/* As the call's own operator has it. */
static int sort(const run_plan *p, gpu *g, const jig_type *type, void *items, uint64_t count) {
  const jig_op *compare = run_plan_field(p, "compare");
  jig_merge_sort_args args = {
      .keys_in = jig_pointer(items, *type), .keys_out = jig_pointer(items, *type), .num_items = count};
  if (compare != NULL) args.compare = *compare;
  const jig_status status = jig_merge_sort(NULL, NULL, NULL, &args, g->stream);
  if (status != JIG_SUCCESS) return jig_failure(status);
  return gpu_ok(g->cuda->cuStreamSynchronize(g->stream), "cuStreamSynchronize") ? EXIT_OK : EXIT_FAILED;
}

static int upload(const tune_data *d, const jig_type *type, tune_kind kind, unsigned char *device) {
  enum { CHUNK_BYTES = 1 << 24 };
  const uint64_t chunk = CHUNK_BYTES / type->size > 0 ? CHUNK_BYTES / type->size : 1;
  uint64_t state = (uint64_t)d->made + 1;
  unsigned char *host = malloc(chunk * type->size);
  bool ok = host != NULL;
  if (host == NULL) complain("out of memory");
  for (uint64_t done = 0; done < d->items && ok; done += chunk) {
    const uint64_t count = d->items - done < chunk ? d->items - done : chunk;
    tune_fill(type, kind, d->items, &state, host, count);
    ok = gpu_upload(d->g, device + done * type->size, host, count * type->size);
  }
  free(host);
  return ok ? EXIT_OK : EXIT_FAILED;
}

typedef struct giving {
  tune_data *d;
  run_plan *p;
  int next; /* the array that is next */
} giving;

static int give_memory(giving *g, jig_iter *iter, tune_kind kind, bool in_order) {
  tune_data *d = g->d;
  if (g->next == TUNE_MAX_LEAVES) return usage_error("more than %d inputs", (int)TUNE_MAX_LEAVES);
  const int i = g->next++;
  if (i == d->made) {
    d->leaves[i] = gpu_alloc(d->g, d->items * iter->type.size);
    if (d->leaves[i] == NULL) return EXIT_FAILED;
    int code = upload(d, &iter->type, kind, d->leaves[i]);
    if (code == EXIT_OK && in_order) code = sort(g->p, d->g, &iter->type, d->leaves[i], d->items);
    if (code != EXIT_OK) return code;
    ++d->made;
  }
  iter->pointer = d->leaves[i];
  return EXIT_OK;
}

static int give_iter(giving *g, jig_iter *iter, tune_kind kind, bool in_order) {
  int code = EXIT_OK;
  if (has_memory(iter)) return give_memory(g, iter, kind, in_order);
  for (unsigned k = 0; k < iter_base_count(iter) && code == EXIT_OK; ++k) {
    const bool is_places = iter->kind == JIG_ITER_PERMUTATION && k == 1;
    code = give_iter(g, (jig_iter *)(uintptr_t)iter_base_at(iter, k), is_places ? TUNE_PLACES : kind,
                     in_order && !is_places);
  }
  return code;
}

int tune_data_give(tune_data *d, run_plan *p, uint64_t items) {
  giving g = {.d = d, .p = p};
  int code = EXIT_OK;
  if (d->made == 0) d->items = items;
  for (const run_input *source = p->row->inputs; source->slot != NULL && code == EXIT_OK; ++source) {
    jig_iter *iter = run_plan_input(p, source);
    if (iter != NULL && iter->kind != JIG_ITER_NONE)
      code = give_iter(&g, iter, kind_of(p, source->slot), is_in_order(p, source->slot));
  }
  return code;
}

/* ---- how much that is */

static uint64_t leaf_bytes(const jig_iter *iter) {
  uint64_t bytes = has_memory(iter) ? iter->type.size : 0;
  if (bytes > 0) return bytes;
  for (unsigned k = 0; k < iter_base_count(iter); ++k) bytes += leaf_bytes(iter_base_at(iter, k));
  return bytes;
}

uint64_t tune_data_item_bytes(run_plan *p) {
  uint64_t bytes = 0;
  for (const run_input *source = p->row->inputs; source->slot != NULL; ++source) {
    const jig_iter *iter = run_plan_input(p, source);
    if (iter != NULL && iter->kind != JIG_ITER_NONE) bytes += leaf_bytes(iter);
  }
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &p->outputs[i];
    if (o->row == NULL || o->row->extent == EXTENT_ONE || o->row->extent == EXTENT_TWO) continue;
    bytes += (o->row->extent == EXTENT_BOTH ? 2 : 1) * o->type.size;
  }
  return bytes;
}
