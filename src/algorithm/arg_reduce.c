/* jig_arg_reduce(): see include/jig/reduce.h, templates/jig/kernel/reduce/arg_reduce.cuh. */
#include <jig/reduce.h>
#include <string.h>

#include "algorithm/arg_order.h"
#include "algorithm/reduce_plan.h"

/* ---- the spec */

enum { COMPARE, IN, INDEX_OUT, NAN_CHOICE, NUM_ITEMS_IN, OP, VALUE_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [COMPARE] = ARG_COMPARE_SLOT,
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [INDEX_OUT] = ARG_INDEX_SLOT,
    [NAN_CHOICE] = ARG_NAN_SLOT,
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = ARG_OP_SLOT,
    [VALUE_OUT] = ARG_VALUE_SLOT,
};

static jig_status complete(parsed_spec *p) {
  arg_order_complete(p);
  return JIG_SUCCESS;
}

/* What the kernel takes beside iterators and the order. */
typedef struct arg_reduce_values {
  item_count num_items;
  void *partials;
  uint64_t tag;
} arg_reduce_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(VALUE_OUT),
    SLOT_PARAMETER(INDEX_OUT),
    SLOT_PARAMETER(COMPARE),
    COUNT_PARAMETER(arg_reduce_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(arg_reduce_values, partials,
                    "jig::TileState<jig::indexed_value<jig_in_t::value_type>> *"),
    VALUE_PARAMETER(arg_reduce_values, tag, "uint64_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_arg_reduce",
     .templates = "jig/kernel/reduce/arg_reduce.cuh",
     .function = "jig::arg_reduce<jig_policy, jig_op == 1, jig_nan == 0>",
     .parameters = parameters,
     .space = &reduce_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                        \
  F(s, in) F(s, value_out) F(s, index_out) F(s, num_items) F(s, op) F(s, nan) F(s, determinism)       \
  F(s, compare) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_arg_reduce_args, 1272, FIELDS);

const algorithm arg_reduce_algorithm = {
    .schema = {.algorithm = "arg_reduce",
               .slots = slots,
               .slot_count = SLOTS,
               .check = arg_order_check,
               .complete = complete},
    .args = &layout_of_jig_arg_reduce_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_arg_reduce_args *args;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_arg_reduce_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  const arg_order order = {&args->op, &args->compare, args->nan, args->determinism};
  b->args = args;
  s->schema = &arg_reduce_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[IN].iter = &args->in;
  s->slots[INDEX_OUT].iter = &args->index_out;
  s->slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  s->slots[VALUE_OUT].iter = iter_given(&args->value_out);
  return arg_order_bind(name, &order, &args->in.type, &s->slots[COMPARE], &s->slots[NAN_CHOICE],
                        &s->slots[OP]);
}

static jig_status check_values(const call *c, const jig_arg_reduce_args *args) {
  bool wants_value = args->value_out.kind != JIG_ITER_NONE;
  jig_status status = call_check_iter(c, &args->index_out, 1, "index_out");
  if (status == JIG_SUCCESS && wants_value) {
    status = call_check_iter(c, &args->value_out, 1, "value_out");
  }
  if (status == JIG_SUCCESS && args->num_items > 0)
    status = call_check_iter(c, &args->in, args->num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->compare, "compare");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, args->num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->index_out, 1, "index_out");
  if (status != JIG_SUCCESS || !wants_value) return status;
  status = call_check_overlap(c, &args->value_out, 1, "value_out");
  return status == JIG_SUCCESS
             ? call_check_apart(c, &args->index_out, 1, "index_out", &args->value_out, 1, "value_out")
             : status;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const jig_arg_reduce_args *args = ((const bound_spec *)bound)->args;
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = arg_order_check_index(c, &args->index_out.type, "index_out", args->num_items);
  *temp = arg_order_temp(args->num_items, &args->in.type, 1);
  return status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const jig_arg_reduce_args *args = ((const bound_spec *)bound)->args;
  const launch_shape shape =
      reduce_shape(c->program, args->num_items, iter_place_items(&args->in), reduce_calls_of(&args->in));
  const arg_reduce_values values = {{args->num_items, args->num_items_in},
                                    temp_address(temp, 0, c->storage),
                                    engine_tag(c->engine, c->number)};
  const jig_status status = check_values(c, args);
  return status == JIG_SUCCESS ? call_launch(c, 0, shape, &values) : status;
}

const call_steps arg_reduce_steps = {
    "jig_arg_reduce",  CALL_ARGS(jig_arg_reduce_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_arg_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_arg_reduce_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&arg_reduce_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_arg_reduce_spec(const jig_arg_reduce_args *args, char **text) {
  bound_spec b;
  return call_spec(&arg_reduce_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_reduce_argmin(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter in, jig_iter value_out, jig_iter index_out, uint64_t num_items,
                             CUstream stream) {
  const jig_arg_reduce_args args = {
      .in = in, .value_out = value_out, .index_out = index_out, .num_items = num_items, .op = JIG_MIN};
  return jig_arg_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_reduce_argmax(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter in, jig_iter value_out, jig_iter index_out, uint64_t num_items,
                             CUstream stream) {
  const jig_arg_reduce_args args = {
      .in = in, .value_out = value_out, .index_out = index_out, .num_items = num_items, .op = JIG_MAX};
  return jig_arg_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
