/* How reduce and arg-reduce spread their work over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_REDUCE_PLAN_H
#define JIG_ALGORITHM_REDUCE_PLAN_H

#include "algorithm/temp_storage.h"
#include "jit/program.h"
#include "policy/reduce.h"

/* A kernel parameter; jig::even_share in device code. */
typedef struct even_share {
  uint64_t share, larger;
} even_share;

typedef enum reduce_work {
  REDUCE_ITEMS,  /* as they are */
  REDUCE_CALLS,  /* something is called for every item that is loaded */
  REDUCE_ZIPPED, /* the same, and an item is of several arrays, so a row is as many loads */
  REDUCE_SEARCH, /* the same, and one warp takes what few blocks come to */
  REDUCE_WIDE,   /* REDUCE_CALLS of accumulators that registers do not hold: a row takes long */
  REDUCE_ORDERED /* the operator keeps its operands in order */
} reduce_work;

/* Temp storage for the blocks' results, accumulators of so many bytes. Of num_items, the accumulator and
 * the kind of work alone; never shrinks as num_items grows. */
temp_layout reduce_temp(uint64_t num_items, size_t accum_bytes, reduce_work work);

/* Of items that something is called for. */
reduce_work reduce_calls_of(const jig_iter *in);

/* How to launch: with at most one block more than reduce_temp() has room for. */
launch_shape reduce_shape_of(const program *p, const policy *tuned, uint64_t num_items,
                             unsigned vector_items, reduce_work work);
/* The same of a program's first kernel. */
launch_shape reduce_shape(const program *p, uint64_t num_items, unsigned vector_items, reduce_work work);

/* How the warps of the grid share the tiles of such an operator. */
even_share reduce_ranges(const program *p, unsigned grid, uint64_t num_items, unsigned vector_items);

#endif
