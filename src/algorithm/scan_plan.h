/* How a scan is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_SCAN_PLAN_H
#define JIG_ALGORITHM_SCAN_PLAN_H

#include "algorithm/temp_storage.h"
#include "jit/program.h"

/* What a scan is planned by. */
typedef struct scan_size {
  uint64_t num_items;
  unsigned run_items; /* of the input */
  size_t accum_bytes;
} scan_size;

/* Slot 0 is the wave's, or the groups; slot 1 the tiles. Of the sizes alone; never shrinks as num_items
 * grows. */
temp_layout scan_temp(const scan_size *size);

/* Which kernel to launch, and how. */
typedef struct scan_plan {
  bool wave;
  bool too_large; /* more tiles than a launch can have */
  launch_shape shape;
  int rows;                       /* of a wave's tiles */
  size_t group_bytes, tile_bytes; /* of the temp storage that a look-back uses */
} scan_plan;
scan_plan scan_plan_of(const program *p, const scan_size *size);

#endif
