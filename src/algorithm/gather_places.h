/* The launch of a kernel that gathers items by their places, which other kernels have put in order: it
 * has a gather_tuning. */
#ifndef JIG_ALGORITHM_GATHER_PLACES_H
#define JIG_ALGORITHM_GATHER_PLACES_H

#include "jit/program.h"
#include "policy/gather.h"
#include "util/integer.h"

/* Where only the GPU knows how many there are, of so many at most: all warps that are resident at once,
 * which go on until there are no more. */
static inline launch_shape gather_some_shape(const program *p, int kernel, uint64_t num_items) {
  enum { WARP_THREADS = 32 };
  const gather_tuning tuning = gather_tuning_of(&p->kernels[kernel].tuning);
  const uint64_t warps = (unsigned)tuning.threads / WARP_THREADS;
  const uint64_t resident = (uint64_t)(unsigned)p->multiprocessors * (unsigned)tuning.min_blocks;
  return (launch_shape){.grid = (unsigned)min_of(ceil_div(num_items, warps), resident), .pdl = true};
}

/* All of so many, of so many bytes each: a warp for as many as it moves at a time. From anywhere in
 * memory that is faster. */
static inline launch_shape gather_all_shape(const program *p, int kernel, uint64_t num_items,
                                            uint64_t item_bytes) {
  enum { WARP_THREADS = 32, WARP_BYTES = 2048 }; /* jig::shared_bytes_at_once */
  const gather_tuning tuning = gather_tuning_of(&p->kernels[kernel].tuning);
  const uint64_t warps = (unsigned)tuning.threads / WARP_THREADS;
  const uint64_t items = max_of(WARP_BYTES / item_bytes, 1);
  return (launch_shape){.grid = (unsigned)min_of(ceil_div(num_items, warps * items), INT32_MAX),
                        .pdl = true};
}

#endif
