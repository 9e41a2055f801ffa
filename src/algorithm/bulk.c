/* jig_bulk(): see include/jig/for_each.h and templates/jig/agent/for_each/bulk.cuh. */
#include <jig/for_each.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/tile_state.h"
#include "policy/for_each.h"
#include "util/count_text.h"
#include "util/error.h"
#include "util/integer.h"

enum { MAX_RANK = 8 };

/* ---- the spec */

enum { RANK, NUM_ITEMS_IN, OP, SLOTS };

static const char *const ranks[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", NULL};

static const slot_schema slots[SLOTS] = {
    [RANK] = {.name = "rank",
              .kind = SLOT_CHOICE,
              .choices = ranks,
              .help = "in how many dimensions an index has coordinates; 0: it has none"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .acts = true,
            .ranked = "rank",
            .help = "what is called for an index i, and its coordinates `at`; returns nothing",
            .option = "op"},
};

/* jig::Extents */
typedef struct box {
  uint64_t extent[MAX_RANK];
  uint32_t multiplier[MAX_RANK], shift[MAX_RANK];
} box;
static const parameter_field box_fields[] = {
    PARAMETER_FIELD(box, extent), PARAMETER_FIELD(box, multiplier), PARAMETER_FIELD(box, shift), {NULL}};

/* What the kernel takes beside the operator. */
typedef struct bulk_values {
  item_count num_items;
  box extents;
} bulk_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(OP),
    COUNT_PARAMETER(bulk_values, num_items, NUM_ITEMS_IN),
    STRUCT_PARAMETER(bulk_values, extents, "jig::Extents", box_fields),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    {.name = "jig_bulk",
     .templates = "jig/kernel/for_each/bulk.cuh",
     .function = "jig::bulk<jig_policy, jig_rank>",
     .parameters = parameters,
     .space = &bulk_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, num_items) F(s, op) F(s, extents) F(s, rank) R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_bulk_args, 240, FIELDS);

const algorithm bulk_algorithm = {
    .schema = {.algorithm = "bulk", .slots = slots, .slot_count = SLOTS},
    .args = &layout_of_jig_bulk_args,
    .kernels = kernels,
    .kernel_count = 1,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_bulk_args *args;
  uint64_t count; /* of indices */
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_bulk_args *args = args_;
  bound_spec *b = bound;
  b->args = args;
  b->s.schema = &bulk_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  if (args->op.kind != JIG_OP_NONE) b->s.slots[OP].op = &args->op;
  if (args->rank > MAX_RANK) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: rank: %u; up to %d are possible", name, args->rank,
                     (int)MAX_RANK);
  }
  if (args->rank > 0 && args->num_items_in != NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: num_items_in: extents say how many there are",
                     name);
  b->s.slots[RANK].choice = (int)args->rank;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  return JIG_SUCCESS;
}

/* How many indices there are. */
static jig_status count_of(const call *c, const jig_bulk_args *args, uint64_t *count) {
  uint64_t product = 1;
  count_text shown;
  *count = args->num_items;
  if (args->rank == 0) return JIG_SUCCESS;
  if (args->extents == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: extents: the pointer is NULL", c->name);
  for (uint32_t d = 0; d < args->rank; ++d)
    if (args->extents[d] == 0) product = 0;
  for (uint32_t d = 0; d < args->rank; ++d) product = product_of(product, args->extents[d]);
  if (args->num_items != 0 && args->num_items != product) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: num_items: %llu, where the extents make %s",
                     c->name, (unsigned long long)args->num_items, text_of_count(&shown, product));
  }
  *count = product;
  return JIG_SUCCESS;
}

/* Granlund and Montgomery, figure 4.1, with words of 32 bits: shift = ceil(log2(extent)), multiplier =
 * floor(2^32 (2^shift - extent) / extent) + 1. What has larger extents is not divided so. */
static box box_of(const jig_bulk_args *args) {
  box b = {{0}, {0}, {0}};
  for (uint32_t d = 0; d < args->rank; ++d) {
    const uint64_t extent = args->extents[d];
    b.extent[d] = extent;
    if (extent > UINT32_MAX) continue;
    while ((uint64_t)1 << b.shift[d] < extent) ++b.shift[d];
    b.multiplier[d] = (uint32_t)(((((uint64_t)1 << b.shift[d]) - extent) << 32) / extent + 1);
  }
  return b;
}

static uint64_t blocks_of(const call *c, uint64_t num_items) {
  return vector_tiles(&c->program->kernels[0].tuning, num_items);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const char *argument = b->args->rank > 0 ? "extents" : "num_items";
  (void)temp; /* none is needed */
  jig_status status = count_of(c, b->args, &b->count);
  if (status == JIG_SUCCESS) status = call_check_countable(c, argument, b->count);
  return status == JIG_SUCCESS ? call_check_blocks(c, argument, blocks_of(c, b->count)) : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const uint64_t n = b->count;
  (void)temp;
  if (n == 0) return JIG_SUCCESS;
  const jig_status status = call_check_op(c, &b->args->op, "op");
  if (status != JIG_SUCCESS) return status;
  const bulk_values values = {{n, b->args->num_items_in}, box_of(b->args)};
  const launch_shape shape = {.grid = (unsigned)blocks_of(c, n), .pdl = n > MAX_ITEMS_WITHOUT_PDL};
  return call_launch(c, 0, shape, &values);
}

const call_steps bulk_steps = {
    "jig_bulk", CALL_ARGS(jig_bulk_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_bulk(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                    const jig_bulk_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&bulk_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_bulk_spec(const jig_bulk_args *args, char **text) {
  bound_spec b;
  return call_spec(&bulk_steps, args, text, &b);
}

jig_status jig_for_each_in_extents(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const uint64_t *extents, uint32_t rank, jig_op op, CUstream stream) {
  const jig_bulk_args args = {.op = op, .extents = extents, .rank = rank};
  return jig_bulk(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
