#include "algorithm/chain.h"

jig_status chain_prepare(const call *c, const chain_size *size, temp_layout *temp) {
  jig_status status = JIG_SUCCESS;
  if (size->num_items > INT32_MAX) /* there are no more tiles than items */
    status = call_check_blocks(c, "num_items", chain_tiles(c->program, size));
  if (status == JIG_SUCCESS) *temp = chain_temp(c->program, size);
  return status;
}

jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, chain_values *values) {
  const chain_plan plan = chain_plan_of(c->program, size);
  values->rows = plan.rows;
  values->control = values->groups = temp_address(temp, 0, c->storage);
  values->tiles = temp_address(temp, 1, c->storage);
  values->tag = engine_tag(c->engine, c->number);
  if (plan.form == CHAIN_IS_SINGLE_WAVE) return call_launch(c, CHAIN_SINGLE_WAVE, plan.shape, values);
  jig_status status = JIG_SUCCESS;
  if (plan.form == CHAIN_IS_LOOKBACK) {
    status = call_clear_for_graph(c, values->groups, plan.group_bytes);
    if (status == JIG_SUCCESS) status = call_clear_for_graph(c, values->tiles, plan.tile_bytes);
  }
  return status == JIG_SUCCESS ? call_launch(c, CHAIN_LARGE, plan.shape, values) : status;
}
