/** Segmented scan: a scan of its own for every segment of an input. */
#ifndef JIG_SEGMENTED_SCAN_H
#define JIG_SEGMENTED_SCAN_H

#include <jig/scan.h>

JIG_BEGIN_DECLS

/** What jig_segmented_scan() is given; a field of zero is its default. */
typedef struct jig_segmented_scan_args {
  jig_iter in;
  /** May be the same memory as in, item for item, if out_offsets is not given; see below. */
  jig_iter out;
  /** Segment s is items begin_offsets[s] .. end_offsets[s] - 1 of in, and empty if there are none
   * between. Of any integer type; one array of num_segments + 1 offsets serves as both:
   *  jig_pointer(offsets, type) and jig_pointer(offsets + 1, type). */
  jig_iter begin_offsets, end_offsets;
  /** Where in out the scan of each segment begins. Kind JIG_ITER_NONE: where in in the segment begins. */
  jig_iter out_offsets;
  uint64_t num_segments;
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** What every segment begins with; otherwise as in jig_scan_args. */
  const void *init;
  jig_type init_type;
  jig_iter init_in;
  jig_type accum_type;         /**< as in jig_scan_args */
  jig_nan nan;                 /**< as in jig_reduce_args */
  jig_determinism determinism; /**< as in jig_reduce_args */
  jig_scan_mode mode;          /**< as in jig_scan_args */
  uint32_t reserved32;
  const uint64_t *num_segments_in; /**< device memory, or NULL: num_segments is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_segmented_scan_args;

/**
 * jig_scan() for every segment, associated in an unspecified but fixed way: the same segments, by the
 * same kinds of offsets, and GPU model give the same bits.
 *
 * Segments may have any lengths, as different as they like. Where offsets are one array, as above,
 * without out_offsets, in is a pointer to items of 1, 2, 4, 8 or 16 bytes, accumulators have up to 16
 * and results no more than items, and the GPU has bulk copies (SM 90 to 110), one launch shares all
 * items out evenly. Otherwise up to 32 segments a multiprocessor take one launch as well: each block
 * has some, and all blocks together the longest. More take two: in the first, segments of up to 96
 * items are scanned by a warp, several at once, those of up to 1024 by a warp, one after the other, and
 * longer ones by a block each; the longest, of more than 2^16 or 2^18 items, by all blocks together in
 * the second one. Zero segments write nothing; items between segments are neither read nor written.
 *
 * Temp storage: some 100 KB, for accumulators of up to 8 bytes; and where one launch can do 96 bytes for
 * each 256 segments, or 80 for each 32 of up to 2^17 segments, otherwise less.
 *
 * Aliasing: out may be in if each item is written where it was read from, and no item is in two segments.
 * Otherwise out must not overlap what is read. How long in and out are is not known, so that little of
 * that can be checked: a call is refused if out begins within the offsets. For the temp storage and the
 * stream see jig/jig.h.
 */
JIG_API jig_status jig_segmented_scan(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, const jig_segmented_scan_args *args,
                                      CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_segmented_scan_spec(const jig_segmented_scan_args *args, char **spec);

/** jig_segmented_scan() with plus, inclusive. */
JIG_API jig_status jig_inclusive_segmented_sum(jig_engine *engine, void *d_temp_storage,
                                               size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                               jig_iter begin_offsets, jig_iter end_offsets,
                                               uint64_t num_segments, CUstream stream);

/** jig_segmented_scan() with plus, exclusive, from 0. */
JIG_API jig_status jig_exclusive_segmented_sum(jig_engine *engine, void *d_temp_storage,
                                               size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                               jig_iter begin_offsets, jig_iter end_offsets,
                                               uint64_t num_segments, CUstream stream);

JIG_END_DECLS

#endif
