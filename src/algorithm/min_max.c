/* jig_min_max(): see include/jig/min_max.h and templates/jig/kernel/reduce/min_max.cuh. */
#include <jig/min_max.h>
#include <string.h>

#include "algorithm/arg_order.h"
#include "algorithm/reduce_plan.h"
#include "policy/min_max.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the spec */

enum { COMPARE, IN, MAX_INDEX_OUT, MAX_OUT, MIN_INDEX_OUT, MIN_OUT, NAN_CHOICE, NUM_ITEMS_IN, SLOTS };

#define ITEM_SLOT(name_, help_)                                                                \
  {                                                                                            \
    .name = name_, .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT, .places = {"in"}, \
    .help = help_, .like = "in", .follows = true, .option = "value"                            \
  }
#define INDEX_SLOT(name_, help_)                                                            \
  {                                                                                         \
    .name = name_, .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT, .help = help_, \
    .usually = "i64", .option = "index-type", .use = USE_COUNTED                            \
  }
static const slot_schema slots[SLOTS] = {
    [COMPARE] = ARG_COMPARE_SLOT,
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [MAX_INDEX_OUT] = INDEX_SLOT("max_index_out", "where the largest item is"),
    [MAX_OUT] = ITEM_SLOT("max_out", "the largest item"),
    [MIN_INDEX_OUT] = INDEX_SLOT("min_index_out", "where the smallest item is"),
    [MIN_OUT] = ITEM_SLOT("min_out", "the smallest item"),
    [NAN_CHOICE] = ARG_NAN_SLOT,
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
};
static const int outputs[] = {MIN_OUT, MAX_OUT, MIN_INDEX_OUT, MAX_INDEX_OUT};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

static bool is_index(int slot) {
  return slot == MIN_INDEX_OUT || slot == MAX_INDEX_OUT;
}

static jig_status check(const spec *s) {
  jig_status status = JIG_SUCCESS;
  bool is_any = false;
  for (int i = 0; i < OUTPUTS && status == JIG_SUCCESS; ++i) {
    const char *name = slots[outputs[i]].name;
    if (s->slots[outputs[i]].iter == NULL) continue;
    is_any = true;
    status = is_index(outputs[i]) ? spec_check_integer(s, name) : spec_check_same_type(s, name, "in");
  }
  if (status == JIG_SUCCESS && !is_any)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "min_out: it is missing, and so are the other outputs");
  return status == JIG_SUCCESS ? arg_order_check_items(s) : status;
}

/* What the kernel takes beside iterators and the order. */
typedef struct min_max_values {
  item_count num_items;
  void *partials;
  uint64_t tag;
} min_max_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(MIN_OUT),
    SLOT_PARAMETER(MAX_OUT),
    SLOT_PARAMETER(MIN_INDEX_OUT),
    SLOT_PARAMETER(MAX_INDEX_OUT),
    SLOT_PARAMETER(COMPARE),
    COUNT_PARAMETER(min_max_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(min_max_values, partials, "void *"),
    VALUE_PARAMETER(min_max_values, tag, "uint64_t"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_min_max",
     .templates = "jig/kernel/reduce/min_max.cuh",
     .function = "jig::min_max<jig_policy, jig_nan == 0>",
     .parameters = parameters,
     .space = &min_max_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, min_out) F(s, max_out) F(s, min_index_out) F(s, max_index_out) F(s, num_items)        \
  F(s, compare) F(s, nan) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_min_max_args, 1712, FIELDS);

const algorithm min_max_algorithm = {
    .schema = {.algorithm = "min_max", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_min_max_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_min_max_args *args;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_min_max_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  const bool has_nans = type_has_nan(&args->in.type); /* JIG_LESS has an order for them */
  b->args = args;
  s->schema = &min_max_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[IN].iter = &args->in;
  s->slots[MIN_OUT].iter = iter_given(&args->min_out);
  s->slots[MAX_OUT].iter = iter_given(&args->max_out);
  s->slots[MIN_INDEX_OUT].iter = iter_given(&args->min_index_out);
  s->slots[MAX_INDEX_OUT].iter = iter_given(&args->max_index_out);
  s->slots[COMPARE].op =
      has_nans && args->compare.kind != JIG_OP_NONE ? &args->compare : op_order_given(&args->compare);
  s->slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  s->slots[NAN_CHOICE].choice =
      has_nans && s->slots[COMPARE].op == NULL ? (int)args->nan : JIG_NAN_PROPAGATE;
  return call_check_choice(name, "nan", (int)args->nan, JIG_NAN_IGNORE);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_min_max_args *args = b->args;
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  for (int i = 0; i < OUTPUTS && status == JIG_SUCCESS; ++i) {
    const jig_iter *out = b->s.slots[outputs[i]].iter;
    if (out != NULL && is_index(outputs[i]))
      status = arg_order_check_index(c, &out->type, slots[outputs[i]].name, args->num_items);
  }
  *temp = arg_order_temp(args->num_items, &args->in.type, 2);
  return status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_min_max_args *args = b->args;
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < OUTPUTS && status == JIG_SUCCESS; ++i) {
    const jig_iter *out = b->s.slots[outputs[i]].iter;
    if (out == NULL) continue;
    status = call_check_iter(c, out, 1, slots[outputs[i]].name);
    if (status == JIG_SUCCESS) status = call_check_overlap(c, out, 1, slots[outputs[i]].name);
    for (int k = 0; k < i && status == JIG_SUCCESS; ++k) {
      const jig_iter *other = b->s.slots[outputs[k]].iter;
      if (other != NULL)
        status = call_check_apart(c, out, 1, slots[outputs[i]].name, other, 1, slots[outputs[k]].name);
    }
  }
  if (status == JIG_SUCCESS && args->num_items > 0)
    status = call_check_iter(c, &args->in, args->num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->compare, "compare");
  return status == JIG_SUCCESS ? call_check_overlap(c, &args->in, args->num_items, "in") : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_min_max_args *args = b->args;
  const launch_shape shape =
      reduce_shape(c->program, args->num_items, iter_place_items(&args->in), reduce_calls_of(&args->in));
  const min_max_values values = {{args->num_items, args->num_items_in},
                                 temp_address(temp, 0, c->storage),
                                 engine_tag(c->engine, c->number)};
  const jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? call_launch(c, 0, shape, &values) : status;
}

const call_steps min_max_steps = {
    "jig_min_max", CALL_ARGS(jig_min_max_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_min_max(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                       const jig_min_max_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&min_max_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_min_max_spec(const jig_min_max_args *args, char **text) {
  bound_spec b;
  return call_spec(&min_max_steps, args, text, &b);
}
