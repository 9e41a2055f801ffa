#include "chunk_sort.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util/clock.h"

/* ---- memory. Of what is free not all, as others may want some. */

enum { FREE_PARTS = 5, FREE_USED = 4 };

static int find_memory(chunk_sort *s) {
  size_t available;
  s->memory = s->c->p->numbers->memory;
  if (s->memory != 0) return EXIT_OK;
  if (!gpu_free_memory(s->c->g, &available)) return EXIT_FAILED;
  s->memory = available / FREE_PARTS * FREE_USED;
  return EXIT_OK;
}

/* Runs are made and merged in the same memory, which is as much as a run takes. */
static int reserve(chunk_sort *s, uint64_t bytes) {
  s->arena = gpu_alloc(s->c->g, bytes);
  s->memory = bytes;
  return s->arena != NULL ? EXIT_OK : EXIT_FAILED;
}

void chunk_sort_place_temp(chunk_sort *s, uint64_t offset) {
  s->c->temp = s->arena + offset;
  s->c->temp_bytes = s->memory - offset;
}

int chunk_sort_fit(chunk_sort *s, sort_needs needs, uint64_t most, uint64_t *items) {
  uint64_t low = 0, high = most / SORT_LEAST_ITEMS +
                           1; /* in steps: `low` fits, `high` does not or is not wanted */
  uint64_t bytes;
  int code = needs(s, high * SORT_LEAST_ITEMS, &bytes);
  if (code == EXIT_OK && bytes <= s->memory) low = high;
  while (code == EXIT_OK && low + 1 < high) {
    const uint64_t middle = low + (high - low) / 2;
    code = needs(s, middle * SORT_LEAST_ITEMS, &bytes);
    if (bytes <= s->memory)
      low = middle;
    else
      high = middle;
  }
  *items = low * SORT_LEAST_ITEMS;
  if (code != EXIT_OK || low > 0) return code;
  char size[BYTES_TEXT_SIZE];
  (void)needs(s, SORT_LEAST_ITEMS, &bytes);
  complain("--memory: %s are needed at least", bytes_text((double)bytes, size));
  return EXIT_FAILED;
}

void chunk_sort_point(const chunk_sort *s, const char *name, jig_iter iter) {
  *(jig_iter *)run_plan_field(s->c->p, name) = iter;
}

/* ---- pieces */

static int make_pieces(chunk_sort *s) {
  gpu *g = s->c->g;
  const uint64_t in = s->c->in.item_bytes, out = s->sizes[0] + s->sizes[1];
  const uint64_t item = in > out ? in : out;
  s->piece_room = chunk_room(s->c, item, 8); /* of small memory a small part: several make a run */
  for (int i = 0; i < 2; ++i) {
    sort_piece *piece = &s->pieces[i];
    piece->host = gpu_alloc_host(g, s->piece_room * (item + sizeof(uint16_t)));
    if (piece->host == NULL || !gpu_add_stream(g, &piece->stream) || !gpu_add_event(g, &piece->done))
      return EXIT_FAILED;
  }
  return EXIT_OK;
}

static bool fetch(chunk_sort *s, sort_piece *piece, unsigned char *const device[], uint64_t from) {
  unsigned char *to = piece->host;
  bool ok = true;
  for (int i = 0; i < SORT_ARRAYS && ok; ++i) {
    ok = gpu_copy_out(s->c->g, to, device[i] + from * s->sizes[i], piece->items * s->sizes[i],
                      piece->stream);
    to += s->piece_room * s->sizes[i];
  }
  return ok && gpu_record(s->c->g, piece->done, piece->stream);
}

static int store_piece(chunk_sort *s, const sort_piece *piece, sort_store store) {
  unsigned char *const columns[SORT_ARRAYS] = {piece->host, piece->host + s->piece_room * s->sizes[0]};
  return gpu_wait(s->c->g, piece->done) ? store(s, columns, piece->items) : EXIT_FAILED;
}

int chunk_sort_store(chunk_sort *s, unsigned char *const device[SORT_ARRAYS], uint64_t items,
                     sort_store store) {
  sort_piece *before = NULL;
  uint64_t from = 0;
  int code = EXIT_OK;
  for (int i = 0; code == EXIT_OK && from < items; ++i) {
    sort_piece *piece = &s->pieces[i % 2];
    piece->items = items - from < s->piece_room ? items - from : s->piece_room;
    if (!fetch(s, piece, device, from)) return EXIT_FAILED;
    from += piece->items;
    if (before != NULL) code = store_piece(s, before, store);
    before = piece;
  }
  return code == EXIT_OK && before != NULL ? store_piece(s, before, store) : code;
}

int chunk_sort_to_outputs(chunk_sort *s, unsigned char *const columns[SORT_ARRAYS], uint64_t items) {
  chunk_run *c = s->c;
  const int code = chunk_sink_put(&c->sink, columns, items);
  progress_at(&c->bar, (c->in.done + c->sink.items) * c->in.item_bytes);
  return code;
}

static int to_files(chunk_sort *s, unsigned char *const columns[SORT_ARRAYS], uint64_t items) {
  const double start = clock_ms();
  int code = EXIT_OK;
  for (int i = 0; i < SORT_ARRAYS && code == EXIT_OK; ++i)
    if (s->sizes[i] > 0) code = temp_file_add(&s->files[i], columns[i], items * s->sizes[i]);
  s->c->sink.ms += clock_ms() - start;
  return code;
}

/* ---- runs. In the arena the inputs come first, then keys and values that are sorted. */

static unsigned char *sorted_array(const chunk_sort *s, uint64_t room, int array) {
  return s->arena + room * (s->c->in.item_bytes + (array > 0 ? s->sizes[0] : 0));
}

static void point_outputs(chunk_sort *s, uint64_t room) {
  chunk_sort_point(s, "keys_out", jig_pointer(sorted_array(s, room, 0), s->outputs[0]->type));
  if (s->outputs[1] != NULL)
    chunk_sort_point(s, "values_out", jig_pointer(sorted_array(s, room, 1), s->outputs[1]->type));
}

int chunk_sort_temp(chunk_sort *s, uint64_t items, size_t *bytes) {
  chunk_run *c = s->c;
  *bytes = 0;
  run_plan_set(c->p, "num_items", items);
  const jig_status status = c->p->row->call(c->engine, NULL, bytes, c->p->args, c->g->stream);
  return status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
}

static int run_needs(chunk_sort *s, uint64_t items, uint64_t *bytes) {
  size_t temp;
  const int code = chunk_sort_temp(s, items, &temp);
  *bytes = items * (s->c->in.item_bytes + s->sizes[0] + s->sizes[1]) + temp;
  return code;
}

/* Reads a piece and has it copied behind the items that are there. 0 items: the input is over. */
static int load_piece(chunk_sort *s, sort_piece *piece, uint64_t at, uint64_t room) {
  chunk_run *c = s->c;
  if (piece->items > 0 && !gpu_wait(c->g, piece->done)) return EXIT_FAILED;
  const uint64_t wanted = room - at < s->piece_room ? room - at : s->piece_room;
  const int code = chunk_inputs_read(&c->in, piece->host, s->piece_room, wanted, &piece->items);
  progress_at(&c->bar, c->in.done * c->in.item_bytes);
  if (code != EXIT_OK || piece->items == 0) return code;
  for (int i = 0; i < c->in.file_count; ++i) {
    const size_t size = c->in.files[i]->iter->type.size;
    const unsigned char *from = piece->host + chunk_inputs_offset(&c->in, i, s->piece_room);
    unsigned char *to = s->arena + chunk_inputs_offset(&c->in, i, room) + at * size;
    if (!gpu_copy_in(c->g, to, from, piece->items * size, piece->stream)) return EXIT_FAILED;
  }
  return gpu_record(c->g, piece->done, piece->stream) ? EXIT_OK : EXIT_FAILED;
}

static int load_run(chunk_sort *s, uint64_t room, uint64_t *items) {
  int code = EXIT_OK;
  *items = 0;
  for (int i = 0; code == EXIT_OK && *items < room && !s->c->in.is_over; ++i) {
    code = load_piece(s, &s->pieces[i % 2], *items, room);
    *items += s->pieces[i % 2].items;
  }
  for (int i = 0; i < 2 && code == EXIT_OK; ++i) {
    if (s->pieces[i].items > 0 && !gpu_wait(s->c->g, s->pieces[i].done)) code = EXIT_FAILED;
    s->pieces[i].items = 0;
  }
  return code;
}

int chunk_sort_enqueue(chunk_sort *s, uint64_t items) {
  chunk_run *c = s->c;
  double ms = 0;
  run_plan_set(c->p, "num_items", items);
  if (!gpu_clock_start(c->g)) return EXIT_FAILED;
  const int code = chunk_enqueue(c, c->p->row->call, c->p->args, c->g->stream);
  if (code != EXIT_OK) return code;
  const bool ok = gpu_clock_stop(c->g, &ms);
  c->times->kernel_ms += ms;
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int sort_items(chunk_sort *s, uint64_t room, uint64_t items) {
  chunk_inputs_point(&s->c->in, s->arena, room);
  const int code = chunk_sort_enqueue(s, items);
  chunk_inputs_pass(&s->c->in, items);
  return code;
}

static int open_outputs(chunk_sort *s) {
  return chunk_sink_open(&s->c->sink, s->c->p, s->outputs, s->c->in.done);
}

/* The only run needs no files. */
static int store_run(chunk_sort *s, uint64_t room, uint64_t items) {
  unsigned char *const device[SORT_ARRAYS] = {sorted_array(s, room, 0), sorted_array(s, room, 1)};
  int code = EXIT_OK;
  if (s->run_count == 0 && s->c->in.is_over) {
    code = open_outputs(s);
    return code == EXIT_OK ? chunk_sort_store(s, device, items, chunk_sort_to_outputs) : code;
  }
  for (int i = 0; i < SORT_ARRAYS && code == EXIT_OK; ++i)
    if (s->sizes[i] > 0 && s->files[i].fd < 0) code = temp_file_open(&s->files[i]);
  if (code != EXIT_OK) return code;
  sort_run *more = realloc(s->runs, (s->run_count + 1) * sizeof *more);
  if (more == NULL) return complain("out of memory"), EXIT_FAILED;
  s->runs = more;
  const uint64_t begin = s->run_count > 0 ? more[s->run_count - 1].end : 0;
  more[s->run_count++] = (sort_run){.begin = begin, .end = begin + items};
  if (s->run_count > SORT_MAX_RUNS) {
    complain("--memory: more than %d runs would have to be merged", (int)SORT_MAX_RUNS);
    return EXIT_FAILED;
  }
  return chunk_sort_store(s, device, items, to_files);
}

static int make_runs(chunk_sort *s) {
  chunk_run *c = s->c;
  const uint64_t item = c->in.item_bytes + s->sizes[0] + s->sizes[1], most = s->memory / item + 1;
  uint64_t room, bytes, items;
  int code = chunk_sort_fit(s, run_needs, c->in.items < most ? c->in.items : most, &room);
  if (code == EXIT_OK) code = run_needs(s, room, &bytes);
  if (code == EXIT_OK) code = reserve(s, bytes);
  if (code == EXIT_OK && c->in.items > room)
    code = chunk_merge_prepare(s); /* otherwise there may be one run */
  if (code != EXIT_OK) return code;
  chunk_sort_place_temp(s, room * item);
  c->times->items = room;
  point_outputs(s, room);
  chunk_begin(c, 2);
  while (code == EXIT_OK && !c->in.is_over) {
    code = load_run(s, room, &items);
    if (code != EXIT_OK || items == 0) break;
    code = sort_items(s, room, items);
    if (code == EXIT_OK) code = store_run(s, room, items);
    ++c->times->chunks;
  }
  return code;
}

/* ---- all of it */

/* Runs hold keys and values as they are compared and stored. */
static int check_outputs(const chunk_sort *s, const char *const names[]) {
  for (int i = 0; i < SORT_ARRAYS; ++i) {
    const run_array *o = s->outputs[i];
    const bool is_plain = o != NULL && o->pointer == run_plan_field(s->c->p, names[i]);
    if (!is_plain && (o != NULL || i == 0))
      return usage_error("%s: what is sorted in chunks is stored by a pointer", names[i]);
  }
  return EXIT_OK;
}

static int sort(chunk_sort *s) {
  int code = find_memory(s);
  if (code == EXIT_OK) code = make_pieces(s);
  if (code == EXIT_OK) code = make_runs(s);
  if (code != EXIT_OK || s->run_count == 0) return code;
  s->c->times->runs = s->run_count;
  s->c->times->spilled = s->files[0].size + s->files[1].size;
  code = open_outputs(s);
  return code == EXIT_OK ? chunk_merge_runs(s) : code;
}

int chunk_sort_run(chunk_run *c) {
  static const char *const names[SORT_ARRAYS] = {"keys_out", "values_out"};
  chunk_sort s = {.c = c, .files = {{.fd = -1}, {.fd = -1}}};
  for (int i = 0; i < SORT_ARRAYS; ++i) {
    s.outputs[i] = (run_array *)(uintptr_t)run_plan_output(c->p, names[i]);
    s.sizes[i] = s.outputs[i] != NULL ? s.outputs[i]->type.size : 0;
  }
  int code = check_outputs(&s, names);
  if (code == EXIT_OK) code = sort(&s);
  const double start = clock_ms();
  for (int i = 0; i < SORT_ARRAYS; ++i) temp_file_close(&s.files[i]);
  c->sink.ms += clock_ms() - start;
  free(s.runs);
  return code;
}
