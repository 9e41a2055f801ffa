/** Segmented top-k: the largest or smallest keys of every segment of an input, such as the rows of a
 * matrix. */
#ifndef JIG_SEGMENTED_TOP_K_H
#define JIG_SEGMENTED_TOP_K_H

#include <jig/top_k.h>

JIG_BEGIN_DECLS

/** What jig_segmented_top_k() is given; a field of zero is its default. */
typedef struct jig_segmented_top_k_args {
  /** Keys of any built-in type, or structs of any size with a decomposer. Some of them are read
   * more than once; where they lie in memory, up to 15 of those before a segment's first may be read,
   * too. */
  jig_iter keys_in;
  /** Of the same type. The results of segment s are items s * k .. s * k + min(k, its length) - 1; the
   * rest of these k is not written. */
  jig_iter keys_out;
  /** A value for each key, of one type of any kind, and where those of the results go; kind
   * JIG_ITER_NONE: there are none. Both or neither. Of jig_counting() they are numbers of items of the
   * whole input, not of their segments. */
  jig_iter values_in;
  jig_iter values_out;
  /** With offsets: how many keys there are; all segments lie within. No less than they have in all.
   * Without: not looked at, as segments have num_segments * segment_size. */
  uint64_t num_items;
  /** Segment s is items begin_offsets[s] .. end_offsets[s] - 1, and empty if there are none between. Of
   * any integer type; one array of num_segments + 1 offsets serves as both: jig_pointer(offsets, type)
   * and jig_pointer(offsets + 1, type). Segments may come in any order, and have gaps between them, but
   * no item may be in two of them. Kind JIG_ITER_NONE, both: segments of segment_size, side by side. */
  jig_iter begin_offsets, end_offsets;
  uint64_t num_segments;
  uint64_t segment_size; /**< without offsets: segment s begins with item s * segment_size */
  /** How many are wanted of each segment; if it has less, all of them are its result. */
  uint64_t k;
  jig_top_k_choice choice;
  /** 1: each segment's results come in order: the largest first of the largest, the smallest first of
   *  the smallest. 0: the order is unspecified, and may be another one each time. */
  int is_sorted;
  /** For keys that are structs: what they are ordered by; as in jig_radix_sort_args, but of no more than
   * 128 bits: more is JIG_ERROR_COMPILE. */
  const char *decomposer;
  const uint64_t *num_segments_in; /**< device memory, or NULL: num_segments is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_segmented_top_k_args;

/**
 * jig_top_k() of every segment: the same items, the first ones of equal keys, and the same orders.
 *
 * Two launches, whatever the segments are, or one if all have one size and are not very long; nothing is
 * copied to the host. Keys are read once, if k is at most 2048 (see below): short segments (up to some
 * 100 items) by warps, several at once; others by as many warps as they take, which keep in shared memory
 * what may be in the result; those that would keep a block busy when all others are through, in parts by
 * all blocks. If k is more than half of what a block keeps (of 4096 items on large GPUs; no less than
 * 1024 anywhere) there is a launch more, in which segments that do not fit there are searched by a block
 * each, in one pass for each 11 bits of a key, and of an index if there are equal keys, and one more: of
 * few very long segments jig_top_k() for each is faster then.
 *
 * Temp storage: nothing if segments have one size and are not cut into parts, nor would be if there were
 * fewer or a smaller k (up to 65536 items they never are). Otherwise 8 bytes for each
 * segment that is not short, in up to six lists, all counted as if there were as many of these as
 * num_segments and num_items allow. For segments that may be cut, k indices of 8 bytes and keys, of 4
 * bytes at least and 16 at most, for each part: of these there are at most two for each 65536 items, for
 * each 4 * k of them, and eight for each block that the GPU has room for. If results are to be sorted
 * that are longer than what a block keeps, twice 16 bytes for each of them, or twice 32 for keys of more
 * than 8 bytes, but no more than for num_items.
 *
 * Limits: where segments may have 2^32 items and more, by segment_size or num_items, k is at most half of
 * what a block keeps.
 *
 * Aliasing: outputs may overlap neither each other nor an input, nor the offsets. If pointers tell that
 * something does, the call is refused. If segments overlap or are not within num_items, what
 * happens is undefined. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_segmented_top_k(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, const jig_segmented_top_k_args *args,
                                       CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). One program serves any k, either
 *  choice, and results in order or not. */
JIG_API jig_status jig_segmented_top_k_spec(const jig_segmented_top_k_args *args, char **spec);

/** jig_segmented_top_k() of the largest keys with their values, in no order. */
JIG_API jig_status jig_segmented_top_k_max_pairs(jig_engine *engine, void *d_temp_storage,
                                                 size_t *temp_storage_bytes, jig_iter keys_in,
                                                 jig_iter keys_out, jig_iter values_in,
                                                 jig_iter values_out, uint64_t num_items,
                                                 uint64_t num_segments, jig_iter begin_offsets,
                                                 jig_iter end_offsets, uint64_t k, CUstream stream);

/** jig_segmented_top_k() of the smallest keys with their values, in no order. */
JIG_API jig_status jig_segmented_top_k_min_pairs(jig_engine *engine, void *d_temp_storage,
                                                 size_t *temp_storage_bytes, jig_iter keys_in,
                                                 jig_iter keys_out, jig_iter values_in,
                                                 jig_iter values_out, uint64_t num_items,
                                                 uint64_t num_segments, jig_iter begin_offsets,
                                                 jig_iter end_offsets, uint64_t k, CUstream stream);

/** jig_segmented_top_k() of the largest keys alone, in no order. */
JIG_API jig_status jig_segmented_top_k_max_keys(jig_engine *engine, void *d_temp_storage,
                                                size_t *temp_storage_bytes, jig_iter keys_in,
                                                jig_iter keys_out, uint64_t num_items,
                                                uint64_t num_segments, jig_iter begin_offsets,
                                                jig_iter end_offsets, uint64_t k, CUstream stream);

/** jig_segmented_top_k() of the smallest keys alone, in no order. */
JIG_API jig_status jig_segmented_top_k_min_keys(jig_engine *engine, void *d_temp_storage,
                                                size_t *temp_storage_bytes, jig_iter keys_in,
                                                jig_iter keys_out, uint64_t num_items,
                                                uint64_t num_segments, jig_iter begin_offsets,
                                                jig_iter end_offsets, uint64_t k, CUstream stream);

JIG_END_DECLS

#endif
