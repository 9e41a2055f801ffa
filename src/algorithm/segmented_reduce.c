/* jig_segmented_reduce(): see include/jig/segmented_reduce.h and
 * templates/jig/agent/segmented_reduce/segmented_reduce.cuh. */
#include <jig/segmented_reduce.h>
#include <string.h>

#include "algorithm/reduce_parts.h"
#include "algorithm/segmented_reduce_plan.h"

/* ---- the spec */

enum {
  ACCUM,
  BEGIN_OFFSETS,
  DETERMINISM,
  END_OFFSETS,
  IN,
  INIT,
  INIT_IN,
  NUM_SEGMENTS_IN,
  OP,
  OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [ACCUM] = REDUCE_ACCUM_SLOT,
    [BEGIN_OFFSETS] = SEGMENT_BEGIN_SLOT,
    [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [END_OFFSETS] = SEGMENT_END_SLOT,
    [IN] = REDUCE_IN_SLOT,
    [INIT] = REDUCE_INIT_SLOT(" in each segment"),
    [INIT_IN] = REDUCE_INIT_IN_SLOT,
    [NUM_SEGMENTS_IN] = NUM_SEGMENTS_IN_SLOT,
    [OP] = FOLD_OP_SLOT(true),
    [OUT] = REDUCE_OUT_SLOT("a result for each segment"),
};

static jig_status check(const spec *s) {
  const jig_status status = segmented_reduce_check_spec(s);
  return status == JIG_SUCCESS ? reduce_check_spec(s) : status;
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(BEGIN_OFFSETS),
    SLOT_PARAMETER(END_OFFSETS),
    POINTED_PARAMETER(segmented_reduce_values, init, INIT),
    SLOT_PARAMETER(INIT_IN),
    SLOT_PARAMETER(OP),
    SEGMENTED_REDUCE_PARAMETER,
    VALUE_PARAMETER(segmented_reduce_values, partials, "jig::TileState<jig_accum_t> *"),
    {PARAMETERS_END},
};
static const kernel_parameter starts_parameters[] = {
    SEGMENT_STARTS_PARAMETERS(BEGIN_OFFSETS, END_OFFSETS), {PARAMETERS_END}};
static const kernel_parameter groups_parameters[] = {
    SLOT_PARAMETER(IN),      SLOT_PARAMETER(OUT), POINTED_PARAMETER(segmented_reduce_values, init, INIT),
    SLOT_PARAMETER(INIT_IN), SLOT_PARAMETER(OP),  SEGMENTED_REDUCE_PARAMETER,
    {PARAMETERS_END},
};

#define GROUPS(name_, form, ...)                                                                        \
  {                                                                                                     \
    .name = (name_), .templates = "jig/kernel/segmented_reduce/segmented_reduce_groups.cuh",            \
    .function = "jig::segmented_reduce_groups<jig_policy, jig::SegmentGroups::" #form ", jig_accum_t>", \
    .parameters = groups_parameters, .fits = segmented_reduce_is_fixed, __VA_ARGS__                     \
  }
#define KERNEL(name_, number, ...)                                                           \
  {                                                                                          \
    .name = (name_), .templates = "jig/kernel/segmented_reduce/segmented_reduce.cuh",        \
    .function = "jig::segmented_reduce<jig_policy, " SEGMENTS_COUNTED ", jig::" #number ">", \
    .parameters = parameters, __VA_ARGS__                                                    \
  }
static const kernel_row apart =
    KERNEL("jig_segmented_reduce_apart", SEGMENTS_MANY_APART, .space = &segmented_reduce_space,
           .fits = segmented_reduce_is_apart);
static const kernel_row few_apart =
    KERNEL("jig_segmented_reduce_few_apart", SEGMENTS_FEW_APART,
           .space = &segmented_reduce_few_apart_space, .fits = segmented_reduce_is_apart);
static const kernel_row parts =
    KERNEL("jig_segmented_reduce_parts", SEGMENTS_OF_BLOCKS, .space = &segmented_reduce_parts_space,
           .fits = segmented_reduce_is_fixed);
static const kernel_row items =
    GROUPS("jig_segmented_reduce_items", of_items, .space = &segmented_reduce_items_space);
static const kernel_row vectors = GROUPS("jig_segmented_reduce_vectors", of_vectors,
                                         .space = &segmented_reduce_vectors_space, .instead = &few_apart);
static const kernel_row tiny =
    GROUPS("jig_segmented_reduce_tiny", tiny, .space = &segmented_reduce_tiny_space);
static const kernel_row kernels[SEGMENTED_REDUCE_KERNELS] = {
    [SEGMENTED_REDUCE_ANY] = KERNEL("jig_segmented_reduce", SEGMENTS_MANY,
                                    .space = &segmented_reduce_space, .instead = &apart),
    [SEGMENTED_REDUCE_STARTS] =
        SEGMENT_STARTS_KERNEL("jig_segmented_reduce_starts", starts_parameters, &items),
    [SEGMENTED_REDUCE_FEW] = KERNEL("jig_segmented_reduce_few", SEGMENTS_FEW,
                                    .space = &segmented_reduce_few_space, .instead = &vectors),
    [SEGMENTED_REDUCE_BLOCKS] = KERNEL("jig_segmented_reduce_blocks", SEGMENTS_OF_BLOCKS,
                                       .space = &segmented_reduce_blocks_space, .instead = &tiny),
    [SEGMENTED_REDUCE_APART] = KERNEL("jig_segmented_reduce_apart", SEGMENTS_MANY_APART,
                                      .space = &segmented_reduce_space, .instead = &parts),
    [SEGMENTED_REDUCE_FEW_APART] = KERNEL("jig_segmented_reduce_few_apart", SEGMENTS_FEW_APART,
                                          .space = &segmented_reduce_few_apart_space),
    [SEGMENTED_REDUCE_MORE_BLOCKS] = KERNEL("jig_segmented_reduce_more_blocks", SEGMENTS_OF_MORE_BLOCKS,
                                            .space = &segmented_reduce_more_blocks_space),
    [SEGMENTED_REDUCE_HALF_BLOCKS] = KERNEL("jig_segmented_reduce_half_blocks", SEGMENTS_OF_HALF_BLOCKS,
                                            .space = &segmented_reduce_half_blocks_space),
};

/* clang-format off */
#define FIELDS(s, F, R)                                                            \
  F(s, in) F(s, out) F(s, begin_offsets) F(s, end_offsets) F(s, num_segments) F(s, segment_size)     \
  F(s, op) F(s, init) F(s, init_type) F(s, init_in) F(s, accum_type) F(s, nan) F(s, determinism)     \
  F(s, num_segments_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_segmented_reduce_args, 1824, FIELDS);

const algorithm segmented_reduce_algorithm = {
    .schema = {.algorithm = "segmented_reduce",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = reduce_complete},
    .args = &layout_of_jig_segmented_reduce_args,
    .kernels = kernels,
    .kernel_count = SEGMENTED_REDUCE_KERNELS,
    .count_kernels = segmented_reduce_count_kernels,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_segmented_reduce_args *args;
  const jig_op *op;
  jig_type init, accum;
  segment_args segments;
  segmented_reduce_plan plan;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_segmented_reduce_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->segments = (segment_args){&args->in,          &args->begin_offsets, &args->end_offsets,
                               args->num_segments, args->segment_size,   args->num_segments_in};
  b->op = accumulator_op(&args->op);
  b->init = reduce_init_type(args->init, &args->init_type, &args->out.type);
  if (args->init_in.kind != JIG_ITER_NONE) b->init = args->init_in.type;
  b->accum = accumulator_type(&args->accum_type, b->op, &b->init, &args->in.type, &args->out.type);
  b->s.schema = &segmented_reduce_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->accum;
  b->s.slots[DETERMINISM].choice = accumulator_determinism(b->op, &b->accum, args->determinism);
  b->s.slots[BEGIN_OFFSETS].iter = iter_given(&args->begin_offsets);
  b->s.slots[END_OFFSETS].iter = iter_given(&args->end_offsets);
  b->s.slots[IN].iter = &args->in;
  if (args->init != NULL) b->s.slots[INIT].type = &b->init;
  b->s.slots[INIT_IN].iter = iter_given(&args->init_in);
  b->s.slots[NUM_SEGMENTS_IN].choice = args->num_segments_in != NULL;
  b->s.slots[OP].op = b->op;
  b->s.slots[OP].ignore_nan = accumulator_ignores_nan(b->op, &b->accum, args->nan);
  b->s.slots[OUT].iter = &args->out;
  const jig_status status = segmented_reduce_check_args(name, &b->segments);
  return status == JIG_SUCCESS ? call_check_fold(name, args->nan, args->determinism) : status;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  jig_status status = call_check_count(c, "num_segments", b->args->num_segments, &b->args->out, "out");
  if (status == JIG_SUCCESS) status = segmented_reduce_prepare(c, &b->segments, b->accum.size, &b->plan);
  *temp = b->plan.temp;
  return status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_segmented_reduce_args *args = b->args;
  jig_status status = segmented_reduce_check_values(c, &b->segments, &args->out, "out");
  if (status == JIG_SUCCESS) status = call_check_op(c, b->op, "op");
  if (status != JIG_SUCCESS || args->init_in.kind == JIG_ITER_NONE) return status;
  status = call_check_iter(c, &args->init_in, 1, "init_in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->init_in, 1, "init_in");
  return status == JIG_SUCCESS
             ? call_check_apart(c, &args->out, args->num_segments, "out", &args->init_in, 1, "init_in")
             : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  (void)temp; /* the plan has it */
  jig_status status = check_values(c, b);
  b->plan.values.init = b->args->init;
  return status == JIG_SUCCESS ? segmented_reduce_launch(c, &b->plan) : status;
}

const call_steps segmented_reduce_steps = {"jig_segmented_reduce",
                                           CALL_WORK_ARGS(jig_segmented_reduce_args, num_segments),
                                           bind,
                                           prepare,
                                           launch,
                                           sizeof(bound_spec)};

jig_status jig_segmented_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                const jig_segmented_reduce_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&segmented_reduce_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_segmented_reduce_spec(const jig_segmented_reduce_args *args, char **text) {
  bound_spec b;
  return call_spec(&segmented_reduce_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_segmented_reduce_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter in, jig_iter out, jig_iter begin_offsets,
                                    jig_iter end_offsets, uint64_t num_segments, CUstream stream) {
  const jig_segmented_reduce_args args = {.in = in,
                                          .out = out,
                                          .begin_offsets = begin_offsets,
                                          .end_offsets = end_offsets,
                                          .num_segments = num_segments};
  return jig_segmented_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_segmented_reduce_min(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter in, jig_iter out, jig_iter begin_offsets,
                                    jig_iter end_offsets, uint64_t num_segments, CUstream stream) {
  const jig_segmented_reduce_args args = {.in = in,
                                          .out = out,
                                          .begin_offsets = begin_offsets,
                                          .end_offsets = end_offsets,
                                          .num_segments = num_segments,
                                          .op = JIG_MIN};
  return jig_segmented_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_segmented_reduce_max(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter in, jig_iter out, jig_iter begin_offsets,
                                    jig_iter end_offsets, uint64_t num_segments, CUstream stream) {
  const jig_segmented_reduce_args args = {.in = in,
                                          .out = out,
                                          .begin_offsets = begin_offsets,
                                          .end_offsets = end_offsets,
                                          .num_segments = num_segments,
                                          .op = JIG_MAX};
  return jig_segmented_reduce(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
