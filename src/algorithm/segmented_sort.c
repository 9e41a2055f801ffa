/* jig_segmented_sort(): see include/jig/segmented_sort.h and templates/jig/agent/segmented_sort*.cuh. */
#include <jig/segmented_sort.h>
#include <string.h>

#include "algorithm/packed_args.h"
#include "algorithm/segmented_sort_plan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { BEGIN_OFFSETS, DECOMPOSER, END_OFFSETS, KEY, ORDER, VALUE, SLOTS };

static const slot_schema slots[SLOTS] = {
    [BEGIN_OFFSETS] = {.name = "begin_offsets",
                       .kind = SLOT_ITER,
                       .role = ITER_INPUT,
                       .help = "where each segment begins",
                       .usually = "i32"},
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("key"),
    [END_OFFSETS] = {.name = "end_offsets",
                     .kind = SLOT_ITER,
                     .role = ITER_INPUT,
                     .help = "where each segment ends",
                     .like = "begin_offsets",
                     .usually = "i32"},
    [KEY] = RADIX_KEY_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUE] = RADIX_VALUE_SLOT,
};

static jig_status check(const spec *s) {
  jig_status status = radix_check_spec(s);
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "begin_offsets");
  return status == JIG_SUCCESS ? by_key_check_integer(s, "end_offsets") : status;
}

static const kernel_row kernels[] = {
    [SEGMENTED_SORT_SMALL] = {.name = "jig_segmented_sort_small",
                              .templates = "jig/kernel/segmented_sort/segmented_sort_small.cuh",
                              .entry = "jig/kernel/segmented_sort/segmented_sort_small_entry.cuh",
                              .choose_policy = segmented_sort_small_policy},
    [SEGMENTED_SORT_LARGE] = {.name = "jig_segmented_sort_large",
                              .templates = "jig/kernel/segmented_sort/segmented_sort_large.cuh",
                              .entry = "jig/kernel/segmented_sort/segmented_sort_large_entry.cuh",
                              .choose_policy = segmented_sort_large_policy},
};

const algorithm segmented_sort_algorithm = {
    .schema = {.algorithm = "segmented_sort",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = radix_complete},
    .kernels = kernels,
    .kernel_count = SEGMENTED_SORT_KERNELS,
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  jig_radix_sort_args as_radix_sort;
  radix_parts parts;
} bound_spec;

/* What it has in common with a radix sort. */
static jig_radix_sort_args as_radix_sort(const jig_segmented_sort_args *args) {
  return (jig_radix_sort_args){.keys_in = args->keys_in,
                               .keys_out = args->keys_out,
                               .values_in = args->values_in,
                               .values_out = args->values_out,
                               .num_items = args->num_items,
                               .order = args->order,
                               .begin_bit = args->begin_bit,
                               .end_bit = args->end_bit,
                               .selector = args->selector,
                               .decomposer = args->decomposer};
}

static jig_status bind_spec(const char *who, const jig_segmented_sort_args *args, bound_spec *d) {
  d->as_radix_sort = as_radix_sort(args);
  jig_status status = radix_parts_of(who, &d->as_radix_sort, &d->parts);
  if (status != JIG_SUCCESS) return status;
  memset(&d->s, 0, sizeof d->s);
  d->s.schema = &segmented_sort_algorithm.schema;
  d->s.slots[BEGIN_OFFSETS].iter = &args->begin_offsets;
  d->s.slots[DECOMPOSER].op = radix_decomposer_of(&d->parts);
  d->s.slots[END_OFFSETS].iter = &args->end_offsets;
  d->s.slots[KEY].type = &d->parts.key;
  d->s.slots[ORDER].choice = d->parts.order;
  d->s.slots[VALUE].type = radix_value_of(&d->parts);
  return JIG_SUCCESS;
}

/* ---- the call */

enum { OFFSETS = 2, MAX_PLACES = OFFSETS + RADIX_MAX_PLACES };

/* The offsets, then keys and values; how many of them there are. */
static size_t list_places(const jig_segmented_sort_args *args, const bound_spec *d,
                          by_key_place places[MAX_PLACES]) {
  places[0] = (by_key_place){&args->begin_offsets, args->num_segments, "begin_offsets", false};
  places[1] = (by_key_place){&args->end_offsets, args->num_segments, "end_offsets", false};
  return OFFSETS + radix_places_of(&d->as_radix_sort, places + OFFSETS);
}

static jig_status check_counts(const call *c, const by_key_place *places, size_t count,
                               const segmented_sort_plan *plan) {
  jig_status status = by_key_check_counts(c, "num_segments", places, OFFSETS);
  if (status == JIG_SUCCESS)
    status = by_key_check_counts(c, "num_items", places + OFFSETS, count - OFFSETS);
  if (status != JIG_SUCCESS) return status;
  if (plan->has_many_tiles)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_items: more than there are tiles for", c->name);
  if (plan->has_many_launches)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_segments: a call does not launch so many kernels",
                     c->name);
  return JIG_SUCCESS;
}

static jig_status launch(call *c, const jig_segmented_sort_args *args, const bound_spec *d,
                         const segmented_sort_plan *plan) {
  segmented_sort_call p = {.sort = radix_call_of(c, &d->as_radix_sort)};
  segmented_sort_apply(plan, c->storage, &p);
  if (args->selector != NULL) {
    p.sort.keys_other = args->keys_in.pointer;
    p.sort.values_other = args->values_in.pointer;
  }
  jig_status status = JIG_SUCCESS;
  for (uint64_t first = 0; first < args->num_segments && status == JIG_SUCCESS; first += plan->segments) {
    uint64_t count = min_of(args->num_segments - first, plan->segments);
    packed_args packed;
    packed_begin(&packed);
    packed_iter(&packed, &args->begin_offsets);
    packed_iter(&packed, &args->end_offsets);
    packed_value(&packed, &p);
    packed_value(&packed, &first);
    packed_value(&packed, &count);
    status = call_launch(c, SEGMENTED_SORT_SMALL, segmented_sort_small_shape(c->program, plan, count),
                         packed.parameters);
    if (status != JIG_SUCCESS || !plan->lists) continue;
    void *parameters[] = {&p};
    status = call_launch(c, SEGMENTED_SORT_LARGE, (launch_shape){.grid = plan->blocks, .overlap = true},
                         parameters);
  }
  return status;
}

static jig_status segmented_sort(call *c, const jig_segmented_sort_args *args) {
  by_key_place places[MAX_PLACES];
  bound_spec d;
  bool go_on;
  jig_status status = call_check_args(c, LAYOUT(jig_segmented_sort_args), args);
  if (status != JIG_SUCCESS) return status;
  status = call_check_choice(c, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status == JIG_SUCCESS) status = bind_spec(c->name, args, &d);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const segmented_sort_size size = {.num_items = args->num_items,
                                    .num_segments = args->num_segments,
                                    .key_bytes = d.parts.key.size,
                                    .value_bytes = d.parts.value.size,
                                    .passes = radix_passes_of(&d.as_radix_sort),
                                    .has_buffers = args->selector != NULL};
  const segmented_sort_plan plan = segmented_sort_plan_of(c->program, &c->engine->limits, &size);
  const size_t place_count = list_places(args, &d, places);
  status = check_counts(c, places, place_count, &plan);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &plan.temp, &go_on);
  if (!go_on) return status;
  status = by_key_check_places(c, places, place_count);
  if (status != JIG_SUCCESS) return status;
  if (args->selector != NULL) *args->selector = 1;
  return args->num_items > 0 ? launch(c, args, &d, &plan) : JIG_SUCCESS;
}

jig_status jig_segmented_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_segmented_sort_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_segmented_sort", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = segmented_sort(&c, args);
  return call_end(&c, status);
}

jig_status jig_segmented_sort_spec(const jig_segmented_sort_args *args, char **text) {
  bound_spec d;
  jig_status status =
      call_check_spec_query("jig_segmented_sort_spec", LAYOUT(jig_segmented_sort_args), args, text);
  if (status == JIG_SUCCESS) status = bind_spec("jig_segmented_sort_spec", args, &d);
  return status == JIG_SUCCESS ? spec_write(&d.s, "jig_segmented_sort_spec", text) : status;
}

/* ---- the same by name */

jig_status jig_segmented_radix_sort_pairs(jig_engine *engine, void *d_temp_storage,
                                          size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                          jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                          uint64_t num_segments, jig_iter begin_offsets,
                                          jig_iter end_offsets, int begin_bit, int end_bit,
                                          jig_sort_order order, CUstream stream) {
  const jig_segmented_sort_args args = {.keys_in = keys_in,
                                        .keys_out = keys_out,
                                        .values_in = values_in,
                                        .values_out = values_out,
                                        .num_items = num_items,
                                        .begin_offsets = begin_offsets,
                                        .end_offsets = end_offsets,
                                        .num_segments = num_segments,
                                        .order = order,
                                        .begin_bit = begin_bit,
                                        .end_bit = end_bit};
  return jig_segmented_sort(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_segmented_radix_sort_keys(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                         uint64_t num_items, uint64_t num_segments,
                                         jig_iter begin_offsets, jig_iter end_offsets, int begin_bit,
                                         int end_bit, jig_sort_order order, CUstream stream) {
  const jig_iter none = {0};
  return jig_segmented_radix_sort_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out,
                                        none, none, num_items, num_segments, begin_offsets, end_offsets,
                                        begin_bit, end_bit, order, stream);
}

jig_status jig_segmented_sort_keys(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   jig_iter keys_in, jig_iter keys_out, uint64_t num_items,
                                   uint64_t num_segments, jig_iter begin_offsets, jig_iter end_offsets,
                                   jig_sort_order order, CUstream stream) {
  return jig_segmented_radix_sort_keys(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out,
                                       num_items, num_segments, begin_offsets, end_offsets, 0, 0, order,
                                       stream);
}

jig_status jig_segmented_sort_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter keys_in, jig_iter keys_out, jig_iter values_in,
                                    jig_iter values_out, uint64_t num_items, uint64_t num_segments,
                                    jig_iter begin_offsets, jig_iter end_offsets, jig_sort_order order,
                                    CUstream stream) {
  return jig_segmented_radix_sort_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out,
                                        values_in, values_out, num_items, num_segments, begin_offsets,
                                        end_offsets, 0, 0, order, stream);
}
