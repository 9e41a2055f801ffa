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

/* What says where segments or ranges are. */
static bool is_places(const run_input *source) {
  return source->count != NULL &&
         (strcmp(source->count, "num_segments") == 0 || strcmp(source->count, "num_ranges") == 0);
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

static double number_of(const char *text) {
  return text != NULL ? strtod(text, NULL) : 0;
}

static void fill(const run_plan *p, const jig_type *type, tune_kind kind, uint64_t below, uint64_t *state,
                 void *items, uint64_t count) {
  if (strcmp(p->row->name, "histogram") == 0)
    tune_fill_between(type, number_of(p->numbers->lower), number_of(p->numbers->upper), state, items,
                      count);
  else
    tune_fill(type, kind, below, state, items, count);
}

static int upload(const tune_data *d, const run_plan *p, const jig_type *type, tune_kind kind,
                  unsigned char *device) {
  enum { CHUNK_BYTES = 1 << 24 };
  const uint64_t chunk = CHUNK_BYTES / type->size > 0 ? CHUNK_BYTES / type->size : 1;
  uint64_t state = (uint64_t)d->made + 1;
  unsigned char *host = malloc(chunk * type->size);
  bool ok = host != NULL;
  if (host == NULL) complain("out of memory");
  for (uint64_t done = 0; done < d->items && ok; done += chunk) {
    const uint64_t count = d->items - done < chunk ? d->items - done : chunk;
    fill(p, type, kind, d->items, &state, host, count);
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
    int code = upload(d, g->p, &iter->type, kind, d->leaves[i]);
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

/* ---- segments, ranges and buffers: their lengths, where they begin, and where they begin if the last
 * one comes first */

typedef struct pieces {
  uint64_t count, *lengths, *begins, *turned; /* one more of `begins`: where the last one ends */
} pieces;

static void pieces_free(pieces *of) {
  free(of->lengths);
  free(of->begins);
  free(of->turned);
}

static bool pieces_make(const tune_data *d, uint64_t items, pieces *of) {
  uint64_t state = items, at = 0;
  of->lengths = tune_lengths(items, d->segment_items, &state, &of->count);
  of->begins = calloc(of->count + 1, sizeof *of->begins);
  of->turned = calloc(of->count + 1, sizeof *of->turned);
  if (of->lengths == NULL || of->begins == NULL || of->turned == NULL)
    return complain("out of memory"), false;
  for (uint64_t i = 0; i < of->count; ++i) {
    of->begins[i] = at;
    at += of->lengths[i];
    of->turned[i] = items - at;
  }
  of->begins[of->count] = at;
  return true;
}

/* Numbers as integers of a type, which have room for them, on the GPU; NULL having complained. */
static unsigned char *upload_numbers(const tune_data *d, const jig_type *type, const uint64_t *numbers,
                                     uint64_t count) {
  unsigned char *host = calloc(count, type->size), *device = NULL;
  const size_t size = type->size < sizeof *numbers ? type->size : sizeof *numbers;
  if (host == NULL) complain("out of memory");
  for (uint64_t i = 0; i < count && host != NULL; ++i) memcpy(host + i * type->size, &numbers[i], size);
  if (host != NULL) device = gpu_alloc(d->g, count * type->size);
  if (device != NULL && !gpu_upload(d->g, device, host, count * type->size)) device = NULL;
  free(host);
  return device;
}

/* Segments adjoin, in one array of where they begin and end; ranges come from elsewhere. */
static int give_places(const tune_data *d, run_plan *p, const pieces *of, uint64_t items,
                       const run_input *source) {
  jig_iter *iter = run_plan_input(p, source);
  const bool is_end = strcmp(source->slot, "end_offsets") == 0;
  if (iter == NULL || iter->kind == JIG_ITER_NONE) return EXIT_OK;
  if (!iter_is_pointed(iter)) return usage_error("%s: jig tune makes its own, of pointers", source->slot);
  if (iter->type.size < sizeof items && items >> (8 * iter->type.size - 1) != 0)
    return usage_error("%s: of %s, which have no room for so many items", source->slot,
                       jig_type_name(&iter->type));
  const jig_iter *begins = run_plan_field(p, "begin_offsets");
  if (is_end && iter->type.kind == begins->type.kind) {
    iter->pointer = (unsigned char *)begins->pointer + begins->type.size;
    return EXIT_OK;
  }
  const bool is_in = strcmp(source->slot, "in_offsets") == 0,
             is_size = strcmp(source->slot, "sizes") == 0;
  const uint64_t *numbers = is_size ? of->lengths : is_in ? of->turned : of->begins + is_end;
  iter->pointer = upload_numbers(d, &iter->type, numbers, of->count + (is_size || is_end ? 0 : 1));
  return iter->pointer != NULL ? EXIT_OK : EXIT_FAILED;
}

static int give_all_places(const tune_data *d, run_plan *p, uint64_t items) {
  const char *count = NULL;
  pieces of = {0};
  int code = EXIT_OK;
  for (const run_input *source = p->row->inputs; source->slot != NULL; ++source)
    if (is_places(source) && run_plan_input(p, source)->kind != JIG_ITER_NONE) count = source->count;
  if (count == NULL) return EXIT_OK;
  if (!pieces_make(d, items, &of)) code = EXIT_FAILED;
  for (const run_input *source = p->row->inputs; source->slot != NULL && code == EXIT_OK; ++source)
    if (is_places(source)) code = give_places(d, p, &of, items, source);
  run_plan_set(p, count, of.count);
  pieces_free(&of);
  return code;
}

/* Bytes, of which the last buffer's come first. */
static int give_buffers(giving *g, uint64_t items) {
  const jig_type byte = JIG_U8, place = JIG_U64;
  jig_memcpy_batched_args *args = g->p->args;
  run_array *out = &g->p->outputs[0];
  jig_iter from = jig_pointer(NULL, byte);
  pieces of = {0};
  int code = give_memory(g, &from, TUNE_ANY, false);
  out->room = items;
  if (code == EXIT_OK) out->device = gpu_alloc(g->d->g, items);
  if (out->device == NULL || !pieces_make(g->d, items, &of)) code = EXIT_FAILED;
  for (uint64_t i = 0; i < of.count && code == EXIT_OK; ++i) {
    of.turned[i] += (uint64_t)(uintptr_t)from.pointer;
    of.begins[i] += (uint64_t)(uintptr_t)out->device;
  }
  if (code == EXIT_OK) {
    args->sources = jig_pointer(upload_numbers(g->d, &place, of.turned, of.count), place);
    args->destinations = jig_pointer(upload_numbers(g->d, &place, of.begins, of.count), place);
    args->sizes = jig_pointer(upload_numbers(g->d, &place, of.lengths, of.count), place);
    args->num_buffers = of.count;
    if (args->sources.pointer == NULL || args->destinations.pointer == NULL ||
        args->sizes.pointer == NULL)
      code = EXIT_FAILED;
  }
  pieces_free(&of);
  return code;
}

/* ---- all of them */

int tune_data_give(tune_data *d, run_plan *p, uint64_t items) {
  giving g = {.d = d, .p = p};
  int code = EXIT_OK;
  if (d->made == 0) d->items = items;
  if (p->row->takes_buffers) return give_buffers(&g, items);
  for (const run_input *source = p->row->inputs; source->slot != NULL && code == EXIT_OK; ++source) {
    jig_iter *iter = is_places(source) ? NULL : run_plan_input(p, source);
    if (iter != NULL && iter->kind != JIG_ITER_NONE)
      code = give_iter(&g, iter, kind_of(p, source->slot), is_in_order(p, source->slot));
  }
  return code == EXIT_OK ? give_all_places(d, p, items) : code;
}

/* ---- how much that is */

static uint64_t leaf_bytes(const jig_iter *iter) {
  uint64_t bytes = has_memory(iter) ? iter->type.size : 0;
  if (bytes > 0) return bytes;
  for (unsigned k = 0; k < iter_base_count(iter); ++k) bytes += leaf_bytes(iter_base_at(iter, k));
  return bytes;
}

/* Of an output that has so many items of so many, an item's share, and no less than a byte of it. */
static uint64_t output_bytes(const tune_data *d, const run_plan *p, const run_array *o) {
  const uint64_t size = o->type.size, fixed = p->numbers->segment_size,
                 of_segment = fixed > 0 ? fixed : d->segment_items;
  switch (o->row->extent) {
    case EXTENT_ONE:
    case EXTENT_TWO:
    case EXTENT_K:
    case EXTENT_BINS:
      return 0;
    case EXTENT_SEGMENTS:
      return size / of_segment + 1;
    case EXTENT_SEGMENTS_K:
      return size * p->numbers->k / of_segment + 1;
    default:
      return (o->row->extent == EXTENT_BOTH ? 2 : 1) * size;
  }
}

uint64_t tune_data_item_bytes(const tune_data *d, run_plan *p) {
  enum { PLACES_BYTES = 4 * sizeof(uint64_t) }; /* of a segment, range or buffer */
  uint64_t bytes = PLACES_BYTES / d->segment_items + p->row->takes_buffers;
  for (const run_input *source = p->row->inputs; source->slot != NULL; ++source) {
    const jig_iter *iter = is_places(source) ? NULL : run_plan_input(p, source);
    if (iter != NULL && iter->kind != JIG_ITER_NONE) bytes += leaf_bytes(iter);
  }
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &p->outputs[i];
    if (o->row != NULL) bytes += output_bytes(d, p, o);
  }
  return bytes;
}
