#include "algorithm/call_places.h"

jig_status call_check_counts(const call *c, const char *argument, const call_place *places,
                             size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; status == JIG_SUCCESS && i < count; ++i)
    status = call_check_count(c, argument, places[i].count, places[i].iter, places[i].name);
  return status;
}

static jig_status check_place(const call *c, const call_place *place) {
  if (place->count == 0) return JIG_SUCCESS;
  const jig_status status = call_check_iter(c, place->iter, place->count, place->name);
  if (status != JIG_SUCCESS) return status;
  return place->is_output ? call_check_output(c, place->iter, place->count, place->name)
                          : call_check_overlap(c, place->iter, place->count, place->name);
}

jig_status call_check_places(const call *c, const call_place *places, size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; status == JIG_SUCCESS && i < count; ++i) status = check_place(c, &places[i]);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; places[i].is_output && k < count; ++k) {
      if (status == JIG_SUCCESS && k != i)
        status = call_check_apart(c, places[i].iter, places[i].count, places[i].name, places[k].iter,
                                  places[k].count, places[k].name);
    }
  }
  return status;
}
