/** Histogram: how many samples are in each of many bins, for one to four interleaved channels.
 */
#ifndef JIG_HISTOGRAM_H
#define JIG_HISTOGRAM_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** The most channels that a pixel has. */
enum { JIG_HISTOGRAM_MAX_CHANNELS = 4 };

/** How bins are given. */
typedef enum jig_histogram_bins {
  JIG_HISTOGRAM_EVEN = 0, /**< bins of one width between two levels */
  JIG_HISTOGRAM_RANGE     /**< bins between any levels */
} jig_histogram_bins;
JIG_INT_SIZED(jig_histogram_bins);

/** What jig_histogram() is given; a field of zero is its default. */
typedef struct jig_histogram_args {
  /** Numbers. A pixel is num_channels neighbours, one of each channel. */
  jig_iter samples;
  /** Of the counts: an integer. Kind NONE: u32. */
  jig_type counter_type;
  /** Of the levels: a number. Kind NONE: that of the samples. Counting u8 samples by their values, 256
   *  bins from 0 to 256, takes another type, such as JIG_I32: a u8 has no 256. */
  jig_type level_type;
  /** Device memory: num_bins[c] counts of channel c, which are overwritten. */
  void *counts[JIG_HISTOGRAM_MAX_CHANNELS];
  /** Of each channel: 1 to 2^31 - 1, and fewer than 2^32 in all. */
  uint64_t num_bins[JIG_HISTOGRAM_MAX_CHANNELS];
  /** Even bins: host memory, a level each, read before the call returns. */
  const void *lower[JIG_HISTOGRAM_MAX_CHANNELS], *upper[JIG_HISTOGRAM_MAX_CHANNELS];
  /** Any bins: device memory, num_bins[c] + 1 levels each, in ascending order. */
  const void *levels[JIG_HISTOGRAM_MAX_CHANNELS];
  uint64_t num_row_pixels; /**< pixels of a row */
  uint64_t num_rows;       /**< 1 for a plain array; 0: there are no samples */
  /** Samples (not bytes) from the beginning of a row to that of the next one; 0: rows adjoin. */
  uint64_t row_stride;
  jig_histogram_bins bins;
  uint32_t num_channels;        /**< of a pixel, 1 to 4; 0: 1 */
  uint32_t num_active_channels; /**< the first ones, which are counted; 0: all */
  uint32_t reserved32;
  /** Device memory, or NULL: num_row_pixels is read there (jig/jig.h); if num_rows is 1. */
  const uint64_t *num_row_pixels_in;
  uint64_t reserved[7];
} jig_histogram_args;

/**
 * counts[c][b] = how many samples of channel c are in bin b, for the active channels c. The other arrays
 * of the args have entries for these, too; what they have for other channels is not looked at.
 *
 * Even bins: sample x is in bin
 *
 *     floor((x - lower) * num_bins / (upper - lower))      if lower <= x < upper.
 *
 * Where samples and levels are integers this is exact, whatever their types, and nothing overflows.
 * Otherwise it is computed as (x - lower) * (num_bins / (upper - lower)), in f32 if samples and levels
 * are f16, bf16 or f32, or one of them is and the others are integers; in f64 if f64 is among them. A
 * result that is rounded up to num_bins is in the last bin.
 *
 * Any bins: x is in bin b if levels[b] <= x < levels[b + 1]; of integers of different types, and of
 * floating-point numbers as above, the values are compared. Levels that are not in order make counts that
 * are not specified, but none elsewhere.
 *
 * Samples outside of all bins are not counted, and NaN is not. With no samples all counts are 0. A count
 * is of the counter's type, modulo its size.
 *
 * One launch, or two where bins are many; temp storage of 16 bytes for each multiprocessor. Counters of
 * 1, 2 and 16 bytes take a launch more, and a word of temp storage for each bin, of 4 bytes, or of 8 for
 * counters of 16.
 *
 * Errors: JIG_ERROR_INVALID_ARGUMENT for no bins, lower >= upper, levels that are NaN or whose difference
 * is infinite, or rows that overlap; JIG_ERROR_UNSUPPORTED for types, and for too many bins.
 *
 * Aliasing: counts overlap neither samples, levels, nor each other; where pointers tell, that is refused.
 * For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_histogram(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_histogram_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_histogram_spec(const jig_histogram_args *args, char **spec);

/* ---- the same by name, for one channel */

/**
 * Even bins.
 * @param counts       a pointer
 * @param lower, upper host memory, of level_type
 */
JIG_API jig_status jig_histogram_even(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter samples, jig_iter counts,
                                      uint64_t num_bins, const void *lower, const void *upper,
                                      jig_type level_type, uint64_t num_samples, CUstream stream);

/**
 * Bins between num_bins + 1 levels.
 * @param counts, levels pointers
 */
JIG_API jig_status jig_histogram_range(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter samples, jig_iter counts,
                                       uint64_t num_bins, jig_iter levels, uint64_t num_samples,
                                       CUstream stream);

JIG_END_DECLS

#endif
