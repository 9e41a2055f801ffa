#include "run_outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "npy_struct.h"
#include "report.h"

/* ---- how much room they need */

static int64_t integer_at(const jig_type *type, const unsigned char *bytes, uint64_t i) {
  uint64_t value = 0;
  const size_t size = type->size < sizeof value ? type->size : sizeof value;
  memcpy(&value, bytes + i * type->size, size);
  const bool is_signed = type->kind >= JIG_KIND_I8 && type->kind <= JIG_KIND_I128;
  const unsigned unused = (unsigned)(64 - 8 * size);
  return is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* The items of an input that is a pointer; NULL having complained. */
static unsigned char *items_of(const run_plan *p, const gpu *g, const char *name, uint64_t count) {
  const jig_iter *iter = run_plan_field(p, name);
  if (iter->kind != JIG_ITER_POINTER) {
    (void)usage_error("%s: only of a file it is known how much room the output needs", name);
    return NULL;
  }
  unsigned char *items = malloc(count * iter->type.size + 1);
  if (items != NULL && (count == 0 || gpu_download(g, items, iter->pointer, count * iter->type.size)))
    return items;
  if (items == NULL) complain("out of memory: %s", name);
  free(items);
  return NULL;
}

/* Up to the last item of a range. */
static int room_of_ranges(const run_plan *p, const gpu *g, uint64_t *room) {
  const uint64_t count = run_plan_number(p, "num_ranges");
  const jig_iter *offsets = run_plan_field(p, "out_offsets"), *sizes = run_plan_field(p, "sizes");
  unsigned char *begins = items_of(p, g, "out_offsets", count);
  unsigned char *lengths = begins != NULL ? items_of(p, g, "sizes", count) : NULL;
  *room = 0;
  for (uint64_t i = 0; i < count && lengths != NULL; ++i) {
    const int64_t end = integer_at(&offsets->type, begins, i) + integer_at(&sizes->type, lengths, i);
    if (end > 0 && (uint64_t)end > *room) *room = (uint64_t)end;
  }
  const bool ok = lengths != NULL;
  free(lengths);
  free(begins);
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int room_of(const run_plan *p, const gpu *g, run_extent extent, uint64_t *room) {
  const uint64_t items = run_plan_number(p, "num_items"), segments = run_plan_number(p, "num_segments"),
                 k = run_plan_number(p, "k");
  switch (extent) {
    case EXTENT_ONE:
    case EXTENT_TWO:
      *room = extent == EXTENT_ONE ? 1 : 2;
      return EXIT_OK;
    case EXTENT_ITEMS:
      *room = items;
      return EXIT_OK;
    case EXTENT_BOTH:
      *room = run_plan_number(p, "first_num_items") + run_plan_number(p, "second_num_items");
      return EXIT_OK;
    case EXTENT_INPUT:
      *room = p->main_items;
      return EXIT_OK;
    case EXTENT_SEGMENTS:
      *room = segments;
      return EXIT_OK;
    case EXTENT_NEEDLES:
      *room = run_plan_number(p, "num_needles");
      return EXIT_OK;
    case EXTENT_K:
      *room = k < items ? k : items;
      return EXIT_OK;
    case EXTENT_SEGMENTS_K:
      *room = segments * k;
      return EXIT_OK;
    case EXTENT_BINS:
      *room = (uint64_t)p->bins * run_plan_number(p, "num_active_channels");
      return EXIT_OK;
    default:
      return room_of_ranges(p, g, room);
  }
}

/* ---- device memory */

static void point_to(run_plan *p, const run_array *o) {
  if (o->pointer != NULL) o->pointer->pointer = o->device;
  if (o->row->extent != EXTENT_BINS) return;
  jig_histogram_args *args = p->args;
  for (unsigned c = 0; c < args->num_active_channels; ++c) {
    args->counts[c] = o->device + c * (uint64_t)p->bins * o->type.size;
    if (p->levels.kind != JIG_ITER_NONE) args->levels[c] = p->levels.pointer;
  }
}

static int allocate(run_plan *p, gpu *g, run_array *o) {
  if (o->device != NULL) return EXIT_OK; /* buffers have theirs already */
  int code = room_of(p, g, o->row->extent, &o->room);
  if (code != EXIT_OK) return code;
  if (o->room == UINT64_MAX) return usage_error("%s: it has no end", o->row->slot);
  uint64_t bytes;
  if (__builtin_mul_overflow(o->room, (uint64_t)o->type.size, &bytes)) {
    complain("%s: %" PRIu64 " items are more than can be", o->row->slot, o->room);
    return EXIT_FAILED;
  }
  if (strcmp(o->row->slot, "in") == 0) { /* what a for_each changes */
    o->device = ((const jig_iter *)run_plan_field(p, "in"))->pointer;
    return EXIT_OK;
  }
  o->device = gpu_alloc(g, bytes);
  if (o->device == NULL || (o->row->in_part && !gpu_clear(g, o->device, bytes))) return EXIT_FAILED;
  point_to(p, o);
  return EXIT_OK;
}

int run_outputs_allocate(run_plan *p, gpu *g) {
  int code = EXIT_OK;
  for (int i = 0; i < RUN_MAX_OUTPUTS && code == EXIT_OK; ++i)
    if (p->outputs[i].row != NULL) code = allocate(p, g, &p->outputs[i]);
  return code;
}

/* ---- what was written */

static uint64_t counted_by(const run_plan *p, const run_array *o) {
  const run_array *counts = run_plan_output(p, o->row->counted);
  if (counts == NULL || counts->host == NULL) return o->room;
  if (o->row->which != WHICH_REST)
    return (uint64_t)integer_at(&counts->type, counts->host, (uint64_t)o->row->which);
  uint64_t all = 0;
  for (uint64_t i = 0; i < counts->room; ++i) all += (uint64_t)integer_at(&counts->type, counts->host, i);
  return o->room - all;
}

/* Where a partition has no output for the rest, that is in the first one. */
static bool has_all(const run_plan *p) {
  for (const run_output *row = p->row->outputs; row->slot != NULL; ++row)
    if (row->which == WHICH_REST && run_plan_output(p, row->slot) == NULL) return true;
  return false;
}

static int download(run_plan *p, gpu *g, run_array *o) {
  o->count = o->row->counted != NULL && !has_all(p) ? counted_by(p, o) : o->room;
  if (o->count > o->room) o->count = o->room; /* of a type that has no room for how many there are */
  const uint64_t bytes = o->count * o->type.size;
  o->host = malloc(bytes + 1);
  if (o->host == NULL) {
    complain("out of memory: %s", o->row->slot);
    return EXIT_FAILED;
  }
  return bytes == 0 || gpu_download(g, o->host, o->device, bytes) ? EXIT_OK : EXIT_FAILED;
}

int run_outputs_download(run_plan *p, gpu *g) {
  int code = EXIT_OK;
  for (int turn = 0; turn < 2; ++turn) { /* counts first */
    for (int i = 0; i < RUN_MAX_OUTPUTS && code == EXIT_OK; ++i) {
      run_array *o = &p->outputs[i];
      if (o->row != NULL && (o->row->counted != NULL) == (turn == 1)) code = download(p, g, o);
    }
  }
  return code;
}

uint64_t run_outputs_bytes(const run_plan *p) {
  uint64_t bytes = 0;
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) bytes += p->outputs[i].count * p->outputs[i].type.size;
  return bytes;
}

/* ---- files */

bool run_output_is_npy(const char *name) {
  const char *suffix = strrchr(name, '.');
  return suffix != NULL && strcmp(suffix, ".npy") == 0;
}

char *run_output_header(const run_array *o, uint64_t items, size_t least, size_t *length) {
  char *descr = npy_descr(&o->type);
  char *header = descr != NULL ? npy_header_text(descr, items, least, length) : NULL;
  free(descr);
  if (header == NULL) complain("out of memory: %s", o->file);
  return header;
}

static bool write_header(FILE *file, const run_array *o) {
  size_t length = 0;
  char *header = run_output_header(o, o->count, 0, &length);
  const bool ok = header != NULL && fwrite(header, 1, length, file) == length;
  free(header);
  return ok;
}

static int save(const run_array *o) {
  const bool is_stdout = strcmp(o->file, "-") == 0;
  FILE *file = is_stdout ? stdout : fopen(o->file, "wb");
  bool ok = file != NULL && (!run_output_is_npy(o->file) || write_header(file, o));
  ok = ok && fwrite(o->host, o->type.size, o->count, file) == o->count && fflush(file) == 0;
  int problem = errno;
  if (file != NULL && !is_stdout && fclose(file) != 0 && ok) {
    problem = errno;
    ok = false;
  }
  if (ok) return EXIT_OK;
  complain("%s: %s", is_stdout ? "standard output" : o->file, strerror(problem));
  return EXIT_FAILED;
}

int run_outputs_save(const run_plan *p) {
  int code = EXIT_OK;
  for (int i = 0; i < RUN_MAX_OUTPUTS && code == EXIT_OK; ++i)
    if (p->outputs[i].row != NULL && p->outputs[i].file != NULL && !p->outputs[i].is_done)
      code = save(&p->outputs[i]);
  return code;
}

/* ---- text */

enum { MOST_ON_A_TERMINAL = 20 };

/* Whether people are to see it: how many others were counted is seen by the lines, and where items go to
 * standard output, nothing else does. */
bool run_output_is_shown(const run_plan *p, const run_array *o) {
  if (o->row == NULL || o->file != NULL) return false;
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *other = &p->outputs[i];
    if (other->file != NULL && strcmp(other->file, "-") == 0) return false;
    const bool counts = other->row != NULL && other->row->counted != NULL && other->file == NULL &&
                        strcmp(other->row->counted, o->row->slot) == 0;
    if (counts && !has_all(p)) return false;
  }
  return true;
}

static uint64_t rows_wanted(uint64_t all) {
  return isatty(STDOUT_FILENO) && all > MOST_ON_A_TERMINAL ? MOST_ON_A_TERMINAL : all;
}

void run_rows_print(const run_array *const columns[], int count, uint64_t before, uint64_t rows) {
  const uint64_t end = rows_wanted(before + rows);
  for (uint64_t row = 0; before + row < end; ++row) {
    for (int i = 0; i < count; ++i) {
      if (i > 0) printf(" ");
      value_print(stdout, &columns[i]->type, columns[i]->host + row * columns[i]->type.size);
    }
    printf("\n");
  }
}

void run_rows_end(uint64_t all) {
  const uint64_t rows = rows_wanted(all);
  if (rows < all) printf("... %" PRIu64 " more; --out FILE stores all\n", all - rows);
}

/* Whether their items belong together. */
static bool is_beside(const run_array *a, const run_array *b) {
  return a->count == b->count && a->row->which == b->row->which &&
         (a->row->counted != NULL) == (b->row->counted != NULL);
}

static bool is_alone(const run_plan *p, const run_array *first) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i)
    if (run_output_is_shown(p, &p->outputs[i]) && !is_beside(first, &p->outputs[i])) return false;
  return true;
}

void run_outputs_print(const run_plan *p) {
  bool is_printed[RUN_MAX_OUTPUTS] = {false};
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *first = &p->outputs[i], *columns[RUN_MAX_OUTPUTS];
    if (is_printed[i] || first->is_done || !run_output_is_shown(p, first)) continue;
    int count = 0;
    for (int k = i; k < RUN_MAX_OUTPUTS; ++k) {
      if (p->outputs[k].is_done || !run_output_is_shown(p, &p->outputs[k]) ||
          !is_beside(first, &p->outputs[k]))
        continue;
      columns[count++] = &p->outputs[k];
      is_printed[k] = true;
    }
    if (!is_alone(p, first)) printf("%s:\n", first->row->slot);
    run_rows_print(columns, count, 0, first->count);
    run_rows_end(first->count);
  }
}
