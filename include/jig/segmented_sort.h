/** Segmented sort: a sort of its own for every segment of an input. */
#ifndef JIG_SEGMENTED_SORT_H
#define JIG_SEGMENTED_SORT_H

#include <jig/radix_sort.h>

JIG_BEGIN_DECLS

/** What jig_segmented_sort() is given; a field of zero is its default. */
typedef struct jig_segmented_sort_args {
  /** As in jig_radix_sort_args; values by jig_counting() become numbers of items of the whole input, not
   * of their segments. */
  jig_iter keys_in;
  jig_iter keys_out;
  jig_iter values_in;
  jig_iter values_out;
  /** How many keys there are in these arrays; all segments lie within. No less than they have in all. */
  uint64_t num_items;
  /** Segment s is items begin_offsets[s] .. end_offsets[s] - 1, and empty if there are none between. Of
   * any integer type; one array of num_segments + 1 offsets serves as both: jig_pointer(offsets, type)
   * and jig_pointer(offsets + 1, type). Segments may come in any order, and have gaps between them, but
   * no item may be in two of them. */
  jig_iter begin_offsets, end_offsets;
  uint64_t num_segments;
  /** As in jig_radix_sort_args, for every segment. */
  jig_sort_order order;
  int begin_bit;
  int end_bit;
  uint32_t reserved32;
  /** Host memory, or NULL. If it is given, keys_in and values_in may be overwritten, too, and there is
   *  nothing of their size in temp storage. When the call returns, *selector is 1: the result will be in
   *  keys_out and values_out. */
  int *selector;
  const char *decomposer;
  const uint64_t *num_segments_in; /**< device memory, or NULL: num_segments is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_segmented_sort_args;

/**
 * jig_radix_sort() for every segment: the same orders, and stable. Items that are in no segment are not
 * written in the outputs.
 *
 * Two launches, or one if num_items is small, or if they fit a block (4096 keys of 8 bytes or less) and
 * there are no more segments than blocks that the GPU has room for; nothing is copied to the host. Of so
 * few segments each is sorted by a block if it fits, and if most of them probably do. Of more, short ones
 * (up to some 100 items) are sorted by warps, several at once; those of up to some 10,000
 * items in shared memory, by as many warps as they take; longer ones in (1 + p) passes over their keys
 * for p digits of 8 bits each, those left out in which all keys of the segment are the same: by a block
 * each, or, if that would keep the block busy when all others are through, by all blocks.
 *
 * Temp storage: if num_items is more than fits a block's shared memory, as large as the keys and the
 * values if there is more than one digit, unless there is a selector. Besides, whatever the keys are, 8
 * bytes for each segment that is not short, in up to five lists, and 16 for each that is longer than fits
 * shared memory; some 1 KiB for each 40 KB of keys and values, all counted as if there were as many of
 * these segments as num_segments and num_items allow; and 1 KiB for each digit of about three times as
 * many of the longest segments as the GPU has room for blocks. From 2^30 items on it is twice as many
 * KiB.
 *
 * Structs of more than 64 bytes, others by fields of more than 128 bits, and values of more than 256
 * bytes are not moved in passes, as in jig_radix_sort(), which says what temp storage that takes; a
 * selector makes no difference to it here. These launches come once for each 128 bits of fields then,
 * with one more for keys and one for values behind them.
 *
 * Aliasing: outputs may overlap neither each other nor an input, nor the offsets, and with a selector
 * nothing may. If pointers tell that something does, the call is refused. If segments overlap or are not
 * within num_items, what happens is undefined. For the temp storage and the stream see
 * jig/jig.h.
 */
JIG_API jig_status jig_segmented_sort(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, const jig_segmented_sort_args *args,
                                      CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). One program serves either order,
 *  any bits, and all integer types of one size. The spec names those that put keys and values where they
 *  belong, too, where a sort takes them, or may. */
JIG_API jig_status jig_segmented_sort_spec(const jig_segmented_sort_args *args, char **spec);

/** jig_segmented_sort() of some bits of keys with values; end_bit 0: all from begin_bit on. */
JIG_API jig_status jig_segmented_radix_sort_pairs(jig_engine *engine, void *d_temp_storage,
                                                  size_t *temp_storage_bytes, jig_iter keys_in,
                                                  jig_iter keys_out, jig_iter values_in,
                                                  jig_iter values_out, uint64_t num_items,
                                                  uint64_t num_segments, jig_iter begin_offsets,
                                                  jig_iter end_offsets, int begin_bit, int end_bit,
                                                  jig_sort_order order, CUstream stream);

/** jig_segmented_sort() of some bits of keys alone; end_bit 0: all from begin_bit on. */
JIG_API jig_status jig_segmented_radix_sort_keys(jig_engine *engine, void *d_temp_storage,
                                                 size_t *temp_storage_bytes, jig_iter keys_in,
                                                 jig_iter keys_out, uint64_t num_items,
                                                 uint64_t num_segments, jig_iter begin_offsets,
                                                 jig_iter end_offsets, int begin_bit, int end_bit,
                                                 jig_sort_order order, CUstream stream);

/** jig_segmented_sort() of keys alone. */
JIG_API jig_status jig_segmented_sort_keys(jig_engine *engine, void *d_temp_storage,
                                           size_t *temp_storage_bytes, jig_iter keys_in,
                                           jig_iter keys_out, uint64_t num_items, uint64_t num_segments,
                                           jig_iter begin_offsets, jig_iter end_offsets,
                                           jig_sort_order order, CUstream stream);

/** jig_segmented_sort() of keys with values. */
JIG_API jig_status jig_segmented_sort_pairs(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter keys_in,
                                            jig_iter keys_out, jig_iter values_in, jig_iter values_out,
                                            uint64_t num_items, uint64_t num_segments,
                                            jig_iter begin_offsets, jig_iter end_offsets,
                                            jig_sort_order order, CUstream stream);

JIG_END_DECLS

#endif
