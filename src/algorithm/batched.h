/* What batched copies share: how they are planned and launched; see
 * templates/jig/agent/copy_batched/copy_batched.cuh. */
#ifndef JIG_ALGORITHM_BATCHED_H
#define JIG_ALGORITHM_BATCHED_H

#include "algorithm/call.h"

/* The kernels: the second one for what the first one has listed. */
enum { BATCHED_SHORT, BATCHED_LONG, BATCHED_KERNELS };

/* Kernel parameter; jig::BatchedCall in device code. */
typedef struct batched_call {
  void *control, *list;
  uint64_t tag, num_buffers;
  uint32_t each, unused;
  const uint64_t *num_buffers_in; /* or NULL */
} batched_call;
extern const parameter_field batched_call_fields[];

typedef struct batched_values {
  batched_call call;
} batched_values;

/* `count_in_` is the slot that says whether the number is read on the GPU. */
#define BATCHED_PARAMETER(count_in_)                                                                   \
  COUNTED_STRUCT_PARAMETER(batched_values, call, "jig::BatchedCall", batched_call_fields, num_buffers, \
                           count_in_)

typedef struct batched_plan {
  uint32_t each; /* buffers of a warp of the first launch */
  uint64_t short_blocks;
  unsigned long_blocks;
  temp_layout temp;
} batched_plan;

/* Whether there can be so many buffers is for `argument` to answer for. */
jig_status batched_prepare(const call *c, const char *argument, uint64_t num_buffers, batched_plan *plan);

/* Both launches. */
jig_status batched_launch(call *c, const batched_plan *plan, item_count num_buffers);

#endif
