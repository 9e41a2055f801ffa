/* What algorithms have in common that hand results from tile to tile. */
#ifndef JIG_POLICY_CHAIN_H
#define JIG_POLICY_CHAIN_H

#include "policy/cluster.h"
#include "policy/space.h"

/* Their kernels, in this order; the second is a look-back or a pipeline. Some have a third one, for what
 * one block or cluster takes. */
enum { CHAIN_SINGLE_WAVE, CHAIN_LARGE, CHAIN_KERNELS, CHAIN_CLUSTER = CHAIN_KERNELS, CHAIN_ALL_KERNELS };

/* What the policies of all these kernels begin with. */
#define CHAIN_TUNING(FIELD) FIELD(threads) FIELD(rows) FIELD(min_blocks)
POLICY_STRUCT(chain_tuning, CHAIN_TUNING);

/* Blocks of a cluster that tell each other a few words; and rows that each has at most, as more are
 * shared out to more blocks sooner. On an H100 sums of 2^16 i32 take 2.51 us by clusters with 4 rows
 * and 2.82 by a single wave; with 8 rows, at 2^17, 3.66 and 2.97; 16-byte structs with 4 rows, at
 * 2^14, 3.32 and 3.10. */
static inline int chain_cluster_rows(int rows, size_t state_bytes) {
  const int most = state_bytes > 8 ? 2 : 4;
  return rows < most ? rows : most;
}
static inline int chain_cluster(int sm, size_t state_bytes) {
  enum { MOST_STATE_BYTES = 16 };
  return state_bytes > MOST_STATE_BYTES ? 1 : most_cluster_blocks(sm);
}

/* What is tried of single waves, and of look-backs. */
#define SINGLE_WAVE_KNOBS(row)                                                       \
  KNOB(row, threads, 128, 256, 384, 512), KNOB(row, rows, 1, 2, 3, 4, 6, 8, 10, 12), \
      KNOB(row, min_blocks, 1, 2, 3, 4, 5, 6)
#define CLUSTER_KNOBS(row) KNOB(row, threads, 128, 256, 384, 512), KNOB(row, rows, 1, 2, 3, 4, 6, 8)
#define LOOKBACK_KNOBS(row)                                                                   \
  KNOB(row, threads, 128, 256, 384, 512, 768), KNOB(row, rows, 1, 2, 3, 4, 6, 8, 10, 12, 16), \
      KNOB(row, min_blocks, 1, 2, 3, 4)

/* Of a pipeline's row: its warps, and its stages. */
#define PIPELINE_KNOBS(row)                                                     \
  KNOB(row, reducers, 4, 6, 8, 10, 12), KNOB(row, emitters, 8, 10, 12, 16, 18), \
      KNOB(row, stages, 3, 4, 5, 6, 7, 8)

/* Of a pipeline, whatever the algorithm. */
#define PIPELINE_TUNING(FIELD) \
  CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(stages) FIELD(shared_bytes) FIELD(reducers)
POLICY_STRUCT(pipeline_tuning, PIPELINE_TUNING);

/* Every reducer has the same number of an emitter's warp tiles; there are so many other warps. */
enum { CHAIN_OTHER_WARPS = 3 };
static inline bool pipeline_allows(const spec *s, int sm, const policy *p) {
  const pipeline_tuning to = pipeline_tuning_of(p);
  const int emitters = to.threads / 32 - to.reducers - CHAIN_OTHER_WARPS;
  (void)s;
  (void)sm;
  return to.rows > 0 && emitters >= to.reducers && emitters % to.reducers == 0;
}

/* Whether a pipeline can have these tiles copied: of SM 90 and later, but SM 120 has less shared memory.
 */
static inline bool pipeline_can_copy(const jig_iter *in, int sm) {
  const uint32_t size = in->type.size;
  return sm >= 90 && sm < 120 && in->kind == JIG_ITER_POINTER && size <= 16 && (size & (size - 1)) == 0;
}

/* The same of other sizes, too, of which short vectors are whole words: for what does not look at the
 * item before. */
static inline bool pipeline_can_copy_vectors(const jig_iter *in, int sm) {
  enum { WORD = 16, MOST = 64 };
  const size_t bytes = iter_vector_items(in) * in->type.size;
  return sm >= 90 && sm < 120 && in->kind == JIG_ITER_POINTER && bytes % WORD == 0 && bytes <= MOST;
}

#endif
