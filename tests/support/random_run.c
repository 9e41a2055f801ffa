#include "random_run.h"

#include <string.h>

#include "gpu.h"
#include "prepared_support.h"
#include "spec/iterator.h"

static void fail(const random_run *run, const char *what) {
  random_fail("%s: %s: %s: %s", run->algorithm, what, jig_status_name(run->status), jig_last_error());
}

/* ---- prepared calls */

static bool has_field(const struct_layout *args, const char *name) {
  for (size_t i = 0; i < args->field_count; ++i)
    if (strcmp(args->fields[i].name, name) == 0) return true;
  return false;
}

/* Counts that can be others while all else stays. */
static bool is_count(const struct_field *field) {
  return field->content == CONTENT_COUNT &&
         (strncmp(field->name, "num_", 4) == 0 || strstr(field->name, "_num_") != NULL ||
          strcmp(field->name, "k") == 0) &&
         strcmp(field->name, "num_rows") != 0;
}

static bool has_pointer(const struct_field *field, const jig_iter *iter) {
  return field->kind == FIELD_ITER && iter->kind != JIG_ITER_NONE &&
         (iter_is_pointed(iter) || iter->kind == JIG_ITER_STRIDED);
}

/* Counts are smaller; or larger where nth has to be less. Pointers are NULL, or have another alignment.
 */
static void disguise(const struct_layout *args, const struct_field *field, bool is_null, void *member) {
  jig_iter *iter = member;
  uint64_t *count = member;
  if (has_pointer(field, iter)) iter->pointer = is_null ? NULL : (char *)iter->pointer + iter->type.align;
  if (is_count(field))
    *count = has_field(args, "nth") ? *count + data_below(3000) : data_below(*count + 1);
}

static size_t size_of(random_run *run) {
  size_t bytes = 0;
  run->status = jig_prepared_launch(run->prepared, NULL, &bytes, NULL);
  if (run->status != JIG_SUCCESS) fail(run, "size query of a prepared call");
  return bytes;
}

/* Without pointers a call tells enough temp storage for any; and no less for more items. */
static void set_counts(random_run *run, const struct_layout *layout, const void *args) {
  const size_t before = size_of(run);
  for (size_t i = 0; i < layout->field_count; ++i) {
    const struct_field *field = &layout->fields[i];
    const void *at = (const char *)args + field->offset;
    if (is_count(field)) (void)jig_prepared_set_count(run->prepared, field->name, *(const uint64_t *)at);
  }
  run->most_bytes = size_of(run);
  if (before > run->most_bytes && !has_field(layout, "nth"))
    random_fail("%s: %zu bytes of temp storage of fewer items, %zu of more", run->algorithm, before,
                run->most_bytes);
}

void run_begin(random_run *run, const void *args, size_t args_size) {
  const struct_layout *layout = prepared_layout(run->algorithm);
  char other[4096];
  run->most_bytes = SIZE_MAX;
  if (!data_one_in(4)) return;
  const bool is_null = data_one_in(2);
  memcpy(other, args, args_size);
  for (size_t i = 0; i < layout->field_count; ++i)
    disguise(layout, &layout->fields[i], is_null, other + layout->fields[i].offset);
  run->status = jig_prepare(NULL, run->algorithm + strlen("jig_"), other, args_size, &run->prepared);
  if (run->status != JIG_SUCCESS) {
    fail(run, "jig_prepare()");
    return;
  }
  if (is_null) set_counts(run, layout, args);
  move_prepared(run->prepared, run->algorithm, args, data_one_in(2));
}

/* ---- phases */

/* With storage of the right size, at any address. */
static void begin_launch(random_run *run) {
  static const CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
  run->step = STEP_LAUNCH;
  run->storage = place_alloc(run->bytes, 1);
  run->stream = streams[data_below(COUNT_OF(streams))];
  if (!run->in_graph) return;
  GPU(gpu()->cuStreamCreate(&run->stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(run->stream);
}

static void end_graph(random_run *run) {
  CUgraphExec graph = gpu_end_capture(run->stream);
  if (run->status == JIG_SUCCESS) gpu_replay(graph, run->stream);
  GPU(gpu()->cuGraphExecDestroy(graph));
  GPU(gpu()->cuStreamDestroy(run->stream));
}

static void after_query(random_run *run) {
  if (run->bytes == 0) fail(run, "a temp storage of 0 bytes");
  if (run->bytes > run->most_bytes) fail(run, "more temp storage than without pointers");
  if (!run->in_graph && data_one_in(6)) {
    run->step = STEP_LAUNCH;
    run->bytes_argument = NULL;
  } else if (data_one_in(4)) {
    run->step = STEP_TOO_SMALL;
    run->storage = place_alloc(run->bytes--, 1);
  } else {
    begin_launch(run);
  }
}

bool run_more(random_run *run) {
  switch (run->step) {
    case STEP_BEGIN:
      run->step = STEP_QUERY;
      run->bytes_argument = &run->bytes;
      return true;
    case STEP_QUERY:
      if (run->status != JIG_SUCCESS) return false;
      after_query(run);
      return true;
    case STEP_TOO_SMALL:
      if (run->status != JIG_ERROR_TEMP_STORAGE_TOO_SMALL) fail(run, "too small a temp storage");
      ++run->bytes;
      begin_launch(run);
      return true;
    default:
      if (run->in_graph) end_graph(run);
      run->step = STEP_OVER;
      return false;
  }
}

bool run_ended(random_run *run) {
  jig_prepared_free(run->prepared);
  if (run->status != JIG_SUCCESS) {
    fail(run, run->step == STEP_QUERY ? "size query" : "call");
    return false;
  }
  const CUresult result = gpu()->cuCtxSynchronize();
  if (result == CUDA_SUCCESS) return true;
  random_fail("%s: the driver says %d", run->algorithm, (int)result);
  return false;
}
