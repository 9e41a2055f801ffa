/* jig_radix_sort(): see include/jig/radix_sort.h and templates/jig/agent/radix_sort*.cuh. */
#include <jig/radix_sort.h>
#include <string.h>

#include "algorithm/radix_parts.h"
#include "algorithm/radix_rows.h"
#include "algorithm/radix_sort_plan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, KEY, KEYS_IN, NUM_ITEMS_IN, ORDER, VALUE, VALUES_IN, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("key"),
    [KEY] = RADIX_KEY_SLOT,
    [KEYS_IN] = RADIX_INPUT_SLOT("keys"),
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUE] = RADIX_VALUE_SLOT,
    [VALUES_IN] = RADIX_INPUT_SLOT("values"),
};

/* A launch's part of a pass; jig::RadixSortPart in device code. */
typedef struct radix_sort_part {
  uint64_t first_item;
  uint32_t num_items;
  int32_t pass, portion, rows;
} radix_sort_part;

#define FIELD(name) PARAMETER_FIELD(radix_sort_part, name)
static const parameter_field part_fields[] = {FIELD(first_item), FIELD(num_items), FIELD(pass),
                                              FIELD(portion),    FIELD(rows),      {NULL}};
#undef FIELD

/* What the kernels take. */
typedef struct radix_sort_values {
  radix_sort_call call;
  radix_sort_part part;
  int rows;
  uint32_t chunk_items;
} radix_sort_values;

#define CALL                                                                                      \
  COUNTED_STRUCT_PARAMETER(radix_sort_values, call, "jig::RadixSortCall", radix_sort_call_fields, \
                           num_items, NUM_ITEMS_IN)
/* The largest structs that are moved: others are not worth it. */
#define MOST_MOVED 16
#define KEYS RADIX_KEYS(MOST_MOVED)
static const radix_most_moved most_moved = {.key = MOST_MOVED, .value = MOST_MOVED, .by_index32 = true};
#define COUNTED "jig_num_items_in != 0"
#define INPUTS SLOT_PARAMETER(KEYS_IN), SLOT_PARAMETER(VALUES_IN)
static const kernel_parameter cluster_parameters[] = {
    INPUTS, CALL, VALUE_PARAMETER(radix_sort_values, rows, "int"), {PARAMETERS_END}};
static const kernel_parameter histogram_parameters[] = {SLOT_PARAMETER(KEYS_IN), CALL, {PARAMETERS_END}};
static const kernel_parameter pass_parameters[] = {
    INPUTS,
    CALL,
    STRUCT_PARAMETER(radix_sort_values, part, "jig::RadixSortPart", part_fields),
    {PARAMETERS_END}};

static const kernel_parameter local_parameters[] = {
    CALL, VALUE_PARAMETER(radix_sort_values, chunk_items, "uint32_t"), {PARAMETERS_END}};

#define CLUSTER_FUNCTION "jig::radix_sort_cluster<jig_policy, " COUNTED ", " KEYS ", jig_value_t>"

static const kernel_row kernels[] = {
    [RADIX_SORT_BLOCK] = {.name = "jig_radix_sort_block",
                          .templates = "jig/kernel/radix_sort/radix_sort_cluster.cuh",
                          .function = CLUSTER_FUNCTION,
                          .parameters = cluster_parameters,
                          .space = &radix_sort_block_space},
    [RADIX_SORT_CLUSTER] = {.name = "jig_radix_sort_cluster",
                            .templates = "jig/kernel/radix_sort/radix_sort_cluster.cuh",
                            .function = CLUSTER_FUNCTION,
                            .parameters = cluster_parameters,
                            .space = &radix_sort_cluster_space},
    [RADIX_SORT_HISTOGRAM] = {.name = "jig_radix_sort_histogram",
                              .templates = "jig/kernel/radix_sort/radix_sort_histogram.cuh",
                              .function = "jig::radix_sort_histogram<jig_policy, " COUNTED ", " KEYS ">",
                              .parameters = histogram_parameters,
                              .space = &radix_sort_histogram_space},
    [RADIX_SORT_PASS] = {.name = "jig_radix_sort_pass",
                         .templates = "jig/kernel/radix_sort/radix_sort_pass.cuh",
                         .function =
                             "jig::radix_sort_pass<jig_policy, " COUNTED ", " KEYS ", jig_value_t>",
                         .parameters = pass_parameters,
                         .space = &radix_sort_pass_space},
    [RADIX_SORT_LOCAL] = {.name = "jig_radix_sort_local",
                          .templates = "jig/kernel/radix_sort/radix_sort_local.cuh",
                          .function =
                              "jig::radix_sort_local<jig_policy, " COUNTED ", " KEYS ", jig_value_t>",
                          .parameters = local_parameters,
                          .space = &radix_sort_local_space},
};

static int count_kernels(const spec *s) {
  return radix_sort_can_be_local(s) ? RADIX_SORT_KERNELS : RADIX_SORT_LOCAL;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                        \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, order)           \
  F(s, begin_bit) F(s, end_bit) R(s, reserved32) F(s, selector) F(s, decomposer) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_radix_sort_args, 1288, FIELDS);

static int also(spec *own, spec *others) {
  return radix_rows_also(own, others, most_moved, false);
}

const algorithm radix_sort_algorithm = {
    .schema = {.algorithm = "radix_sort",
               .slots = slots,
               .slot_count = SLOTS,
               .check = radix_check_spec,
               .complete = radix_complete},
    .args = &layout_of_jig_radix_sort_args,
    .kernels = kernels,
    .kernel_count = RADIX_SORT_KERNELS,
    .count_kernels = count_kernels,
    .also = also,
};

/* ---- the spec of a call */

/* What a sort by words has beside its temp storage: words and indices, the latter in two places more, in
 * between and before the last word. With a selector it has what fits there in keys_out, which is written
 * when all are sorted, but for the indices that tell what goes where. */
enum { WORDS, OTHER_WORDS, OTHER_INDICES, EARLIER_INDICES, INDICES, AREAS };
typedef struct area {
  bool is_output; /* whether it is in keys_out, */
  uint64_t at;    /* so many bytes from the beginning; or the slot of temp storage */
} area;

typedef struct bound_spec {
  spec s;
  const jig_radix_sort_args *args;
  radix_parts parts;
  radix_rows rows; /* what is gathered, if anything, after a sort of its indices */
  radix_sort_size size;
  radix_sort_plan plan;
  area areas[AREAS]; /* of a sort by words; if values are gathered and keys are not, that of indices */
  call_place places[RADIX_MAX_PLACES];
  size_t place_count;
} bound_spec;

static jig_status bind_own(const char *name, const void *args_, void *bound) {
  const jig_radix_sort_args *args = args_;
  bound_spec *b = bound;
  jig_status status = call_check_choice(name, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status == JIG_SUCCESS) status = radix_parts_of(name, args, &b->parts);
  if (status != JIG_SUCCESS) return status;
  b->args = args;
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &radix_sort_algorithm.schema;
  b->s.slots[DECOMPOSER].op = radix_decomposer_of(&b->parts);
  b->s.slots[KEY].type = &b->parts.key;
  b->s.slots[KEYS_IN].iter = radix_iterator_of(&args->keys_in);
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
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

/* ---- launches */

/* Slots of temp storage, if the sort itself takes any. */
enum { SLOT_CONTROL, SLOT_STATES, SLOT_KEYS, SLOT_VALUES };

static radix_sort_call parameters_of(const call *c, const bound_spec *b, const temp_layout *temp) {
  radix_sort_call p = radix_call_of(c, b->args);
  p.state_tiles = b->plan.state_tiles;
  p.portions = (int32_t)b->plan.portions;
  p.local_items = b->plan.local_items;
  p.forced_top_passes = c->engine->limits.radix_sort_top_passes;
  if (b->plan.fits_cluster) return p;
  p.control = temp_address(temp, SLOT_CONTROL, c->storage);
  p.states = temp_address(temp, SLOT_STATES, c->storage);
  p.keys_other = temp_address(temp, SLOT_KEYS, c->storage);
  p.values_other = temp_address(temp, SLOT_VALUES, c->storage);
  return p;
}

/* Of two buffers the last pass writes the one or the other. */
static void use_buffers(radix_sort_call *p, const jig_radix_sort_args *args, int selected) {
  p->keys_out = selected ? args->keys_out.pointer : args->keys_in.pointer;
  p->values_out = selected ? args->values_out.pointer : args->values_in.pointer;
  p->keys_other = selected ? args->keys_in.pointer : args->keys_out.pointer;
  p->values_other = selected ? args->values_in.pointer : args->values_out.pointer;
}

static jig_status launch_pass(call *c, const radix_sort_plan *plan, radix_sort_values *values, int pass) {
  jig_status status = JIG_SUCCESS;
  for (uint64_t portion = 0; portion < plan->portions && status == JIG_SUCCESS; ++portion) {
    const uint64_t first = portion * plan->portion_items;
    const uint64_t items = min_of(values->call.num_items - first, plan->portion_items);
    values->part = (radix_sort_part){first, (uint32_t)items, pass, (int32_t)portion, plan->rows};
    status = call_launch(c, RADIX_SORT_PASS, radix_sort_pass_shape(c->program, plan, items), values);
  }
  return status;
}

static jig_status launch_kernels(call *c, const radix_sort_plan *plan, const radix_sort_call *p) {
  radix_sort_values values = {.call = *p, .rows = plan->rows, .chunk_items = plan->chunk_items};
  if (plan->fits_cluster) return call_launch(c, plan->cluster_kernel, plan->cluster, &values);
  const int passes = radix_passes(p->begin_bit, p->end_bit);
  jig_status status = call_launch(c, RADIX_SORT_HISTOGRAM, plan->histogram, &values);
  for (int pass = 0; pass < passes && status == JIG_SUCCESS; ++pass)
    status = launch_pass(c, plan, &values, pass);
  if (status != JIG_SUCCESS || plan->local.grid == 0) return status;
  return call_launch(c, RADIX_SORT_LOCAL, plan->local, &values);
}

/* The items themselves. */
static jig_status launch_moving(call *c, const bound_spec *b, const temp_layout *temp) {
  const jig_radix_sort_args *args = b->args;
  const int selected = b->plan.fits_cluster || b->size.passes % 2 == 1;
  radix_sort_call p = parameters_of(c, b, temp);
  if (args->selector != NULL) *args->selector = selected;
  if (args->selector != NULL && !b->plan.fits_cluster) use_buffers(&p, args, selected);
  return launch_kernels(c, &b->plan, &p);
}

static uint64_t alignment_of_words(const bound_spec *b) {
  return max_of((uint64_t)b->rows.word_bytes, sizeof(uint64_t));
}

static void *area_address(const call *c, const bound_spec *b, const temp_layout *temp, int which) {
  const area *a = &b->areas[which];
  if (!a->is_output) return temp_address(temp, (int)a->at, c->storage);
  const uintptr_t first = align_up((uintptr_t)b->args->keys_out.pointer, alignment_of_words(b));
  return (void *)(first + a->at);
}

/* Their indices, with keys that can be moved; by them, the values are gathered. */
static jig_status launch_with_keys(call *c, bound_spec *b, const temp_layout *temp) {
  radix_sort_call p = parameters_of(c, b, temp);
  p.keeps_parity = 0;
  p.values_out = area_address(c, b, temp, INDICES);
  const jig_status status = launch_kernels(c, &b->plan, &p);
  return status == JIG_SUCCESS ? radix_rows_launch(&b->rows, b->args, p.values_out) : status;
}

/* Their indices, by one word after the other of keys that are not; and then all is gathered. */
static jig_status launch_by_words(call *c, bound_spec *b, const temp_layout *temp) {
  const radix_rows *rows = &b->rows;
  radix_sort_call p = parameters_of(c, b, temp);
  jig_status status = JIG_SUCCESS;
  p.keeps_parity = 0;
  p.keys_out = area_address(c, b, temp, WORDS);
  p.keys_other = area_address(c, b, temp, OTHER_WORDS);
  p.values_other = area_address(c, b, temp, OTHER_INDICES);
  for (p.word = rows->first_word; p.word <= rows->last_word && status == JIG_SUCCESS; ++p.word) {
    const bool is_earlier = (rows->last_word - p.word) % 2 != 0;
    p.values_out = area_address(c, b, temp, is_earlier ? EARLIER_INDICES : INDICES);
    radix_rows_range(rows, p.word, &p.begin_bit, &p.end_bit);
    status = launch_kernels(c, &b->plan, &p);
    p.rows = p.values_out;
  }
  return status == JIG_SUCCESS ? radix_rows_launch(&b->rows, b->args, p.values_out) : status;
}

/* ---- the call */

static jig_status check_portions(const call *c, uint64_t portions) {
  if (portions <= RADIX_SORT_MOST_PORTIONS) return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_items: a call does not launch so many kernels",
                   c->name);
}

/* A sort in place, as one with buffers may be, needs values that are in shared memory, and keys that lie
 * in memory as between passes: not in another form, nor with values of 4 bytes as records. */
static bool can_be_local(const bound_spec *b) {
  const radix_parts *parts = &b->parts;
  const bool may_be_in_place = b->args->selector != NULL,
             has_records = parts->key.size == 4 && parts->value.size == 4;
  return radix_sort_can_be_local(&b->s) && !(may_be_in_place && (parts->order == RADIX_ORDER_OF_FLOATS ||
                                                                 parts->value.size > 8 || has_records));
}

static radix_sort_size size_of(const bound_spec *b) {
  const jig_radix_sort_args *args = b->args;
  radix_sort_size size = {.num_items = args->num_items,
                          .key_bytes = b->parts.key.size,
                          .value_bytes = b->parts.value.size,
                          .passes = radix_passes_of(args),
                          .has_buffers = args->selector != NULL,
                          .is_partial = radix_is_partial(args),
                          .can_be_local = can_be_local(b)};
  if (!radix_rows_gather(&b->rows)) return size;
  size.value_bytes = b->rows.index->type.size;
  size.has_buffers = b->rows.gathers_keys; /* areas */
  if (!b->rows.gathers_keys) return size;
  size.key_bytes = (size_t)b->rows.word_bytes;
  size.passes = radix_rows_passes(&b->rows);
  return size;
}

static void lay_out_words(bound_spec *b, temp_layout *temp) {
  const uint64_t n = b->args->num_items, words = product_of(n, b->size.key_bytes),
                 indices = product_of(n, sizeof(uint64_t));
  const bool moves = !b->plan.fits_cluster && b->size.passes > 1;
  const uint64_t sizes[AREAS] = {words, moves ? words : 0, moves ? indices : 0,
                                 b->rows.last_word > b->rows.first_word ? indices : 0, indices};
  const uint64_t align = alignment_of_words(b), skipped = align > b->parts.key.align ? align : 0;
  const uint64_t all = b->args->selector != NULL ? product_of(n, b->parts.key.size) : 0;
  const uint64_t room = all > skipped ? all - skipped : 0;
  uint64_t used = 0;
  for (int i = 0; i < AREAS; ++i) {
    const bool fits = i != INDICES && used <= room && sizes[i] <= room - used;
    b->areas[i] = (area){fits, fits ? used : (uint64_t)temp_slot(temp, sizes[i])};
    if (fits) used = align_up(used + sizes[i], sizeof(uint64_t));
  }
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const uint64_t n = b->args->num_items;
  b->place_count = radix_places_of(b->args, b->places);
  jig_status status = call_check_counts(c, "num_items", b->places, b->place_count);
  if (status == JIG_SUCCESS) status = radix_rows_prepare(c, b->args, &b->parts, false, &b->rows);
  if (status != JIG_SUCCESS) return status;
  b->size = size_of(b);
  b->plan = radix_sort_plan_of(c->program, &c->engine->limits, &b->size);
  call_needs(c, b->plan.fits_cluster ? b->plan.cluster_kernel : RADIX_SORT_HISTOGRAM);
  if (!b->plan.fits_cluster) call_needs(c, RADIX_SORT_PASS);
  if (b->plan.local.grid > 0) call_needs(c, RADIX_SORT_LOCAL);
  *temp = radix_sort_temp(c->program, &c->engine->limits, &b->size);
  if (b->rows.gathers_keys)
    lay_out_words(b, temp);
  else if (b->rows.gathers_values)
    b->areas[INDICES] = (area){false, (uint64_t)temp_slot(temp, product_of(n, b->size.value_bytes))};
  return check_portions(c, b->plan.portions);
}

static jig_status launch_kinds(call *c, bound_spec *b, const temp_layout *temp) {
  if (!radix_rows_gather(&b->rows)) return launch_moving(c, b, temp);
  if (b->args->selector != NULL) *b->args->selector = 1;
  return b->rows.gathers_keys ? launch_by_words(c, b, temp) : launch_with_keys(c, b, temp);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status != JIG_SUCCESS) return status;
  if (b->args->num_items > 0) return launch_kinds(c, b, temp);
  if (b->args->selector != NULL) *b->args->selector = 0;
  return JIG_SUCCESS;
}

const call_steps radix_sort_steps = {
    "jig_radix_sort",  CALL_ARGS(jig_radix_sort_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_radix_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_radix_sort_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&radix_sort_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

/* The text tells of the values, of which both programs follow. */
jig_status jig_radix_sort_spec(const jig_radix_sort_args *args, char **text) {
  static const call_steps own = {"jig_radix_sort", CALL_ARGS(jig_radix_sort_args, num_items), bind_own,
                                 prepare, launch};
  bound_spec b;
  return call_spec(&own, args, text, &b);
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
