/* What algorithms have in common that hand results from tile to tile. */
#ifndef JIG_POLICY_CHAIN_H
#define JIG_POLICY_CHAIN_H

#include "policy/policy.h"

/* Their kernels, in this order; the latter is a look-back or a pipeline. */
enum { CHAIN_SINGLE_WAVE, CHAIN_LARGE, CHAIN_KERNELS };

/* What the policies of all these kernels begin with. */
#define CHAIN_TUNING(FIELD) FIELD(threads) FIELD(rows) FIELD(min_blocks)
POLICY_STRUCT(chain_tuning, CHAIN_TUNING);

/* Of a pipeline, whatever the algorithm. */
#define PIPELINE_TUNING(FIELD) \
  CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(stages) FIELD(shared_bytes) FIELD(reducers)
POLICY_STRUCT(pipeline_tuning, PIPELINE_TUNING);

/* Whether a pipeline can have these tiles copied: of SM 90 and later, but SM 120 has less shared memory.
 */
static inline bool pipeline_can_copy(const jig_iter *in, int sm) {
  const uint32_t size = in->type.size;
  return sm >= 90 && sm < 120 && in->kind == JIG_ITER_POINTER && size <= 16 && (size & (size - 1)) == 0;
}

#endif
