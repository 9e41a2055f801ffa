/* The launch of a kernel that gathers items by their places, which other kernels have put in order: it
 * has a gather_tuning. */
#ifndef JIG_ALGORITHM_GATHER_PLACES_H
#define JIG_ALGORITHM_GATHER_PLACES_H

#include "jit/program.h"
#include "policy/gather.h"
#include "util/integer.h"

/* For so many items at most: a warp for each, or all that are resident at once. */
static inline launch_shape gather_shape(const program *p, int kernel, uint64_t num_items) {
  enum { WARP_THREADS = 32 };
  const gather_tuning tuning = gather_tuning_of(&p->kernels[kernel].tuning);
  const uint64_t warps = (unsigned)tuning.threads / WARP_THREADS;
  const uint64_t resident = (uint64_t)(unsigned)p->multiprocessors * (unsigned)tuning.min_blocks;
  return (launch_shape){.grid = (unsigned)min_of(ceil_div(num_items, warps), resident), .pdl = true};
}

#endif
