/* jig_reduce(): see include/jig/reduce.h, templates/jig/kernel/reduce/reduce.cuh. */
#include <jig/reduce.h>
#include <string.h>

#include "algorithm/accumulator.h"
#include "algorithm/call.h"
#include "algorithm/packed_args.h"
#include "algorithm/reduce_plan.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the spec */

enum { ACCUM, IN, INIT, INIT_IN, OP, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .kind = SLOT_TYPE,
               .help = "the type that folds work in; left out, it follows from op, in, init and out",
               .option = "accum"},
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the items", .option = "type"},
    [INIT] = {.name = "init",
              .kind = SLOT_TYPE,
              .optional = true,
              .help = "the type of an init that is given by value, and folded in first",
              .like = "out",
              .option = "init"},
    [INIT_IN] = {.name = "init_in",
                 .kind = SLOT_ITER,
                 .optional = true,
                 .role = ITER_INPUT,
                 .help = "the same, read on the GPU",
                 .like = "out"},
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .arity = 2,
            .over = {"accum"},
            .help = "folds two items a and b",
            .usually = "plus",
            .commutes = true,
            .option = "op"},
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "the result",
             .like = "in",
             .option = "out-type"},
};

static jig_status check(const spec *s) {
  const jig_type *accum = s->slots[ACCUM].type;
  jig_status status = type_check_conversion(&s->slots[IN].iter->type, accum, "in: the item type");
  if (status == JIG_SUCCESS)
    status = type_check_conversion(accum, &s->slots[OUT].iter->type, "out: the accumulator type");
  if (status == JIG_SUCCESS && s->slots[INIT].type != NULL) {
    status = type_check_conversion(s->slots[INIT].type, accum, "init: its type");
  }
  if (status != JIG_SUCCESS || s->slots[INIT_IN].iter == NULL) return status;
  if (s->slots[INIT].type != NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "init: it is given by value and by init_in, too");
  return type_check_conversion(&s->slots[INIT_IN].iter->type, accum, "init_in: its type");
}

static jig_status complete(parsed_spec *p) {
  const spec_slot *slots_of = p->s.slots;
  const jig_type *first = &slots_of[OUT].iter->type;
  if (slots_of[INIT].type != NULL) first = slots_of[INIT].type;
  if (slots_of[INIT_IN].iter != NULL) first = &slots_of[INIT_IN].iter->type;
  accumulator_complete(p, first, "in", "out");
  return JIG_SUCCESS;
}

static const kernel_row kernels[] = {
    {.name = "jig_reduce",
     .templates = "jig/kernel/reduce/reduce.cuh",
     .entry = "jig/kernel/reduce/reduce_entry.cuh",
     .choose_policy = reduce_policy},
};

const algorithm reduce_algorithm = {
    .schema = {.algorithm = "reduce",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .kernels = kernels,
    .kernel_count = 1,
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  jig_op op;
  jig_type init, accum;
} bound_spec;

static void bind_spec(const jig_reduce_args *args, bound_spec *d) {
  d->op = args->op.kind != JIG_OP_NONE ? args->op : JIG_PLUS;
  d->init = args->init_type.kind != JIG_KIND_NONE ? args->init_type : args->out.type;
  if (args->init_in.kind != JIG_ITER_NONE) d->init = args->init_in.type;
  d->accum = accumulator_type(&args->accum_type, &d->op, &d->init, &args->in.type, &args->out.type);
  d->s.schema = &reduce_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->accum;
  d->s.slots[IN].iter = &args->in;
  if (args->init != NULL) d->s.slots[INIT].type = &d->init;
  d->s.slots[INIT_IN].iter = iter_given(&args->init_in);
  d->s.slots[OP].op = &d->op;
  d->s.slots[OP].ignore_nan = accumulator_ignores_nan(&d->op, &d->accum, args->nan);
  d->s.slots[OUT].iter = &args->out;
}

/* ---- the call */

static jig_status check_choices(const call *c, const jig_reduce_args *args, const bound_spec *d) {
  jig_status status = call_check_choice(c, "nan", (int)args->nan, JIG_NAN_IGNORE);
  return status == JIG_SUCCESS ? call_check_determinism(c, args->determinism, &d->op, &d->accum) : status;
}

static jig_status check_values(const call *c, const jig_reduce_args *args, const bound_spec *d) {
  jig_status status = call_check_iter(c, &args->out, 1, "out");
  if (status == JIG_SUCCESS && args->num_items > 0)
    status = call_check_iter(c, &args->in, args->num_items, "in");
  if (status != JIG_SUCCESS) return status;
  status = call_check_op(c, &d->op, "op");
  if (status != JIG_SUCCESS) return status;
  if (args->init_in.kind != JIG_ITER_NONE) {
    status = call_check_iter(c, &args->init_in, 1, "init_in");
    if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->init_in, 1, "init_in");
    if (status != JIG_SUCCESS) return status;
  }
  status = call_check_overlap(c, &args->in, args->num_items, "in");
  return status == JIG_SUCCESS ? call_check_overlap(c, &args->out, 1, "out") : status;
}

static jig_status launch(call *c, const jig_reduce_args *args, const bound_spec *d,
                         const temp_layout *temp) {
  const unsigned run_items = iter_run_items(&args->in);
  const bool ordered = !op_is_built_in(&d->op, &d->accum) && !d->op.commutative;
  const launch_shape shape = reduce_shape(c->program, args->num_items, run_items, ordered);
  void *partials = temp_address(temp, 0, c->storage);
  uint64_t num_items = args->num_items, tag = engine_tag(c->engine, c->number);
  even_share ranges = {0, 0}; /* divisions only where they are used */
  if (ordered) ranges = reduce_ranges(c->program, shape.grid, num_items, run_items);
  unsigned char no_init = 0;
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->in);
  packed_iter(&packed, &args->out);
  packed_value(&packed, args->init != NULL ? (void *)(uintptr_t)args->init : &no_init);
  packed_iter(&packed, &args->init_in);
  packed_op(&packed, &d->op);
  packed_value(&packed, &num_items);
  packed_value(&packed, &ranges);
  packed_value(&packed, &partials);
  packed_value(&packed, &tag);
  return call_launch(c, 0, shape, packed.parameters);
}

static jig_status reduce(call *c, const jig_reduce_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_reduce_args), args);
  if (status != JIG_SUCCESS) return status;
  bound_spec d;
  bind_spec(args, &d);
  status = check_choices(c, args, &d);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const temp_layout temp = reduce_temp(args->num_items, d.accum.size);
  bool go_on;
  status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = check_values(c, args, &d);
  if (status != JIG_SUCCESS) return status;
  /* Nothing folded from nothing: nothing to write. */
  const bool has_init = args->init != NULL || args->init_in.kind != JIG_ITER_NONE;
  if (args->num_items == 0 && !has_init && !op_is_built_in(&d.op, &d.accum)) return JIG_SUCCESS;
  return launch(c, args, &d, &temp);
}

jig_status jig_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                      const jig_reduce_args *args, CUstream stream) {
  call c;
  jig_status status = call_begin(&c, "jig_reduce", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = reduce(&c, args);
  return call_end(&c, status);
}

jig_status jig_reduce_spec(const jig_reduce_args *args, char **text) {
  bound_spec d;
  jig_status status = call_check_spec_query("jig_reduce_spec", LAYOUT(jig_reduce_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  return spec_write(&d.s, "jig_reduce_spec", text);
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
  over_transformed.in = jig_transform(&args->in, transform, transformed);
  return jig_reduce(engine, d_temp_storage, temp_storage_bytes, &over_transformed, stream);
}
