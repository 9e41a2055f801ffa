/** Set operations on two inputs, each in order: union, intersection, difference, symmetric difference,
 * and whether one includes the other. */
#ifndef JIG_SET_H
#define JIG_SET_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/operator.h>

JIG_BEGIN_DECLS

/** What is kept of keys of which the first input has m that are equal, and the second one n. */
typedef enum jig_set_mode {
  JIG_SET_UNION = 0,           /**< max(m, n): all of the first, then the last n - m of the second */
  JIG_SET_INTERSECTION,        /**< min(m, n): the first of the first input */
  JIG_SET_DIFFERENCE,          /**< max(m - n, 0): the last m - n of the first */
  JIG_SET_SYMMETRIC_DIFFERENCE /**< |m - n|: the last of the input that has more */
} jig_set_mode;
JIG_INT_SIZED(jig_set_mode);

/** What jig_set_operation() is given; a field of zero is its default. */
typedef struct jig_set_operation_args {
  /** Keys of one type; each input is in the order of compare, and may have equal keys. */
  jig_iter first_keys_in, second_keys_in;
  /** The keys that are kept, in order. It has room for all that may be: both inputs' keys for a union and
   * a symmetric difference, the smaller input's for an intersection, the first one's for a difference.
   *  What is stored behind the last key is unspecified. Kind JIG_ITER_NONE: keys are only counted. */
  jig_iter keys_out;
  /** A value for each key; kind JIG_ITER_NONE: there are none. Those of the second input are for a union
   *  and a symmetric difference; otherwise they are not looked at. */
  jig_iter first_values_in, second_values_in;
  /** The values of the keys that are kept; with room like keys_out. */
  jig_iter values_out;
  /** Item 0: how many keys are kept. Of an integer type that has room for as many as there may be. */
  jig_iter num_items_out;
  /** Of each input; either may be 0. */
  uint64_t first_num_items, second_num_items;
  /** A test of two keys: whether a has to come before b. A strict weak ordering, see jig_merge_sort_args;
   *  keys are equal if neither has to come before the other. Kind JIG_OP_NONE: JIG_LESS, by which NaNs
   *  come last and are equal. */
  jig_op compare;
  jig_set_mode mode;
  uint32_t reserved32;
  /** Device memory, or NULL: first_num_items and second_num_items are read there (jig/jig.h). */
  const uint64_t *first_num_items_in, *second_num_items_in;
  uint64_t reserved[6];
} jig_set_operation_args;

/**
 * A set operation on two inputs in order, which may have equal keys (multisets): what std::set_union(),
 * std::set_intersection(), std::set_difference() and std::set_symmetric_difference() store, and in the
 * same order. Its cost does not depend on how many keys are equal.
 *
 * If an input is not in order, or the operator is no strict weak order, what is kept is keys of the
 * inputs all the same, values with their keys, no more than there is room for; which of them is
 * unspecified.
 *
 * One launch for up to some million items, two for more, for which that takes 8 bytes of temp storage for
 * some thousand items.
 *
 * Aliasing: outputs overlap neither each other nor an input. If pointers tell that one does, the call is
 * refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_set_operation(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     const jig_set_operation_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_set_operation_spec(const jig_set_operation_args *args, char **spec);

/* ---- the same by name, for keys */

/** jig_set_operation() of keys: what is in either input. */
JIG_API jig_status jig_set_union(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 jig_iter first_in, uint64_t first_num_items, jig_iter second_in,
                                 uint64_t second_num_items, jig_iter out, jig_iter num_items_out,
                                 jig_op compare, CUstream stream);
/** jig_set_operation() of keys: what is in both. */
JIG_API jig_status jig_set_intersection(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter first_in,
                                        uint64_t first_num_items, jig_iter second_in,
                                        uint64_t second_num_items, jig_iter out, jig_iter num_items_out,
                                        jig_op compare, CUstream stream);
/** jig_set_operation() of keys: what is in the first and not in the second. */
JIG_API jig_status jig_set_difference(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter first_in,
                                      uint64_t first_num_items, jig_iter second_in,
                                      uint64_t second_num_items, jig_iter out, jig_iter num_items_out,
                                      jig_op compare, CUstream stream);
/** jig_set_operation() of keys: what is in one input alone. */
JIG_API jig_status jig_set_symmetric_difference(jig_engine *engine, void *d_temp_storage,
                                                size_t *temp_storage_bytes, jig_iter first_in,
                                                uint64_t first_num_items, jig_iter second_in,
                                                uint64_t second_num_items, jig_iter out,
                                                jig_iter num_items_out, jig_op compare, CUstream stream);

/** Stores 1 if the first input includes the second, as many of equal keys as that one has, otherwise 0;
 *  out is of an integer type or bool. This is a difference of the second input and the first whose keys
 *  are only counted, and whose num_items_out is jig_transform_output() of out with "return x == 0;". */
JIG_API jig_status jig_includes(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter first_in, uint64_t first_num_items, jig_iter second_in,
                                uint64_t second_num_items, jig_iter out, jig_op compare, CUstream stream);

JIG_END_DECLS

#endif
