/* jig_arg_reduce(): see include/jig/reduce.h, templates/jig/kernel/arg_reduce.cuh. */
#include <jig/reduce.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/packed_args.h"
#include "algorithm/reduce_plan.h"
#include "spec/canonical.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the spec */

enum { IN, INDEX_OUT, OP, VALUE_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT},
    [INDEX_OUT] = {.name = "index_out", .kind = SLOT_ITER, .role = ITER_OUTPUT},
    [OP] = {.name = "op", .kind = SLOT_OP, .arity = 2, .over = {"in"}},
    [VALUE_OUT] = {.name = "value_out", .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT},
};

static jig_status check(const spec *s) {
  const jig_op *op = s->slots[OP].op;
  const jig_iter *value_out = s->slots[VALUE_OUT].iter;
  if (op->kind != JIG_OP_MIN && op->kind != JIG_OP_MAX) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "op: it must be JIG_MIN or JIG_MAX");
  }
  if (s->slots[INDEX_OUT].iter->type.kind != JIG_KIND_I64) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "index_out: its type must be i64, not %s",
                     jig_type_name(&s->slots[INDEX_OUT].iter->type));
  }
  if (value_out != NULL && !type_equal(&value_out->type, &s->slots[IN].iter->type)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "value_out: its type must be the input's, %s, not %s",
                     jig_type_name(&s->slots[IN].iter->type), jig_type_name(&value_out->type));
  }
  return JIG_SUCCESS;
}

static const kernel_row kernels[] = {
    {.name = "jig_arg_reduce",
     .templates = "jig/kernel/arg_reduce.cuh",
     .entry = "jig/kernel/arg_reduce_entry.cuh",
     .choose_policy = reduce_policy},
};

const algorithm arg_reduce_algorithm = {
    .schema = {.algorithm = "arg_reduce", .slots = slots, .slot_count = SLOTS, .check = check},
    .kernels = kernels,
    .kernel_count = 1,
};

/* A spec with what it points to beside the args. */
typedef struct described {
  spec s;
  jig_op op;
} described;

static void describe(const jig_arg_reduce_args *args, described *d) {
  d->op = args->op.kind != JIG_OP_NONE ? args->op : JIG_MIN;
  d->s.schema = &arg_reduce_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[IN].iter = &args->in;
  d->s.slots[INDEX_OUT].iter = &args->index_out;
  d->s.slots[OP].op = &d->op;
  d->s.slots[OP].ignore_nan = args->nan == JIG_NAN_IGNORE && type_has_nan(&args->in.type);
  if (args->value_out.kind != JIG_ITER_NONE) d->s.slots[VALUE_OUT].iter = &args->value_out;
}

/* ---- the call */

static jig_status check_choices(const call *c, const jig_arg_reduce_args *args) {
  jig_status status = call_check_choice(c, "nan", (int)args->nan, JIG_NAN_IGNORE);
  return status == JIG_SUCCESS
             ? call_check_choice(c, "determinism", (int)args->determinism, JIG_DETERMINISM_NONE)
             : status;
}

static jig_status check_values(const call *c, const jig_arg_reduce_args *args) {
  bool wants_value = args->value_out.kind != JIG_ITER_NONE;
  jig_status status = iter_check_values(&args->index_out, 1, "jig_arg_reduce: index_out");
  if (status == JIG_SUCCESS && wants_value) {
    status = iter_check_values(&args->value_out, 1, "jig_arg_reduce: value_out");
  }
  if (status == JIG_SUCCESS && args->num_items > 0)
    status = iter_check_values(&args->in, args->num_items, "jig_arg_reduce: in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, args->num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->index_out, 1, "index_out");
  if (status == JIG_SUCCESS && wants_value)
    status = call_check_overlap(c, &args->value_out, 1, "value_out");
  return status;
}

static jig_status launch(call *c, const jig_arg_reduce_args *args, const temp_layout *temp) {
  const launch_shape shape = reduce_shape(c->program, args->num_items, iter_run_items(&args->in), false);
  void *partials = temp_address(temp, 0, c->storage);
  uint64_t num_items = args->num_items, tag = engine_tag(c->engine, c->number);
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->in);
  packed_iter(&packed, &args->value_out);
  packed_iter(&packed, &args->index_out);
  packed_value(&packed, &num_items);
  packed_value(&packed, &partials);
  packed_value(&packed, &tag);
  return call_launch(c, 0, shape, packed.parameters);
}

static jig_status arg_reduce(call *c, const jig_arg_reduce_args *args) {
  if (args == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_arg_reduce: args: the pointer is NULL");
  described d;
  describe(args, &d);
  jig_status status = check_choices(c, args);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  /* An accumulator is an item, padding and an index. */
  const size_t item = args->in.type.size, index = sizeof(int64_t);
  const size_t align = item > index ? item : index;
  const temp_layout temp = reduce_temp(args->num_items, 2 * align);
  bool go_on;
  status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = check_values(c, args);
  return status == JIG_SUCCESS ? launch(c, args, &temp) : status;
}

jig_status jig_arg_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_arg_reduce_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_arg_reduce", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = arg_reduce(&c, args);
  return call_end(&c, status);
}

jig_status jig_arg_reduce_spec(const jig_arg_reduce_args *args, char **text) {
  described d;
  jig_status status = call_check_spec_query("jig_arg_reduce_spec", args, text);
  if (status != JIG_SUCCESS) return status;
  describe(args, &d);
  return spec_write(&d.s, "jig_arg_reduce_spec", text);
}
