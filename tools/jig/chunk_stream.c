/* Chunks through the GPU, three of them under way: while one is read, another one is copied or computed,
 * and the third one is written. */
#include <string.h>

#include "chunk_methods.h"
#include "report.h"
#include "util/clock.h"

/* ---- slots */

static bool make_slot(const chunk_run *c, const chunk_state *s, chunk_slot *slot) {
  gpu *g = c->g;
  const uint64_t in = s->room * c->in.item_bytes,
                 out = s->output != NULL ? s->room * s->output->type.size : 0;
  return gpu_add_stream(g, &slot->stream) && gpu_add_event(g, &slot->begun) &&
         gpu_add_event(g, &slot->copied) && gpu_add_event(g, &slot->computed) &&
         (slot->host_in = gpu_alloc_host(g, in)) != NULL &&
         (slot->device_in = gpu_alloc(g, in)) != NULL &&
         (out == 0 || (slot->host_out = gpu_alloc_host(g, out)) != NULL) &&
         (out == 0 || (slot->device_out = gpu_alloc(g, out)) != NULL) &&
         (slot->host_small = gpu_alloc_host(g, s->small_bytes)) != NULL &&
         (slot->device_small = gpu_alloc(g, s->small_bytes)) != NULL;
}

/* ---- the steps of a chunk */

static bool copy_in(const chunk_run *c, const chunk_state *s, const chunk_slot *slot) {
  bool ok = gpu_record(c->g, slot->begun, slot->stream);
  for (int i = 0; i < c->in.file_count && ok; ++i) {
    const uint64_t offset = chunk_inputs_offset(&c->in, i, s->room);
    ok = gpu_copy_in(c->g, slot->device_in + offset, slot->host_in + offset,
                     slot->items * c->in.files[i]->iter->type.size, slot->stream);
  }
  return ok && gpu_record(c->g, slot->copied, slot->stream);
}

/* Its kernels come after those of the chunk before it, whose temp storage and carry they use. */
static int submit(chunk_run *c, chunk_state *s, chunk_slot *slot, const chunk_slot *before) {
  if (!copy_in(c, s, slot)) return EXIT_FAILED;
  if (before != NULL && !gpu_order(c->g, slot->stream, before->computed)) return EXIT_FAILED;
  chunk_inputs_point(&c->in, slot->device_in, s->room);
  const int code = s->method->enqueue(c, s, slot);
  if (code != EXIT_OK) return code;
  chunk_inputs_pass(&c->in, slot->items);
  slot->is_collected = false;
  const bool ok =
      gpu_copy_out(c->g, slot->host_small, slot->device_small, s->small_bytes, slot->stream) &&
      gpu_record(c->g, slot->computed, slot->stream);
  return ok ? EXIT_OK : EXIT_FAILED;
}

/* Once it is computed: how much came out is known, and on its way. */
static int collect(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  if (slot->items == 0 || slot->is_collected) return EXIT_OK;
  if (!gpu_wait(c->g, slot->computed)) return EXIT_FAILED;
  if (!gpu_elapsed(c->g, slot->begun, slot->copied, &c->transfer_ms) ||
      !gpu_elapsed(c->g, slot->copied, slot->computed, &c->times->kernel_ms))
    return EXIT_FAILED;
  const int code = s->method->take(c, s, slot);
  slot->is_collected = true;
  if (code != EXIT_OK || slot->out_items == 0) return code;
  return gpu_copy_out(c->g, slot->host_out, slot->device_out, slot->out_items * s->output->type.size,
                      slot->stream) &&
                 gpu_record(c->g, slot->copied, slot->stream)
             ? EXIT_OK
             : EXIT_FAILED;
}

/* Writes what came out; the slot is free then. */
static int retire(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  int code = collect(c, s, slot);
  if (code == EXIT_OK && slot->items > 0 && slot->out_items > 0) {
    unsigned char *const columns[SINK_COLUMNS] = {slot->host_out};
    if (!gpu_wait(c->g, slot->copied)) return EXIT_FAILED;
    code = chunk_sink_put(&c->sink, columns, slot->out_items);
  }
  slot->items = 0;
  return code;
}

/* ---- all chunks */

static int run_chunks(chunk_run *c, chunk_state *s, chunk_slot slots[CHUNK_SLOTS]) {
  int code = EXIT_OK;
  chunk_slot *before = NULL;
  uint64_t i = 0;
  for (; code == EXIT_OK; ++i) {
    chunk_slot *slot = &slots[i % CHUNK_SLOTS];
    code = retire(c, s, slot);
    if (code == EXIT_OK) code = chunk_inputs_read(&c->in, slot->host_in, s->room, s->room, &slot->items);
    if (code != EXIT_OK || slot->items == 0) break;
    code = submit(c, s, slot, before);
    if (code == EXIT_OK && before != NULL) code = collect(c, s, before);
    before = slot;
    ++c->times->chunks;
    progress_at(&c->bar, c->in.done * c->in.item_bytes);
  }
  for (uint64_t k = 0; k < CHUNK_SLOTS && code == EXIT_OK; ++k)
    code = retire(c, s, &slots[(i + k) % CHUNK_SLOTS]);
  return code;
}

int chunk_stream_run(chunk_run *c) {
  chunk_slot slots[CHUNK_SLOTS] = {{.items = 0}};
  chunk_state s = {.method = chunk_method_named(c->p->row->name)};
  if (s.method->output != NULL)
    s.output = (run_array *)(uintptr_t)run_plan_output(c->p, s.method->output);
  const uint64_t out = s.output != NULL ? s.output->type.size : 0;
  s.room = chunk_room(c, c->in.item_bytes + out, CHUNK_SLOTS + 1); /* one more for temp storage */
  int code = s.method->prepare(c, &s);
  for (int i = 0; i < CHUNK_SLOTS && code == EXIT_OK; ++i)
    if (!make_slot(c, &s, &slots[i])) code = EXIT_FAILED;
  run_array *const outputs[SINK_COLUMNS] = {s.output};
  if (code == EXIT_OK) code = chunk_sink_open(&c->sink, c->p, outputs, c->in.items);
  c->times->items = s.room;
  chunk_begin(c, 1);
  if (code == EXIT_OK) code = run_chunks(c, &s, slots);
  return code == EXIT_OK ? s.method->finish(c, &s) : code;
}
