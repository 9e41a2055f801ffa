#include "chunks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "run_outputs.h"
#include "util/clock.h"

enum { ROOM_STEP = 256 }; /* so that all arrays of a chunk are aligned */

uint64_t chunks_ahead(const run_numbers *n) {
  const bool is_less = n->may_chunk && n->memory != 0 && n->memory < CHUNK_WHOLE_BYTES;
  return is_less ? n->memory : CHUNK_WHOLE_BYTES;
}

static uint64_t times(uint64_t items, uint64_t size) {
  uint64_t bytes;
  return __builtin_mul_overflow(items, size, &bytes) ? UINT64_MAX : bytes;
}

/* In device memory, of outputs that have as many items as the input. */
static uint64_t output_size(const run_plan *p) {
  uint64_t size = 0;
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &p->outputs[i];
    if (o->row != NULL && o->row->extent == EXTENT_ITEMS) size += o->type.size;
  }
  return size;
}

static bool is_sort(const run_plan *p) {
  return run_field(p->algorithm, "keys_out") != NULL;
}

bool chunks_wanted(const run_plan *p) {
  chunk_inputs in;
  if (!p->can_chunk || chunk_inputs_find(&in, (run_plan *)(uintptr_t)p) != EXIT_OK) return false;
  if (in.items == UINT64_MAX) return true;
  const uint64_t read = times(in.items, in.item_bytes), written = times(in.items, output_size(p));
  if (read > CHUNK_WHOLE_BYTES || written > CHUNK_WHOLE_BYTES) return true;
  const uint64_t copies = is_sort(p) ? 2 : 1; /* sorts have as much temp storage */
  return p->numbers->memory != 0 && copies * (read + written) > p->numbers->memory;
}

/* Of a small machine not all memory. */
static uint64_t ahead_room(void) {
  enum { PARTS = 8 };
  const uint64_t part = (uint64_t)sysconf(_SC_PHYS_PAGES) / PARTS * (uint64_t)sysconf(_SC_PAGESIZE);
  return part < CHUNK_AHEAD_BYTES ? part : CHUNK_AHEAD_BYTES;
}

/* Where results are written as well, or sorted runs are, there is something to read beside all along. */
void chunks_read_ahead(run_plan *p, chunk_times *times) {
  chunk_inputs in;
  const double now = clock_ms();
  if (chunk_inputs_find(&in, p) == EXIT_OK &&
      chunk_inputs_read_ahead(&in, ahead_room(), output_size(p) > 0))
    times->start_ms = now;
}

/* ---- shared */

int chunk_prepare(chunk_run *c, chunk_call call, const void *args) {
  size_t bytes = 0;
  const jig_status status = call(c->engine, NULL, &bytes, args, c->g->stream);
  if (status != JIG_SUCCESS) return jig_failure(status);
  if (c->temp != NULL && bytes <= c->temp_bytes) return EXIT_OK;
  c->temp = gpu_alloc(c->g, bytes); /* kernels may still use the old one, which goes in the end */
  c->temp_bytes = bytes > 0 ? bytes : 1;
  return c->temp != NULL ? EXIT_OK : EXIT_FAILED;
}

int chunk_enqueue(chunk_run *c, chunk_call call, const void *args, CUstream stream) {
  const int code = chunk_prepare(c, call, args);
  if (code != EXIT_OK) return code;
  size_t bytes = c->temp_bytes;
  const jig_status status = call(c->engine, c->temp, &bytes, args, stream);
  return status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
}

uint64_t chunk_room(const chunk_run *c, uint64_t item_bytes, uint64_t copies) {
  const uint64_t memory = c->p->numbers->memory, size = item_bytes > 0 ? item_bytes : 1;
  uint64_t bytes = CHUNK_BYTES;
  if (memory != 0 && memory / copies < bytes) bytes = memory / copies;
  const uint64_t room = bytes / size / ROOM_STEP * ROOM_STEP;
  return room > 0 ? room : ROOM_STEP;
}

void chunk_begin(chunk_run *c, uint64_t passes) {
  const uint64_t bytes = times(c->in.items, c->in.item_bytes);
  bool is_printed = false;
  for (int i = 0; i < c->sink.count; ++i) is_printed |= c->sink.columns[i].fd < 0;
  c->times->ready_ms = clock_ms();
  if (c->times->start_ms == 0) c->times->start_ms = c->times->ready_ms;
  progress_begin(&c->bar, c->p->row->name, c->in.items == UINT64_MAX ? UINT64_MAX : times(bytes, passes));
  c->bar.start_ms = c->times->start_ms;
  if (is_printed && isatty(STDOUT_FILENO)) c->bar.what = NULL; /* lines and a bar would get mixed up */
}

/* ---- all of it */

/* What goes into JSON is held in memory. */
static int check_json(const run_plan *p) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &p->outputs[i];
    if (p->numbers->is_json && o->row != NULL && o->row->extent == EXTENT_ITEMS && o->file == NULL)
      return usage_error("--json: what is made in chunks is stored: --out %s=FILE", o->row->slot);
  }
  return EXIT_OK;
}

static int run(chunk_run *c, run_times *all) {
  leaf_list *leaves = &c->p->request->files->leaves;
  int code = leaves_upload(leaves, c->g, true, &all->inputs);
  if (code != EXIT_OK) return code;
  return is_sort(c->p) ? chunk_sort_run(c) : chunk_stream_run(c);
}

int chunks_run(run_plan *p, gpu *g, jig_engine *engine, run_times *times) {
  chunk_run c = {.p = p, .g = g, .engine = engine, .times = &times->chunks};
  int code = check_json(p);
  if (code == EXIT_OK && !gpu_has_chunks(g)) code = EXIT_NO_DEVICE;
  if (code == EXIT_OK) code = chunk_inputs_find(&c.in, p);
  if (code == EXIT_OK) code = run(&c, times);
  progress_end(&c.bar);
  if (code == EXIT_OK) code = chunk_sink_close(&c.sink);
  times->chunks.all_ms = clock_ms() - times->chunks.start_ms;
  chunk_sink_free(&c.sink);
  if (p->is_open_ended) p->main_items = c.in.done;
  times->inputs.file_ms += chunk_inputs_ms(&c.in);
  times->inputs.bytes += c.in.done * c.in.item_bytes;
  times->inputs.transfer_ms += c.transfer_ms;
  times->output_ms = c.sink.ms;
  return code;
}
