/* Tiles in vectors: what a thread loads from an input, and stores to an output, where items are
 * independent of each other. */
#ifndef JIG_POLICY_VECTOR_H
#define JIG_POLICY_VECTOR_H

#include "policy/space.h"
#include "util/integer.h"

enum { VECTOR_BYTES = 16 };

/* A thread has `unroll` vectors of `items` neighbours at a time; or so many `lanes` of a warp share the
 * words of one item. */
#define VECTOR_TUNING(FIELD) FIELD(threads) FIELD(items) FIELD(unroll) FIELD(min_blocks) FIELD(lanes)
POLICY_STRUCT(vector_tuning, VECTOR_TUNING);

/* What is tried of those whose threads hold nothing but their vectors. */
#define VECTOR_KNOBS                                                                                \
  {                                                                                                 \
    KNOB(vector_tuning, threads, 64, 128, 256, 512), KNOB(vector_tuning, unroll, 1, 2, 3, 4, 6, 8), \
        KNOB(vector_tuning, min_blocks, 1, 2, 3, 4, 6, 8, 12, 16)                                   \
  }

/* Items that a block has at once: a vector of each thread. */
static inline uint32_t vector_step(const vector_tuning *tuning) {
  const unsigned lanes = tuning->lanes > 0 ? (unsigned)tuning->lanes : 1;
  return (uint32_t)(tuning->threads * tuning->items) / lanes;
}

/* How many tiles of a block such a policy makes of so many items. */
static inline uint64_t vector_tiles(const policy *p, uint64_t num_items) {
  const vector_tuning tuning = vector_tuning_of(p);
  return ceil_div(num_items, vector_step(&tuning) * (uint64_t)(unsigned)tuning.unroll);
}

/* Whether a policy's output takes places of items whose words lanes can share: see placed_spec. */
static inline bool lanes_share_items(const jig_iter *out) {
  return out->kind == JIG_ITER_COUNTING;
}

/* Items whose size is no power of two, `bytes` of them and of all that is read or stored with each: lanes
 * that load and store their own touch a part of more sectors by each instruction, so that warps bring
 * them to shared memory and store them from there, if there is room. How that is tuned, and what it
 * allows. */
bool vectors_are_staged(uint32_t size, int bytes);
policy staged_vectors(int bytes, const policy_space *space, tuning_told *told);
bool staged_vectors_fit(int bytes, const policy *p);

/* How many neighbours a thread loads and stores at once: a vector of the larger items; 1 where one side
 * has no vectors. */
int vector_items(const jig_iter *in, const jig_iter *out);

#endif
