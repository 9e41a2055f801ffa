/* How a histogram is launched, and what its kernels are told: jig::HistogramCall in device code. */
#ifndef JIG_ALGORITHM_HISTOGRAM_PLAN_H
#define JIG_ALGORITHM_HISTOGRAM_PLAN_H

#include <jig/histogram.h>

#include "engine/plan_limits.h"
#include "jit/program.h"

/* Four count, so that a first call compiles no more than it runs: of samples of a byte and of
 * ranges always one of the first two.
 * The last one is for counters that are not words, and which other programs have not. */
enum {
  HISTOGRAM,        /* all counters are in shared memory, and bins are found in the way that most are */
  HISTOGRAM_FEW,    /* the same, where no thread has more than one unit */
  HISTOGRAM_WINDOW, /* a window of them, bins the same */
  HISTOGRAM_ANY,    /* others */
  HISTOGRAM_INIT,
  HISTOGRAM_CONVERT,
  HISTOGRAM_KERNELS
};

/* jig::HistogramWay. */
enum { WAY_NOTHING, WAY_SAME, WAY_MULTIPLY, WAY_WIDE, WAY_DIVIDE, WAY_WIDEST };

typedef struct histogram_channel {
  uint64_t first_value, last, offset, range, scale;
  double low, high, factor;
  float float_low, float_high, float_factor;
  uint32_t rounding;
  void *counts;
  const void *levels;
  uint32_t bins, first, way, level_offset;
} histogram_channel;

/* Of integers of 16 bytes, and what is beside the channel's fields of these names: the upper halves. */
typedef struct histogram_high {
  uint64_t first_value, last, offset, range, shift;
} histogram_high;

typedef struct histogram_call {
  uint64_t num_units, row_units, num_rows, row_samples, row_stride, row_scale;
  uint32_t head, vectorize, counters, window, windows, replicas, turn, cache_bits, clears, level_bytes;
  uint32_t round, zero;
  uint64_t tag;
  void *cleared; /* tile states of 32-bit words */
  histogram_channel channels[JIG_HISTOGRAM_MAX_CHANNELS];
  histogram_high high[JIG_HISTOGRAM_MAX_CHANNELS];
  uint64_t num_row_pixels;
  const uint64_t *num_row_pixels_in; /* or NULL */
} histogram_call;

/* What becomes the counts where those are no words. */
typedef struct histogram_conversion {
  const void *words[JIG_HISTOGRAM_MAX_CHANNELS];
  void *counts[JIG_HISTOGRAM_MAX_CHANNELS];
  uint32_t bins[JIG_HISTOGRAM_MAX_CHANNELS];
} histogram_conversion;

/* What counts and levels are of, and how many channels there are. */
typedef struct histogram_types {
  jig_type counter, level; /* as the caller has them */
  unsigned channels, active;
} histogram_types;

/* Bytes of what is counted in, in device memory: of the counters themselves, or of a word for each. */
uint32_t histogram_word_bytes(const jig_type *counter);
bool histogram_converts(const jig_type *counter);

/* What the levels of even bins are to the kernels. */
jig_status histogram_even_bins(const jig_histogram_args *args, const jig_type *level, unsigned channel,
                               histogram_call *call);

typedef struct histogram_plan {
  histogram_call call;
  int kernel;                        /* that counts */
  launch_shape count, init, convert; /* the last two have no blocks if they are not needed */
} histogram_plan;

/* Blocks of a window at most: as many as the multiprocessors have room for. */
uint64_t histogram_most_blocks(const program *p);

/* Of counts that have been checked; `bins` has the channels' even bins, if they are. Counts are the
 * caller's. */
histogram_plan histogram_plan_of(const program *p, const plan_limits *limits,
                                 const jig_histogram_args *args, const histogram_types *types,
                                 const histogram_call *bins);

#endif
