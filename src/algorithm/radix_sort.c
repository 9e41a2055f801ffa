/* jig_radix_sort(): see include/jig/radix_sort.h and templates/jig/agent/radix_sort*.cuh. */
#include <jig/radix_sort.h>
#include <string.h>

#include "algorithm/radix_parts.h"
#include "algorithm/radix_sort_plan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, KEY, ORDER, VALUE, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("key"),
    [KEY] = RADIX_KEY_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUE] = RADIX_VALUE_SLOT,
};

static const kernel_row kernels[] = {
    [RADIX_SORT_CLUSTER] = {.name = "jig_radix_sort_cluster",
                            .templates = "jig/kernel/radix_sort/radix_sort_cluster.cuh",
                            .entry = "jig/kernel/radix_sort/radix_sort_cluster_entry.cuh",
                            .choose_policy = radix_sort_cluster_policy},
    [RADIX_SORT_HISTOGRAM] = {.name = "jig_radix_sort_histogram",
                              .templates = "jig/kernel/radix_sort/radix_sort_histogram.cuh",
                              .entry = "jig/kernel/radix_sort/radix_sort_histogram_entry.cuh",
                              .choose_policy = radix_sort_histogram_policy},
    [RADIX_SORT_PASS] = {.name = "jig_radix_sort_pass",
                         .templates = "jig/kernel/radix_sort/radix_sort_pass.cuh",
                         .entry = "jig/kernel/radix_sort/radix_sort_pass_entry.cuh",
                         .choose_policy = radix_sort_pass_policy},
};

const algorithm radix_sort_algorithm = {
    .schema = {.algorithm = "radix_sort",
               .slots = slots,
               .slot_count = SLOTS,
               .check = radix_check_spec,
               .complete = radix_complete},
    .kernels = kernels,
    .kernel_count = RADIX_SORT_KERNELS,
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  radix_parts parts;
} bound_spec;

static jig_status bind_spec(const char *who, const jig_radix_sort_args *args, bound_spec *d) {
  jig_status status = radix_parts_of(who, args, &d->parts);
  if (status != JIG_SUCCESS) return status;
  memset(&d->s, 0, sizeof d->s);
  d->s.schema = &radix_sort_algorithm.schema;
  d->s.slots[DECOMPOSER].op = radix_decomposer_of(&d->parts);
  d->s.slots[KEY].type = &d->parts.key;
  d->s.slots[ORDER].choice = d->parts.order;
  d->s.slots[VALUE].type = radix_value_of(&d->parts);
  return JIG_SUCCESS;
}

/* ---- launches */

/* A launch's part of a pass; jig::RadixSortPart in device code. */
typedef struct radix_sort_part {
  uint64_t first_item;
  uint32_t num_items;
  int32_t pass, portion, rows;
} radix_sort_part;

static radix_sort_call parameters_of(const call *c, const jig_radix_sort_args *args,
                                     const radix_sort_plan *plan, const temp_layout *temp) {
  radix_sort_call p = radix_call_of(c, args);
  p.state_tiles = plan->state_tiles;
  p.portions = (int32_t)plan->portions;
  if (plan->fits_cluster) return p;
  p.control = temp_address(temp, 0, c->storage);
  p.states = temp_address(temp, 1, c->storage);
  p.keys_other = temp_address(temp, 2, c->storage);
  p.values_other = temp_address(temp, 3, c->storage);
  return p;
}

/* Of two buffers the last pass writes the one or the other. */
static void use_buffers(radix_sort_call *p, const jig_radix_sort_args *args, int selected) {
  p->keys_out = selected ? args->keys_out.pointer : args->keys_in.pointer;
  p->values_out = selected ? args->values_out.pointer : args->values_in.pointer;
  p->keys_other = selected ? args->keys_in.pointer : args->keys_out.pointer;
  p->values_other = selected ? args->values_in.pointer : args->values_out.pointer;
}

static jig_status launch_pass(call *c, const radix_sort_plan *plan, radix_sort_call *p, int pass) {
  jig_status status = JIG_SUCCESS;
  for (uint64_t portion = 0; portion < plan->portions && status == JIG_SUCCESS; ++portion) {
    const uint64_t first = portion * plan->portion_items;
    const uint64_t items = min_of(p->num_items - first, plan->portion_items);
    radix_sort_part part = {first, (uint32_t)items, pass, (int32_t)portion, plan->rows};
    void *parameters[] = {p, &part};
    status = call_launch(c, RADIX_SORT_PASS, radix_sort_pass_shape(c->program, plan, items), parameters);
  }
  return status;
}

static jig_status launch(call *c, const jig_radix_sort_args *args, const radix_sort_size *size,
                         const radix_sort_plan *plan, const temp_layout *temp) {
  radix_sort_call p = parameters_of(c, args, plan, temp);
  const int selected = plan->fits_cluster || size->passes % 2 == 1;
  if (plan->fits_cluster) {
    int rows = plan->rows;
    void *parameters[] = {&p, &rows};
    if (args->selector != NULL) *args->selector = 1;
    return call_launch(c, RADIX_SORT_CLUSTER, plan->cluster, parameters);
  }
  if (args->selector != NULL) {
    use_buffers(&p, args, selected);
    *args->selector = selected;
  }
  void *parameters[] = {&p};
  jig_status status = call_launch(c, RADIX_SORT_HISTOGRAM, plan->histogram, parameters);
  for (int pass = 0; pass < size->passes && status == JIG_SUCCESS; ++pass)
    status = launch_pass(c, plan, &p, pass);
  return status;
}

/* ---- the call */

static jig_status check_portions(const call *c, uint64_t portions) {
  if (portions <= RADIX_SORT_MOST_PORTIONS) return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_items: a call does not launch so many kernels",
                   c->name);
}

static jig_status run(call *c, const jig_radix_sort_args *args) {
  by_key_place places[RADIX_MAX_PLACES];
  bound_spec d;
  bool go_on;
  jig_status status = call_check_args(c, LAYOUT(jig_radix_sort_args), args);
  if (status != JIG_SUCCESS) return status;
  status = call_check_choice(c, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status == JIG_SUCCESS) status = bind_spec(c->name, args, &d);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const radix_sort_size size = {.num_items = args->num_items,
                                .key_bytes = d.parts.key.size,
                                .value_bytes = d.parts.value.size,
                                .passes = radix_passes_of(args),
                                .has_buffers = args->selector != NULL,
                                .is_partial = radix_is_partial(args)};
  const size_t place_count = radix_places_of(args, places);
  const radix_sort_plan plan = radix_sort_plan_of(c->program, &c->engine->limits, &size);
  const temp_layout temp = radix_sort_temp(c->program, &c->engine->limits, &size);
  status = by_key_check_counts(c, "num_items", places, place_count);
  if (status == JIG_SUCCESS) status = check_portions(c, plan.portions);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = by_key_check_places(c, places, place_count);
  if (status != JIG_SUCCESS) return status;
  if (args->num_items > 0) return launch(c, args, &size, &plan, &temp);
  if (args->selector != NULL) *args->selector = 0;
  return JIG_SUCCESS;
}

jig_status jig_radix_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_radix_sort_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_radix_sort", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = run(&c, args);
  return call_end(&c, status);
}

jig_status jig_radix_sort_spec(const jig_radix_sort_args *args, char **text) {
  bound_spec d;
  jig_status status =
      call_check_spec_query("jig_radix_sort_spec", LAYOUT(jig_radix_sort_args), args, text);
  if (status == JIG_SUCCESS) status = bind_spec("jig_radix_sort_spec", args, &d);
  return status == JIG_SUCCESS ? spec_write(&d.s, "jig_radix_sort_spec", text) : status;
}

/* ---- the same by name */

jig_status jig_radix_sort_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter keys_in, jig_iter keys_out, jig_iter values_in,
                                jig_iter values_out, uint64_t num_items, jig_sort_order order,
                                CUstream stream) {
  const jig_radix_sort_args args = {.keys_in = keys_in,
                                    .keys_out = keys_out,
                                    .values_in = values_in,
                                    .values_out = values_out,
                                    .num_items = num_items,
                                    .order = order};
  return jig_radix_sort(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_radix_sort_keys(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter keys_in, jig_iter keys_out, uint64_t num_items,
                               jig_sort_order order, CUstream stream) {
  const jig_iter none = {0};
  return jig_radix_sort_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out, none, none,
                              num_items, order, stream);
}
