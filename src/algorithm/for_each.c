/* jig_for_each(): see include/jig/for_each.h and templates/jig/agent/for_each/for_each.cuh. */
#include <jig/for_each.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/tile_state.h"
#include "algorithm/vector_plan.h"
#include "policy/for_each.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { MODE, IN, NUM_ITEMS_IN, OP, SLOTS };

static const char *const modes[] = {
    [JIG_FOR_EACH_REFERENCE] = "reference", [JIG_FOR_EACH_COPY] = "copy", NULL};

static const slot_schema slots[SLOTS] = {
    [MODE] = {.name = "mode",
              .kind = SLOT_CHOICE,
              .choices = modes,
              .help = "whether the operator has the item itself, or a copy"},
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the items", .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .arity = 1,
            .over = {"in"},
            .acts = true,
            .by_value = "mode",
            .help = "what is called for an item x; returns nothing",
            .option = "op"},
};

static jig_status check(const spec *s) {
  const jig_iter_kind kind = s->slots[IN].iter->kind;
  if (s->slots[MODE].choice == JIG_FOR_EACH_COPY || kind == JIG_ITER_POINTER || kind == JIG_ITER_STRIDED)
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "in: the items of '%s' are not in memory, as the operator's must be that it has by "
                   "reference; give mode 'copy'",
                   iter_name(kind));
}

/* What the kernel takes beside the iterator and the operator. */
typedef struct for_each_values {
  item_count num_items;
  uint32_t block_items;
} for_each_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OP),
    COUNT_PARAMETER(for_each_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(for_each_values, block_items, "uint32_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_for_each",
     .templates = "jig/kernel/for_each/for_each.cuh",
     .function = "jig::for_each<jig_policy, jig_mode == 1>",
     .parameters = parameters,
     .space = &for_each_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, num_items) F(s, op) F(s, mode) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_for_each_args, 528, FIELDS);

const algorithm for_each_algorithm = {
    .schema = {.algorithm = "for_each", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_for_each_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_for_each_args *args;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_for_each_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->s.schema = &for_each_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[IN].iter = &args->in;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  if (args->op.kind != JIG_OP_NONE) b->s.slots[OP].op = &args->op;
  return call_check_choice(name, "mode", (int)args->mode, JIG_FOR_EACH_COPY);
}

static vector_shape shape_of(const call *c, uint64_t num_items) {
  return vector_shape_of(c->program, num_items, VECTORS_OPERATED);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const jig_for_each_args *args = ((const bound_spec *)bound)->args;
  (void)temp; /* none is needed */
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  return status == JIG_SUCCESS ? call_check_blocks(c, "num_items", shape_of(c, args->num_items).blocks)
                               : status;
}

/* By reference, items may be written. */
static jig_status check_places(const call *c, const jig_for_each_args *args) {
  return args->mode == JIG_FOR_EACH_REFERENCE ? call_check_output(c, &args->in, args->num_items, "in")
                                              : call_check_overlap(c, &args->in, args->num_items, "in");
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const jig_for_each_args *args = ((const bound_spec *)bound)->args;
  const uint64_t n = args->num_items;
  const vector_shape vectors = shape_of(c, n);
  const for_each_values values = {{n, args->num_items_in}, vectors.block_items};
  (void)temp;
  jig_status status = call_check_iter(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = check_places(c, args);
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->op, "op");
  const launch_shape shape = {.grid = (unsigned)vectors.blocks, .pdl = n > MAX_ITEMS_WITHOUT_PDL};
  return status == JIG_SUCCESS ? call_launch(c, 0, shape, &values) : status;
}

const call_steps for_each_steps = {"jig_for_each", CALL_WORK_ARGS(jig_for_each_args, num_items),
                                   bind,           prepare,
                                   launch,         sizeof(bound_spec)};

jig_status jig_for_each(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                        const jig_for_each_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&for_each_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_for_each_spec(const jig_for_each_args *args, char **text) {
  bound_spec b;
  return call_spec(&for_each_steps, args, text, &b);
}
