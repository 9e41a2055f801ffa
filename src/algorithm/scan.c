/* jig_scan(): see include/jig/scan.h, templates/jig/kernel/scan/scan_wave.cuh and scan_lookback.cuh. */
#include <jig/scan.h>
#include <string.h>

#include "algorithm/chain.h"
#include "algorithm/scan_parts.h"
#include "policy/scan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { ACCUM, IN, INIT, MODE, OP, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .kind = SLOT_TYPE,
               .help =
                   "the type that folds work in; left out, it follows from op, init, items and results",
               .option = "accum"},
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the items", .option = "type"},
    [INIT] =
        {.name = "init",
         .kind = SLOT_ITER,
         .optional = true,
         .role = ITER_INPUT,
         .help =
             "what is folded in first: constant(T) if it is given by value, T if it is read on the GPU",
         .like = "out",
         .option = "init"},
    [MODE] = {.name = "mode",
              .kind = SLOT_CHOICE,
              .choices = scan_modes,
              .help = "whether item i is in result i",
              .option = "exclusive"},
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .arity = 2,
            .over = {"accum"},
            .help = "folds two items a and b",
            .usually = "plus",
            .option = "op"},
    [OUT] = {.name = "out",
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

static const kernel_row ring = {.name = "jig_scan_ring",
                                .templates = "jig/kernel/scan/scan_ring.cuh",
                                .entry = "jig/kernel/scan/scan_ring_entry.cuh",
                                .choose_policy = scan_ring_policy,
                                .fits = scan_ring_fits};
static const kernel_row kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_scan_wave",
                    .templates = "jig/kernel/scan/scan_wave.cuh",
                    .entry = "jig/kernel/scan/scan_wave_entry.cuh",
                    .choose_policy = scan_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_scan_lookback",
                     .templates = "jig/kernel/scan/scan_lookback.cuh",
                     .entry = "jig/kernel/scan/scan_lookback_entry.cuh",
                     .choose_policy = scan_lookback_policy,
                     .instead = &ring},
};

const algorithm scan_algorithm = {
    .schema = {.algorithm = "scan",
               .slots = slots,
               .slot_count = SLOTS,
               .check = scan_check_spec,
               .complete = complete},
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  scan_parts parts;
} bound_spec;

static void bind_spec(const jig_scan_args *args, bound_spec *d) {
  d->parts = scan_parts_of(args);
  d->s.schema = &scan_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->parts.accum;
  d->s.slots[IN].iter = &args->in;
  if (d->parts.init.kind != JIG_ITER_NONE) d->s.slots[INIT].iter = &d->parts.init;
  d->s.slots[MODE].choice = (int)args->mode;
  d->s.slots[OP].op = &d->parts.op;
  d->s.slots[OP].ignore_nan = d->parts.ignore_nan;
  d->s.slots[OUT].iter = &args->out;
}

/* ---- the call */

static jig_status check_aliasing(const call *c, const jig_scan_args *args) {
  const jig_iter *out = &args->out;
  const uint64_t n = args->num_items;
  jig_status status = call_check_in_place(c, out, "out", &args->in, "in", n);
  if (status != JIG_SUCCESS || out->kind != JIG_ITER_POINTER || args->init_in.kind == JIG_ITER_NONE ||
      !iter_overlaps(&args->init_in, 1, out->pointer, product_of(n, out->type.size)))
    return status;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_scan: init: it lies within out");
}

static jig_status check_values(const call *c, const jig_scan_args *args, const bound_spec *d) {
  const uint64_t n = args->num_items;
  jig_status status = call_check_iter(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_iter(c, &args->out, n, "out");
  if (status == JIG_SUCCESS && d->parts.init.kind != JIG_ITER_NONE)
    status = call_check_iter(c, &d->parts.init, 1, "init");
  if (status == JIG_SUCCESS) status = call_check_op(c, &d->parts.op, "op");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->out, n, "out");
  if (status == JIG_SUCCESS && d->parts.init.kind != JIG_ITER_NONE)
    status = call_check_overlap(c, &d->parts.init, 1, "init");
  return status == JIG_SUCCESS ? check_aliasing(c, args) : status;
}

static jig_status launch(call *c, const jig_scan_args *args, const bound_spec *d, const chain_size *size,
                         const temp_layout *temp) {
  uint64_t num_items = args->num_items;
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->in);
  packed_iter(&packed, &args->out);
  packed_iter(&packed, &d->parts.init);
  packed_op(&packed, &d->parts.op);
  packed_value(&packed, &num_items);
  return chain_launch(c, size, temp, &packed);
}

static jig_status scan(call *c, const jig_scan_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_scan_args), args);
  if (status != JIG_SUCCESS) return status;
  bound_spec d;
  bind_spec(args, &d);
  status = scan_check_choices(c, args, &d.parts);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const scan_tuning tuning = scan_tuning_of(&c->program->kernels[CHAIN_WAVE].tuning);
  const chain_size size = {args->num_items, (unsigned)tuning.run_items, d.parts.accum.size};
  temp_layout temp;
  bool go_on;
  status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_items", args->num_items, &args->out, "out");
  if (status == JIG_SUCCESS) status = chain_prepare(c, &size, &temp);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on || args->num_items == 0) return status;
  status = check_values(c, args, &d);
  return status == JIG_SUCCESS ? launch(c, args, &d, &size, &temp) : status;
}

jig_status jig_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                    const jig_scan_args *args, CUstream stream) {
  call c;
  jig_status status = call_begin(&c, "jig_scan", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = scan(&c, args);
  return call_end(&c, status);
}

jig_status jig_scan_spec(const jig_scan_args *args, char **text) {
  bound_spec d;
  jig_status status = call_check_spec_query("jig_scan_spec", LAYOUT(jig_scan_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  return spec_write(&d.s, "jig_scan_spec", text);
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
