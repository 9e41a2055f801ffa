/* jig_segmented_scan(): see include/jig/segmented_scan.h,
 * templates/jig/agent/segmented_scan/segmented_scan.cuh. */
#include <jig/segmented_scan.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/call_places.h"
#include "algorithm/scan_parts.h"
#include "algorithm/segment_plan.h"
#include "spec/complete.h"
#include "util/error.h"

/* ---- the spec */

enum {
  ACCUM,
  BEGIN_OFFSETS,
  DETERMINISM,
  END_OFFSETS,
  IN,
  INIT,
  MODE,
  NUM_SEGMENTS_IN,
  OP,
  OUT,
  OUT_OFFSETS,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [ACCUM] = SCAN_ACCUM_SLOT,
    [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [BEGIN_OFFSETS] = {.name = "begin_offsets",
                       .kind = SLOT_ITER,
                       .role = ITER_INPUT,
                       .help = "where each segment begins",
                       .usually = "i64"},
    [END_OFFSETS] = {.name = "end_offsets",
                     .kind = SLOT_ITER,
                     .role = ITER_INPUT,
                     .help = "where each segment ends",
                     .like = "begin_offsets",
                     .usually = "i64"},
    [IN] = {.name = "in",
            .use = USE_FOLDED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .help = "the items",
            .option = "type"},
    [INIT] = SCAN_INIT_SLOT("out"),
    [MODE] = SCAN_MODE_SLOT,
    [NUM_SEGMENTS_IN] = NUM_SEGMENTS_IN_SLOT,
    [OP] = FOLD_OP_SLOT(false),
    [OUT] = {.name = "out",
             .use = USE_FOLDED,
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "a result for each item",
             .like = "in",
             .option = "out-type"},
    [OUT_OFFSETS] = {.name = "out_offsets",
                     .kind = SLOT_ITER,
                     .optional = true,
                     .role = ITER_INPUT,
                     .help = "where the results of each segment begin; left out, where its items do",
                     .like = "begin_offsets"},
};

static jig_status check(const spec *s) {
  jig_status status = scan_check_spec(s);
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "begin_offsets");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "end_offsets");
  if (status != JIG_SUCCESS || s->slots[OUT_OFFSETS].iter == NULL) return status;
  return spec_check_integer(s, "out_offsets");
}

static jig_status complete(parsed_spec *p) {
  scan_complete(p, "in", "out");
  return JIG_SUCCESS;
}

/* What the kernels take beside iterators and the operator. */
typedef struct segmented_scan_values {
  segment_call call;
  int each;
} segmented_scan_values;

#define OWN_PARAMETERS                                                                                 \
  SLOT_PARAMETER(IN), SLOT_PARAMETER(OUT), SLOT_PARAMETER(BEGIN_OFFSETS), SLOT_PARAMETER(END_OFFSETS), \
      SLOT_PARAMETER(OUT_OFFSETS), SLOT_PARAMETER(INIT), SLOT_PARAMETER(OP),                           \
      COUNTED_STRUCT_PARAMETER(segmented_scan_values, call, "jig::SegmentCall", segment_call_fields,   \
                               num_segments, NUM_SEGMENTS_IN)
static const kernel_parameter short_parameters[] = {
    OWN_PARAMETERS, VALUE_PARAMETER(segmented_scan_values, each, "int"), {PARAMETERS_END}};
static const kernel_parameter long_parameters[] = {OWN_PARAMETERS, {PARAMETERS_END}};

#define PIPELINE(name_, file, function_)                                                                \
  {                                                                                                     \
    .name = "jig_segmented_scan_" name_, .templates = "jig/kernel/segmented_scan/segmented_scan_" file, \
    .function =                                                                                         \
        "jig::segmented_scan_" function_ "jig_num_segments_in != 0, jig_mode == 0, jig_accum_t>",       \
    .parameters = long_parameters, .space = &segmented_scan_pipeline_space,                             \
    .fits = segmented_scan_pipeline_fits                                                                \
  }
/* What is compiled for segments that adjoin is of no use for others, and the larger part; few that do are
 * a simpler matter. */
static const kernel_row pipeline = PIPELINE("pipeline", "pipeline.cuh", "pipeline<jig_policy, false, "),
                        adjoining = PIPELINE("adjoining", "pipeline.cuh", "pipeline<jig_policy, true, "),
                        few_adjoining =
                            PIPELINE("few_adjoining", "few_adjoining.cuh", "few_adjoining<jig_policy, ");

/* Stands for one where no pipeline fits: the first two kernels do all segments then. */
#define NO_PIPELINE(name_, instead_)                                       \
  {                                                                        \
    .name = "jig_segmented_scan_" name_,                                   \
    .templates = "jig/kernel/segmented_scan/segmented_scan_none.cuh",      \
    .function = "jig::segmented_scan_none", .parameters = long_parameters, \
    .space = &segmented_scan_long_space, .instead = (instead_)             \
  }

static const kernel_row kernels[] = {
    [SEGMENT_SHORT] =
        {.name = "jig_segmented_scan",
         .templates = "jig/kernel/segmented_scan/segmented_scan.cuh",
         .function =
             "jig::segmented_scan<jig_policy, jig_num_segments_in != 0, jig_mode == 0, jig_accum_t>",
         .parameters = short_parameters,
         .space = &segmented_scan_space},
    [SEGMENT_LONG] =
        {.name = "jig_segmented_scan_long",
         .templates = "jig/kernel/segmented_scan/segmented_scan_long.cuh",
         .function =
             "jig::segmented_scan_long<jig_policy, jig_num_segments_in != 0, jig_mode == 0, jig_accum_t>",
         .parameters = long_parameters,
         .space = &segmented_scan_long_space,
         .instead = &pipeline},
    [SEGMENT_FEW] =
        {.name = "jig_segmented_scan_few",
         .templates = "jig/kernel/segmented_scan/segmented_scan_few.cuh",
         .function =
             "jig::segmented_scan_few<jig_policy, jig_num_segments_in != 0, jig_mode == 0, jig_accum_t>",
         .parameters = long_parameters,
         .space = &segmented_scan_few_space},
    [SEGMENT_ADJOINING] = NO_PIPELINE("none", &adjoining),
    [SEGMENT_FEW_ADJOINING] = NO_PIPELINE("none_few", &few_adjoining),
};

/* Those for segments that adjoin are there where offsets can say that they do. */
static int count_kernels(const spec *s) {
  const jig_iter *begins = s->slots[BEGIN_OFFSETS].iter, *ends = s->slots[END_OFFSETS].iter;
  const bool may_adjoin = begins->kind == JIG_ITER_POINTER && ends->kind == JIG_ITER_POINTER &&
                          begins->type.kind == ends->type.kind && s->slots[OUT_OFFSETS].iter == NULL;
  return may_adjoin ? SEGMENT_KERNELS : SEGMENT_ADJOINING;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                    \
  F(s, in) F(s, out) F(s, begin_offsets) F(s, end_offsets) F(s, out_offsets) F(s, num_segments)       \
  F(s, op) F(s, init) F(s, init_type) F(s, init_in) F(s, accum_type) F(s, nan) F(s, determinism)      \
  F(s, mode) R(s, reserved32) F(s, num_segments_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_segmented_scan_args, 2120, FIELDS);

const algorithm segmented_scan_algorithm = {
    .schema = {.algorithm = "segmented_scan",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_segmented_scan_args,
    .kernels = kernels,
    .kernel_count = SEGMENT_KERNELS,
    .count_kernels = count_kernels,
};

typedef struct bound_spec {
  spec s;
  const jig_segmented_scan_args *args;
  scan_parts parts;
  segment_plan plan;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_segmented_scan_args *args = args_;
  bound_spec *b = bound;
  const scan_given given = SCAN_GIVEN(args, in, out);
  b->args = args;
  scan_find_parts(&given, &b->parts);
  b->s.schema = &segmented_scan_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->parts.accum;
  b->s.slots[DETERMINISM].choice = b->parts.determinism;
  b->s.slots[BEGIN_OFFSETS].iter = &args->begin_offsets;
  b->s.slots[END_OFFSETS].iter = &args->end_offsets;
  b->s.slots[IN].iter = &args->in;
  b->s.slots[INIT].iter = b->parts.init;
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[NUM_SEGMENTS_IN].choice = args->num_segments_in != NULL;
  b->s.slots[OP].op = b->parts.op;
  b->s.slots[OP].ignore_nan = b->parts.ignore_nan;
  b->s.slots[OUT].iter = &args->out;
  b->s.slots[OUT_OFFSETS].iter = iter_given(&args->out_offsets);
  return scan_check_choices(name, &given);
}

/* ---- the call */

/* Whether each segment begins where the one before ends, whatever the offsets are; of items that bulk
 * copies can bring. */
static bool adjoin(const jig_segmented_scan_args *args) {
  const jig_iter *begins = &args->begin_offsets, *ends = &args->end_offsets;
  return (uintptr_t)args->in.pointer % args->in.type.size == 0 && begins->kind == JIG_ITER_POINTER &&
         ends->kind == JIG_ITER_POINTER && begins->type.kind == ends->type.kind &&
         args->out_offsets.kind == JIG_ITER_NONE &&
         (const char *)ends->pointer == (const char *)begins->pointer + begins->type.size;
}

/* The items are somewhere: how many there are is only known where the offsets are. */
static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_segmented_scan_args *args = b->args;
  const uint64_t n = args->num_segments;
  const call_place places[] = {
      {&args->in, iter_known_items(&args->in), "in", false},
      {&args->begin_offsets, n, "begin_offsets", false},
      {&args->end_offsets, n, "end_offsets", false},
      {&args->out_offsets, args->out_offsets.kind != JIG_ITER_NONE ? n : 0, "out_offsets", false},
      {b->parts.init, b->parts.init != NULL, "init_in", false},
  };
  enum { PLACES = sizeof places / sizeof places[0] };
  const call_place out = {&args->out, iter_known_items(&args->out), "out", true};
  jig_status status = call_check_places(c, places, PLACES);
  if (status == JIG_SUCCESS) status = call_check_places(c, &out, 1);
  for (size_t i = 1; status == JIG_SUCCESS && i < PLACES; ++i) {
    if (places[i].count > 0)
      status = call_check_apart(c, &args->out, out.count, "out", places[i].iter, places[i].count,
                                places[i].name);
  }
  return status == JIG_SUCCESS ? call_check_op(c, b->parts.op, "op") : status;
}

static jig_status check_counts(const call *c, const jig_segmented_scan_args *args,
                               const segment_plan *plan) {
  const uint64_t n = args->num_segments;
  const call_place places[] = {{&args->begin_offsets, n, "begin_offsets", false},
                               {&args->end_offsets, n, "end_offsets", false},
                               {&args->out_offsets, n, "out_offsets", false}};
  const size_t count = args->out_offsets.kind != JIG_ITER_NONE ? 3 : 2;
  jig_status status = call_check_counts(c, "num_segments", places, count);
  if (status == JIG_SUCCESS) status = call_check_blocks(c, "num_segments", plan->short_blocks);
  if (status == JIG_SUCCESS) status = call_check_temp(c, "num_segments", temp_size(&plan->temp));
  if (status != JIG_SUCCESS || !plan->too_large) return status;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_segments: one call cannot have so many", c->name);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_type *accum = &b->parts.accum;
  b->plan = segment_plan_of(c->program, &c->engine->limits, b->args->num_segments, adjoin(b->args),
                            by_key_state_bytes(accum, accum->align));
  *temp = b->plan.temp;
  if (b->plan.short_blocks > 0) call_needs(c, SEGMENT_SHORT);
  call_needs(c, b->plan.long_kernel);
  return check_counts(c, b->args, &b->plan);
}

static jig_status launch_kernels(call *c, segment_plan *plan, const uint64_t *num_segments_in) {
  segment_plan_apply(plan, c->storage, engine_tag(c->engine, c->number));
  plan->call.num_segments_in = num_segments_in;
  const segmented_scan_values values = {plan->call, plan->each};
  jig_status status = JIG_SUCCESS;
  if (plan->short_blocks > 0) {
    const launch_shape shape = {.grid = (unsigned)plan->short_blocks, .pdl = plan->short_blocks > 1};
    status = call_launch(c, SEGMENT_SHORT, shape, &values);
  }
  if (status != JIG_SUCCESS) return status;
  return call_launch(c, plan->long_kernel, (launch_shape){.grid = plan->long_blocks, .pdl = true},
                     &values);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  (void)temp; /* the plan has it */
  jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? launch_kernels(c, &b->plan, b->args->num_segments_in) : status;
}

const call_steps segmented_scan_steps = {
    "jig_segmented_scan", CALL_WORK_ARGS(jig_segmented_scan_args, num_segments), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_segmented_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_segmented_scan_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&segmented_scan_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_segmented_scan_spec(const jig_segmented_scan_args *args, char **text) {
  bound_spec b;
  return call_spec(&segmented_scan_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_inclusive_segmented_sum(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                       jig_iter begin_offsets, jig_iter end_offsets,
                                       uint64_t num_segments, CUstream stream) {
  const jig_segmented_scan_args args = {.in = in,
                                        .out = out,
                                        .begin_offsets = begin_offsets,
                                        .end_offsets = end_offsets,
                                        .num_segments = num_segments};
  return jig_segmented_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_exclusive_segmented_sum(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                       jig_iter begin_offsets, jig_iter end_offsets,
                                       uint64_t num_segments, CUstream stream) {
  const jig_segmented_scan_args args = {.in = in,
                                        .out = out,
                                        .begin_offsets = begin_offsets,
                                        .end_offsets = end_offsets,
                                        .num_segments = num_segments,
                                        .mode = JIG_SCAN_EXCLUSIVE};
  return jig_segmented_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
