/** Segmented reduce: a reduce of its own for every segment of an input. */
#ifndef JIG_SEGMENTED_REDUCE_H
#define JIG_SEGMENTED_REDUCE_H

#include <jig/reduce.h>

JIG_BEGIN_DECLS

/** What jig_segmented_reduce() is given; a field of zero is its default. */
typedef struct jig_segmented_reduce_args {
  jig_iter in;
  jig_iter out; /**< item s of it is the result of segment s */
  /** Segment s is items begin_offsets[s] .. end_offsets[s] - 1 of in, and empty if there are none
   * between. Of any integer type, but never negative. Kind JIG_ITER_NONE, both: segments of segment_size,
   * side by side.
   *
   * One array of num_segments + 1 offsets in ascending order (as the row offsets of a CSR matrix) serves
   * as both: jig_pointer(offsets, type) and jig_pointer(offsets + 1, type). If they are in no order,
   * results are not specified; only items between the first offset and the last are read. */
  jig_iter begin_offsets, end_offsets;
  uint64_t num_segments;
  uint64_t segment_size; /**< without offsets: segment s begins with item s * segment_size of in */
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** Folded in first in every segment; otherwise as in jig_reduce_args. */
  const void *init;
  jig_type init_type;
  jig_iter init_in;
  jig_type accum_type;             /**< as in jig_reduce_args */
  jig_nan nan;                     /**< as in jig_reduce_args */
  jig_determinism determinism;     /**< as in jig_reduce_args */
  const uint64_t *num_segments_in; /**< device memory, or NULL: num_segments is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_segmented_reduce_args;

/**
 * out[s] = init op the items of segment s, in order, associated in an unspecified but fixed way: the same
 * segments, told by the same kinds of offsets, and GPU model give the same bits.
 *
 * The result of an empty segment is init; without one the operator's identity, as in jig_reduce(), or
 * nothing is written if the operator is not a well-known one.
 *
 * Segments may have any lengths, as different as they like, and may overlap or lie in any order: what a
 * call takes depends on how many items and segments there are, not on how items are distributed. All
 * blocks share out items and segments evenly, as in merge-based sparse matrix-vector products (Merrill
 * and Garland, 2016).
 *
 * Where offsets are one array, as above, and without offsets, there is one launch, and temp storage is
 * some 16 KB for accumulators of up to 8 bytes. Otherwise a launch before it adds lengths up, and temp
 * storage is 8 bytes for each segment more.
 *
 * Aliasing: out must not overlap what is read. How long in is with offsets is not known, so that little
 * of that can be checked then. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_segmented_reduce(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, const jig_segmented_reduce_args *args,
                                        CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_segmented_reduce_spec(const jig_segmented_reduce_args *args, char **spec);

/** What jig_segmented_arg_reduce() is given; a field of zero is its default. */
typedef struct jig_segmented_arg_reduce_args {
  jig_iter in;        /**< of any type */
  jig_iter value_out; /**< item s: of the input's type; kind JIG_ITER_NONE: not wanted */
  /** Item s: counted from the segment's first item. Of any integer type; indices that it does not have
   * are cut to its size. */
  jig_iter index_out;
  jig_iter begin_offsets, end_offsets; /**< as in jig_segmented_reduce_args */
  uint64_t num_segments;
  uint64_t segment_size;
  jig_op op;   /**< JIG_MIN or JIG_MAX: the first or the last item by `compare`; default: JIG_MIN */
  jig_nan nan; /**< as in jig_arg_reduce_args */
  jig_determinism determinism;     /**< any: results are exact */
  jig_op compare;                  /**< as in jig_arg_reduce_args */
  const uint64_t *num_segments_in; /**< device memory, or NULL: num_segments is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_segmented_arg_reduce_args;

/**
 * The smallest (largest) item of every segment, and its index in the segment; of equal ones the first.
 * What is smallest, NaNs included, and what an empty segment has, is as in jig_arg_reduce(); launches,
 * temp storage and aliasing are as in jig_segmented_reduce(), of which an accumulator is an item and an
 * index.
 */
JIG_API jig_status jig_segmented_arg_reduce(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes,
                                            const jig_segmented_arg_reduce_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_segmented_arg_reduce_spec(const jig_segmented_arg_reduce_args *args, char **spec);

/* ---- the same by name */

/** jig_segmented_reduce() with plus. */
JIG_API jig_status jig_segmented_reduce_sum(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                            jig_iter begin_offsets, jig_iter end_offsets,
                                            uint64_t num_segments, CUstream stream);

/** jig_segmented_reduce() with min. */
JIG_API jig_status jig_segmented_reduce_min(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                            jig_iter begin_offsets, jig_iter end_offsets,
                                            uint64_t num_segments, CUstream stream);

/** jig_segmented_reduce() with max. */
JIG_API jig_status jig_segmented_reduce_max(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                            jig_iter begin_offsets, jig_iter end_offsets,
                                            uint64_t num_segments, CUstream stream);

/** jig_segmented_arg_reduce() with min. */
JIG_API jig_status jig_segmented_reduce_argmin(jig_engine *engine, void *d_temp_storage,
                                               size_t *temp_storage_bytes, jig_iter in,
                                               jig_iter value_out, jig_iter index_out,
                                               jig_iter begin_offsets, jig_iter end_offsets,
                                               uint64_t num_segments, CUstream stream);

/** jig_segmented_arg_reduce() with max. */
JIG_API jig_status jig_segmented_reduce_argmax(jig_engine *engine, void *d_temp_storage,
                                               size_t *temp_storage_bytes, jig_iter in,
                                               jig_iter value_out, jig_iter index_out,
                                               jig_iter begin_offsets, jig_iter end_offsets,
                                               uint64_t num_segments, CUstream stream);

JIG_END_DECLS

#endif
