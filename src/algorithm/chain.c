#include "algorithm/chain.h"

jig_status chain_prepare(call *c, const chain_size *size, temp_layout *temp) {
  const chain_plan plan = chain_plan_of(c->program, size);
  jig_status status = JIG_SUCCESS;
  call_needs(c, plan.kernel);
  if (size->num_items > INT32_MAX) /* there are no more tiles than items */
    status = call_check_blocks(c, "num_items", chain_tiles(c->program, size));
  if (status == JIG_SUCCESS) *temp = chain_temp(c->program, size);
  return status;
}

/* Tiles' lie behind groups': a second fill would take 2.6 us in a graph. */
static jig_status clear_states(const call *c, const chain_plan *plan, const chain_values *values) {
  const size_t before = (size_t)((char *)values->tiles - (char *)values->groups);
  return call_clear_for_graph(c, values->groups, before + plan->tile_bytes);
}

jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, chain_values *values) {
  const chain_plan plan = chain_plan_of(c->program, size);
  values->rows = plan.rows;
  values->control = values->groups = temp_address(temp, 0, c->storage);
  values->tiles = temp_address(temp, 1, c->storage);
  values->tag = engine_tag(c->engine, c->number);
  jig_status status = JIG_SUCCESS;
  if (plan.form == CHAIN_IS_LOOKBACK) status = clear_states(c, &plan, values);
  return status == JIG_SUCCESS ? call_launch(c, plan.kernel, plan.shape, values) : status;
}
