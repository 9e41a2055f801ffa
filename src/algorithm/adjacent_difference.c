/* jig_adjacent_difference(): see include/jig/adjacent_difference.h and
 * templates/jig/agent/adjacent_difference/adjacent_difference.cuh. */
#include <jig/adjacent_difference.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/tile_state.h"
#include "algorithm/vector_plan.h"
#include "policy/adjacent_difference.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "util/integer.h"

/* ---- the spec */

enum { DIRECTION, IN, NUM_ITEMS_IN, OP, OUT, SLOTS };

static const char *const directions[] = {
    [JIG_DIFFERENCE_LEFT] = "left", [JIG_DIFFERENCE_RIGHT] = "right", NULL};

static const slot_schema slots[SLOTS] = {
    [DIRECTION] = {.name = "direction",
                   .kind = SLOT_CHOICE,
                   .choices = directions,
                   .help = "whether an item's neighbour is the one before it, or the one after"},
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .use = USE_FOLDED,
            .help = "the items",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .optional = true,
            .arity = 2,
            .over = {"in"},
            .returns = "out",
            .help = "of an item a and its neighbour b; left out, a - b",
            .option = "op"},
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .use = USE_FOLDED,
             .help = "a result for each item",
             .like = "in",
             .option = "out-type"},
};

/* The item without a neighbour is converted, and so is what comes of the default operator. */
static jig_status check(const spec *s) {
  const jig_type *type = &s->slots[IN].iter->type;
  jig_status status = JIG_SUCCESS;
  if (s->slots[OP].op == NULL) status = op_check_difference(type, "in");
  return status == JIG_SUCCESS
             ? type_check_conversion(type, &s->slots[OUT].iter->type, "in: the item type")
             : status;
}

/* What kernels take beside iterators and the operator. */
typedef struct difference_values {
  item_count num_items;
  uint64_t num_borders;
  void *borders; /* NULL: what lies between blocks is in its place when they need it */
  int in_place;  /* whether out may lie where in does */
  uint32_t block_items;
} difference_values;

#define BORDERS(type) VALUE_PARAMETER(difference_values, borders, type)
static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(OP),
    COUNT_PARAMETER(difference_values, num_items, NUM_ITEMS_IN),
    BORDERS("const jig_in_t::value_type *"),
    VALUE_PARAMETER(difference_values, in_place, "int"),
    VALUE_PARAMETER(difference_values, block_items, "uint32_t"),
    {PARAMETERS_END},
};
static const kernel_parameter border_parameters[] = {
    SLOT_PARAMETER(IN),
    BORDERS("jig_in_t::value_type *"),
    VALUE_PARAMETER(difference_values, num_borders, "uint64_t"),
    COUNT_PARAMETER(difference_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(difference_values, block_items, "uint32_t"),
    {PARAMETERS_END},
};

enum { DIFFERENCES, PUT_ASIDE, STAGED, KERNELS };
static const kernel_row kernels[KERNELS] = {
    [DIFFERENCES] = {.name = "jig_adjacent_difference",
                     .templates = "jig/kernel/adjacent_difference/adjacent_difference.cuh",
                     .function = "jig::adjacent_difference<jig_policy, jig_direction == 0>",
                     .parameters = parameters,
                     .space = &adjacent_difference_space},
    [PUT_ASIDE] = {.name = "jig_adjacent_difference_borders",
                   .templates = "jig/kernel/adjacent_difference/adjacent_difference_borders.cuh",
                   .function = "jig::adjacent_difference_borders<jig_policy, jig_direction == 0>",
                   .parameters = border_parameters,
                   .space = &adjacent_difference_space},
    /* For many items, to an output that does not overlap them. */
    [STAGED] = {.name = "jig_adjacent_difference_staged",
                .templates = "jig/kernel/adjacent_difference/adjacent_difference_staged.cuh",
                .function = "jig::adjacent_difference_staged<jig_policy, jig_direction == 0>",
                .parameters = parameters,
                .space = &adjacent_difference_staged_space},
};

static int count_kernels(const spec *s) {
  return adjacent_difference_is_staged(s) ? KERNELS : STAGED;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, op) F(s, direction) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_adjacent_difference_args, 824, FIELDS);

const algorithm adjacent_difference_algorithm = {
    .schema = {.algorithm = "adjacent_difference", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_adjacent_difference_args,
    .kernels = kernels,
    .kernel_count = KERNELS,
    .count_kernels = count_kernels,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_adjacent_difference_args *args;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_adjacent_difference_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->s.schema = &adjacent_difference_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[DIRECTION].choice = (int)args->direction;
  b->s.slots[IN].iter = &args->in;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  if (args->op.kind != JIG_OP_NONE) b->s.slots[OP].op = &args->op;
  b->s.slots[OUT].iter = &args->out;
  return call_check_choice(name, "direction", (int)args->direction, JIG_DIFFERENCE_RIGHT);
}

/* No fewer than of fewer items, as temp storage has to be. */
static uint64_t most_blocks(const call *c, uint64_t num_items) {
  const vector_tuning tuning = vector_tuning_of(&c->program->kernels[DIFFERENCES].tuning);
  const unsigned unroll = tuning.items == 1 ? (unsigned)tuning.unroll : 1;
  return ceil_div(num_items, vector_step(&tuning) * (uint64_t)unroll);
}

/* Between each two blocks there is one. */
static uint64_t borders_of(uint64_t blocks) {
  return blocks > 0 ? blocks - 1 : 0;
}

/* Whether what is stored may lie where items are read, whatever the pointers are. */
static bool may_be_in_place(const jig_iter *in, const jig_iter *out) {
  return in->kind != JIG_ITER_POINTER || out->kind != JIG_ITER_POINTER || in->type.size == out->type.size;
}

/* The same of these pointers. Where neither is one, nobody looks what both are made of. */
static bool may_overlap(const jig_iter *in, const jig_iter *out, uint64_t num_items) {
  const jig_iter *pointer = out->kind == JIG_ITER_POINTER ? out : in, *other = pointer == out ? in : out;
  return pointer->kind != JIG_ITER_POINTER ||
         iter_overlaps(other, num_items, pointer->pointer, product_of(num_items, pointer->type.size));
}

/* By how many blocks STAGED takes so many items where they are not replaced; 0: it does not take them. */
static uint64_t staged_blocks(const call *c, uint64_t num_items) {
  enum { FEW = 8 }; /* blocks of a multiprocessor: from twice as many on it is faster */
  const program *p = c->program;
  if (p->count <= STAGED) return 0;
  const uint64_t blocks = vector_tiles(&p->kernels[STAGED].tuning, num_items);
  const bool is_few = blocks <= (uint64_t)(unsigned)p->multiprocessors * FEW &&
                      num_items <= c->engine->limits.transform_most_few;
  return is_few ? 0 : blocks;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_adjacent_difference_args *args = b->args;
  const uint64_t blocks = most_blocks(c, args->num_items);
  jig_status status = call_check_count(c, "num_items", args->num_items, &args->in, "in");
  if (status == JIG_SUCCESS)
    status = call_check_count(c, "num_items", args->num_items, &args->out, "out");
  if (status != JIG_SUCCESS) return status;
  if (may_be_in_place(&args->in, &args->out) && blocks > 1)
    (void)temp_slot(temp, product_of(borders_of(blocks), args->in.type.size));
  /* Pointers that are not told, as in a size query, overlap: calls may take any of the kernels then. */
  const uint64_t staged = staged_blocks(c, args->num_items);
  const bool overlap = may_overlap(&args->in, &args->out, args->num_items);
  if (blocks > 1 && overlap) call_needs(c, PUT_ASIDE);
  if (staged > 0 && (!overlap || args->in.pointer == NULL)) call_needs(c, STAGED);
  if (staged == 0 || overlap) call_needs(c, DIFFERENCES);
  return call_check_blocks(c, "num_items", max_of(blocks, staged));
}

static jig_status check_values(const call *c, const jig_adjacent_difference_args *args) {
  const uint64_t n = args->num_items;
  jig_status status = call_check_iter(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->op, "op");
  if (status == JIG_SUCCESS) status = call_check_iter(c, &args->out, n, "out");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_output(c, &args->out, n, "out");
  return status == JIG_SUCCESS ? call_check_in_place(c, &args->out, "out", &args->in, "in", n) : status;
}

static jig_status put_borders_aside(call *c, const difference_values *values) {
  const unsigned threads = policy_threads(&c->program->kernels[PUT_ASIDE].tuning);
  return call_launch(
      c, PUT_ASIDE, (launch_shape){.grid = (unsigned)ceil_div(values->num_borders, threads), .pdl = true},
      values);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_adjacent_difference_args *args = b->args;
  jig_status status = check_values(c, args);
  if (status != JIG_SUCCESS) return status;
  const uint64_t staged = staged_blocks(c, args->num_items);
  const bool overlap = may_overlap(&args->in, &args->out, args->num_items);
  if (staged > 0 && !overlap) {
    const difference_values count = {.num_items = {args->num_items, args->num_items_in}};
    return call_launch(c, STAGED, (launch_shape){.grid = (unsigned)staged, .pdl = true}, &count);
  }
  const vector_shape vectors = vector_shape_of(c->program, args->num_items, VECTORS_COMPARED);
  difference_values values = {.num_items = {args->num_items, args->num_items_in},
                              .num_borders = borders_of(vectors.blocks),
                              .block_items = vectors.block_items,
                              .in_place = overlap};
  if (values.in_place && vectors.blocks > 1) {
    values.borders = temp_address(temp, 0, c->storage);
    status = put_borders_aside(c, &values);
  }
  const launch_shape shape = {.grid = (unsigned)vectors.blocks,
                              .pdl = args->num_items > MAX_ITEMS_WITHOUT_PDL};
  return status == JIG_SUCCESS ? call_launch(c, DIFFERENCES, shape, &values) : status;
}

const call_steps adjacent_difference_steps = {"jig_adjacent_difference",
                                              CALL_WORK_ARGS(jig_adjacent_difference_args, num_items),
                                              bind,
                                              prepare,
                                              launch,
                                              sizeof(bound_spec)};

jig_status jig_adjacent_difference(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const jig_adjacent_difference_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&adjacent_difference_steps, engine, d_temp_storage, temp_storage_bytes, args, stream,
                  &b);
}

jig_status jig_adjacent_difference_spec(const jig_adjacent_difference_args *args, char **text) {
  bound_spec b;
  return call_spec(&adjacent_difference_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_subtract_left(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter in, jig_iter out, uint64_t num_items, jig_op op, CUstream stream) {
  const jig_adjacent_difference_args args = {.in = in, .out = out, .num_items = num_items, .op = op};
  return jig_adjacent_difference(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_subtract_right(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, uint64_t num_items, jig_op op, CUstream stream) {
  const jig_adjacent_difference_args args = {
      .in = in, .out = out, .num_items = num_items, .op = op, .direction = JIG_DIFFERENCE_RIGHT};
  return jig_adjacent_difference(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
