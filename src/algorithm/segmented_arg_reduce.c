/* jig_segmented_arg_reduce(): see include/jig/segmented_reduce.h and
 * templates/jig/agent/segmented_reduce/segment_arg_rule.cuh. */
#include <jig/segmented_reduce.h>
#include <string.h>

#include "algorithm/arg_order.h"
#include "algorithm/by_key.h"
#include "algorithm/segmented_reduce_plan.h"

/* ---- the spec */

enum {
  BEGIN_OFFSETS,
  COMPARE,
  END_OFFSETS,
  IN,
  INDEX_OUT,
  NAN_CHOICE,
  NUM_SEGMENTS_IN,
  OP,
  VALUE_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [BEGIN_OFFSETS] = SEGMENT_BEGIN_SLOT,
    [COMPARE] = ARG_COMPARE_SLOT,
    [END_OFFSETS] = SEGMENT_END_SLOT,
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [INDEX_OUT] = ARG_INDEX_SLOT,
    [NAN_CHOICE] = ARG_NAN_SLOT,
    [NUM_SEGMENTS_IN] = NUM_SEGMENTS_IN_SLOT,
    [OP] = ARG_OP_SLOT,
    [VALUE_OUT] = ARG_VALUE_SLOT,
};

static jig_status check(const spec *s) {
  const jig_status status = segmented_reduce_check_spec(s);
  return status == JIG_SUCCESS ? arg_order_check(s) : status;
}

static jig_status complete(parsed_spec *p) {
  arg_order_complete(p);
  return JIG_SUCCESS;
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(VALUE_OUT),
    SLOT_PARAMETER(INDEX_OUT),
    SLOT_PARAMETER(BEGIN_OFFSETS),
    SLOT_PARAMETER(END_OFFSETS),
    SLOT_PARAMETER(COMPARE),
    SEGMENTED_REDUCE_PARAMETER,
    VALUE_PARAMETER(segmented_reduce_values, partials,
                    "jig::TileState<jig::indexed_value<jig_in_t::value_type>> *"),
    {PARAMETERS_END},
};
static const kernel_parameter starts_parameters[] = {
    SEGMENT_STARTS_PARAMETERS(BEGIN_OFFSETS, END_OFFSETS), {PARAMETERS_END}};
static const kernel_parameter groups_parameters[] = {
    SLOT_PARAMETER(IN),      SLOT_PARAMETER(VALUE_OUT),  SLOT_PARAMETER(INDEX_OUT),
    SLOT_PARAMETER(COMPARE), SEGMENTED_REDUCE_PARAMETER, {PARAMETERS_END},
};

#define GROUPS(name_, form, ...)                                                                 \
  {                                                                                              \
    .name = (name_), .templates = "jig/kernel/segmented_reduce/segmented_arg_reduce_groups.cuh", \
    .function = "jig::segmented_arg_reduce_groups<jig_policy, jig::SegmentGroups::" #form        \
                ", jig_op == 1, jig_nan == 0>",                                                  \
    .parameters = groups_parameters, .fits = segmented_reduce_is_fixed, __VA_ARGS__              \
  }
#define KERNEL(name_, number, ...)                                                                   \
  {                                                                                                  \
    .name = (name_), .templates = "jig/kernel/segmented_reduce/segmented_arg_reduce.cuh",            \
    .function = "jig::segmented_arg_reduce<jig_policy, jig_op == 1, jig_nan == 0, " SEGMENTS_COUNTED \
                ", jig::" #number ">",                                                               \
    .parameters = parameters, __VA_ARGS__                                                            \
  }
static const kernel_row apart =
    KERNEL("jig_segmented_arg_reduce_apart", SEGMENTS_MANY_APART, .space = &segmented_reduce_space,
           .fits = segmented_reduce_is_apart);
static const kernel_row few_apart =
    KERNEL("jig_segmented_arg_reduce_few_apart", SEGMENTS_FEW_APART,
           .space = &segmented_reduce_few_apart_space, .fits = segmented_reduce_is_apart);
static const kernel_row items =
    GROUPS("jig_segmented_arg_reduce_items", of_items, .space = &segmented_reduce_items_space);
static const kernel_row vectors = GROUPS("jig_segmented_arg_reduce_vectors", of_vectors,
                                         .space = &segmented_reduce_vectors_space, .instead = &few_apart);
static const kernel_row tiny =
    GROUPS("jig_segmented_arg_reduce_tiny", tiny, .space = &segmented_reduce_tiny_space);
static const kernel_row kernels[SEGMENTED_REDUCE_KERNELS] = {
    [SEGMENTED_REDUCE_ANY] = KERNEL("jig_segmented_arg_reduce", SEGMENTS_MANY,
                                    .space = &segmented_arg_reduce_space, .instead = &apart),
    [SEGMENTED_REDUCE_STARTS] =
        SEGMENT_STARTS_KERNEL("jig_segmented_arg_reduce_starts", starts_parameters, &items),
    [SEGMENTED_REDUCE_FEW] = KERNEL("jig_segmented_arg_reduce_few", SEGMENTS_FEW,
                                    .space = &segmented_reduce_few_space, .instead = &vectors),
    [SEGMENTED_REDUCE_BLOCKS] = KERNEL("jig_segmented_arg_reduce_blocks", SEGMENTS_OF_BLOCKS,
                                       .space = &segmented_reduce_blocks_space, .instead = &tiny),
    [SEGMENTED_REDUCE_APART] =
        KERNEL("jig_segmented_arg_reduce_apart", SEGMENTS_MANY_APART, .space = &segmented_reduce_space),
    [SEGMENTED_REDUCE_FEW_APART] = KERNEL("jig_segmented_arg_reduce_few_apart", SEGMENTS_FEW_APART,
                                          .space = &segmented_reduce_few_apart_space),
    [SEGMENTED_REDUCE_MORE_BLOCKS] =
        KERNEL("jig_segmented_arg_reduce_more_blocks", SEGMENTS_OF_MORE_BLOCKS,
               .space = &segmented_reduce_more_blocks_space),
    [SEGMENTED_REDUCE_HALF_BLOCKS] =
        KERNEL("jig_segmented_arg_reduce_half_blocks", SEGMENTS_OF_HALF_BLOCKS,
               .space = &segmented_reduce_half_blocks_space),
};

/* clang-format off */
#define FIELDS(s, F, R)                                                        \
  F(s, in) F(s, value_out) F(s, index_out) F(s, begin_offsets) F(s, end_offsets) F(s, num_segments)  \
  F(s, segment_size) F(s, op) F(s, nan) F(s, determinism) F(s, compare) F(s, num_segments_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_segmented_arg_reduce_args, 1872, FIELDS);

const algorithm segmented_arg_reduce_algorithm = {
    .schema = {.algorithm = "segmented_arg_reduce",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_segmented_arg_reduce_args,
    .kernels = kernels,
    .kernel_count = SEGMENTED_REDUCE_KERNELS,
    .count_kernels = segmented_reduce_count_kernels,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_segmented_arg_reduce_args *args;
  segment_args segments;
  segmented_reduce_plan plan;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_segmented_arg_reduce_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  const arg_order order = {&args->op, &args->compare, args->nan, args->determinism};
  b->args = args;
  b->segments = (segment_args){&args->in,          &args->begin_offsets, &args->end_offsets,
                               args->num_segments, args->segment_size,   args->num_segments_in};
  s->schema = &segmented_arg_reduce_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[BEGIN_OFFSETS].iter = iter_given(&args->begin_offsets);
  s->slots[END_OFFSETS].iter = iter_given(&args->end_offsets);
  s->slots[IN].iter = &args->in;
  s->slots[INDEX_OUT].iter = &args->index_out;
  s->slots[NUM_SEGMENTS_IN].choice = args->num_segments_in != NULL;
  s->slots[VALUE_OUT].iter = iter_given(&args->value_out);
  const jig_status status = segmented_reduce_check_args(name, &b->segments);
  return status == JIG_SUCCESS ? arg_order_bind(name, &order, &args->in.type, &s->slots[COMPARE],
                                                &s->slots[NAN_CHOICE], &s->slots[OP])
                               : status;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const uint64_t n = b->args->num_segments;
  jig_status status = call_check_count(c, "num_segments", n, &b->args->index_out, "index_out");
  if (status == JIG_SUCCESS && b->args->value_out.kind != JIG_ITER_NONE)
    status = call_check_count(c, "num_segments", n, &b->args->value_out, "value_out");
  /* An accumulator is an item and its position. */
  const jig_type held = type_held(&b->args->in.type);
  const size_t accum_bytes = by_key_state_bytes(&held, sizeof(uint64_t));
  if (status == JIG_SUCCESS) status = segmented_reduce_prepare(c, &b->segments, accum_bytes, &b->plan);
  *temp = b->plan.temp;
  return status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_segmented_arg_reduce_args *args = b->args;
  const uint64_t n = args->num_segments;
  jig_status status = segmented_reduce_check_values(c, &b->segments, &args->index_out, "index_out");
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->compare, "compare");
  if (status != JIG_SUCCESS || args->value_out.kind == JIG_ITER_NONE) return status;
  status = segmented_reduce_check_values(c, &b->segments, &args->value_out, "value_out");
  return status == JIG_SUCCESS
             ? call_check_apart(c, &args->index_out, n, "index_out", &args->value_out, n, "value_out")
             : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  (void)temp; /* the plan has it */
  jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? segmented_reduce_launch(c, &b->plan) : status;
}

const call_steps segmented_arg_reduce_steps = {
    "jig_segmented_arg_reduce",
    CALL_WORK_ARGS(jig_segmented_arg_reduce_args, num_segments),
    bind,
    prepare,
    launch,
    sizeof(bound_spec)};

jig_status jig_segmented_arg_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    const jig_segmented_arg_reduce_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&segmented_arg_reduce_steps, engine, d_temp_storage, temp_storage_bytes, args, stream,
                  &b);
}

jig_status jig_segmented_arg_reduce_spec(const jig_segmented_arg_reduce_args *args, char **text) {
  bound_spec b;
  return call_spec(&segmented_arg_reduce_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_segmented_reduce_argmin(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter value_out,
                                       jig_iter index_out, jig_iter begin_offsets, jig_iter end_offsets,
                                       uint64_t num_segments, CUstream stream) {
  const jig_segmented_arg_reduce_args args = {.in = in,
                                              .value_out = value_out,
                                              .index_out = index_out,
                                              .begin_offsets = begin_offsets,
                                              .end_offsets = end_offsets,
                                              .num_segments = num_segments,
                                              .op = JIG_MIN};
  return jig_segmented_arg_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_segmented_reduce_argmax(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter value_out,
                                       jig_iter index_out, jig_iter begin_offsets, jig_iter end_offsets,
                                       uint64_t num_segments, CUstream stream) {
  const jig_segmented_arg_reduce_args args = {.in = in,
                                              .value_out = value_out,
                                              .index_out = index_out,
                                              .begin_offsets = begin_offsets,
                                              .end_offsets = end_offsets,
                                              .num_segments = num_segments,
                                              .op = JIG_MAX};
  return jig_segmented_arg_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
