/* How what goes through its items once shares them out to blocks, in vectors (policy/vector.h). */
#ifndef JIG_ALGORITHM_VECTOR_PLAN_H
#define JIG_ALGORITHM_VECTOR_PLAN_H

#include "jit/program.h"
#include "policy/vector.h"

typedef struct vector_shape {
  uint64_t blocks;
  uint32_t block_items; /* of each: a whole tile, or one vector of each thread */
} vector_shape;

typedef enum vector_work {
  VECTORS_MOVED,    /* each item is stored, loaded or made of others */
  VECTORS_COMPARED, /* the same with its neighbour */
  VECTORS_OPERATED  /* something is called for each */
} vector_work;

/* Of few items every thread has one vector, so that more multiprocessors have some. So it has of vectors
 * that are moved, and that L2 has no room for. */
vector_shape vector_shape_of(const program *p, uint64_t num_items, vector_work work);

#endif
