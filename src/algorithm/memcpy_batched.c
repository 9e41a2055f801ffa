/* jig_memcpy_batched(): see include/jig/copy_batched.h and
 * templates/jig/agent/copy_batched/copy_batched.cuh. */
#include <jig/copy_batched.h>
#include <string.h>

#include "algorithm/batched.h"
#include "algorithm/call_places.h"
#include "policy/copy_batched.h"
#include "spec/complete.h"
#include "util/error.h"

enum { DESTINATIONS, NUM_BUFFERS_IN, SIZES, SOURCES, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DESTINATIONS] = {.name = "destinations",
                      .kind = SLOT_ITER,
                      .role = ITER_INPUT,
                      .help = "the addresses that buffers are copied to",
                      .usually = "u64"},
    [NUM_BUFFERS_IN] = DEVICE_COUNT_SLOT(num_buffers),
    [SIZES] = {.name = "sizes",
               .kind = SLOT_ITER,
               .role = ITER_INPUT,
               .help = "of the buffers, in bytes",
               .usually = "u64"},
    [SOURCES] = {.name = "sources",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .help = "the addresses that buffers are copied from",
                 .usually = "u64"},
};

static jig_status check_addresses(const spec *s, int slot) {
  const jig_type *type = &s->slots[slot].iter->type;
  if (type->kind == JIG_KIND_U64) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: addresses are of type u64, not %s", slots[slot].name,
                   jig_type_name(type));
}

static jig_status check(const spec *s) {
  jig_status status = check_addresses(s, SOURCES);
  if (status == JIG_SUCCESS) status = check_addresses(s, DESTINATIONS);
  return status == JIG_SUCCESS ? spec_check_integer(s, "sizes") : status;
}

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(SOURCES), SLOT_PARAMETER(DESTINATIONS),
    SLOT_PARAMETER(SIZES),   BATCHED_PARAMETER(NUM_BUFFERS_IN),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    [BATCHED_SHORT] = {.name = "jig_memcpy_batched",
                       .templates = "jig/kernel/copy_batched/memcpy_batched.cuh",
                       .function = "jig::memcpy_batched<jig_policy, false>",
                       .parameters = parameters,
                       .space = &memcpy_batched_space},
    [BATCHED_LONG] = {.name = "jig_memcpy_batched_long",
                      .templates = "jig/kernel/copy_batched/memcpy_batched.cuh",
                      .function = "jig::memcpy_batched<jig_policy, true>",
                      .parameters = parameters,
                      .space = &memcpy_batched_long_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, sources) F(s, destinations) F(s, sizes) F(s, num_buffers) F(s, num_buffers_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_memcpy_batched_args, 960, FIELDS);

const algorithm memcpy_batched_algorithm = {
    .schema = {.algorithm = "memcpy_batched", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_memcpy_batched_args,
    .kernels = kernels,
    .kernel_count = BATCHED_KERNELS,
};

/* ---- the call */

enum { PLACES = 3 };

typedef struct bound_spec {
  spec s;
  const jig_memcpy_batched_args *args;
  batched_plan plan;
  call_place places[PLACES];
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_memcpy_batched_args *args = args_;
  const uint64_t n = args->num_buffers;
  bound_spec *b = bound;
  (void)name;
  b->args = args;
  b->places[0] = (call_place){&args->sources, n, "sources", false};
  b->places[1] = (call_place){&args->destinations, n, "destinations", false};
  b->places[2] = (call_place){&args->sizes, n, "sizes", false};
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &memcpy_batched_algorithm.schema;
  b->s.slots[DESTINATIONS].iter = &args->destinations;
  b->s.slots[NUM_BUFFERS_IN].choice = args->num_buffers_in != NULL;
  b->s.slots[SIZES].iter = &args->sizes;
  b->s.slots[SOURCES].iter = &args->sources;
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  jig_status status = call_check_counts(c, "num_buffers", b->places, PLACES);
  if (status == JIG_SUCCESS) status = batched_prepare(c, "num_buffers", b->args->num_buffers, &b->plan);
  if (status == JIG_SUCCESS) *temp = b->plan.temp;
  return status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  (void)temp; /* the plan has it */
  jig_status status = call_check_places(c, b->places, PLACES);
  const item_count count = {b->args->num_buffers, b->args->num_buffers_in};
  return status == JIG_SUCCESS ? batched_launch(c, &b->plan, count) : status;
}

const call_steps memcpy_batched_steps = {
    "jig_memcpy_batched", CALL_WORK_ARGS(jig_memcpy_batched_args, num_buffers), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_memcpy_batched(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_memcpy_batched_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&memcpy_batched_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_memcpy_batched_spec(const jig_memcpy_batched_args *args, char **text) {
  bound_spec b;
  return call_spec(&memcpy_batched_steps, args, text, &b);
}
