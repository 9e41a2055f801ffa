/* jig_partition(): see include/jig/partition.h and templates/jig/kernel/select/partition.cuh. */
#include <jig/partition.h>

#include "algorithm/selection.h"

enum { FLAGS, IN, NUM_ITEMS_IN, NUM_SELECTED_OUT, OP, OUT, UNSELECTED_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [FLAGS] = SELECTION_FLAGS_SLOT,
    [IN] = {.name = "in",
            .use = USE_MOVED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_SELECTED_OUT] = SELECTION_COUNTS_SLOT("how many items are selected"),
    [OP] = SELECTION_TEST_SLOT,
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .places = {"in"},
             .help = "the selected items; without unselected_out the others from the end on, backwards",
             .like = "in",
             .option = "out-type"},
    [UNSELECTED_OUT] = {.name = "unselected_out",
                        .formerly = "rejected_out",
                        .kind = SLOT_ITER,
                        .optional = true,
                        .role = ITER_OUTPUT,
                        .places = {"in"},
                        .help = "the others, in order",
                        .like = "in"},
};

static jig_status check(const spec *s) {
  jig_status status = selection_check_tests(s);
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "in", "out");
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "in", "unselected_out");
  return status == JIG_SUCCESS ? selection_check_counts(s) : status;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                         \
  F(s, in) F(s, flags) F(s, out) F(s, unselected_out) F(s, num_selected_out) F(s, num_items)          \
  F(s, op) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_partition_args, 1704, FIELDS);

SELECTION_ALGORITHM(partition, 1, SLOT_PARAMETER(IN), SLOT_PARAMETER(FLAGS), SLOT_PARAMETER(OUT),
                    SLOT_PARAMETER(UNSELECTED_OUT), SLOT_PARAMETER(NUM_SELECTED_OUT), SLOT_PARAMETER(OP),
                    CHAIN_NUM_ITEMS);

/* ---- the call */

static const selection_slots at = {IN, OUT, FLAGS, NUM_SELECTED_OUT};

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_partition_args *args = args_;
  selection *sel = bound;
  spec_slot *given = sel->s.slots;
  (void)name;
  selection_begin(sel, &partition_algorithm.schema, at, args->num_items, args->num_items_in);
  given[FLAGS].iter = iter_given(&args->flags);
  given[IN].iter = &args->in;
  given[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  given[NUM_SELECTED_OUT].iter = &args->num_selected_out;
  given[OUT].iter = &args->out;
  given[UNSELECTED_OUT].iter = iter_given(&args->unselected_out);
  if (args->op.kind != JIG_OP_NONE) given[OP].op = &args->op;
  sel->fills_out = given[UNSELECTED_OUT].iter == NULL;
  return JIG_SUCCESS;
}

const call_steps partition_steps = {
    "jig_partition",  CALL_ARGS(jig_partition_args, num_items), bind, selection_prepare, selection_launch,
    sizeof(selection)};

jig_status jig_partition(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                         const jig_partition_args *args, CUstream stream) {
  selection sel;
  return call_run(&partition_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &sel);
}

jig_status jig_partition_spec(const jig_partition_args *args, char **text) {
  selection sel;
  return call_spec(&partition_steps, args, text, &sel);
}

/* ---- the same by name */

jig_status jig_partition_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            jig_iter in, jig_iter out, jig_iter num_selected_out, uint64_t num_items,
                            jig_op op, CUstream stream) {
  const jig_partition_args args = {
      .in = in, .out = out, .num_selected_out = num_selected_out, .num_items = num_items, .op = op};
  return jig_partition(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_partition_flagged(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 jig_iter in, jig_iter flags, jig_iter out, jig_iter num_selected_out,
                                 uint64_t num_items, CUstream stream) {
  const jig_partition_args args = {
      .in = in, .flags = flags, .out = out, .num_selected_out = num_selected_out, .num_items = num_items};
  return jig_partition(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
