/* jig_merge(): see include/jig/merge.h and templates/jig/agent/merge/merge.cuh. */
#include <jig/merge.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/tile_state.h"
#include "algorithm/two_inputs.h"
#include "policy/merge.h"
#include "policy/merge_sort.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  COMPARE,
  FIRST_KEYS_IN,
  FIRST_NUM_ITEMS_IN,
  FIRST_VALUES_IN,
  KEYS_OUT,
  SECOND_KEYS_IN,
  SECOND_NUM_ITEMS_IN,
  SECOND_VALUES_IN,
  VALUES_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [COMPARE] = TWO_COMPARE_SLOT("op"),
    [FIRST_KEYS_IN] = FIRST_KEYS_SLOT,
    [FIRST_NUM_ITEMS_IN] = DEVICE_COUNT_SLOT(first_num_items),
    [FIRST_VALUES_IN] = FIRST_VALUES_SLOT,
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .role = ITER_OUTPUT,
                  .places = {"first_keys_in", "second_keys_in"},
                  .help = "all keys in order",
                  .like = "first_keys_in"},
    [SECOND_KEYS_IN] = SECOND_KEYS_SLOT,
    [SECOND_NUM_ITEMS_IN] = DEVICE_COUNT_SLOT(second_num_items),
    [SECOND_VALUES_IN] = SECOND_VALUES_SLOT("a value for each of the second keys"),
    [VALUES_OUT] = TWO_VALUES_OUT_SLOT,
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"first_values_in", "second_values_in", "values_out", NULL};
  const jig_status status = spec_check_together(s, values);
  return status == JIG_SUCCESS ? two_inputs_check_spec(s) : status;
}

/* What the kernels take beside iterators and the order. */
typedef struct merge_values {
  item_count first_num_items, second_num_items;
  void *splits;
  uint32_t tile_items; /* of what is split into */
} merge_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(FIRST_KEYS_IN),
    SLOT_PARAMETER(FIRST_VALUES_IN),
    SLOT_PARAMETER(SECOND_KEYS_IN),
    SLOT_PARAMETER(SECOND_VALUES_IN),
    SLOT_PARAMETER(KEYS_OUT),
    SLOT_PARAMETER(VALUES_OUT),
    SLOT_PARAMETER(COMPARE),
    COUNT_PARAMETER(merge_values, first_num_items, FIRST_NUM_ITEMS_IN),
    COUNT_PARAMETER(merge_values, second_num_items, SECOND_NUM_ITEMS_IN),
    VALUE_PARAMETER(merge_values, splits, "uint64_t *"),
    VALUE_PARAMETER(merge_values, tile_items, "uint32_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    [MERGE_SMALL] = {.name = "jig_merge_small",
                     .templates = "jig/kernel/merge/merge.cuh",
                     .function = "jig::merge_block<jig_policy>",
                     .parameters = parameters,
                     .space = &merge_small_space},
    [MERGE_SPLIT] = {.name = "jig_merge_split",
                     .templates = "jig/kernel/merge/merge.cuh",
                     .function = "jig::merge_split<jig_policy>",
                     .parameters = parameters,
                     .space = &merge_split_space},
    [MERGE_LARGE] = {.name = "jig_merge_large",
                     .templates = "jig/kernel/merge/merge.cuh",
                     .function = "jig::merge_block<jig_policy>",
                     .parameters = parameters,
                     .space = &merge_large_space},
    [MERGE_LARGEST] = {.name = "jig_merge_largest",
                       .templates = "jig/kernel/merge/merge.cuh",
                       .function = "jig::merge_block<jig_policy>",
                       .parameters = parameters,
                       .space = &merge_largest_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                             \
  F(s, first_keys_in) F(s, second_keys_in) F(s, keys_out) F(s, first_values_in)                       \
  F(s, second_values_in) F(s, values_out) F(s, first_num_items) F(s, second_num_items) F(s, compare)  \
  F(s, first_num_items_in) F(s, second_num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_merge_args, 2008, FIELDS);

const algorithm merge_algorithm = {
    .schema = {.algorithm = "merge", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_merge_args,
    .kernels = kernels,
    .kernel_count = MERGE_KERNELS,
};

/* ---- launches */

/* Up to so many items for each multiprocessor blocks had better search by themselves than wait for a
 * launch that does. */
enum { SMALL_ITEMS = 16384 };

static uint64_t least_largest(const call *c) {
  const merge_tuning tuning = merge_tuning_of(&c->program->kernels[MERGE_LARGEST].tuning);
  const uint64_t least = (uint64_t)(unsigned)tuning.least_items * (unsigned)c->program->multiprocessors;
  return min_of(least, c->engine->limits.merge_least_largest);
}

static int kernel_for(const call *c, uint64_t num_items) {
  if (num_items <= (uint64_t)SMALL_ITEMS * (unsigned)c->program->multiprocessors) return MERGE_SMALL;
  return num_items < least_largest(c) ? MERGE_LARGE : MERGE_LARGEST;
}

static uint32_t tile_items(const program *p, int kernel) {
  const merge_tuning tuning = merge_tuning_of(&p->kernels[kernel].tuning);
  return (uint32_t)tuning.threads * (uint32_t)tuning.items;
}

static uint64_t tiles_of(const program *p, int kernel, uint64_t num_items) {
  return ceil_div(num_items, tile_items(p, kernel));
}

/* Slot 0: where each tile begins in the first input, and the end. No less than for fewer items, which
 * have smaller tiles. */
static temp_layout temp_of(const call *c, uint64_t num_items) {
  temp_layout temp = {0};
  const int kernel = kernel_for(c, num_items);
  const uint64_t most = min_of(num_items, least_largest(c));
  uint64_t tiles = kernel == MERGE_SMALL ? 0 : tiles_of(c->program, MERGE_LARGE, most) + 1;
  if (kernel == MERGE_LARGEST) tiles = max_of(tiles, tiles_of(c->program, kernel, num_items) + 1);
  (void)temp_slot(&temp, product_of(tiles, sizeof(uint64_t)));
  return temp;
}

static jig_status launch_kernels(call *c, const jig_merge_args *args, const temp_layout *temp) {
  const uint64_t n = args->first_num_items + args->second_num_items;
  const int kernel = kernel_for(c, n);
  const merge_values values = {{args->first_num_items, args->first_num_items_in},
                               {args->second_num_items, args->second_num_items_in},
                               temp_address(temp, 0, c->storage),
                               tile_items(c->program, kernel)};
  const uint64_t tiles = tiles_of(c->program, kernel, n);
  if (kernel != MERGE_SMALL) {
    const unsigned threads = policy_threads(&c->program->kernels[MERGE_SPLIT].tuning);
    const launch_shape shape = {.grid = (unsigned)ceil_div(tiles + 1, threads), .pdl = true};
    jig_status status = call_launch(c, MERGE_SPLIT, shape, &values);
    if (status != JIG_SUCCESS) return status;
  }
  const launch_shape shape = {.grid = (unsigned)tiles, .pdl = n > MAX_ITEMS_WITHOUT_PDL};
  return call_launch(c, kernel, shape, &values);
}

/* ---- the call */

enum { KEY_PLACES = 3, MAX_PLACES = 6 };

typedef struct bound_spec {
  spec s;
  const jig_merge_args *args;
  call_place places[MAX_PLACES];
  size_t place_count;
} bound_spec;

/* How many of them there are: of the keys, and of the values if there are any, the first input's, the
 * second's and the output. */
static size_t list_places(const jig_merge_args *args, call_place places[MAX_PLACES]) {
  const uint64_t first = args->first_num_items, second = args->second_num_items;
  const uint64_t all = sum_of(first, second);
  places[0] = (call_place){&args->first_keys_in, first, "first_keys_in", false};
  places[1] = (call_place){&args->second_keys_in, second, "second_keys_in", false};
  places[2] = (call_place){&args->keys_out, all, "keys_out", true};
  places[3] = (call_place){&args->first_values_in, first, "first_values_in", false};
  places[4] = (call_place){&args->second_values_in, second, "second_values_in", false};
  places[5] = (call_place){&args->values_out, all, "values_out", true};
  return args->values_out.kind != JIG_ITER_NONE ? MAX_PLACES : KEY_PLACES;
}

/* For both counts together the larger one has to answer. */
static jig_status check_counts(const call *c, const call_place *places, size_t count) {
  const uint64_t first = places[0].count, second = places[1].count, all = places[2].count;
  const char *larger = two_inputs_larger(first, second);
  const char *const arguments[KEY_PLACES] = {"first_num_items", "second_num_items", larger};
  jig_status status = two_inputs_check_sum(c, first, second);
  for (size_t i = 0; i < count && status == JIG_SUCCESS; ++i)
    status = call_check_counts(c, arguments[i % KEY_PLACES], &places[i], 1);
  if (status != JIG_SUCCESS) return status;
  return call_check_blocks(c, larger, tiles_of(c->program, kernel_for(c, all), all));
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_merge_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  (void)name;
  b->args = args;
  b->place_count = list_places(args, b->places);
  s->schema = &merge_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[FIRST_KEYS_IN].iter = &args->first_keys_in;
  s->slots[FIRST_NUM_ITEMS_IN].choice = args->first_num_items_in != NULL;
  s->slots[SECOND_NUM_ITEMS_IN].choice = args->second_num_items_in != NULL;
  s->slots[FIRST_VALUES_IN].iter = iter_given(&args->first_values_in);
  s->slots[KEYS_OUT].iter = &args->keys_out;
  s->slots[SECOND_KEYS_IN].iter = &args->second_keys_in;
  s->slots[SECOND_VALUES_IN].iter = iter_given(&args->second_values_in);
  s->slots[VALUES_OUT].iter = iter_given(&args->values_out);
  s->slots[COMPARE].op = op_order_given(&args->compare);
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_status status = check_counts(c, b->places, b->place_count);
  if (status != JIG_SUCCESS) return status;
  const uint64_t n = b->places[2].count; /* of the output */
  const int kernel = kernel_for(c, n);
  call_needs(c, kernel);
  if (kernel != MERGE_SMALL) call_needs(c, MERGE_SPLIT);
  *temp = temp_of(c, n);
  return JIG_SUCCESS;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  if (b->places[2].count == 0) return JIG_SUCCESS;
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status == JIG_SUCCESS) status = call_check_op(c, &b->args->compare, "compare");
  return status == JIG_SUCCESS ? launch_kernels(c, b->args, temp) : status;
}

const call_steps merge_steps = {
    "jig_merge", CALL_PAIR_ARGS(jig_merge_args, first_num_items, second_num_items),
    bind,        prepare,
    launch,      sizeof(bound_spec)};

jig_status jig_merge(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                     const jig_merge_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&merge_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_merge_spec(const jig_merge_args *args, char **text) {
  bound_spec b;
  return call_spec(&merge_steps, args, text, &b);
}
