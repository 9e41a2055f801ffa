/** Merge sort: items of any type, with or without values beside them, in any order that an operator
 * tells. */
#ifndef JIG_MERGE_SORT_H
#define JIG_MERGE_SORT_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/operator.h>

JIG_BEGIN_DECLS

/** What jig_merge_sort() is given; a field of zero is its default. */
typedef struct jig_merge_sort_args {
  jig_iter keys_in;
  /** Of the same type. May be the same memory as keys_in, item for item. */
  jig_iter keys_out;
  /** A value for each key, of any type; kind JIG_ITER_NONE: there are none. Both or neither. values_out
   * is of the type of values_in, and may be the same memory. */
  jig_iter values_in;
  jig_iter values_out;
  uint64_t num_items;
  /** A test of two keys: whether a has to come before b. A strict weak ordering: no key comes before
   * itself; if a comes before b and b before c, a comes before c; and if neither of a and b comes before
   * the other, nor of b and c, then neither of a and c. JIG_LESS or JIG_GREATER, by which floating-point
   * NaNs come last; kind JIG_OP_NONE: JIG_LESS. */
  jig_op compare;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_merge_sort_args;

/**
 * Keys in order, and their values with them. Stable: keys of which neither has to come before the other
 * keep the order that they come in.
 *
 * By an operator that is no strict weak order the output is a permutation of the input all the same,
 * values with their keys, in an unspecified order; as long as it says the same of the same two keys every
 * time. Otherwise items may be lost and others come twice, but nothing outside the call's arrays is read
 * or written.
 *
 * Blocks sort a tile each, of some thousand items; passes over all items then merge what is in order, by
 * two or, of many items, by four. Temp storage is as large as the keys, if keys_out is a pointer and
 * there are no values; otherwise twice as large as the keys with their values, or, of values that are
 * larger than 8 bytes, with an index of 8 bytes in their place, and as large as these values if
 * values_out is not apart from values_in. Of more than 2^24 pairs, whose values have at most 8 bytes, it
 * is as large as what is sorted, if both outputs are pointers, but no smaller than that of 2^24. What
 * fits a block needs none but for such values. Passes by four need 16 bytes more for each few thousand
 * items. Of keys and values of more than 256 bytes indices are sorted in their place, in temp storage
 * even where a block has room for all, and a last launch moves them.
 *
 * Aliasing: keys_out may be keys_in, and values_out values_in, item for item. Otherwise outputs overlap
 * neither each other nor an input. If pointers tell that one does, the call is refused. For the temp
 * storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_merge_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  const jig_merge_sort_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_merge_sort_spec(const jig_merge_sort_args *args, char **spec);

/** jig_merge_sort() of keys with values. */
JIG_API jig_status jig_merge_sort_pairs(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                        jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                        jig_op compare, CUstream stream);

/** jig_merge_sort() of keys alone. */
JIG_API jig_status jig_merge_sort_keys(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                       uint64_t num_items, jig_op compare, CUstream stream);

JIG_END_DECLS

#endif
