/* jig_find_if(): see include/jig/find.h and templates/jig/agent/find/find.cuh. */
#include <jig/find.h>
#include <string.h>

#include "algorithm/find_plan.h"
#include "policy/find_if.h"
#include "spec/type.h"

/* ---- the spec */

enum { IN, MODE, NUM_ITEMS_IN, OUT, PREDICATE, SLOTS };

static const char *const modes[] = {
    [JIG_FIND_IF] = "find_if",    [JIG_FIND_IF_NOT] = "find_if_not", [JIG_FIND_ANY_OF] = "any_of",
    [JIG_FIND_ALL_OF] = "all_of", [JIG_FIND_NONE_OF] = "none_of",    NULL};

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [MODE] = {.name = "mode",
              .kind = SLOT_CHOICE,
              .choices = modes,
              .help = "whether the index of an item is stored, or whether items pass"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OUT] = {.name = "out",
             .use = USE_COUNTED,
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "the index, or 1 or 0",
             .usually = "i64",
             .option = "index-type"},
    [PREDICATE] = {.name = "predicate",
                   .kind = SLOT_OP,
                   .optional = true,
                   .arity = 1,
                   .over = {"in"},
                   .test = true,
                   .help = "whether item x passes; left out, whether it is not 0",
                   .option = "op"},
};

static bool stores_index(int mode) {
  return mode <= JIG_FIND_IF_NOT;
}

static jig_status check(const spec *s) {
  static const jig_type truth = {.kind = JIG_KIND_BOOL, .size = 1, .align = 1};
  const jig_status status = find_check_out(s, stores_index(s->slots[MODE].choice));
  if (status != JIG_SUCCESS || s->slots[PREDICATE].op != NULL) return status;
  return type_check_conversion(&s->slots[IN].iter->type, &truth, "in: without a predicate");
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(PREDICATE),
    FIND_PARAMETERS,
};
#define KERNEL(name_, at_once, space_)                                                        \
  {                                                                                           \
    .name = (name_), .templates = "jig/kernel/find/find_if.cuh",                              \
    .function = "jig::find_if<jig_policy, jig_mode, " #at_once ">", .parameters = parameters, \
    .space = &(space_)                                                                        \
  }
static const kernel_row kernels[FIND_KERNELS] = {
    [FIND_ANY] = KERNEL("jig_find_if", false, find_if_space),
    [FIND_STEP] = KERNEL("jig_find_if_step", true, find_if_step_space),
};
#undef KERNEL

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, predicate) F(s, mode) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_find_if_args, 824, FIELDS);

const algorithm find_if_algorithm = {
    .schema = {.algorithm = "find_if", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_find_if_args,
    .kernels = kernels,
    .kernel_count = FIND_KERNELS,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_find_if_args *args;
  find_places places;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_find_if_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->places = (find_places){&args->in, &args->out, args->num_items, args->num_items_in,
                            .stores_index = stores_index((int)args->mode)};
  b->s.schema = &find_if_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[IN].iter = &args->in;
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OUT].iter = &args->out;
  if (args->predicate.kind != JIG_OP_NONE) b->s.slots[PREDICATE].op = &args->predicate;
  return call_check_choice(name, "mode", (int)args->mode, JIG_FIND_NONE_OF);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  return find_prepare(c, &((bound_spec *)bound)->places, temp);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_status status = call_check_op(c, &b->args->predicate, "predicate");
  return status == JIG_SUCCESS ? find_launch(c, &b->places, temp) : status;
}

const call_steps find_if_steps = {
    "jig_find_if", CALL_ARGS(jig_find_if_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_find_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                       const jig_find_if_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&find_if_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_find_if_spec(const jig_find_if_args *args, char **text) {
  bound_spec b;
  return call_spec(&find_if_steps, args, text, &b);
}

/* ---- the same by name */

#define FIND_BY_NAME(name, mode_)                                                                    \
  jig_status name(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes, jig_iter in, \
                  jig_iter out, uint64_t num_items, jig_op predicate, CUstream stream) {             \
    const jig_find_if_args args = {                                                                  \
        .in = in, .out = out, .num_items = num_items, .predicate = predicate, .mode = (mode_)};      \
    return jig_find_if(engine, d_temp_storage, temp_storage_bytes, &args, stream);                   \
  }
FIND_BY_NAME(jig_any_of, JIG_FIND_ANY_OF)
FIND_BY_NAME(jig_all_of, JIG_FIND_ALL_OF)
FIND_BY_NAME(jig_none_of, JIG_FIND_NONE_OF)

/* Over the items of two inputs that are equal. */
#define FIND_IN_PAIRS(name, mode_)                                                               \
  jig_status name(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,          \
                  jig_iter first_in, jig_iter second_in, jig_iter out, uint64_t num_items,       \
                  jig_op equality, CUstream stream) {                                            \
    const jig_iter inputs[] = {first_in, second_in};                                             \
    const jig_op op = equality.kind != JIG_OP_NONE ? equality : jig_op_source("return a == b;"); \
    const jig_find_if_args args = {.in = jig_zip_transform(inputs, 2, op, JIG_BOOL),             \
                                   .out = out,                                                   \
                                   .num_items = num_items,                                       \
                                   .mode = (mode_)};                                             \
    return jig_find_if(engine, d_temp_storage, temp_storage_bytes, &args, stream);               \
  }
FIND_IN_PAIRS(jig_mismatch, JIG_FIND_IF_NOT)
FIND_IN_PAIRS(jig_equal, JIG_FIND_ALL_OF)
