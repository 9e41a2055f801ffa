/* Merging runs: chunk_sort.h says how. */
#include <stdlib.h>
#include <string.h>

#include "chunk_sort.h"
#include "report.h"
#include "util/clock.h"

typedef uint16_t run_number;

/* ---- the window: keys, numbers of runs and values, each twice, in and out */

typedef struct window {
  uint64_t room;
  unsigned char *in[SORT_ARRAYS], *out[SORT_ARRAYS];
  unsigned char *numbers_in, *numbers_out;
} window;

static uint64_t lay_out(const chunk_sort *s, uint64_t room, window *w) {
  unsigned char *at = s->arena;
  *w = (window){.room = room};
  for (int i = 0; i < SORT_ARRAYS; ++i) {
    w->in[i] = at;
    w->out[i] = at + room * s->sizes[i];
    at += 2 * room * s->sizes[i];
  }
  w->numbers_in = at;
  w->numbers_out = at + room * sizeof(run_number);
  return 2 * room * (s->sizes[0] + s->sizes[1] + sizeof(run_number));
}

static void point_to_numbers(const chunk_sort *s, const window *w) {
  chunk_sort_point(s, "keys_in", jig_pointer(w->in[0], s->outputs[0]->type));
  chunk_sort_point(s, "keys_out", jig_pointer(w->out[0], s->outputs[0]->type));
  chunk_sort_point(s, "values_in", jig_pointer(w->numbers_in, JIG_U16));
  chunk_sort_point(s, "values_out", jig_pointer(w->numbers_out, JIG_U16));
}

static void point_to_values(const chunk_sort *s, const window *w) {
  chunk_sort_point(s, "values_in", jig_pointer(w->in[1], s->outputs[1]->type));
  chunk_sort_point(s, "values_out", jig_pointer(w->out[1], s->outputs[1]->type));
}

/* At least the temp storage of a sort that is pointed to. */
static int add_temp(chunk_sort *s, uint64_t items, uint64_t *bytes) {
  size_t temp;
  const int code = chunk_sort_temp(s, items, &temp);
  if (temp > *bytes) *bytes = temp;
  return code;
}

static int window_needs(chunk_sort *s, uint64_t items, uint64_t *bytes) {
  window w;
  uint64_t temp = 0;
  const uint64_t arrays = lay_out(s, items, &w);
  point_to_numbers(s, &w);
  int code = add_temp(s, items, &temp);
  if (code == EXIT_OK && s->outputs[1] != NULL) {
    point_to_values(s, &w);
    code = add_temp(s, items, &temp);
  }
  *bytes = arrays + temp;
  return code;
}

/* ---- loading it */

/* A run's part: what it gave the last time says how much it will. */
static void share_out(chunk_sort *s, uint64_t room) {
  const uint64_t least = room / s->run_count / 4 + 1, rest = room - least * s->run_count;
  uint64_t all = 0;
  for (uint64_t i = 0; i < s->run_count; ++i) all += s->runs[i].taken;
  for (uint64_t i = 0; i < s->run_count; ++i) {
    sort_run *r = &s->runs[i];
    const double part = all > 0 ? (double)r->taken / (double)all : 1.0 / (double)s->run_count;
    const uint64_t share = least + (uint64_t)((double)rest * part), left = r->end - r->begin;
    r->loaded = share < left ? share : left;
  }
}

/* A piece of a run: from the files to the GPU. */
static int load_piece(chunk_sort *s, const window *w, sort_piece *piece, uint64_t from, uint64_t at) {
  unsigned char *to = piece->host;
  for (int i = 0; i < SORT_ARRAYS; ++i) {
    const size_t size = s->sizes[i];
    if (size == 0) continue;
    const int code = temp_file_read(&s->files[i], to, piece->items * size, from * size);
    if (code != EXIT_OK) return code;
    if (!gpu_copy_in(s->c->g, w->in[i] + at * size, to, piece->items * size, piece->stream))
      return EXIT_FAILED;
    to += s->piece_room * size;
  }
  return gpu_record(s->c->g, piece->done, piece->stream) ? EXIT_OK : EXIT_FAILED;
}

static int load_run(chunk_sort *s, const window *w, const sort_run *r, uint64_t at, int *turn) {
  int code = EXIT_OK;
  for (uint64_t done = 0; done < r->loaded && code == EXIT_OK;) {
    sort_piece *piece = &s->pieces[(*turn)++ % 2];
    if (piece->items > 0 && !gpu_wait(s->c->g, piece->done)) return EXIT_FAILED;
    piece->items = r->loaded - done < s->piece_room ? r->loaded - done : s->piece_room;
    code = load_piece(s, w, piece, r->begin + done, at + done);
    done += piece->items;
  }
  return code;
}

static bool number_run(const chunk_sort *s, const window *w, uint64_t run, uint64_t at) {
  const gpu *g = s->c->g;
  const uint64_t loaded = s->runs[run].loaded;
  const CUdeviceptr to = (CUdeviceptr)(uintptr_t)(w->numbers_in + at * sizeof(run_number));
  return loaded == 0 ||
         gpu_ok(g->cuda->cuMemsetD16Async(to, (run_number)run, loaded, g->stream), "cuMemsetD16Async");
}

static int load(chunk_sort *s, const window *w, uint64_t *items) {
  const double start = clock_ms();
  int turn = 0, code = EXIT_OK;
  *items = 0;
  for (uint64_t i = 0; i < s->run_count && code == EXIT_OK; ++i) {
    if (!number_run(s, w, i, *items)) return EXIT_FAILED;
    code = load_run(s, w, &s->runs[i], *items, &turn);
    *items += s->runs[i].loaded;
  }
  for (int i = 0; i < 2 && code == EXIT_OK; ++i) {
    if (s->pieces[i].items > 0 && !gpu_wait(s->c->g, s->pieces[i].done)) code = EXIT_FAILED;
    s->pieces[i].items = 0;
  }
  s->c->in.ms += clock_ms() - start;
  return code;
}

/* ---- where it is to be cut */

/* What is left of the runs, from the end on backwards, is counted up to the first item that is the last
 * one of each run that goes on. */
typedef struct cut {
  bool *waits;    /* of each run: it goes on, and its last item here is still to come */
  uint64_t count; /* of these */
  uint64_t end;   /* items before it are final */
} cut;

static void begin_cut(const chunk_sort *s, uint64_t items, cut *k) {
  k->end = items;
  k->count = 0;
  for (uint64_t i = 0; i < s->run_count; ++i) {
    sort_run *r = &s->runs[i];
    r->taken = r->loaded;
    k->waits[i] = r->begin + r->loaded < r->end;
    k->count += k->waits[i];
  }
}

static void walk_back(chunk_sort *s, cut *k, const run_number *numbers, uint64_t count) {
  while (count > 0 && k->count > 0) {
    const run_number run = numbers[--count];
    if (k->waits[run]) {
      k->waits[run] = false;
      if (--k->count == 0) return;
    }
    --s->runs[run].taken;
    --k->end;
  }
}

static int find_cut(chunk_sort *s, const window *w, uint64_t items, cut *k) {
  uint64_t at = items, step = 4096; /* most often it is near the end */
  const run_number *numbers = (const run_number *)(const void *)s->pieces[0].host;
  begin_cut(s, items, k);
  while (k->count > 0) {
    const uint64_t most = step < s->piece_room ? step : s->piece_room, count = at < most ? at : most;
    at -= count;
    if (!gpu_download(s->c->g, s->pieces[0].host, w->numbers_out + at * sizeof(run_number),
                      count * sizeof(run_number)))
      return EXIT_FAILED;
    walk_back(s, k, numbers, count);
    step *= 4;
  }
  return EXIT_OK;
}

/* ---- all of it */

static int sort_window(chunk_sort *s, const window *w, uint64_t items) {
  point_to_numbers(s, w);
  int code = chunk_sort_enqueue(s, items);
  if (code != EXIT_OK || s->outputs[1] == NULL) return code;
  point_to_values(s, w);
  return chunk_sort_enqueue(s, items);
}

static int merge_round(chunk_sort *s, const window *w, cut *k) {
  uint64_t items;
  share_out(s, w->room);
  int code = load(s, w, &items);
  if (code == EXIT_OK) code = sort_window(s, w, items);
  if (code == EXIT_OK) code = find_cut(s, w, items, k);
  if (code == EXIT_OK) code = chunk_sort_store(s, w->out, k->end, chunk_sort_to_outputs);
  for (uint64_t i = 0; i < s->run_count; ++i) s->runs[i].begin += s->runs[i].taken;
  return code;
}

int chunk_merge_prepare(chunk_sort *s) {
  uint64_t bytes;
  const size_t size = s->c->p->algorithm->args->size;
  void *args = malloc(size);
  if (args == NULL) return complain("out of memory"), EXIT_FAILED;
  memcpy(args, s->c->p->args, size);
  const int code = window_needs(s, SORT_LEAST_ITEMS, &bytes);
  memcpy(s->c->p->args, args, size);
  free(args);
  return code;
}

int chunk_merge_runs(chunk_sort *s) {
  window w;
  const uint64_t all = s->runs[s->run_count - 1].end;
  int code = chunk_sort_fit(s, window_needs, all, &w.room);
  if (code != EXIT_OK) return code;
  if (w.room < 4 * s->run_count) {
    complain("--memory: too little to merge %llu runs", (unsigned long long)s->run_count);
    return EXIT_FAILED;
  }
  chunk_sort_place_temp(s, lay_out(s, w.room, &w));
  cut k = {.waits = calloc(s->run_count, sizeof *k.waits)};
  if (k.waits == NULL) return complain("out of memory"), EXIT_FAILED;
  while (code == EXIT_OK && s->c->sink.items < all) code = merge_round(s, &w, &k);
  free(k.waits);
  return code;
}
