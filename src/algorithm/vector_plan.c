#include "algorithm/vector_plan.h"

#include "policy/shared_memory.h"
#include "util/integer.h"

/* Blocks of one vector a thread that a multiprocessor has: up to so many are few, and up to so many of
 * 256 threads, 4 KiB each, fit L2 with what they load. */
enum { FEW = 4, FEW_COMPARED = 7, MOST_IN_L2 = 48 };

/* Vectors of a thread. Copies that operators are called with and that L2 has no room for: two. */
static int unroll_of(const vector_tuning *tuning, uint64_t num_items, uint64_t each, vector_work work) {
  const bool are_few = num_items <= (work == VECTORS_COMPARED ? FEW_COMPARED : FEW) * each,
             are_many = num_items > MOST_IN_L2 * each;
  if (work == VECTORS_OPERATED)
    return are_few ? 1 : are_many && tuning->items > 1 ? smaller(2, tuning->unroll) : tuning->unroll;
  return tuning->items == 1 || !(are_few || are_many) ? tuning->unroll : 1;
}

vector_shape vector_shape_of(const program *p, uint64_t num_items, vector_work work) {
  const vector_tuning tuning = vector_tuning_of(&p->kernels[0].tuning);
  const uint32_t once = vector_step(&tuning);
  const uint64_t each = once * (uint64_t)(unsigned)p->multiprocessors;
  const uint32_t block_items = once * (uint32_t)unroll_of(&tuning, num_items, each, work);
  return (vector_shape){ceil_div(num_items, block_items), block_items};
}
