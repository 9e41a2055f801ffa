#include "algorithm/find_plan.h"

#include "algorithm/reduce_plan.h"
#include "algorithm/tile_state.h"

jig_status find_check_out(const spec *s, bool is_index) {
  const bool is_bool = spec_find(s, "out")->iter->type.kind == JIG_KIND_BOOL;
  return is_bool && !is_index ? JIG_SUCCESS : spec_check_integer(s, "out");
}

enum { PARTIALS, HINT };

static find_plan plan_of(const program *p, const find_places *places) {
  const unsigned vector_items = iter_place_items(places->in);
  const uint64_t vectors = places->num_items / vector_items;
  for (int steps = 1; steps < p->count; ++steps) {
    const policy *tuned = &p->kernels[steps].tuning;
    const reduce_tuning tuning = reduce_tuning_of(tuned);
    const launch_shape shape = reduce_shape_of(p, tuned, places->num_items, vector_items, REDUCE_SEARCH);
    const unsigned rows = (unsigned)(steps * tuning.unroll);
    if (vectors <= (uint64_t)rows * shape.grid * (unsigned)tuning.threads)
      return (find_plan){steps, shape};
  }
  return (find_plan){0, reduce_shape(p, places->num_items, vector_items, REDUCE_SEARCH)};
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
