/* jig_set_operation(): see include/jig/set.h and templates/jig/agent/set/set_tile.cuh. */
#include <jig/set.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/chain.h"
#include "algorithm/two_inputs.h"
#include "policy/set_operation.h"
#include "spec/complete.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  COMPARE,
  FIRST_KEYS_IN,
  FIRST_NUM_ITEMS_IN,
  FIRST_VALUES_IN,
  KEYS_OUT,
  MODE,
  NUM_ITEMS_OUT,
  SECOND_KEYS_IN,
  SECOND_NUM_ITEMS_IN,
  SECOND_VALUES_IN,
  VALUES_OUT,
  SLOTS
};

static const char *const modes[] = {[JIG_SET_UNION] = "union",
                                    [JIG_SET_INTERSECTION] = "intersection",
                                    [JIG_SET_DIFFERENCE] = "difference",
                                    [JIG_SET_SYMMETRIC_DIFFERENCE] = "symmetric_difference",
                                    NULL};

static const slot_schema slots[SLOTS] = {
    [COMPARE] = TWO_COMPARE_SLOT(NULL),
    [FIRST_KEYS_IN] = FIRST_KEYS_SLOT,
    [FIRST_NUM_ITEMS_IN] = DEVICE_COUNT_SLOT(first_num_items),
    [FIRST_VALUES_IN] = FIRST_VALUES_SLOT,
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .optional = true,
                  .role = ITER_OUTPUT,
                  .places = {"first_keys_in", "second_keys_in"},
                  .help = "the keys that are kept; null: they are only counted",
                  .like = "first_keys_in",
                  .follows = true},
    [MODE] = {.name = "mode", .kind = SLOT_CHOICE, .choices = modes, .help = "which keys are kept"},
    [NUM_ITEMS_OUT] = {.name = "num_items_out",
                       .use = USE_COUNTED,
                       .kind = SLOT_ITER,
                       .role = ITER_OUTPUT,
                       .help = "how many keys are kept",
                       .usually = "i64",
                       .option = "count-type"},
    [SECOND_KEYS_IN] = SECOND_KEYS_SLOT,
    [SECOND_NUM_ITEMS_IN] = DEVICE_COUNT_SLOT(second_num_items),
    [SECOND_VALUES_IN] =
        SECOND_VALUES_SLOT("a value for each of the second keys, of which some modes keep any"),
    [VALUES_OUT] = TWO_VALUES_OUT_SLOT,
};

static bool keeps_second(int mode) {
  return mode == JIG_SET_UNION || mode == JIG_SET_SYMMETRIC_DIFFERENCE;
}

static jig_status check(const spec *s) {
  static const char *const values[] = {"first_values_in", "values_out", NULL};
  static const char *const all_values[] = {"first_values_in", "second_values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, keeps_second(s->slots[MODE].choice) ? all_values : values);
  if (status == JIG_SUCCESS) status = two_inputs_check_spec(s);
  return status == JIG_SUCCESS ? spec_check_integer(s, "num_items_out") : status;
}

/* Values that are not looked at are in no program. */
static jig_status complete(parsed_spec *p) {
  if (!keeps_second(parsed_slot(p, "mode")->choice)) parsed_slot(p, "second_values_in")->iter = NULL;
  return JIG_SUCCESS;
}

/* What the kernels take beside iterators and the order. */
typedef struct set_values {
  chain_values chain; /* first: what a chain's parameters are members of */
  item_count first_num_items, second_num_items;
  uint64_t limit;
  void *borders;
} set_values;

#define SET_STATE "jig::class_counts<1>"
#define SET_FUNCTION(chain) "jig::set_operation<jig_policy, jig::" chain "<" SET_STATE ">, jig_mode>"
#define SET_PARAMETERS                                                                            \
  SLOT_PARAMETER(FIRST_KEYS_IN), SLOT_PARAMETER(FIRST_VALUES_IN), SLOT_PARAMETER(SECOND_KEYS_IN), \
      SLOT_PARAMETER(SECOND_VALUES_IN), SLOT_PARAMETER(KEYS_OUT), SLOT_PARAMETER(VALUES_OUT),     \
      SLOT_PARAMETER(NUM_ITEMS_OUT), SLOT_PARAMETER(COMPARE),                                     \
      COUNT_PARAMETER(set_values, first_num_items, FIRST_NUM_ITEMS_IN),                           \
      COUNT_PARAMETER(set_values, second_num_items, SECOND_NUM_ITEMS_IN),                         \
      VALUE_PARAMETER(set_values, limit, "uint64_t"),                                             \
      VALUE_PARAMETER(set_values, borders, "const uint64_t *")

static const kernel_parameter single_wave_parameters[] = {SET_PARAMETERS, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {SET_PARAMETERS,
                                                       CHAIN_LOOKBACK_PARAMETERS(SET_STATE)};
static const kernel_parameter split_parameters[] = {
    SLOT_PARAMETER(FIRST_KEYS_IN),
    SLOT_PARAMETER(SECOND_KEYS_IN),
    SLOT_PARAMETER(COMPARE),
    COUNT_PARAMETER(set_values, first_num_items, FIRST_NUM_ITEMS_IN),
    COUNT_PARAMETER(set_values, second_num_items, SECOND_NUM_ITEMS_IN),
    VALUE_PARAMETER(set_values, borders, "uint64_t *"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_set_operation_single_wave",
                           .templates = "jig/kernel/set/set_operation.cuh",
                           .function = SET_FUNCTION("SingleWaveChain"),
                           .parameters = single_wave_parameters,
                           .space = &set_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_set_operation_lookback",
                     .templates = "jig/kernel/set/set_operation.cuh",
                     .function = SET_FUNCTION("LookbackChain"),
                     .parameters = lookback_parameters,
                     .space = &set_lookback_space},
    [SET_SPLIT] = {.name = "jig_set_operation_split",
                   .templates = "jig/kernel/set/set_operation.cuh",
                   .function = "jig::set_operation_split<jig_policy>",
                   .parameters = split_parameters,
                   .space = &set_split_space},
    [SET_FEW] = {.name = "jig_set_operation_few",
                 .templates = "jig/kernel/set/set_operation.cuh",
                 .function = SET_FUNCTION("SingleWaveChain"),
                 .parameters = single_wave_parameters,
                 .space = &set_few_space},
};

static int count_kernels(const spec *s) {
  return set_has_few(s) ? SET_KERNELS : SET_FEW;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                                                 \
  F(s, first_keys_in) F(s, second_keys_in) F(s, keys_out) F(s, first_values_in) F(s, second_values_in)  \
  F(s, values_out) F(s, num_items_out) F(s, first_num_items) F(s, second_num_items) F(s, compare)       \
  F(s, mode) R(s, reserved32) F(s, first_num_items_in) F(s, second_num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_set_operation_args, 2312, FIELDS);

const algorithm set_operation_algorithm = {
    .schema = {.algorithm = "set_operation",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_set_operation_args,
    .kernels = kernels,
    .kernel_count = SET_KERNELS,
    .count_kernels = count_kernels,
};

/* ---- the call */

enum { MAX_PLACES = 7 };

typedef struct bound_spec {
  spec s;
  const jig_set_operation_args *args;
  call_place places[MAX_PLACES];
  size_t place_count;
  uint64_t limit;   /* of the items that are kept */
  chain_size size;  /* once prepared */
  uint64_t borders; /* the same: between tiles and at both ends; 0: blocks search by themselves */
} bound_spec;

static uint64_t most_kept(const jig_set_operation_args *args) {
  const uint64_t first = args->first_num_items, second = args->second_num_items;
  if (keeps_second((int)args->mode)) return sum_of(first, second);
  return args->mode == JIG_SET_INTERSECTION ? min_of(first, second) : first;
}

static void list_place(bound_spec *b, int slot, uint64_t count) {
  const slot_schema *schema = &slots[slot];
  if (b->s.slots[slot].iter != NULL)
    b->places[b->place_count++] =
        (call_place){b->s.slots[slot].iter, count, schema->name, schema->role == ITER_OUTPUT};
}

static void list_places(bound_spec *b) {
  b->place_count = 0;
  list_place(b, FIRST_KEYS_IN, b->args->first_num_items);
  list_place(b, FIRST_VALUES_IN, b->args->first_num_items);
  list_place(b, SECOND_KEYS_IN, b->args->second_num_items);
  list_place(b, SECOND_VALUES_IN, b->args->second_num_items);
  list_place(b, KEYS_OUT, b->limit);
  list_place(b, VALUES_OUT, b->limit);
  list_place(b, NUM_ITEMS_OUT, 1);
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_set_operation_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  const int mode = (int)args->mode;
  b->args = args;
  b->limit = most_kept(args);
  s->schema = &set_operation_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[COMPARE].op = op_order_given(&args->compare);
  s->slots[FIRST_KEYS_IN].iter = &args->first_keys_in;
  s->slots[FIRST_NUM_ITEMS_IN].choice = args->first_num_items_in != NULL;
  s->slots[SECOND_NUM_ITEMS_IN].choice = args->second_num_items_in != NULL;
  s->slots[FIRST_VALUES_IN].iter = iter_given(&args->first_values_in);
  s->slots[KEYS_OUT].iter = iter_given(&args->keys_out);
  s->slots[MODE].choice = mode;
  s->slots[NUM_ITEMS_OUT].iter = &args->num_items_out;
  s->slots[SECOND_KEYS_IN].iter = &args->second_keys_in;
  if (keeps_second(mode)) s->slots[SECOND_VALUES_IN].iter = iter_given(&args->second_values_in);
  s->slots[VALUES_OUT].iter = iter_given(&args->values_out);
  list_places(b);
  return call_check_choice(name, "mode", mode, JIG_SET_SYMMETRIC_DIFFERENCE);
}

static jig_status check_counts(const call *c, const bound_spec *b) {
  const jig_set_operation_args *args = b->args;
  const char *larger = two_inputs_larger(args->first_num_items, args->second_num_items);
  jig_status status = two_inputs_check_sum(c, args->first_num_items, args->second_num_items);
  for (size_t i = 0; i < b->place_count && status == JIG_SUCCESS; ++i) {
    const call_place *place = &b->places[i];
    const bool is_first = place->iter == &args->first_keys_in || place->iter == &args->first_values_in;
    const bool is_second = place->iter == &args->second_keys_in || place->iter == &args->second_values_in;
    const char *argument = is_first ? "first_num_items" : is_second ? "second_num_items" : larger;
    status = call_check_counts(c, argument, place, 1);
  }
  if (status == JIG_SUCCESS)
    status = call_check_index(c, &args->num_items_out.type, "num_items_out", b->limit);
  return status;
}

enum { BORDERS = 2 }; /* behind the chain's own slots */

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_set_operation_args *args = b->args;
  jig_status status = check_counts(c, b);
  if (status != JIG_SUCCESS) return status;
  b->size = (chain_size){sum_of(args->first_num_items, args->second_num_items), sizeof(uint64_t),
                         .few_rows = c->program->count > SET_FEW ? SET_FEW : 0};
  const uint64_t tiles = chain_tiles(c->program, &b->size);
  status = call_check_blocks(c, two_inputs_larger(args->first_num_items, args->second_num_items), tiles);
  if (status != JIG_SUCCESS) return status;
  status = chain_prepare(c, &b->size, temp);
  b->borders = chain_plan_of(c->program, &b->size).form != CHAIN_IS_SINGLE_WAVE ? tiles + 1 : 0;
  if (b->borders > 0) call_needs(c, SET_SPLIT);
  (void)temp_slot(temp, product_of(b->borders, sizeof(uint64_t)));
  return status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  const jig_set_operation_args *args = b->args;
  set_values values = {.first_num_items = {args->first_num_items, args->first_num_items_in},
                       .second_num_items = {args->second_num_items, args->second_num_items_in},
                       .limit = b->limit};
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->compare, "compare");
  if (status != JIG_SUCCESS) return status;
  if (b->borders > 0) {
    const unsigned threads = policy_threads(&c->program->kernels[SET_SPLIT].tuning);
    const launch_shape shape = {.grid = (unsigned)ceil_div(b->borders, threads), .pdl = true};
    values.borders = temp_address(temp, BORDERS, c->storage);
    status = call_launch(c, SET_SPLIT, shape, &values);
  }
  return status == JIG_SUCCESS ? chain_launch(c, &b->size, temp, &values.chain) : status;
}

const call_steps set_operation_steps = {
    "jig_set_operation",
    CALL_PAIR_ARGS(jig_set_operation_args, first_num_items, second_num_items),
    bind,
    prepare,
    launch,
    sizeof(bound_spec)};

jig_status jig_set_operation(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_set_operation_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&set_operation_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_set_operation_spec(const jig_set_operation_args *args, char **text) {
  bound_spec b;
  return call_spec(&set_operation_steps, args, text, &b);
}

/* ---- the same by name */

#define SET_BY_NAME(name, mode_)                                                                   \
  jig_status name(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,            \
                  jig_iter first_in, uint64_t first_num_items, jig_iter second_in,                 \
                  uint64_t second_num_items, jig_iter out, jig_iter num_items_out, jig_op compare, \
                  CUstream stream) {                                                               \
    const jig_set_operation_args args = {.first_keys_in = first_in,                                \
                                         .second_keys_in = second_in,                              \
                                         .keys_out = out,                                          \
                                         .num_items_out = num_items_out,                           \
                                         .first_num_items = first_num_items,                       \
                                         .second_num_items = second_num_items,                     \
                                         .compare = compare,                                       \
                                         .mode = (mode_)};                                         \
    return jig_set_operation(engine, d_temp_storage, temp_storage_bytes, &args, stream);           \
  }
SET_BY_NAME(jig_set_union, JIG_SET_UNION)
SET_BY_NAME(jig_set_intersection, JIG_SET_INTERSECTION)
SET_BY_NAME(jig_set_difference, JIG_SET_DIFFERENCE)
SET_BY_NAME(jig_set_symmetric_difference, JIG_SET_SYMMETRIC_DIFFERENCE)

jig_status jig_includes(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                        jig_iter first_in, uint64_t first_num_items, jig_iter second_in,
                        uint64_t second_num_items, jig_iter out, jig_op compare, CUstream stream) {
  const jig_set_operation_args args = {
      .first_keys_in = second_in,
      .second_keys_in = first_in,
      .num_items_out = jig_transform_output(&out, jig_op_source("return x == 0;"), JIG_U64),
      .first_num_items = second_num_items,
      .second_num_items = first_num_items,
      .compare = compare,
      .mode = JIG_SET_DIFFERENCE};
  return jig_set_operation(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
