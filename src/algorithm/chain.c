#include "algorithm/chain.h"

jig_status chain_prepare(const call *c, const chain_size *size, temp_layout *temp) {
  jig_status status = JIG_SUCCESS;
  if (size->num_items > INT32_MAX) /* there are no more tiles than items */
    status = call_check_blocks(c, "num_items", chain_tiles(c->program, size));
  if (status == JIG_SUCCESS) *temp = chain_temp(c->program, size);
  return status;
}

jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, packed_args *packed) {
  const chain_plan plan = chain_plan_of(c->program, size);
  void *first = temp_address(temp, 0, c->storage), *tiles = temp_address(temp, 1, c->storage);
  uint64_t tag = engine_tag(c->engine, c->number);
  int rows = plan.rows;
  if (plan.form == CHAIN_IS_WAVE) packed_value(packed, &rows);
  packed_value(packed, &first);
  if (plan.form == CHAIN_IS_LOOKBACK) packed_value(packed, &tiles);
  packed_value(packed, &tag);
  if (plan.form == CHAIN_IS_WAVE) return call_launch(c, CHAIN_WAVE, plan.shape, packed->parameters);
  jig_status status = JIG_SUCCESS;
  if (plan.form == CHAIN_IS_LOOKBACK) {
    status = call_clear_for_graph(c, first, plan.group_bytes);
    if (status == JIG_SUCCESS) status = call_clear_for_graph(c, tiles, plan.tile_bytes);
  }
  return status == JIG_SUCCESS ? call_launch(c, CHAIN_LARGE, plan.shape, packed->parameters) : status;
}
