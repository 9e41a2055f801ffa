/* jig_three_way_partition(): see include/jig/partition.h and
 * templates/jig/kernel/select/three_way_partition.cuh. */
#include <jig/partition.h>
#include <string.h>

#include "algorithm/selection.h"
#include "spec/canonical.h"
#include "util/error.h"

enum { FIRST_OP, FIRST_OUT, IN, NUM_SELECTED_OUT, SECOND_OP, SECOND_OUT, UNSELECTED_OUT, SLOTS };

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
                   .help = "the items of the first class",
                   .like = "in",
                   .option = "out-type"},
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the items", .option = "type"},
    [NUM_SELECTED_OUT] = {.name = "num_selected_out",
                          .kind = SLOT_ITER,
                          .role = ITER_OUTPUT,
                          .help = "how many items are of the first class, and of the second",
                          .usually = "i64",
                          .option = "count-type"},
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
                    .help = "the items of the second class",
                    .like = "in",
                    .option = "out-type"},
    [UNSELECTED_OUT] = {.name = "unselected_out",
                        .kind = SLOT_ITER,
                        .role = ITER_OUTPUT,
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

SELECTION_ALGORITHM(three_way_partition);

static void bind_spec(const jig_three_way_partition_args *args, spec *s) {
  s->schema = &three_way_partition_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[FIRST_OUT].iter = &args->first_out;
  s->slots[IN].iter = &args->in;
  s->slots[NUM_SELECTED_OUT].iter = &args->num_selected_out;
  s->slots[SECOND_OUT].iter = &args->second_out;
  s->slots[UNSELECTED_OUT].iter = &args->unselected_out;
  s->slots[FIRST_OP].op = &args->first_op;
  s->slots[SECOND_OP].op = &args->second_op;
}

/* ---- the call */

static jig_status run(call *c, const jig_three_way_partition_args *args) {
  static const int parameters[] = {IN,       FIRST_OUT, SECOND_OUT, UNSELECTED_OUT, NUM_SELECTED_OUT,
                                   FIRST_OP, SECOND_OP, -1};
  spec s;
  jig_status status = call_check_args(c, LAYOUT(jig_three_way_partition_args), args);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &s);
  const selection sel = {
      .s = &s,
      .parameters = parameters,
      .num_items = args->num_items,
      .classes = 2,
  };
  return selection_run(c, &sel);
}

jig_status jig_three_way_partition(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const jig_three_way_partition_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_three_way_partition", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = run(&c, args);
  return call_end(&c, status);
}

jig_status jig_three_way_partition_spec(const jig_three_way_partition_args *args, char **text) {
  spec s;
  jig_status status = call_check_spec_query("jig_three_way_partition_spec",
                                            LAYOUT(jig_three_way_partition_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &s);
  return spec_write(&s, "jig_three_way_partition_spec", text);
}
