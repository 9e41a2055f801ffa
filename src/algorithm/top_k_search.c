#include "algorithm/top_k_search.h"

void top_k_search_needs(call *c, const top_k_size *size) {
  const int first = size->first_kernel;
  if (top_k_is_single(c->program, &c->engine->limits, size)) {
    call_needs(c, first + TOP_K_BLOCK);
    return;
  }
  call_needs(c, first + TOP_K_SAMPLE);
  call_needs(c, first + TOP_K_PASS);
  call_needs(c, first + TOP_K_SELECT);
}

jig_status top_k_search_launch(call *c, const top_k_size *size, const top_k_plan *plan,
                               const void *values) {
  const int first = size->first_kernel;
  if (plan->is_single) return call_launch(c, first + TOP_K_BLOCK, plan->block, values);
  jig_status status = call_launch(c, first + TOP_K_SAMPLE, plan->sample, values);
  if (status == JIG_SUCCESS) status = call_launch(c, first + TOP_K_PASS, plan->pass, values);
  return status == JIG_SUCCESS ? call_launch(c, first + TOP_K_SELECT, plan->select, values) : status;
}
