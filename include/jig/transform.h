/** Transform: an operator over the items of one to eight inputs; of all of them, or of some. */
#ifndef JIG_TRANSFORM_H
#define JIG_TRANSFORM_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_transform() is given; a field of zero is its default. */
typedef struct jig_transform_args {
  /** Borrowed: an array of num_inputs iterators. */
  const jig_iter *in;
  uint32_t num_inputs; /**< 1 to 8 */
  uint32_t reserved32;
  /** May be the same memory as any of the inputs, item for item; see below. Several outputs are one
   *  jig_zip() of them: op returns its struct then. */
  jig_iter out;
  uint64_t num_items;
  /** Takes an item of each input, in their order, and returns one of out. A body calls them x or, of
   *  several inputs, a, b, c, d, e, f, g, h. A well-known operator takes two inputs of one type, which is
   *  the type of out as well. Default, of one input: its items, converted as by static_cast. */
  jig_op op;
  /** Takes a stencil's item or, without a stencil, what op takes; returns bool: whether there is to be a
   *  result. Where there is not, op is not called, and what out has there stays. Default: the stencil's
   *  item itself, of a type that converts to bool; without a stencil, always. */
  jig_op predicate;
  /** An item for each result. Kind JIG_ITER_NONE: none. */
  jig_iter stencil;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_transform_args;

/**
 * out[i] = op(in[0][i], in[1][i], ...) for i from 0 to num_items - 1, if predicate(stencil[i]).
 *
 * One launch, one pass over memory; no temp storage beyond the byte that is asked for, and none of it is
 * used. Nothing is launched for no items. Inputs and the stencil are read whole, in an order that is not
 * specified; with a predicate over the inputs these may be read twice.
 *
 * Aliasing: out may be any of the inputs or the stencil, if both are pointers, or that reads item i of
 * nothing else, and their items have one size. An out that overlaps one in any other way is refused, if
 * pointers tell and out is one itself. For the temp storage and the stream see jig/jig.h.
 *
 * Errors: results are items of jig_iter_transform() or jig_zip_transform() of the inputs by op. So errors
 * in op are reported of `in`, such as "operator of in:1:8: error: ...", and those in predicate of
 * `stencil`.
 */
JIG_API jig_status jig_transform(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_transform_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_transform_spec(const jig_transform_args *args, char **spec);

/* ---- the same by name */

/** out[i] = op(in[i]). */
JIG_API jig_status jig_transform_unary(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                       uint64_t num_items, jig_op op, CUstream stream);

/** out[i] = op(left[i], right[i]). */
JIG_API jig_status jig_transform_binary(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter left, jig_iter right,
                                        jig_iter out, uint64_t num_items, jig_op op, CUstream stream);

/** out[i] = op(in[i]) where predicate(in[i]) holds. */
JIG_API jig_status jig_transform_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate,
                                    jig_op op, CUstream stream);

JIG_END_DECLS

#endif
