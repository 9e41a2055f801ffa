/** Merge: two inputs, each in order, become one output in order. */
#ifndef JIG_MERGE_H
#define JIG_MERGE_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/operator.h>

JIG_BEGIN_DECLS

/** What jig_merge() is given; a field of zero is its default. */
typedef struct jig_merge_args {
  /** Keys of one type; each input is in the order of compare. */
  jig_iter first_keys_in, second_keys_in;
  jig_iter keys_out;
  /** A value for each key, all of one type; kind JIG_ITER_NONE: there are none. All three or none. */
  jig_iter first_values_in, second_values_in;
  jig_iter values_out;
  /** Of each input; either may be 0. */
  uint64_t first_num_items, second_num_items;
  /** A test of two keys: whether a has to come before b. A strict weak ordering, see jig_merge_sort_args.
   * Kind JIG_OP_NONE: JIG_LESS. */
  jig_op compare;
  /** Device memory, or NULL: first_num_items and second_num_items are read there (jig/jig.h). */
  const uint64_t *first_num_items_in, *second_num_items_in;
  uint64_t reserved[6];
} jig_merge_args;

/**
 * All keys of both inputs in order, and their values with them. Stable: of keys of which neither has to
 * come before the other, those of the first input come before those of the second, and each in the order
 * that they come in.
 *
 * If an input is not in order, or the operator is no strict weak order, the output is made of the inputs'
 * items all the same, values with their keys, though not of each of them once, and in an unspecified
 * order.
 *
 * One launch for some million items, in which each block finds for itself where in the inputs its part of
 * the output begins; two for more, for which that takes 8 bytes of temp storage for some thousand items.
 *
 * Aliasing: outputs overlap neither each other nor an input. If pointers tell that one does, the call is
 * refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_merge(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_merge_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_merge_spec(const jig_merge_args *args, char **spec);

JIG_END_DECLS

#endif
