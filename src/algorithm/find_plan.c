#include "algorithm/find_plan.h"

#include "algorithm/reduce_plan.h"
#include "algorithm/tile_state.h"
#include "policy/find_if.h"

jig_status find_check_out(const spec *s, bool is_index) {
  const bool is_bool = spec_find(s, "out")->iter->type.kind == JIG_KIND_BOOL;
  return is_bool && !is_index ? JIG_SUCCESS : spec_check_integer(s, "out");
}

enum { PARTIALS, HINT };

static find_plan plan_of(const program *p, const find_places *places) {
  const unsigned vector_items = iter_place_items(places->in);
  const uint64_t n = places->num_items;
  const policy *tuned = &p->kernels[FIND_STEP].tuning;
  const find_tuning tuning = find_tuning_of(tuned);
  const launch_shape step = reduce_shape_of(p, tuned, n, vector_items, REDUCE_SEARCH);
  const uint64_t row = (uint64_t)step.grid * (unsigned)tuning.threads;
  const uint64_t most = row * (unsigned)tuning.unroll * (unsigned)tuning.steps;
  if (n / vector_items <= most) return (find_plan){FIND_STEP, step};
  return (find_plan){FIND_ANY, reduce_shape(p, n, vector_items, REDUCE_SEARCH)};
}

jig_status find_prepare(call *c, find_places *places, temp_layout *temp) {
  jig_status status = call_check_count(c, "num_items", places->num_items, places->in, "in");
  if (status == JIG_SUCCESS && places->stores_index)
    status = call_check_index(c, &places->out->type, "out", places->num_items);
  *temp = reduce_temp(places->num_items, sizeof(uint64_t), REDUCE_SEARCH);
  (void)temp_slot(temp, 2 * tile_state_bytes(sizeof(uint64_t))); /* sizeof(jig::FindHint) */
  if (status != JIG_SUCCESS) return status;
  places->plan = plan_of(c->program, places);
  call_needs(c, places->plan.kernel);
  return JIG_SUCCESS;
}

static jig_status check_values(const call *c, const find_places *places) {
  jig_status status = call_check_iter(c, places->out, 1, "out");
  if (status == JIG_SUCCESS && places->num_items > 0)
    status = call_check_iter(c, places->in, places->num_items, "in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, places->in, places->num_items, "in");
  return status == JIG_SUCCESS ? call_check_overlap(c, places->out, 1, "out") : status;
}

jig_status find_launch(call *c, const find_places *places, const temp_layout *temp) {
  const find_values values = {{places->num_items, places->num_items_in},
                              temp_address(temp, PARTIALS, c->storage),
                              temp_address(temp, HINT, c->storage),
                              engine_tag(c->engine, c->number)};
  const jig_status status = check_values(c, places);
  return status == JIG_SUCCESS ? call_launch(c, places->plan.kernel, places->plan.shape, &values)
                               : status;
}
