/* jig_unique(): see include/jig/select.h and templates/jig/kernel/select/unique.cuh. */
#include <jig/select.h>

#include "algorithm/selection.h"
#include "spec/type.h"

enum { EQUALITY, IN, NUM_ITEMS_IN, NUM_SELECTED_OUT, OUT, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [EQUALITY] = {.name = "equality",
                  .formerly = "op",
                  .kind = SLOT_OP,
                  .optional = true,
                  .arity = 2,
                  .over = {"in"},
                  .test = true,
                  .help = "whether neighbours a and b are equal; left out, ==",
                  .option = "op"},
    [IN] = {.name = "in",
            .use = USE_EQUATED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items, or keys; of equal neighbours the first is selected",
            .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_SELECTED_OUT] = SELECTION_COUNTS_SLOT("how many items are selected"),
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .places = {"in"},
             .help = "the selected items",
             .like = "in",
             .option = "out-type"},
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_MOVED,
                   .kind = SLOT_ITER,
                   .optional = true,
                   .role = ITER_INPUT,
                   .places = {"values_in"},
                   .help = "a value for each key",
                   .option = "values"},
    [VALUES_OUT] = {.name = "values_out",
                    .kind = SLOT_ITER,
                    .optional = true,
                    .role = ITER_OUTPUT,
                    .places = {"values_in"},
                    .help = "the values of the selected keys",
                    .like = "values_in",
                    .follows = true},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS && s->slots[EQUALITY].op == NULL)
    status = op_check_equality(&s->slots[IN].iter->type, "in");
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "in", "out");
  if (status == JIG_SUCCESS) status = selection_check_stored(s, "values_in", "values_out");
  return status == JIG_SUCCESS ? selection_check_counts(s) : status;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                            \
  F(s, in) F(s, out) F(s, values_in) F(s, values_out) F(s, num_selected_out) F(s, num_items)          \
  F(s, equality) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_unique_args, 1704, FIELDS);

SELECTION_ALGORITHM(unique, 1, SLOT_PARAMETER(IN), SLOT_PARAMETER(OUT), SLOT_PARAMETER(VALUES_IN),
                    SLOT_PARAMETER(VALUES_OUT), SLOT_PARAMETER(NUM_SELECTED_OUT),
                    SLOT_PARAMETER(EQUALITY), CHAIN_NUM_ITEMS, CHAIN_IN_PLACE);

/* What a block compares its first item with must not change while the block before stores it. */
static bool is_same_memory(const jig_iter *in, const jig_iter *out, uint64_t num_items) {
  (void)num_items;
  return in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER && in->pointer == out->pointer &&
         type_equal(&in->type, &out->type);
}

/* ---- the call */

static const selection_slots at = {IN, OUT, -1, NUM_SELECTED_OUT};

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_unique_args *args = args_;
  selection *sel = bound;
  spec_slot *given = sel->s.slots;
  (void)name;
  selection_begin(sel, &unique_algorithm.schema, at, args->num_items, args->num_items_in);
  given[IN].iter = &args->in;
  given[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  given[NUM_SELECTED_OUT].iter = &args->num_selected_out;
  given[OUT].iter = &args->out;
  given[VALUES_IN].iter = iter_given(&args->values_in);
  given[VALUES_OUT].iter = iter_given(&args->values_out);
  if (args->equality.kind != JIG_OP_NONE) given[EQUALITY].op = &args->equality;
  sel->may_be_in_place = is_same_memory;
  return JIG_SUCCESS;
}

const call_steps unique_steps = {
    "jig_unique",     CALL_ARGS(jig_unique_args, num_items), bind, selection_prepare, selection_launch,
    sizeof(selection)};

jig_status jig_unique(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                      const jig_unique_args *args, CUstream stream) {
  selection sel;
  return call_run(&unique_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &sel);
}

jig_status jig_unique_spec(const jig_unique_args *args, char **text) {
  selection sel;
  return call_spec(&unique_steps, args, text, &sel);
}

/* ---- the same by name */

jig_status jig_unique_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter keys_in, jig_iter values_in, jig_iter keys_out, jig_iter values_out,
                             jig_iter num_selected_out, uint64_t num_items, jig_op equality,
                             CUstream stream) {
  const jig_unique_args args = {.in = keys_in,
                                .out = keys_out,
                                .values_in = values_in,
                                .values_out = values_out,
                                .num_selected_out = num_selected_out,
                                .num_items = num_items,
                                .equality = equality};
  return jig_unique(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
