/* jig_reverse(): see include/jig/reverse.h and templates/jig/kernel/copy/reverse.cuh. */
#include <jig/reverse.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/tile_state.h"
#include "policy/copy.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"

/* ---- the spec */

enum { IN, NUM_ITEMS_IN, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in",
            .use = USE_MOVED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .help = "the items",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "where they are stored, the last one first",
             .like = "in",
             .option = "out-type"},
};

static jig_status check(const spec *s) {
  return type_check_conversion(&s->slots[IN].iter->type, &s->slots[OUT].iter->type, "in: the item type");
}

/* What the kernel takes beside iterators. */
typedef struct reverse_values {
  item_count num_items;
  int in_place; /* or perhaps */
} reverse_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    COUNT_PARAMETER(reverse_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(reverse_values, in_place, "int"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_reverse",
     .templates = "jig/kernel/copy/reverse.cuh",
     .function = "jig::reverse<jig_policy>",
     .parameters = parameters,
     .space = &reverse_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_reverse_args, 664, FIELDS);

const algorithm reverse_algorithm = {
    .schema = {.algorithm = "reverse", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_reverse_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_reverse_args *args;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_reverse_args *args = args_;
  bound_spec *b = bound;
  (void)name;
  b->args = args;
  b->s.schema = &reverse_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[IN].iter = &args->in;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OUT].iter = &args->out;
  return JIG_SUCCESS;
}

/* A block has a tile from either end. */
static uint64_t blocks_of(const call *c, uint64_t num_items) {
  return vector_tiles(&c->program->kernels[0].tuning, num_items / 2 + 1);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const jig_reverse_args *args = ((const bound_spec *)bound)->args;
  (void)temp; /* none is needed */
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_items", args->num_items, &args->out, "out");
  return status == JIG_SUCCESS ? call_check_blocks(c, "num_items", blocks_of(c, args->num_items))
                               : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const jig_reverse_args *args = ((const bound_spec *)bound)->args;
  const size_t bytes = product_of(args->num_items, args->out.type.size);
  (void)temp;
  jig_status status = call_check_item_for_item(c, &args->in, &args->out, args->num_items);
  if (status != JIG_SUCCESS) return status;
  const reverse_values values = {{args->num_items, args->num_items_in},
                                 iter_overlaps(&args->in, args->num_items, args->out.pointer, bytes)};
  const launch_shape shape = {.grid = (unsigned)blocks_of(c, args->num_items),
                              .pdl = args->num_items > MAX_ITEMS_WITHOUT_PDL};
  return call_launch(c, 0, shape, &values);
}

const call_steps reverse_steps = {"jig_reverse", CALL_WORK_ARGS(jig_reverse_args, num_items),
                                  bind,          prepare,
                                  launch,        sizeof(bound_spec)};

jig_status jig_reverse(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                       const jig_reverse_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&reverse_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_reverse_spec(const jig_reverse_args *args, char **text) {
  bound_spec b;
  return call_spec(&reverse_steps, args, text, &b);
}
