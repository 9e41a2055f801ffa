/** Nth element: the item that would be at some place if all were sorted, and the others on their side of
 * it. */
#ifndef JIG_NTH_ELEMENT_H
#define JIG_NTH_ELEMENT_H

#include <jig/radix_sort.h>

JIG_BEGIN_DECLS

/** What jig_nth_element() is given; a field of zero is its default. */
typedef struct jig_nth_element_args {
  /** Keys of any built-in type, or structs of any size with a decomposer. Some of them are read
   * more than once. */
  jig_iter in;
  /** Of the same type: all items are written. Kind JIG_ITER_NONE: only nth_out is wanted. */
  jig_iter out;
  /** A value for each key, of one type of any kind, and where they go; kind JIG_ITER_NONE: there are
   * none. Both or neither, and only with out. */
  jig_iter values_in;
  jig_iter values_out;
  /** The item itself, of the same type; kind JIG_ITER_NONE: not wanted, if there is out. */
  jig_iter nth_out;
  uint64_t num_items;
  /** Less than num_items. If that is read on the GPU and is no more than nth, nothing is written. 0: the
   * first in the order; num_items / 2: the median, or the upper one of both.
   */
  uint64_t nth;
  jig_sort_order order;
  uint32_t reserved32;
  /** For keys that are structs: what they are ordered by; as in jig_radix_sort_args, but of no more than
   * 128 bits: more is JIG_ERROR_COMPILE. */
  const char *decomposer;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_nth_element_args;

/**
 * Puts that item to place nth of out which jig_radix_sort() would put there; before it, those that would
 * come before it, and behind it, those that would come behind it. On either side items keep the order
 * that they have in the input, so that the result is always the same. As that sort is stable, of items
 * that are equal to the nth those that come before it in the input are before it, and the others behind
 * it. Keys are ordered as jig_radix_sort() orders them, NaNs and zeros too.
 *
 * Without out it only finds the item, which makes a quantile of many items cost one pass over them.
 *
 * The item is found as jig_top_k() finds its last one: few items are looked through by one block; of
 * many, a sample tells what it may be, and a pass over them keeps that. Where it misleads, which is as
 * good as impossible unless the input is made for it, one more pass is needed for each 11 bits of a key,
 * and of an index if there are equal keys. Then one more pass puts all items where they belong, as
 * jig_partition() does.
 *
 * Temp storage: for what may be the item, as in jig_top_k() of nth + 1 items; nothing for what one block
 * looks through; and what jig_partition() takes.
 *
 * Aliasing: outputs may overlap neither each other nor an input. If pointers tell that something does,
 * the call is refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_nth_element(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const jig_nth_element_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). One program serves any nth, and
 *  either order. */
JIG_API jig_status jig_nth_element_spec(const jig_nth_element_args *args, char **spec);

JIG_END_DECLS

#endif
