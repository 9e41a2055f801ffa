/* jig_reduce(): see include/jig/reduce.h, templates/jig/kernel/reduce/reduce.cuh. */
#include <jig/reduce.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/reduce_parts.h"
#include "algorithm/reduce_plan.h"

/* ---- the spec */

enum { ACCUM, DETERMINISM, IN, INIT, INIT_IN, NUM_ITEMS_IN, OP, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = REDUCE_ACCUM_SLOT,     [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [IN] = REDUCE_IN_SLOT,           [INIT] = REDUCE_INIT_SLOT(""),
    [INIT_IN] = REDUCE_INIT_IN_SLOT, [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = FOLD_OP_SLOT(true),       [OUT] = REDUCE_OUT_SLOT("the result"),
};

/* What the kernel takes beside iterators and the operator. */
typedef struct reduce_values {
  const void *init;
  item_count num_items;
  even_share ranges;
  void *partials;
  uint64_t tag;
} reduce_values;

static const parameter_field range_fields[] = {
    PARAMETER_FIELD(even_share, share), PARAMETER_FIELD(even_share, larger), {NULL}};
static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    POINTED_PARAMETER(reduce_values, init, INIT),
    SLOT_PARAMETER(INIT_IN),
    SLOT_PARAMETER(OP),
    COUNT_PARAMETER(reduce_values, num_items, NUM_ITEMS_IN),
    STRUCT_PARAMETER(reduce_values, ranges, "jig::even_share", range_fields),
    VALUE_PARAMETER(reduce_values, partials, "jig::TileState<jig_accum_t> *"),
    VALUE_PARAMETER(reduce_values, tag, "uint64_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_reduce",
     .templates = "jig/kernel/reduce/reduce.cuh",
     .function = "jig::reduce<jig_policy>",
     .parameters = parameters,
     .space = &reduce_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                            \
  F(s, in) F(s, out) F(s, num_items) F(s, op) F(s, init) F(s, init_type) F(s, init_in)                \
  F(s, accum_type) F(s, nan) F(s, determinism) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_reduce_args, 1224, FIELDS);

const algorithm reduce_algorithm = {
    .schema = {.algorithm = "reduce",
               .slots = slots,
               .slot_count = SLOTS,
               .check = reduce_check_spec,
               .complete = reduce_complete},
    .args = &layout_of_jig_reduce_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_reduce_args *args;
  const jig_op *op;
  jig_type init, accum;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_reduce_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->op = accumulator_op(&args->op);
  b->init = reduce_init_type(args->init, &args->init_type, &args->out.type);
  if (args->init_in.kind != JIG_ITER_NONE) b->init = args->init_in.type;
  b->accum = accumulator_type(&args->accum_type, b->op, &b->init, &args->in.type, &args->out.type);
  b->s.schema = &reduce_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->accum;
  b->s.slots[DETERMINISM].choice = accumulator_determinism(b->op, &b->accum, args->determinism);
  b->s.slots[IN].iter = &args->in;
  if (args->init != NULL) b->s.slots[INIT].type = &b->init;
  b->s.slots[INIT_IN].iter = iter_given(&args->init_in);
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OP].op = b->op;
  b->s.slots[OP].ignore_nan = accumulator_ignores_nan(b->op, &b->accum, args->nan);
  b->s.slots[OUT].iter = &args->out;
  return call_check_fold(name, args->nan, args->determinism);
}

static reduce_work work_of(const bound_spec *b) {
  enum { MOST_HELD_BYTES = 64 };
  const jig_iter *in = &b->args->in;
  const bool is_known = op_is_built_in(b->op, &b->accum);
  if (!is_known && !b->op->commutative) return REDUCE_ORDERED;
  if (is_known && in->kind == JIG_ITER_POINTER) return REDUCE_ITEMS;
  const reduce_work calls = reduce_calls_of(in);
  return calls == REDUCE_CALLS && b->accum.size > MOST_HELD_BYTES ? REDUCE_WIDE : calls;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  *temp = reduce_temp(b->args->num_items, b->accum.size, work_of(b));
  return call_check_count(c, "num_items", b->args->num_items, &b->args->in, "in");
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_reduce_args *args = b->args;
  jig_status status = call_check_iter(c, &args->out, 1, "out");
  if (status == JIG_SUCCESS && args->num_items > 0)
    status = call_check_iter(c, &args->in, args->num_items, "in");
  if (status != JIG_SUCCESS) return status;
  status = call_check_op(c, b->op, "op");
  if (status != JIG_SUCCESS) return status;
  if (args->init_in.kind != JIG_ITER_NONE) {
    status = call_check_iter(c, &args->init_in, 1, "init_in");
    if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->init_in, 1, "init_in");
    if (status != JIG_SUCCESS) return status;
  }
  status = call_check_overlap(c, &args->in, args->num_items, "in");
  return status == JIG_SUCCESS ? call_check_overlap(c, &args->out, 1, "out") : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_reduce_args *args = b->args;
  const unsigned vector_items = iter_vector_items(&args->in);
  const bool is_known = op_is_built_in(b->op, &b->accum);
  const bool has_init = args->init != NULL || args->init_in.kind != JIG_ITER_NONE;
  const jig_status status = check_values(c, b);
  if (status != JIG_SUCCESS) return status;
  /* Nothing folded from nothing: nothing to write. */
  if (args->num_items == 0 && !has_init && !is_known) return JIG_SUCCESS;
  const reduce_work work = work_of(b);
  const launch_shape shape = reduce_shape(c->program, args->num_items, vector_items, work);
  reduce_values values = {.init = args->init,
                          .num_items = {args->num_items, args->num_items_in},
                          .partials = temp_address(temp, 0, c->storage),
                          .tag = engine_tag(c->engine, c->number)};
  /* Divisions only where they are used. */
  if (work == REDUCE_ORDERED)
    values.ranges = reduce_ranges(c->program, shape.grid, args->num_items, vector_items);
  return call_launch(c, 0, shape, &values);
}

const call_steps reduce_steps = {
    "jig_reduce", CALL_ARGS(jig_reduce_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                      const jig_reduce_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&reduce_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_reduce_spec(const jig_reduce_args *args, char **text) {
  bound_spec b;
  return call_spec(&reduce_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_reduce_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          jig_iter in, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_reduce_args args = {.in = in, .out = out, .num_items = num_items};
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_reduce_min(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          jig_iter in, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_reduce_args args = {.in = in, .out = out, .num_items = num_items, .op = JIG_MIN};
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_reduce_max(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          jig_iter in, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_reduce_args args = {.in = in, .out = out, .num_items = num_items, .op = JIG_MAX};
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_transform_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                const jig_reduce_args *args, jig_op transform, jig_type transformed,
                                CUstream stream) {
  if (args == NULL) return jig_reduce(engine, d_temp_storage, temp_storage_bytes, NULL, stream);
  jig_reduce_args over_transformed = *args;
  over_transformed.in = jig_iter_transform(&args->in, transform, transformed);
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &over_transformed, stream);
}

jig_status jig_count_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in,
                        jig_iter out, uint64_t num_items, jig_op predicate, CUstream stream) {
  const jig_reduce_args args = {.in = jig_iter_transform(&in, predicate, JIG_BOOL),
                                .out = out,
                                .num_items = num_items,
                                .accum_type = JIG_U64};
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
