/** Minimum and maximum in one pass, and where they are. */
#ifndef JIG_MIN_MAX_H
#define JIG_MIN_MAX_H

#include <jig/engine.h>
#include <jig/iterator.h>
#include <jig/reduce.h>

JIG_BEGIN_DECLS

/** What jig_min_max() is given; a field of zero is its default. */
typedef struct jig_min_max_args {
  jig_iter in; /**< of any type */
  /** The smallest and the largest item: of the input's type; item 0 is written. Kind JIG_ITER_NONE: not
   *  wanted; one of the four outputs is there. */
  jig_iter min_out, max_out;
  /** Their indices, of equal ones the first: of integer types, as that of jig_arg_reduce(). The same. */
  jig_iter min_index_out, max_index_out;
  uint64_t num_items;
  /** Whether item a comes before item b: see jig_arg_reduce_args. */
  jig_op compare;
  jig_nan nan; /**< what floating-point NaNs are where there is no `compare` */
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_min_max_args;

/**
 * The smallest and the largest item, and their indices.
 *
 * Each is what jig_arg_reduce() finds, the input being read once for both: of equal items, -0 and 0 among
 * them, the first. Where no index is wanted, numbers without a `compare` are found as jig_reduce() does
 * it with JIG_MIN and JIG_MAX, to which -0 is smaller than 0. Without items, too, outputs are what they
 * are there: indices -1, items the operators' identities or, of structs or with a `compare` other than
 * JIG_LESS over integers, not written.
 *
 * One launch at every size. Outputs must not overlap each other; if pointers tell that they do, the call
 * is refused. They may lie within the input if its items have at most 256 bytes: they are written after
 * the last one is read. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_min_max(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               const jig_min_max_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_min_max_spec(const jig_min_max_args *args, char **spec);

JIG_END_DECLS

#endif
