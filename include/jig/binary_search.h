/** Binary search: where items belong in a range that is in order. */
#ifndef JIG_BINARY_SEARCH_H
#define JIG_BINARY_SEARCH_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** Which of the places is wanted where a needle could be inserted and leave the range in order.
 */
typedef enum jig_bound {
  JIG_BOUND_LOWER = 0,  /**< the first: of the first item that does not come before the needle */
  JIG_BOUND_UPPER,      /**< the last: of the first item that the needle comes before */
  JIG_BOUND_EQUAL_RANGE /**< both */
} jig_bound;
JIG_INT_SIZED(jig_bound);

/** What jig_binary_search() is given; a field of zero is its default. */
typedef struct jig_binary_search_args {
  jig_iter in;         /**< a range in the order of compare */
  jig_iter needles_in; /**< items of the same type, in any order; see below */
  /** A place for each needle, from 0 to num_items; of an integer type that has room for num_items, or the
   *  call is refused. Of both places, the lower. */
  jig_iter out;
  jig_iter upper_out; /**< the upper of both; otherwise of kind JIG_ITER_NONE */
  uint64_t num_items; /**< of in; may be 0 */
  uint64_t num_needles;
  /** A test of two items: whether a has to come before b. A strict weak ordering, see
   * jig_merge_sort_args. Kind JIG_OP_NONE: JIG_LESS. */
  jig_op compare;
  jig_bound bound;
  uint32_t reserved32;
  const uint64_t *num_items_in;   /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  const uint64_t *num_needles_in; /**< device memory, or NULL: num_needles is read there (jig/jig.h) */
  uint64_t reserved[6];
} jig_binary_search_args;

/**
 * For each needle its place in the range.
 *
 * One launch at every size, and no temp storage beyond the byte that is asked for. Needles may be in any
 * order. Where neighbours belong near each other, as needles do that are in order themselves, they are
 * found several times as fast.
 *
 * If the range is not in order, or the operator is no strict weak order, places are unspecified, but
 * never larger than num_items.
 *
 * Aliasing: outputs overlap neither each other nor an input. If pointers tell that one does, the call is
 * refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_binary_search(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     const jig_binary_search_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_binary_search_spec(const jig_binary_search_args *args, char **spec);

/* ---- the same by name; a compare of kind JIG_OP_NONE is JIG_LESS */

/** Of each needle the first place: of the first item that does not come before it. */
JIG_API jig_status jig_lower_bound(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   jig_iter in, uint64_t num_items, jig_iter needles_in,
                                   uint64_t num_needles, jig_iter out, jig_op compare, CUstream stream);
/** Of each needle the last place: of the first item that it comes before. */
JIG_API jig_status jig_upper_bound(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   jig_iter in, uint64_t num_items, jig_iter needles_in,
                                   uint64_t num_needles, jig_iter out, jig_op compare, CUstream stream);
/** Of each needle both. */
JIG_API jig_status jig_equal_range(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   jig_iter in, uint64_t num_items, jig_iter needles_in,
                                   uint64_t num_needles, jig_iter lower_out, jig_iter upper_out,
                                   jig_op compare, CUstream stream);

/**
 * The index of the first item for which a predicate is false, where all items for which it is true come
 * first; num_items if there is none.
 * @param out       item 0 is written, as that of jig_binary_search()
 * @param predicate a test: unary over the type of in, yields bool
 *
 * This is jig_lower_bound() of false in jig_iter_transform() of the items by the predicate, of type
 * JIG_BOOL, by JIG_GREATER.
 */
JIG_API jig_status jig_partition_point(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, uint64_t num_items,
                                       jig_iter out, jig_op predicate, CUstream stream);

JIG_END_DECLS

#endif
