/* jig_transform(): see include/jig/transform.h and templates/jig/kernel/transform/transform.cuh.
 *
 * The operator belongs to the input, an iterator made of all inputs, and the predicate to the stencil, an
 * iterator over bool. */
#include "algorithm/transform.h"

#include <jig/transform.h>
#include <string.h>

#include "algorithm/tile_state.h"
#include "algorithm/vector_plan.h"
#include "policy/copy.h"
#include "spec/reserved.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { IN, STENCIL, NUM_ITEMS_IN, OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in",
            .use = USE_MOVED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the results, as transform or zip_transform makes them of the inputs",
            .option = "type"},
    [STENCIL] = {.name = "stencil",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .optional = true,
                 .help = "whether there is to be a result; left out, always",
                 .usually = "bool"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .places = {"in"},
             .help = "where they are stored",
             .like = "in",
             .option = "out-type"},
};

static const jig_type truth = {.kind = JIG_KIND_BOOL, .size = sizeof(bool), .align = _Alignof(bool)};

static jig_status check(const spec *s) {
  const jig_iter *stencil = s->slots[STENCIL].iter;
  jig_status status = JIG_SUCCESS;
  if (stencil != NULL)
    status = type_check_conversion(&stencil->type, &truth, "stencil: without a predicate, its item type");
  if (status != JIG_SUCCESS) return status;
  return type_check_conversion(&s->slots[IN].iter->type, &s->slots[OUT].iter->type, "in: the item type");
}

/* What the kernel takes beside iterators. */
typedef struct transform_values {
  item_count num_items;
  uint32_t block_items;
} transform_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(STENCIL),
    SLOT_PARAMETER(OUT),
    COUNT_PARAMETER(transform_values, num_items, NUM_ITEMS_IN),
    VALUE_PARAMETER(transform_values, block_items, "uint32_t"),
    {PARAMETERS_END},
};
enum { TRANSFORM, STAGED, KERNELS };

static const kernel_row kernels[KERNELS] = {
    [TRANSFORM] = {.name = "jig_transform",
                   .templates = "jig/kernel/transform/transform.cuh",
                   .function = "jig::transform<jig_policy>",
                   .parameters = parameters,
                   .space = &transform_space},
    /* For more items than L2 holds. */
    [STAGED] = {.name = "jig_transform_staged",
                .templates = "jig/kernel/transform/transform_staged.cuh",
                .function = "jig::transform_staged<jig_policy>",
                .parameters = parameters,
                .space = &transform_staged_space},
};

static int count_kernels(const spec *s) {
  return transform_is_staged(s) ? KERNELS : STAGED;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, num_inputs) R(s, reserved32) F(s, out) F(s, num_items) F(s, op)      \
  F(s, predicate) F(s, stencil) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_transform_args, 984, FIELDS);

const algorithm transform_algorithm = {
    .schema = {.algorithm = "transform", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_transform_args,
    .kernels = kernels,
    .kernel_count = KERNELS,
    .count_kernels = count_kernels,
};

void transform_describe(const jig_iter *in, const jig_iter *stencil, const jig_iter *out, bool counted,
                        spec *s) {
  s->schema = &transform_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[IN].iter = in;
  s->slots[NUM_ITEMS_IN].choice = counted;
  s->slots[STENCIL].iter = stencil;
  s->slots[OUT].iter = out;
}

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_transform_args *args;
  jig_iter made_in, made_stencil; /* where an operator makes them */
} bound_spec;

/* jig_iter_transform() or, of several bases, jig_zip_transform(), made where it stays: warm calls pass
 * here. */
static const jig_iter *over(const jig_iter *bases, uint32_t count, const jig_op *op, const jig_type *type,
                            jig_iter *made) {
  memset(made, 0, sizeof *made);
  made->kind = count == 1 ? JIG_ITER_TRANSFORM : JIG_ITER_ZIP_TRANSFORM;
  made->type = *type;
  made->base = bases;
  made->op = *op;
  if (count > 1) made->base_count = count;
  return made;
}

/* NULL: there is none, and no predicate either. */
static const jig_iter *stencil_of(const jig_transform_args *args, jig_iter *made) {
  const bool is_given = args->stencil.kind != JIG_ITER_NONE;
  if (args->predicate.kind == JIG_OP_NONE) return is_given ? &args->stencil : NULL;
  return is_given ? over(&args->stencil, 1, &args->predicate, &truth, made)
                  : over(args->in, args->num_inputs, &args->predicate, &truth, made);
}

static const jig_iter *input_of(const jig_transform_args *args, jig_iter *made) {
  if (args->op.kind == JIG_OP_NONE) return args->in;
  return over(args->in, args->num_inputs, &args->op, &args->out.type, made);
}

static jig_status check_inputs(const char *name, const jig_transform_args *args) {
  if (args->in == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: in: the pointer is NULL", name);
  if (args->num_inputs < 1 || args->num_inputs > ITER_MAX_BASES) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: num_inputs: %u; 1 to %d are possible", name,
                     args->num_inputs, (int)ITER_MAX_BASES);
  }
  if (args->op.kind != JIG_OP_NONE) return JIG_SUCCESS;
  if (args->num_inputs > 1) return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: op: missing", name);
  if (reserved_of_iter(args->in) == 0) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: in: " RESERVED_PROBLEM, name);
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_transform_args *args = args_;
  bound_spec *b = bound;
  const jig_status status = check_inputs(name, args);
  if (status != JIG_SUCCESS) return status;
  if (args->out.kind == JIG_ITER_NONE) /* it has the type of what is made of the inputs */
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: out: missing", name);
  b->args = args;
  transform_describe(input_of(args, &b->made_in), stencil_of(args, &b->made_stencil), &args->out,
                     args->num_items_in != NULL, &b->s);
  return JIG_SUCCESS;
}

static const jig_iter *in_of(const bound_spec *b) {
  return b->s.slots[IN].iter;
}

/* Which kernel takes so many items, and by how many blocks. */
typedef struct transform_plan {
  int kernel;
  vector_shape vectors; /* blocks of STAGED know how many items they have */
} transform_plan;

static transform_plan plan_of(const call *c, uint64_t num_items) {
  enum { FEW = 26 }; /* blocks of a multiprocessor, of 12 KB each: L2 has them all, and is fast enough */
  const program *p = c->program;
  if (p->count > STAGED) {
    const uint64_t blocks = vector_tiles(&p->kernels[STAGED].tuning, num_items);
    if (blocks > (uint64_t)(unsigned)p->multiprocessors * FEW ||
        num_items > c->engine->limits.transform_most_few)
      return (transform_plan){STAGED, {.blocks = blocks}};
  }
  return (transform_plan){TRANSFORM, vector_shape_of(p, num_items, VECTORS_MOVED)};
}

jig_status transform_check(call *c, uint64_t num_items) {
  const transform_plan plan = plan_of(c, num_items);
  call_needs(c, plan.kernel);
  return call_check_blocks(c, "num_items", plan.vectors.blocks);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_iter *stencil = b->s.slots[STENCIL].iter;
  const uint64_t n = b->args->num_items;
  (void)temp; /* none is needed */
  jig_status status = call_check_count(c, "num_items", n, in_of(b), "in");
  if (status == JIG_SUCCESS && stencil != NULL)
    status = call_check_count(c, "num_items", n, stencil, "stencil");
  if (status == JIG_SUCCESS) status = call_check_count(c, "num_items", n, &b->args->out, "out");
  return status == JIG_SUCCESS ? transform_check(c, n) : status;
}

static jig_status check_input(const call *c, const jig_iter *in, const char *what,
                              const jig_transform_args *args) {
  jig_status status = call_check_iter(c, in, args->num_items, what);
  if (status == JIG_SUCCESS) status = call_check_overlap(c, in, args->num_items, what);
  return status == JIG_SUCCESS ? call_check_in_place(c, &args->out, "out", in, what, args->num_items)
                               : status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_transform_args *args = b->args;
  const jig_iter *stencil = b->s.slots[STENCIL].iter;
  jig_status status = call_check_iter(c, &args->out, args->num_items, "out");
  if (status == JIG_SUCCESS) status = call_check_output(c, &args->out, args->num_items, "out");
  if (status == JIG_SUCCESS) status = check_input(c, in_of(b), "in", args);
  return status == JIG_SUCCESS && stencil != NULL ? check_input(c, stencil, "stencil", args) : status;
}

jig_status transform_launch(call *c, item_count num_items) {
  const transform_plan plan = plan_of(c, num_items.limit);
  const transform_values values = {num_items, plan.vectors.block_items};
  const launch_shape shape = {.grid = (unsigned)plan.vectors.blocks,
                              .pdl = num_items.limit > MAX_ITEMS_WITHOUT_PDL};
  return call_launch(c, plan.kernel, shape, &values);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const item_count count = {b->args->num_items, b->args->num_items_in};
  (void)temp;
  jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? transform_launch(c, count) : status;
}

const call_steps transform_steps = {
    "jig_transform",   CALL_WORK_ARGS(jig_transform_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_transform(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                         const jig_transform_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&transform_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_transform_spec(const jig_transform_args *args, char **text) {
  bound_spec b;
  return call_spec(&transform_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_transform_unary(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, jig_iter out, uint64_t num_items, jig_op op,
                               CUstream stream) {
  const jig_transform_args args = {
      .in = &in, .num_inputs = 1, .out = out, .num_items = num_items, .op = op};
  return jig_transform(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_transform_binary(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter left, jig_iter right, jig_iter out, uint64_t num_items,
                                jig_op op, CUstream stream) {
  const jig_iter in[] = {left, right};
  const jig_transform_args args = {
      .in = in, .num_inputs = 2, .out = out, .num_items = num_items, .op = op};
  return jig_transform(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_transform_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate, jig_op op,
                            CUstream stream) {
  const jig_transform_args args = {
      .in = &in, .num_inputs = 1, .out = out, .num_items = num_items, .op = op, .predicate = predicate};
  return jig_transform(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
