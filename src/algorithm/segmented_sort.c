/* jig_segmented_sort(): see include/jig/segmented_sort.h and templates/jig/agent/segmented_sort*.cuh. */
#include <jig/segmented_sort.h>
#include <string.h>

#include "algorithm/radix_rows.h"
#include "algorithm/segmented_sort_plan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  BEGIN_OFFSETS,
  DECOMPOSER,
  END_OFFSETS,
  KEY,
  KEYS_IN,
  NUM_SEGMENTS_IN,
  ORDER,
  VALUE,
  VALUES_IN,
  SLOTS
};

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
    [KEYS_IN] = RADIX_INPUT_SLOT("keys"),
    [NUM_SEGMENTS_IN] = NUM_SEGMENTS_IN_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUE] = RADIX_VALUE_SLOT,
    [VALUES_IN] = RADIX_INPUT_SLOT("values"),
};

static jig_status check(const spec *s) {
  jig_status status = radix_check_spec(s);
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "begin_offsets");
  return status == JIG_SUCCESS ? spec_check_integer(s, "end_offsets") : status;
}

/* What the kernels take beside the offsets. */
typedef struct segmented_sort_values {
  segmented_sort_call call;
  uint64_t first, count; /* of the segments of a launch */
  item_count num_segments;
} segmented_sort_values;

#define CALL \
  STRUCT_PARAMETER(segmented_sort_values, call, "jig::SegmentedSortCall", segmented_sort_call_fields)
/* The largest structs that are moved, which short segments do not do more than once. */
#define MOST_MOVED 64
#define KEYS RADIX_KEYS(MOST_MOVED)
static const radix_most_moved most_moved = {.key = MOST_MOVED, .value = TYPE_HELD_SIZE};
#define INPUTS SLOT_PARAMETER(KEYS_IN), SLOT_PARAMETER(VALUES_IN)
static const kernel_parameter small_parameters[] = {
    SLOT_PARAMETER(BEGIN_OFFSETS),
    SLOT_PARAMETER(END_OFFSETS),
    INPUTS,
    CALL,
    VALUE_PARAMETER(segmented_sort_values, first, "uint64_t"),
    VALUE_PARAMETER(segmented_sort_values, count, "uint64_t"),
    COUNT_PARAMETER(segmented_sort_values, num_segments, NUM_SEGMENTS_IN),
    {PARAMETERS_END},
};
static const kernel_parameter large_parameters[] = {INPUTS, CALL, {PARAMETERS_END}};

static const kernel_row kernels[] = {
    [SEGMENTED_SORT_SMALL] = {.name = "jig_segmented_sort_small",
                              .templates = "jig/kernel/segmented_sort/segmented_sort_small.cuh",
                              .function = "jig::segmented_sort_small<jig_policy, " KEYS ", jig_value_t>",
                              .parameters = small_parameters,
                              .space = &segmented_sort_small_space},
    [SEGMENTED_SORT_LARGE] = {.name = "jig_segmented_sort_large",
                              .templates = "jig/kernel/segmented_sort/segmented_sort_large.cuh",
                              .function = "jig::segmented_sort_large<jig_policy, " KEYS ", jig_value_t>",
                              .parameters = large_parameters,
                              .space = &segmented_sort_large_space},
    [SEGMENTED_SORT_FEW] = {.name = "jig_segmented_sort_few",
                            .templates = "jig/kernel/segmented_sort/segmented_sort_few.cuh",
                            .function = "jig::segmented_sort_few<jig_policy, " KEYS ", jig_value_t>",
                            .parameters = small_parameters,
                            .space = &segmented_sort_few_space},
    [SEGMENTED_SORT_FEW_LONG] = {.name = "jig_segmented_sort_few_long",
                                 .templates = "jig/kernel/segmented_sort/segmented_sort_few.cuh",
                                 .function = "jig::segmented_sort_few<jig_policy, " KEYS ", jig_value_t>",
                                 .parameters = small_parameters,
                                 .space = &segmented_sort_few_long_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                    \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, begin_offsets)   \
  F(s, end_offsets) F(s, num_segments) F(s, order) F(s, begin_bit) F(s, end_bit) R(s, reserved32)     \
  F(s, selector) F(s, decomposer) F(s, num_segments_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_segmented_sort_args, 1888, FIELDS);

static int also(spec *own, spec *others) {
  return radix_rows_also(own, others, most_moved, true);
}

const algorithm segmented_sort_algorithm = {
    .schema = {.algorithm = "segmented_sort",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = radix_complete},
    .args = &layout_of_jig_segmented_sort_args,
    .kernels = kernels,
    .kernel_count = SEGMENTED_SORT_KERNELS,
    .also = also,
};

/* ---- the spec of a call */

enum { OFFSETS = 2, MAX_PLACES = OFFSETS + RADIX_MAX_PLACES };

typedef struct bound_spec {
  spec s;
  const jig_segmented_sort_args *args;
  jig_radix_sort_args as_radix_sort;
  radix_parts parts;
  radix_rows rows; /* what is gathered, if anything, after a sort of its indices */
  segmented_sort_plan plan;
  int indices_slot;
  call_place places[MAX_PLACES];
  size_t place_count;
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

static jig_status bind_own(const char *name, const void *args_, void *bound) {
  const jig_segmented_sort_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->as_radix_sort = as_radix_sort(args);
  jig_status status = call_check_choice(name, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status == JIG_SUCCESS) status = radix_parts_of(name, &b->as_radix_sort, &b->parts);
  if (status != JIG_SUCCESS) return status;
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &segmented_sort_algorithm.schema;
  b->s.slots[BEGIN_OFFSETS].iter = &args->begin_offsets;
  b->s.slots[DECOMPOSER].op = radix_decomposer_of(&b->parts);
  b->s.slots[END_OFFSETS].iter = &args->end_offsets;
  b->s.slots[KEY].type = &b->parts.key;
  b->s.slots[KEYS_IN].iter = radix_iterator_of(&args->keys_in);
  b->s.slots[NUM_SEGMENTS_IN].choice = args->num_segments_in != NULL;
  b->s.slots[ORDER].choice = b->parts.order;
  b->s.slots[VALUE].type = radix_value_of(&b->parts);
  b->s.slots[VALUES_IN].iter = radix_iterator_of(&args->values_in);
  return JIG_SUCCESS;
}

static jig_status bind(const char *name, const void *args, void *bound) {
  bound_spec *b = bound;
  const jig_status status = bind_own(name, args, bound);
  if (status == JIG_SUCCESS) radix_rows_bind(&b->parts, most_moved, b->args->num_items, &b->s, &b->rows);
  return status;
}

/* ---- the call */

/* The offsets, then keys and values; how many of them there are. */
static size_t list_places(const bound_spec *b, call_place places[MAX_PLACES]) {
  const jig_segmented_sort_args *args = b->args;
  places[0] = (call_place){&args->begin_offsets, args->num_segments, "begin_offsets", false};
  places[1] = (call_place){&args->end_offsets, args->num_segments, "end_offsets", false};
  return OFFSETS + radix_places_of(&b->as_radix_sort, places + OFFSETS);
}

static jig_status check_counts(const call *c, const call_place *places, size_t count,
                               const segmented_sort_plan *plan) {
  jig_status status = call_check_counts(c, "num_segments", places, OFFSETS);
  if (status == JIG_SUCCESS)
    status = call_check_counts(c, "num_items", places + OFFSETS, count - OFFSETS);
  if (status != JIG_SUCCESS) return status;
  if (plan->has_many_tiles)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_items: more than there are tiles for", c->name);
  if (plan->has_many_launches)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_segments: a call does not launch so many kernels",
                     c->name);
  return JIG_SUCCESS;
}

static segmented_sort_values parameters_of(const call *c, const bound_spec *b) {
  const jig_segmented_sort_args *args = b->args;
  segmented_sort_values values = {.call.sort = radix_call_of(c, &b->as_radix_sort),
                                  .num_segments = {args->num_segments, args->num_segments_in}};
  segmented_sort_apply(&b->plan, c->storage, &values.call);
  return values;
}

static jig_status launch_kernels(call *c, const bound_spec *b, segmented_sort_values *values) {
  const segmented_sort_plan *plan = &b->plan;
  const uint64_t all = b->args->num_segments;
  jig_status status = JIG_SUCCESS;
  for (uint64_t first = 0; first < all && status == JIG_SUCCESS; first += plan->segments) {
    values->first = first;
    values->count = min_of(all - first, plan->segments);
    status =
        call_launch(c, plan->first, segmented_sort_first_shape(c->program, plan, values->count), values);
    if (status != JIG_SUCCESS || !plan->lists) continue;
    status =
        call_launch(c, SEGMENTED_SORT_LARGE, (launch_shape){.grid = plan->blocks, .pdl = true}, values);
  }
  return status;
}

/* The items themselves. */
static jig_status launch_moving(call *c, const bound_spec *b) {
  segmented_sort_values values = parameters_of(c, b);
  if (b->args->selector != NULL) {
    values.call.sort.keys_other = b->args->keys_in.pointer;
    values.call.sort.values_other = b->args->values_in.pointer;
  }
  return launch_kernels(c, b, &values);
}

/* Their indices, with keys that can be moved, or by one word after the other of keys that are not; and
 * then what is in segments is gathered. */
static jig_status launch_gathering(call *c, bound_spec *b, const temp_layout *temp) {
  radix_rows *rows = &b->rows;
  segmented_sort_values values = parameters_of(c, b);
  radix_sort_call *p = &values.call.sort;
  jig_status status = JIG_SUCCESS;
  p->keeps_parity = 0;
  if (rows->gathers_keys) p->keys_out = temp_address(temp, b->indices_slot + 1, c->storage);
  for (p->word = rows->first_word; p->word <= rows->last_word && status == JIG_SUCCESS; ++p->word) {
    const int turn = (p->word - rows->first_word) % 2;
    p->values_out = temp_address(temp, b->indices_slot + 2 * turn, c->storage);
    if (rows->gathers_keys) radix_rows_range(rows, p->word, &p->begin_bit, &p->end_bit);
    status = gather_clear(c, p->values_out, b->args->num_items);
    if (status == JIG_SUCCESS) status = launch_kernels(c, b, &values);
    p->rows = p->values_out;
  }
  return status == JIG_SUCCESS ? radix_rows_launch(rows, &b->as_radix_sort, p->values_out) : status;
}

static segmented_sort_size size_of(const bound_spec *b) {
  const jig_segmented_sort_args *args = b->args;
  const radix_rows *rows = &b->rows;
  const bool gathers = radix_rows_gather(rows);
  return (segmented_sort_size){
      .num_items = args->num_items,
      .num_segments = args->num_segments,
      .key_bytes = rows->gathers_keys ? (size_t)rows->word_bytes : b->parts.key.size,
      .value_bytes = gathers ? sizeof(uint64_t) : b->parts.value.size,
      .passes = rows->gathers_keys ? radix_rows_passes(rows) : radix_passes_of(&b->as_radix_sort),
      .has_buffers = !gathers && args->selector != NULL};
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  radix_rows *rows = &b->rows;
  const uint64_t n = b->args->num_items;
  jig_status status = radix_rows_prepare(c, &b->as_radix_sort, &b->parts, true, rows);
  if (status != JIG_SUCCESS) return status;
  const segmented_sort_size size = size_of(b);
  b->plan = segmented_sort_plan_of(c->program, &c->engine->limits, &size);
  call_needs(c, b->plan.first);
  if (b->plan.lists) call_needs(c, SEGMENTED_SORT_LARGE);
  b->place_count = list_places(b, b->places);
  *temp = b->plan.temp;
  b->indices_slot = temp->slots;
  if (radix_rows_gather(rows)) (void)temp_slot(temp, product_of(n, sizeof(uint64_t)));
  if (rows->gathers_keys) {
    (void)temp_slot(temp, product_of(n, size.key_bytes));
    (void)temp_slot(temp, rows->last_word > rows->first_word ? product_of(n, sizeof(uint64_t)) : 0);
  }
  return check_counts(c, b->places, b->place_count, &b->plan);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status != JIG_SUCCESS) return status;
  if (b->args->selector != NULL) *b->args->selector = 1;
  if (b->args->num_items == 0) return JIG_SUCCESS;
  return radix_rows_gather(&b->rows) ? launch_gathering(c, b, temp) : launch_moving(c, b);
}

const call_steps segmented_sort_steps = {
    "jig_segmented_sort", CALL_ARGS(jig_segmented_sort_args, num_segments), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_segmented_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_segmented_sort_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&segmented_sort_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

/* The text tells of the values, of which both programs follow. */
jig_status jig_segmented_sort_spec(const jig_segmented_sort_args *args, char **text) {
  static const call_steps own = {"jig_segmented_sort", CALL_ARGS(jig_segmented_sort_args, num_segments),
                                 bind_own, prepare, launch};
  bound_spec b;
  return call_spec(&own, args, text, &b);
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
