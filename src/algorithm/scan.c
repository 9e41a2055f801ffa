/* jig_scan(): see include/jig/scan.h, templates/jig/kernel/scan/scan_single_wave.cuh and
 * scan_lookback.cuh. */
#include <jig/scan.h>
#include <string.h>

#include "algorithm/chain.h"
#include "algorithm/scan_parts.h"
#include "policy/scan.h"
#include "spec/complete.h"
#include "spec/iterator_memory.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { ACCUM, DETERMINISM, IN, INIT, MODE, NUM_ITEMS_IN, OP, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = SCAN_ACCUM_SLOT,
    [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [IN] = {.name = "in",
            .use = USE_FOLDED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .help = "the items",
            .option = "type"},
    [INIT] = SCAN_INIT_SLOT("out"),
    [MODE] = SCAN_MODE_SLOT,
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = FOLD_OP_SLOT(false),
    [OUT] = {.name = "out",
             .use = USE_FOLDED,
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "a result for each item",
             .like = "in",
             .option = "out-type"},
};

static jig_status complete(parsed_spec *p) {
  scan_complete(p, "in", "out");
  return JIG_SUCCESS;
}

#define OWN_PARAMETERS \
  SLOT_PARAMETER(IN), SLOT_PARAMETER(OUT), SLOT_PARAMETER(INIT), SLOT_PARAMETER(OP), CHAIN_NUM_ITEMS
static const kernel_parameter single_wave_parameters[] = {OWN_PARAMETERS, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter cluster_parameters[] = {OWN_PARAMETERS, CHAIN_CLUSTER_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {OWN_PARAMETERS,
                                                       CHAIN_LOOKBACK_PARAMETERS("jig_accum_t")};
static const kernel_parameter pipeline_parameters[] = {OWN_PARAMETERS, CHAIN_PIPELINE_PARAMETERS};

static const kernel_row pipeline = {
    .name = "jig_scan_pipeline",
    .templates = "jig/kernel/scan/scan_pipeline.cuh",
    .function = "jig::scan_pipeline<jig_policy, jig_mode == 0, jig_accum_t>",
    .parameters = pipeline_parameters,
    .space = &scan_pipeline_space,
    .fits = scan_pipeline_fits,
};
static const kernel_row kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_scan_single_wave",
                           .templates = "jig/kernel/scan/scan_single_wave.cuh",
                           .function = "jig::scan_single_wave<jig_policy, jig_mode == 0, jig_accum_t>",
                           .parameters = single_wave_parameters,
                           .space = &scan_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_scan_lookback",
                     .templates = "jig/kernel/scan/scan_lookback.cuh",
                     .function = "jig::scan_lookback<jig_policy, jig_mode == 0, jig_accum_t>",
                     .parameters = lookback_parameters,
                     .space = &scan_lookback_space,
                     .instead = &pipeline},
    [CHAIN_CLUSTER] = {.name = "jig_scan_cluster",
                       .templates = "jig/kernel/scan/scan_cluster.cuh",
                       .function = "jig::scan_cluster<jig_policy, jig_mode == 0, jig_accum_t>",
                       .parameters = cluster_parameters,
                       .space = &scan_cluster_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, op) F(s, init) F(s, init_type) F(s, init_in)                \
  F(s, accum_type) F(s, nan) F(s, determinism) F(s, mode) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_scan_args, 1232, FIELDS);

const algorithm scan_algorithm = {
    .schema = {.algorithm = "scan",
               .slots = slots,
               .slot_count = SLOTS,
               .check = scan_check_spec,
               .complete = complete},
    .args = &layout_of_jig_scan_args,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_scan_args *args;
  scan_parts parts;
  chain_size size;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_scan_args *args = args_;
  bound_spec *b = bound;
  const scan_given given = SCAN_GIVEN(args, in, out);
  b->args = args;
  scan_find_parts(&given, &b->parts);
  b->s.schema = &scan_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->parts.accum;
  b->s.slots[DETERMINISM].choice = b->parts.determinism;
  b->s.slots[IN].iter = &args->in;
  b->s.slots[INIT].iter = b->parts.init;
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OP].op = b->parts.op;
  b->s.slots[OP].ignore_nan = b->parts.ignore_nan;
  b->s.slots[OUT].iter = &args->out;
  return scan_check_choices(name, &given);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_scan_args *args = b->args;
  b->size = (chain_size){args->num_items, b->parts.accum.size, .has_cluster = true};
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_items", args->num_items, &args->out, "out");
  return status == JIG_SUCCESS ? chain_prepare(c, &b->size, temp) : status;
}

static jig_status check_aliasing(const call *c, const jig_scan_args *args) {
  const jig_iter *out = &args->out;
  const uint64_t n = args->num_items;
  jig_status status = call_check_in_place(c, out, "out", &args->in, "in", n);
  if (status != JIG_SUCCESS || out->kind != JIG_ITER_POINTER || args->init_in.kind == JIG_ITER_NONE ||
      !iter_overlaps(&args->init_in, 1, out->pointer, product_of(n, out->type.size)))
    return status;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_scan: init_in: it lies within out");
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_scan_args *args = b->args;
  const jig_iter *init = b->parts.init;
  const uint64_t n = args->num_items;
  jig_status status = call_check_iter(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_iter(c, &args->out, n, "out");
  if (status == JIG_SUCCESS && init != NULL) status = call_check_iter(c, init, 1, "init_in");
  if (status == JIG_SUCCESS) status = call_check_op(c, b->parts.op, "op");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_output(c, &args->out, n, "out");
  if (status == JIG_SUCCESS && init != NULL) status = call_check_overlap(c, init, 1, "init_in");
  return status == JIG_SUCCESS ? check_aliasing(c, args) : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  chain_values values = {.num_items = {b->args->num_items, b->args->num_items_in}};
  jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? chain_launch(c, &b->size, temp, &values) : status;
}

const call_steps scan_steps = {
    "jig_scan", CALL_WORK_ARGS(jig_scan_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                    const jig_scan_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&scan_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_scan_spec(const jig_scan_args *args, char **text) {
  bound_spec b;
  return call_spec(&scan_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_inclusive_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter in, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_scan_args args = {.in = in, .out = out, .num_items = num_items};
  return jig_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_exclusive_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter in, jig_iter out, uint64_t num_items, CUstream stream) {
  const jig_scan_args args = {.in = in, .out = out, .num_items = num_items, .mode = JIG_SCAN_EXCLUSIVE};
  return jig_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_inclusive_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, jig_op op, const void *init, jig_type init_type,
                              uint64_t num_items, CUstream stream) {
  const jig_scan_args args = {
      .in = in, .out = out, .num_items = num_items, .op = op, .init = init, .init_type = init_type};
  return jig_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_exclusive_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, jig_op op, const void *init, jig_type init_type,
                              uint64_t num_items, CUstream stream) {
  const jig_scan_args args = {.in = in,
                              .out = out,
                              .num_items = num_items,
                              .op = op,
                              .mode = JIG_SCAN_EXCLUSIVE,
                              .init = init,
                              .init_type = init_type};
  return jig_scan(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
