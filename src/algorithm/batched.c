#include "algorithm/batched.h"

#include "policy/copy_batched.h"
#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  CONTROL = 256,     /* sizeof(jig::BatchedControl) */
  LISTED_BUFFER = 16 /* sizeof(jig::ListedBuffer) */
};

enum { SLOT_CONTROL, SLOT_LIST };

#define FIELD(name) PARAMETER_FIELD(batched_call, name)
const parameter_field batched_call_fields[] = {FIELD(control),        FIELD(list), FIELD(tag),
                                               FIELD(num_buffers),    FIELD(each), FIELD(unused),
                                               FIELD(num_buffers_in), {NULL}};
#undef FIELD

static uint64_t resident_blocks(const program *p, int kernel) {
  const copy_batched_tuning tuning = copy_batched_tuning_of(&p->kernels[kernel].tuning);
  return (uint64_t)(unsigned)p->multiprocessors * (unsigned)tuning.min_blocks;
}

/* As many buffers for a warp as leave every multiprocessor its warps, up to one for each lane. */
jig_status batched_prepare(const call *c, const char *argument, uint64_t num_buffers,
                           batched_plan *plan) {
  const program *p = c->program;
  const uint64_t block_warps = policy_threads(&p->kernels[BATCHED_SHORT].tuning) / WARP_THREADS;
  const uint64_t each = ceil_div(num_buffers, resident_blocks(p, BATCHED_SHORT) * block_warps);
  *plan = (batched_plan){.each = (uint32_t)min_of(max_of(each, 1), WARP_THREADS),
                         .long_blocks = (unsigned)resident_blocks(p, BATCHED_LONG)};
  plan->short_blocks = ceil_div(num_buffers, block_warps * plan->each);
  (void)temp_slot(&plan->temp, num_buffers > 0 ? CONTROL : 0);
  (void)temp_slot(&plan->temp, product_of(num_buffers, LISTED_BUFFER));
  const jig_status status = call_check_blocks(c, argument, plan->short_blocks);
  return status == JIG_SUCCESS ? call_check_temp(c, argument, temp_size(&plan->temp)) : status;
}

jig_status batched_launch(call *c, const batched_plan *plan, item_count num_buffers) {
  const batched_values values = {{.control = temp_address(&plan->temp, SLOT_CONTROL, c->storage),
                                  .list = temp_address(&plan->temp, SLOT_LIST, c->storage),
                                  .tag = engine_tag(c->engine, c->number),
                                  .num_buffers = num_buffers.limit,
                                  .num_buffers_in = num_buffers.in,
                                  .each = plan->each}};
  const launch_shape first = {.grid = (unsigned)plan->short_blocks, .pdl = plan->short_blocks > 1};
  const jig_status status = call_launch(c, BATCHED_SHORT, first, &values);
  if (status != JIG_SUCCESS) return status;
  return call_launch(c, BATCHED_LONG, (launch_shape){.grid = plan->long_blocks, .pdl = true}, &values);
}
