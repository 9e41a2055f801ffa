#include "algorithm/vector_plan.h"

#include "util/integer.h"

/* Blocks of one vector a thread that a multiprocessor has: up to so many are few, and up to so many of
 * 256 threads, 4 KiB each, fit L2 with what they load. */
enum { FEW = 4, MOST_IN_L2 = 48 };

static bool has_tiles(const vector_tuning *tuning, uint64_t num_items, uint64_t each, vector_work work) {
  if (work == VECTORS_OPERATED) return num_items > FEW * each;
  return tuning->items == 1 || (num_items > FEW * each && num_items <= MOST_IN_L2 * each);
}

vector_shape vector_shape_of(const program *p, uint64_t num_items, vector_work work) {
  const vector_tuning tuning = vector_tuning_of(&p->kernels[0].tuning);
  const unsigned lanes = tuning.lanes > 0 ? (unsigned)tuning.lanes : 1;
  const uint32_t once = (uint32_t)(tuning.threads * tuning.items) / lanes;
  const uint64_t each = once * (uint64_t)(unsigned)p->multiprocessors;
  const uint32_t block_items =
      has_tiles(&tuning, num_items, each, work) ? once * (uint32_t)tuning.unroll : once;
  return (vector_shape){ceil_div(num_items, block_items), block_items};
}
