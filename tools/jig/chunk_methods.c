#include "chunk_methods.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "run_outputs.h"

enum { CARRY_SIZE = 4096 };

/* ---- shared */

static chunk_call call_named(const char *name) {
  return run_row_named(name)->call;
}

static run_array *output_named(const chunk_run *c, const char *slot) {
  return (run_array *)(uintptr_t)run_plan_output(c->p, slot);
}

/* Points the output to a chunk's, if it is kept, and says how many items there are. */
static void aim(chunk_run *c, const chunk_state *s, const chunk_slot *slot) {
  if (s->output != NULL) s->output->pointer->pointer = slot->device_out;
  run_plan_set(c->p, "num_items", slot->items);
}

static int own_call(chunk_run *c, const chunk_slot *slot) {
  return chunk_enqueue(c, c->p->row->call, c->p->args, slot->stream);
}

static int make_host(run_array *o, uint64_t items) {
  o->count = items;
  o->host = calloc(items + 1, o->type.size);
  if (o->host != NULL) return EXIT_OK;
  complain("out of memory: %s", o->row->slot);
  return EXIT_FAILED;
}

/* ---- what reduce and scan carry: the fold of all chunks so far, which is the next one's init. So each
 * item is folded in once, in order, and the init as well. */

static void carry_on(chunk_state *s) {
  s->has_carry = true;
  s->fold.init = NULL;
  s->fold.init_type = jig_type_from_name(NULL);
  s->fold.init_in = jig_pointer(s->carry, s->fold.accum_type);
}

static int enqueue_fold(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  s->fold.num_items = slot->items;
  s->fold.in = *(const jig_iter *)run_plan_field(c->p, "in"); /* as it is pointed to now */
  const int code = chunk_enqueue(c, call_named("reduce"), &s->fold, slot->stream);
  carry_on(s);
  return code;
}

/* Types that the call would choose by its output's, which is another one here. */
static void settle_types(const chunk_run *c, chunk_state *s) {
  const spec *told = &c->p->request->spec.s;
  const spec_slot *init = spec_find(told, "init");
  s->fold.accum_type = *spec_find(told, "accum")->type;
  if (s->fold.init != NULL) s->fold.init_type = *spec_slot_type(init);
}

/* The programs of the first fold and of the others. */
static int prepare_fold(chunk_run *c, chunk_state *s) {
  settle_types(c, s);
  jig_reduce_args first = s->fold;
  s->carry = gpu_alloc(c->g, CARRY_SIZE);
  if (s->carry == NULL) return EXIT_FAILED;
  s->fold.out = first.out = jig_pointer(s->carry, first.accum_type);
  s->fold.num_items = first.num_items = s->room;
  int code = chunk_prepare(c, call_named("reduce"), &s->fold);
  carry_on(s);
  if (code == EXIT_OK) code = chunk_prepare(c, call_named("reduce"), &s->fold);
  s->fold = first;
  s->has_carry = false;
  return code;
}

/* ---- reduce */

static int prepare_reduce(chunk_run *c, chunk_state *s) {
  s->fold = *(const jig_reduce_args *)c->p->args;
  return prepare_fold(c, s);
}

static int take_nothing(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  (void)c, (void)s;
  slot->out_items = 0;
  return EXIT_OK;
}

/* The result as it is to be stored. */
static int finish_reduce(chunk_run *c, chunk_state *s) {
  run_array *o = output_named(c, "out");
  if (o == NULL) return EXIT_OK;
  unsigned char *device = gpu_alloc(c->g, o->type.size);
  if (device == NULL) return EXIT_FAILED;
  o->pointer->pointer = device;
  const jig_copy_args args = {.in = jig_pointer(s->carry, s->fold.accum_type),
                              .out = ((const jig_reduce_args *)c->p->args)->out,
                              .num_items = 1};
  int code = chunk_enqueue(c, call_named("copy"), &args, c->g->stream);
  if (code == EXIT_OK) code = make_host(o, 1);
  if (code != EXIT_OK) return code;
  return gpu_download(c->g, o->host, device, o->type.size) ? EXIT_OK : EXIT_FAILED;
}

/* ---- scan */

static int prepare_scan(chunk_run *c, chunk_state *s) {
  jig_scan_args *scan = c->p->args;
  s->fold = (jig_reduce_args){.in = scan->in,
                              .op = scan->op,
                              .init = scan->init,
                              .init_type = scan->init_type,
                              .init_in = scan->init_in,
                              .accum_type = scan->accum_type,
                              .nan = scan->nan,
                              .determinism = scan->determinism};
  int code = prepare_fold(c, s);
  scan->accum_type = s->fold.accum_type;
  jig_scan_args next = *scan;
  next.num_items = s->room;
  if (code == EXIT_OK) code = chunk_prepare(c, c->p->row->call, &next);
  next.init = NULL;
  next.init_type = jig_type_from_name(NULL);
  next.init_in = jig_pointer(s->carry, scan->accum_type);
  return code == EXIT_OK ? chunk_prepare(c, c->p->row->call, &next) : code;
}

static int enqueue_scan(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  jig_scan_args *scan = c->p->args;
  if (s->has_carry) {
    scan->init = NULL;
    scan->init_type = jig_type_from_name(NULL);
    scan->init_in = s->fold.init_in;
  }
  aim(c, s, slot);
  const int code = own_call(c, slot);
  return code == EXIT_OK ? enqueue_fold(c, s, slot) : code;
}

static int take_all(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  (void)c;
  slot->out_items = s->output != NULL ? slot->items : 0;
  return EXIT_OK;
}

static int finish_nothing(chunk_run *c, chunk_state *s) {
  (void)c, (void)s;
  return EXIT_OK;
}

/* ---- select. Counts are of 64 bits here, whatever type the one for all has. */

static int prepare_select(chunk_run *c, chunk_state *s) {
  jig_select_args *select = c->p->args;
  s->small_bytes = sizeof(uint64_t);
  select->num_selected_out = jig_pointer(NULL, JIG_U64);
  select->num_items = s->room;
  return chunk_prepare(c, c->p->row->call, select);
}

static int enqueue_select(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  jig_select_args *select = c->p->args;
  aim(c, s, slot);
  select->num_selected_out.pointer = slot->device_small;
  return own_call(c, slot);
}

static int take_selected(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  (void)c;
  memcpy(&slot->out_items, slot->host_small, sizeof slot->out_items);
  s->kept += slot->out_items;
  if (s->output == NULL) slot->out_items = 0;
  return EXIT_OK;
}

/* Of a type without room for it what fits, as in one call. */
static int finish_select(chunk_run *c, chunk_state *s) {
  run_array *count = output_named(c, "num_selected_out");
  if (count == NULL) return EXIT_OK;
  unsigned char wide[16] = {0};
  memcpy(wide, &s->kept, sizeof s->kept);
  const int code = make_host(count, 1);
  if (code == EXIT_OK) memcpy(count->host, wide, count->type.size);
  return code;
}

/* ---- histogram */

static int prepare_histogram(chunk_run *c, chunk_state *s) {
  jig_histogram_args *histogram = c->p->args;
  run_array *o = output_named(c, "counts");
  o->room = (uint64_t)c->p->bins * histogram->num_active_channels;
  s->small_bytes = o->room * o->type.size;
  s->room = s->room / histogram->num_channels * histogram->num_channels;
  histogram->num_row_pixels = s->room / histogram->num_channels;
  if (c->p->levels.kind != JIG_ITER_NONE)
    for (unsigned i = 0; i < histogram->num_active_channels; ++i)
      histogram->levels[i] = c->p->levels.pointer;
  const int code = make_host(o, o->room);
  s->counts = o->host;
  return code == EXIT_OK ? chunk_prepare(c, c->p->row->call, histogram) : code;
}

static int enqueue_histogram(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  (void)s;
  jig_histogram_args *histogram = c->p->args;
  const size_t bytes = (size_t)c->p->bins * output_named(c, "counts")->type.size;
  if (slot->items % histogram->num_channels != 0)
    return usage_error("samples: %llu are no whole number of pixels", (unsigned long long)c->in.done);
  histogram->num_row_pixels = slot->items / histogram->num_channels;
  for (unsigned i = 0; i < histogram->num_active_channels; ++i)
    histogram->counts[i] = slot->device_small + i * bytes;
  return own_call(c, slot);
}

/* Little-endian integers, each modulo its size. */
static void add(unsigned char *sums, const unsigned char *counts, uint64_t items, size_t size) {
  for (uint64_t i = 0; i < items; ++i) {
    unsigned carry = 0;
    for (size_t k = 0; k < size; ++k) {
      carry += (unsigned)sums[i * size + k] + counts[i * size + k];
      sums[i * size + k] = (unsigned char)carry;
      carry >>= 8;
    }
  }
}

static int take_counts(chunk_run *c, chunk_state *s, chunk_slot *slot) {
  const run_array *o = output_named(c, "counts");
  add(s->counts, slot->host_small, o->room, o->type.size);
  slot->out_items = 0;
  return EXIT_OK;
}

/* ---- all of them */

const chunk_method *chunk_method_named(const char *name) {
  static const chunk_method methods[] = {
      {"reduce", NULL, prepare_reduce, enqueue_fold, take_nothing, finish_reduce},
      {"scan", "out", prepare_scan, enqueue_scan, take_all, finish_nothing},
      {"select", "out", prepare_select, enqueue_select, take_selected, finish_select},
      {"histogram", NULL, prepare_histogram, enqueue_histogram, take_counts, finish_nothing},
  };
  const chunk_method *m = methods;
  while (strcmp(m->name, name) != 0) ++m;
  return m;
}
