/* jig_is_sorted(): see include/jig/find.h and templates/jig/agent/find/find.cuh. */
#include <jig/find.h>
#include <string.h>

#include "algorithm/find_plan.h"
#include "policy/find_if.h"

/* ---- the spec */

enum { COMPARE, IN, MODE, NUM_ITEMS_IN, OUT, SLOTS };

static const char *const modes[] = {[JIG_SORTED] = "sorted", [JIG_SORTED_UNTIL] = "until", NULL};

static const slot_schema slots[SLOTS] = {
    [COMPARE] = {.name = "compare",
                 .kind = SLOT_OP,
                 .optional = true,
                 .arity = 2,
                 .over = {"in"},
                 .orders = true,
                 .help = "whether item a comes before b; left out, less",
                 .option = "op"},
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [MODE] = {.name = "mode",
              .kind = SLOT_CHOICE,
              .choices = modes,
              .help = "what is stored: 1 or 0, or how many items are in order"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OUT] = {.name = "out",
             .use = USE_COUNTED,
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "whether they are in order, or how many are",
             .usually = "i64",
             .option = "index-type"},
};

static jig_status check(const spec *s) {
  const jig_status status = find_check_out(s, s->slots[MODE].choice == JIG_SORTED_UNTIL);
  if (status != JIG_SUCCESS || s->slots[COMPARE].op != NULL) return status;
  return op_check_order(&s->slots[IN].iter->type, "in");
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(COMPARE),
    FIND_PARAMETERS,
};
static const kernel_row kernels[FIND_KERNELS] = {
    [FIND_ANY] = {.name = "jig_is_sorted",
                  .templates = "jig/kernel/find/is_sorted.cuh",
                  .function = "jig::is_sorted<jig_policy, jig_mode, false>",
                  .parameters = parameters,
                  .space = &is_sorted_space},
    [FIND_STEP] = {.name = "jig_is_sorted_step",
                   .templates = "jig/kernel/find/is_sorted.cuh",
                   .function = "jig::is_sorted<jig_policy, jig_mode, true>",
                   .parameters = parameters,
                   .space = &is_sorted_step_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, compare) F(s, mode) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_is_sorted_args, 824, FIELDS);

const algorithm is_sorted_algorithm = {
    .schema = {.algorithm = "is_sorted", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_is_sorted_args,
    .kernels = kernels,
    .kernel_count = FIND_KERNELS,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_is_sorted_args *args;
  find_places places;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_is_sorted_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->places = (find_places){&args->in, &args->out, args->num_items, args->num_items_in,
                            .stores_index = args->mode == JIG_SORTED_UNTIL};
  b->s.schema = &is_sorted_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[COMPARE].op = op_order_given(&args->compare);
  b->s.slots[IN].iter = &args->in;
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OUT].iter = &args->out;
  return call_check_choice(name, "mode", (int)args->mode, JIG_SORTED_UNTIL);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  return find_prepare(c, &((bound_spec *)bound)->places, temp);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_status status = call_check_op(c, &b->args->compare, "compare");
  return status == JIG_SUCCESS ? find_launch(c, &b->places, temp) : status;
}

const call_steps is_sorted_steps = {
    "jig_is_sorted", CALL_ARGS(jig_is_sorted_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_is_sorted(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                         const jig_is_sorted_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&is_sorted_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_is_sorted_spec(const jig_is_sorted_args *args, char **text) {
  bound_spec b;
  return call_spec(&is_sorted_steps, args, text, &b);
}

jig_status jig_is_sorted_until(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, jig_iter out, uint64_t num_items, jig_op compare,
                               CUstream stream) {
  const jig_is_sorted_args args = {
      .in = in, .out = out, .num_items = num_items, .compare = compare, .mode = JIG_SORTED_UNTIL};
  return jig_is_sorted(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
