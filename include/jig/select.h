/** Select: the items that pass a test, or that flags choose, close together and in order. Unique: the
 *  first item of each run of equal neighbours.
 */
#ifndef JIG_SELECT_H
#define JIG_SELECT_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_select() is given; a field of zero is its default. */
typedef struct jig_select_args {
  jig_iter in;
  /** A flag for each item of in. Kind JIG_ITER_NONE: there are none, and op tells. */
  jig_iter flags;
  /** As many items as are selected; an iterator that has an end (jig_iter_reverse()) needs num_items. May
   * be the same memory as in, item for item; see below. */
  jig_iter out;
  /** One item: how many were selected, counted in 64 bits. Of any integer type, to whose size the number
   *  is cut. */
  jig_iter num_selected_out;
  uint64_t num_items;
  /** Unary, with a bool for its result: of the flags if there are any, otherwise of the items. May be
   *  left out if there are flags, which then are taken as they convert to bool. */
  jig_op op;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_select_args;

/**
 * Copies the items that pass the test, or whose flags do, to out[0], out[1], ..., in their order, and
 * stores how many there are; 0 if there are no items.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if in, and what is beside it, are pointers to items of 1, 2, 4,
 * 8 or 16 bytes (docs/limits.md). Of items of more than 256 bytes 8 bytes of temp storage are kept for
 * each, and a second launch moves what is selected. The operator may be asked about an item more than
 * once.
 *
 * Aliasing: out may be in, or flags, or both, if they are pointers (or iterators that read and write item
 * i at the same place and nowhere else) and their items have one size; what follows the selected items is
 * then unspecified. in and flags may overlap in any way. Nothing else may overlap; if pointers tell that
 * an output begins within an input, or where another output does, the call is refused. For the temp
 * storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_select(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_select_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_select_spec(const jig_select_args *args, char **spec);

/** What jig_unique() is given; a field of zero is its default. */
typedef struct jig_unique_args {
  jig_iter in;
  jig_iter out; /**< as in jig_select_args */
  /** A value for each item of in, which are the keys then: that of each key in out goes to values_out.
   *  Both or neither; kind JIG_ITER_NONE: none. */
  jig_iter values_in;
  jig_iter values_out;
  jig_iter num_selected_out; /**< as in jig_select_args */
  uint64_t num_items;
  /** Binary, with a bool for its result: whether two neighbours are equal, the earlier one first.
   *  Default: ==, which a struct's definition must have then. */
  jig_op equality;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_unique_args;

/**
 * Copies every item that differs from the one before it, and the first, to out[0], out[1], ..., in their
 * order, with the values beside them, and stores how many there are; 0 if there are no items. A NaN
 * differs from everything.
 *
 * One pass over memory, one launch, as jig_select(); the same of values of more than 256 bytes.
 *
 * Aliasing: out may be the same pointer as in, to items of the same type; what follows the selected items
 * is then unspecified. Nothing else may overlap; see jig_select().
 */
JIG_API jig_status jig_unique(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_unique_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_unique_spec(const jig_unique_args *args, char **spec);

/** jig_select() of the items that pass a test. */
JIG_API jig_status jig_select_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 jig_iter in, jig_iter out, jig_iter num_selected_out, uint64_t num_items,
                                 jig_op op, CUstream stream);

/** jig_select() of the items whose flag is not 0. */
JIG_API jig_status jig_select_flagged(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter in, jig_iter flags,
                                      jig_iter out, jig_iter num_selected_out, uint64_t num_items,
                                      CUstream stream);

/** jig_select() of the items whose flag passes a test. */
JIG_API jig_status jig_select_flagged_if(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes, jig_iter in, jig_iter flags,
                                         jig_iter out, jig_iter num_selected_out, uint64_t num_items,
                                         jig_op op, CUstream stream);

/** jig_unique() of keys, with values; equality of kind JIG_OP_NONE is ==. */
JIG_API jig_status jig_unique_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter keys_in, jig_iter values_in, jig_iter keys_out,
                                     jig_iter values_out, jig_iter num_selected_out, uint64_t num_items,
                                     jig_op equality, CUstream stream);

JIG_END_DECLS

#endif
