/* jig_three_way_partition(): see include/jig/partition.h and
 * templates/jig/kernel/select/three_way_partition.cuh. */
#include <jig/partition.h>

#include "algorithm/selection.h"

enum {
  FIRST_OP,
  FIRST_OUT,
  IN,
  NUM_ITEMS_IN,
  NUM_SELECTED_OUT,
  SECOND_OP,
  SECOND_OUT,
  UNSELECTED_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [FIRST_OP] = {.name = "first_op",
                  .kind = SLOT_OP,
                  .arity = 1,
                  .over = {"in"},
                  .test = true,
                  .help = "whether item x is of the first class",
                  .option = "op"},
    [FIRST_OUT] = {.name = "first_out",
                   .kind = SLOT_ITER,
                   .role = ITER_OUTPUT,
                   .places = {"in"},
                   .help = "the items of the first class",
                   .like = "in",
                   .option = "out-type"},
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_SELECTED_OUT] =
        SELECTION_COUNTS_SLOT("how many items are of the first class, and of the second"),
    [SECOND_OP] = {.name = "second_op",
                   .kind = SLOT_OP,
                   .arity = 1,
                   .over = {"in"},
                   .test = true,
                   .help = "whether item x is of the second class, if not of the first",
                   .option = "second-op"},
    [SECOND_OUT] = {.name = "second_out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .places = {"in"},
                    .help = "the items of the second class",
                    .like = "in",
                    .option = "out-type"},
    [UNSELECTED_OUT] = {.name = "unselected_out",
                        .kind = SLOT_ITER,
                        .role = ITER_OUTPUT,
                        .places = {"in"},
                        .help = "the others",
                        .like = "in",
                        .option = "out-type"},
};

static jig_status check(const spec *s) {
  jig_status status = selection_check_stored(s, "in", "first_out");
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "in", "second_out");
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "in", "unselected_out");
  return status == JIG_SUCCESS ? selection_check_counts(s) : status;
}

/* clang-format off */
#define FIELDS(s, F, R)                                               \
  F(s, in) F(s, first_out) F(s, second_out) F(s, unselected_out) F(s, num_selected_out)               \
  F(s, num_items) F(s, first_op) F(s, second_op) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_three_way_partition_args, 1856, FIELDS);

SELECTION_ALGORITHM(three_way_partition, 2, SLOT_PARAMETER(IN), SLOT_PARAMETER(FIRST_OUT),
                    SLOT_PARAMETER(SECOND_OUT), SLOT_PARAMETER(UNSELECTED_OUT),
                    SLOT_PARAMETER(NUM_SELECTED_OUT), SLOT_PARAMETER(FIRST_OP), SLOT_PARAMETER(SECOND_OP),
                    CHAIN_NUM_ITEMS);

/* ---- the call */

static const selection_slots at = {IN, -1, -1, NUM_SELECTED_OUT};

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_three_way_partition_args *args = args_;
  selection *sel = bound;
  spec_slot *given = sel->s.slots;
  (void)name;
  selection_begin(sel, &three_way_partition_algorithm.schema, at, args->num_items, args->num_items_in);
  given[FIRST_OUT].iter = &args->first_out;
  given[IN].iter = &args->in;
  given[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  given[NUM_SELECTED_OUT].iter = &args->num_selected_out;
  given[SECOND_OUT].iter = &args->second_out;
  given[UNSELECTED_OUT].iter = &args->unselected_out;
  given[FIRST_OP].op = &args->first_op;
  given[SECOND_OP].op = &args->second_op;
  sel->classes = 2;
  return JIG_SUCCESS;
}

const call_steps three_way_partition_steps = {"jig_three_way_partition",
                                              CALL_ARGS(jig_three_way_partition_args, num_items),
                                              bind,
                                              selection_prepare,
                                              selection_launch,
                                              sizeof(selection)};

jig_status jig_three_way_partition(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const jig_three_way_partition_args *args, CUstream stream) {
  selection sel;
  return call_run(&three_way_partition_steps, engine, d_temp_storage, temp_storage_bytes, args, stream,
                  &sel);
}

jig_status jig_three_way_partition_spec(const jig_three_way_partition_args *args, char **text) {
  selection sel;
  return call_spec(&three_way_partition_steps, args, text, &sel);
}
