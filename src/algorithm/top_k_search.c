#include "algorithm/top_k_search.h"

void top_k_search_needs(call *c, const top_k_size *size) {
  const int first = size->first_kernel;
  const int single = top_k_single_kernel(c->program, &c->engine->limits, size);
  if (single >= 0) {
    call_needs(c, single);
    if (top_k_writes_apart(c->program, &c->engine->limits, size)) call_needs(c, TOP_K_GATHER);
    return;
  }
  call_needs(c, first + TOP_K_SAMPLE);
  call_needs(c, first + TOP_K_PASS);
  call_needs(c, first + TOP_K_SELECT);
}

jig_status top_k_search_launch(call *c, const top_k_size *size, const top_k_plan *plan,
                               const void *values) {
  const int first = size->first_kernel;
  jig_status status;
  if (plan->single_kernel >= 0) {
    status = call_launch(c, plan->single_kernel, plan->block, values);
    return status == JIG_SUCCESS && plan->writes_apart
               ? call_launch(c, TOP_K_GATHER, plan->gather, values)
               : status;
  }
  status = call_launch(c, first + TOP_K_SAMPLE, plan->sample, values);
  if (status == JIG_SUCCESS) status = call_launch(c, first + TOP_K_PASS, plan->pass, values);
  return status == JIG_SUCCESS ? call_launch(c, first + TOP_K_SELECT, plan->select, values) : status;
}
