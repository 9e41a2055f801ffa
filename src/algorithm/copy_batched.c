/* jig_copy_batched(): see include/jig/copy_batched.h and
 * templates/jig/agent/copy_batched/copy_batched.cuh.
 */
#include <jig/copy_batched.h>
#include <string.h>

#include "algorithm/batched.h"
#include "algorithm/call_places.h"
#include "policy/copy_batched.h"
#include "spec/complete.h"
#include "spec/type.h"

enum { IN, IN_OFFSETS, NUM_RANGES_IN, OUT, OUT_OFFSETS, SIZES, SLOTS };

static const slot_schema slots[SLOTS] = {
    [IN] = {.name = "in",
            .use = USE_MOVED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .help = "the items",
            .option = "type"},
    [IN_OFFSETS] = {.name = "in_offsets",
                    .kind = SLOT_ITER,
                    .role = ITER_INPUT,
                    .help = "where ranges begin among the items",
                    .usually = "i64"},
    [NUM_RANGES_IN] = DEVICE_COUNT_SLOT(num_ranges),
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "where they are stored",
             .like = "in",
             .option = "out-type"},
    [OUT_OFFSETS] = {.name = "out_offsets",
                     .kind = SLOT_ITER,
                     .role = ITER_INPUT,
                     .help = "where ranges begin in out",
                     .like = "in_offsets",
                     .usually = "i64"},
    [SIZES] = {.name = "sizes",
               .kind = SLOT_ITER,
               .role = ITER_INPUT,
               .help = "of ranges, in items",
               .like = "in_offsets",
               .usually = "i64"},
};

static jig_status check(const spec *s) {
  jig_status status =
      type_check_conversion(&s->slots[IN].iter->type, &s->slots[OUT].iter->type, "in: the item type");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "in_offsets");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "out_offsets");
  return status == JIG_SUCCESS ? spec_check_integer(s, "sizes") : status;
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),         SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(IN_OFFSETS), SLOT_PARAMETER(OUT_OFFSETS),
    SLOT_PARAMETER(SIZES),      BATCHED_PARAMETER(NUM_RANGES_IN),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    [BATCHED_SHORT] = {.name = "jig_copy_batched",
                       .templates = "jig/kernel/copy_batched/copy_batched.cuh",
                       .function = "jig::copy_batched<jig_policy, false>",
                       .parameters = parameters,
                       .space = &copy_batched_space},
    [BATCHED_LONG] = {.name = "jig_copy_batched_long",
                      .templates = "jig/kernel/copy_batched/copy_batched.cuh",
                      .function = "jig::copy_batched<jig_policy, true>",
                      .parameters = parameters,
                      .space = &copy_batched_long_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, in_offsets) F(s, out_offsets) F(s, sizes) F(s, num_ranges) F(s, num_ranges_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_copy_batched_args, 1552, FIELDS);

const algorithm copy_batched_algorithm = {
    .schema = {.algorithm = "copy_batched", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_copy_batched_args,
    .kernels = kernels,
    .kernel_count = BATCHED_KERNELS,
};

/* ---- the call */

enum { PLACES = 5 };

typedef struct bound_spec {
  spec s;
  const jig_copy_batched_args *args;
  batched_plan plan;
  call_place places[PLACES];
} bound_spec;

/* The items are somewhere: how many there are is only known where the offsets are. */
enum { OFFSETS_AND_SIZES = 3 };
static void list_places(const jig_copy_batched_args *args, call_place places[PLACES]) {
  const uint64_t n = args->num_ranges;
  places[0] = (call_place){&args->in_offsets, n, "in_offsets", false};
  places[1] = (call_place){&args->out_offsets, n, "out_offsets", false};
  places[2] = (call_place){&args->sizes, n, "sizes", false};
  places[3] = (call_place){&args->in, iter_known_items(&args->in), "in", false};
  places[4] = (call_place){&args->out, iter_known_items(&args->out), "out", false};
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_copy_batched_args *args = args_;
  bound_spec *b = bound;
  (void)name;
  b->args = args;
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &copy_batched_algorithm.schema;
  b->s.slots[IN].iter = &args->in;
  b->s.slots[IN_OFFSETS].iter = &args->in_offsets;
  b->s.slots[NUM_RANGES_IN].choice = args->num_ranges_in != NULL;
  b->s.slots[OUT].iter = &args->out;
  b->s.slots[OUT_OFFSETS].iter = &args->out_offsets;
  b->s.slots[SIZES].iter = &args->sizes;
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  list_places(b->args, b->places); /* now that iterators are known to be sound */
  jig_status status = call_check_counts(c, "num_ranges", b->places, OFFSETS_AND_SIZES);
  if (status == JIG_SUCCESS) status = batched_prepare(c, "num_ranges", b->args->num_ranges, &b->plan);
  if (status == JIG_SUCCESS) *temp = b->plan.temp;
  return status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  (void)temp; /* the plan has it */
  jig_status status = call_check_places(c, b->places, PLACES);
  const item_count count = {b->args->num_ranges, b->args->num_ranges_in};
  return status == JIG_SUCCESS ? batched_launch(c, &b->plan, count) : status;
}

const call_steps copy_batched_steps = {
    "jig_copy_batched", CALL_WORK_ARGS(jig_copy_batched_args, num_ranges), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_copy_batched(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            const jig_copy_batched_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&copy_batched_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_copy_batched_spec(const jig_copy_batched_args *args, char **text) {
  bound_spec b;
  return call_spec(&copy_batched_steps, args, text, &b);
}
