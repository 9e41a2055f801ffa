/* How a histogram is launched, and what its kernels are told: jig::HistogramCall in device code. */
#ifndef JIG_ALGORITHM_HISTOGRAM_PLAN_H
#define JIG_ALGORITHM_HISTOGRAM_PLAN_H

#include <jig/histogram.h>

#include "jit/program.h"

enum { HISTOGRAM, HISTOGRAM_INIT, HISTOGRAM_KERNELS };

typedef struct histogram_channel {
  uint64_t first_value, last, offset, range, scale;
  double low, high, factor;
  void *counts;
  const void *levels;
  uint32_t bins, first, way, level_offset;
} histogram_channel;

typedef struct histogram_call {
  histogram_channel channels[JIG_HISTOGRAM_MAX_CHANNELS];
  uint64_t row_samples, num_rows, row_stride, row_units, num_units;
  uint32_t head, vectorize, counters, window, windows, replicas, is_cluster, level_bytes;
} histogram_call;

/* What counts and levels are of, and how many channels there are. */
typedef struct histogram_types {
  jig_type counter, level; /* as the caller has them */
  unsigned channels, active;
} histogram_types;

/* What the levels of even bins are to the kernels. */
jig_status histogram_even_bins(const jig_histogram_args *args, const jig_type *level, unsigned channel,
                               histogram_channel *c);

typedef struct histogram_plan {
  histogram_call call;
  launch_shape count, init; /* init has no blocks if it is not needed */
} histogram_plan;

/* Of counts that have been checked. The channels' bins are not there yet. */
histogram_plan histogram_plan_of(const program *p, const jig_histogram_args *args,
                                 const histogram_types *types);

#endif
