/** Search: the first item that passes a test, whether any or all do, where two inputs differ, and where
 * an input is no longer in order. All of these stop early. */
#ifndef JIG_FIND_H
#define JIG_FIND_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/operator.h>

JIG_BEGIN_DECLS

/** What is stored in out. */
typedef enum jig_find_mode {
  JIG_FIND_IF = 0, /**< the index of the first item for which the predicate is true, or num_items */
  JIG_FIND_IF_NOT, /**< the index of the first item for which it is false, or num_items */
  JIG_FIND_ANY_OF, /**< 1 if it is true for some item, otherwise 0 */
  JIG_FIND_ALL_OF, /**< 1 if it is false for no item, otherwise 0 */
  JIG_FIND_NONE_OF /**< 1 if it is true for no item, otherwise 0 */
} jig_find_mode;
JIG_INT_SIZED(jig_find_mode);

/** What jig_find_if() is given; a field of zero is its default. */
typedef struct jig_find_if_args {
  jig_iter in;
  /** Item 0 is written. Of an integer type; that of an index has room for num_items, or the call is
   *  refused; the others may be bool, too. It may lie within the input: it is written after the last item
   *  is read. */
  jig_iter out;
  uint64_t num_items;
  /** A test: unary over the type of in, yields bool. Which items it is called with, and how often, is
   *  unspecified. Kind JIG_OP_NONE: the items, numbers, are tested themselves: whether they are not 0. */
  jig_op predicate;
  jig_find_mode mode;
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_find_if_args;

/**
 * The first item that passes a test, or whether there is one.
 *
 * One launch at every size. The input is read from its beginning by the whole GPU, which stops soon after
 * an item has been found: a few MB behind it. For the temp storage, up to 9 KiB, and the stream see
 * jig/jig.h.
 */
JIG_API jig_status jig_find_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               const jig_find_if_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_find_if_spec(const jig_find_if_args *args, char **spec);

/* ---- the same by name */

/** 1 if the predicate is true for some item, otherwise 0. */
JIG_API jig_status jig_any_of(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate,
                              CUstream stream);
/** 1 if the predicate is false for no item, otherwise 0. */
JIG_API jig_status jig_all_of(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate,
                              CUstream stream);
/** 1 if the predicate is true for no item, otherwise 0. */
JIG_API jig_status jig_none_of(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate,
                               CUstream stream);

/* ---- two inputs
 *
 * These are jig_find_if() over jig_zip_transform() of the inputs with the operator, whose type is
 * JIG_BOOL: for their specs, see there. `equality` is a test of an item a of the first input and an item
 * b of the second, which may be of different types; kind JIG_OP_NONE: a == b, which numbers have, and
 * structs whose definition has an operator==. A NaN equals nothing. */

/** The index of the first item at which two inputs differ; num_items if there is none. */
JIG_API jig_status jig_mismatch(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter first_in, jig_iter second_in, jig_iter out, uint64_t num_items,
                                jig_op equality, CUstream stream);

/** 1 if the first num_items of two inputs are equal, otherwise 0. */
JIG_API jig_status jig_equal(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_iter first_in, jig_iter second_in, jig_iter out, uint64_t num_items,
                             jig_op equality, CUstream stream);

/* ---- order */

/** What is stored in out. */
typedef enum jig_sorted_mode {
  JIG_SORTED = 0,  /**< 1 if the items are in order, otherwise 0 */
  JIG_SORTED_UNTIL /**< the index of the first item that has to come before the one before it, or
                      num_items */
} jig_sorted_mode;
JIG_INT_SIZED(jig_sorted_mode);

/** What jig_is_sorted() is given; a field of zero is its default. */
typedef struct jig_is_sorted_args {
  jig_iter in;
  /** Item 0 is written. Of an integer type; that of an index has room for num_items, or the call is
   *  refused; the other may be bool, too. It may lie within the input: it is written after the last item
   *  is read. */
  jig_iter out;
  uint64_t num_items;
  /** A test of two items: whether a has to come before b. Which items it is called with, and how often,
   * is unspecified; what counts is compare(in[i], in[i - 1]). Kind JIG_OP_NONE: JIG_LESS, by which NaNs
   *  come last. */
  jig_op compare;
  jig_sorted_mode mode;
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_is_sorted_args;

/** Whether the items are in order, or up to where: as std::is_sorted() and std::is_sorted_until() have
 * it. For what it costs see jig_find_if(). */
JIG_API jig_status jig_is_sorted(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_is_sorted_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_is_sorted_spec(const jig_is_sorted_args *args, char **spec);

/** jig_is_sorted() with JIG_SORTED_UNTIL. */
JIG_API jig_status jig_is_sorted_until(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                       uint64_t num_items, jig_op compare, CUstream stream);

JIG_END_DECLS

#endif
