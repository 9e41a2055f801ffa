/* jig_segmented_scan(): see include/jig/segmented_scan.h,
 * templates/jig/agent/segmented_scan/segmented_scan.cuh. */
#include <jig/segmented_scan.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/packed_args.h"
#include "algorithm/scan_parts.h"
#include "algorithm/segment_plan.h"
#include "spec/complete.h"
#include "util/error.h"

/* ---- the spec */

enum { ACCUM, BEGIN_OFFSETS, END_OFFSETS, IN, INIT, MODE, OP, OUT, OUT_OFFSETS, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .kind = SLOT_TYPE,
               .help =
                   "the type that folds work in; left out, it follows from op, init, items and results",
               .option = "accum"},
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
    [OUT_OFFSETS] = {.name = "out_offsets",
                     .kind = SLOT_ITER,
                     .optional = true,
                     .role = ITER_INPUT,
                     .help = "where the results of each segment begin; left out, where its items do",
                     .like = "begin_offsets"},
};

static jig_status check(const spec *s) {
  jig_status status = scan_check_spec(s);
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "begin_offsets");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "end_offsets");
  if (status != JIG_SUCCESS || s->slots[OUT_OFFSETS].iter == NULL) return status;
  return by_key_check_integer(s, "out_offsets");
}

static jig_status complete(parsed_spec *p) {
  scan_complete(p, "in", "out");
  return JIG_SUCCESS;
}

static const kernel_row ring = {.name = "jig_segmented_scan_ring",
                                .templates = "jig/kernel/segmented_scan/segmented_scan_ring.cuh",
                                .entry = "jig/kernel/segmented_scan/segmented_scan_ring_entry.cuh",
                                .choose_policy = segmented_scan_ring_policy,
                                .fits = segmented_scan_ring_fits};
static const kernel_row kernels[] = {
    [SEGMENT_SHORT] = {.name = "jig_segmented_scan",
                       .templates = "jig/kernel/segmented_scan/segmented_scan.cuh",
                       .entry = "jig/kernel/segmented_scan/segmented_scan_entry.cuh",
                       .choose_policy = segmented_scan_policy},
    [SEGMENT_LONG] = {.name = "jig_segmented_scan_long",
                      .templates = "jig/kernel/segmented_scan/segmented_scan_long.cuh",
                      .entry = "jig/kernel/segmented_scan/segmented_scan_long_entry.cuh",
                      .choose_policy = segmented_scan_long_policy,
                      .instead = &ring},
};

const algorithm segmented_scan_algorithm = {
    .schema = {.algorithm = "segmented_scan",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .kernels = kernels,
    .kernel_count = SEGMENT_KERNELS,
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  jig_scan_args as_scan;
  scan_parts parts;
} bound_spec;

/* What it has in common with a scan. */
static jig_scan_args as_scan(const jig_segmented_scan_args *args) {
  return (jig_scan_args){.in = args->in,
                         .out = args->out,
                         .op = args->op,
                         .mode = args->mode,
                         .init = args->init,
                         .init_type = args->init_type,
                         .init_in = args->init_in,
                         .accum_type = args->accum_type,
                         .nan = args->nan,
                         .determinism = args->determinism};
}

static void bind_spec(const jig_segmented_scan_args *args, bound_spec *d) {
  d->as_scan = as_scan(args);
  d->parts = scan_parts_of(&d->as_scan);
  d->s.schema = &segmented_scan_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->parts.accum;
  d->s.slots[BEGIN_OFFSETS].iter = &args->begin_offsets;
  d->s.slots[END_OFFSETS].iter = &args->end_offsets;
  d->s.slots[IN].iter = &args->in;
  if (d->parts.init.kind != JIG_ITER_NONE) d->s.slots[INIT].iter = &d->parts.init;
  d->s.slots[MODE].choice = (int)args->mode;
  d->s.slots[OP].op = &d->parts.op;
  d->s.slots[OP].ignore_nan = d->parts.ignore_nan;
  d->s.slots[OUT].iter = &args->out;
  if (args->out_offsets.kind != JIG_ITER_NONE) d->s.slots[OUT_OFFSETS].iter = &args->out_offsets;
}

/* ---- the call */

/* Whether each segment begins where the one before ends, whatever the offsets are. */
static bool adjoin(const jig_segmented_scan_args *args) {
  const jig_iter *begins = &args->begin_offsets, *ends = &args->end_offsets;
  return begins->kind == JIG_ITER_POINTER && ends->kind == JIG_ITER_POINTER &&
         begins->type.kind == ends->type.kind && args->out_offsets.kind == JIG_ITER_NONE &&
         (const char *)ends->pointer == (const char *)begins->pointer + begins->type.size;
}

/* The items are somewhere: how many there are is only known where the offsets are. */
static jig_status check_values(const call *c, const jig_segmented_scan_args *args, const bound_spec *d) {
  const uint64_t n = args->num_segments;
  const by_key_place places[] = {
      {&args->in, 1, "in", false},
      {&args->begin_offsets, n, "begin_offsets", false},
      {&args->end_offsets, n, "end_offsets", false},
      {&args->out_offsets, args->out_offsets.kind != JIG_ITER_NONE ? n : 0, "out_offsets", false},
      {&d->parts.init, d->parts.init.kind != JIG_ITER_NONE, "init", false},
  };
  enum { PLACES = sizeof places / sizeof places[0] };
  const by_key_place out = {&args->out, 1, "out", true};
  jig_status status = by_key_check_places(c, places, PLACES);
  if (status == JIG_SUCCESS) status = by_key_check_places(c, &out, 1);
  for (size_t i = 1; status == JIG_SUCCESS && i < PLACES; ++i) {
    if (places[i].count > 0)
      status = call_check_apart(c, &args->out, 1, "out", places[i].iter, places[i].count, places[i].name);
  }
  return status == JIG_SUCCESS ? call_check_op(c, &d->parts.op, "op") : status;
}

static jig_status check_counts(const call *c, const jig_segmented_scan_args *args,
                               const segment_plan *plan) {
  const uint64_t n = args->num_segments;
  const by_key_place places[] = {{&args->begin_offsets, n, "begin_offsets", false},
                                 {&args->end_offsets, n, "end_offsets", false},
                                 {&args->out_offsets, n, "out_offsets", false}};
  const size_t count = args->out_offsets.kind != JIG_ITER_NONE ? 3 : 2;
  jig_status status = by_key_check_counts(c, "num_segments", places, count);
  if (status == JIG_SUCCESS) status = call_check_blocks(c, "num_segments", plan->short_blocks);
  if (status == JIG_SUCCESS) status = call_check_temp(c, "num_segments", temp_size(&plan->temp));
  if (status != JIG_SUCCESS || !plan->too_large) return status;
  return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_segments: one call cannot have so many", c->name);
}

static jig_status launch(call *c, const jig_segmented_scan_args *args, const bound_spec *d,
                         segment_plan *plan) {
  packed_args packed;
  segment_plan_apply(plan, c->storage, engine_tag(c->engine, c->number));
  packed_begin(&packed);
  packed_iter(&packed, &args->in);
  packed_iter(&packed, &args->out);
  packed_iter(&packed, &args->begin_offsets);
  packed_iter(&packed, &args->end_offsets);
  packed_iter(&packed, &args->out_offsets);
  packed_iter(&packed, &d->parts.init);
  packed_op(&packed, &d->parts.op);
  packed_value(&packed, &plan->call);
  jig_status status = JIG_SUCCESS;
  if (plan->short_blocks > 0) {
    packed_args for_short = packed;
    packed_value(&for_short, &plan->each);
    const launch_shape shape = {.grid = (unsigned)plan->short_blocks, .overlap = plan->short_blocks > 1};
    status = call_launch(c, SEGMENT_SHORT, shape, for_short.parameters);
  }
  if (status != JIG_SUCCESS) return status;
  return call_launch(c, SEGMENT_LONG, (launch_shape){.grid = plan->long_blocks, .overlap = true},
                     packed.parameters);
}

static jig_status segmented_scan(call *c, const jig_segmented_scan_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_segmented_scan_args), args);
  if (status != JIG_SUCCESS) return status;
  bound_spec d;
  bind_spec(args, &d);
  status = scan_check_choices(c, &d.as_scan, &d.parts);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  segment_plan plan = segment_plan_of(c->program, &c->engine->limits, args->num_segments, adjoin(args),
                                      by_key_state_bytes(&d.parts.accum, d.parts.accum.align));
  bool go_on;
  status = check_counts(c, args, &plan);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &plan.temp, &go_on);
  if (!go_on || args->num_segments == 0) return status;
  status = check_values(c, args, &d);
  return status == JIG_SUCCESS ? launch(c, args, &d, &plan) : status;
}

jig_status jig_segmented_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_segmented_scan_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_segmented_scan", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = segmented_scan(&c, args);
  return call_end(&c, status);
}

jig_status jig_segmented_scan_spec(const jig_segmented_scan_args *args, char **text) {
  bound_spec d;
  jig_status status =
      call_check_spec_query("jig_segmented_scan_spec", LAYOUT(jig_segmented_scan_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  return spec_write(&d.s, "jig_segmented_scan_spec", text);
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
