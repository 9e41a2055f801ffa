/** Run-length encoding: which runs of equal neighbouring items there are, and how long they are. */
#ifndef JIG_RUN_LENGTH_H
#define JIG_RUN_LENGTH_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_run_length_encode() is given; a field of zero is its default. */
typedef struct jig_run_length_encode_args {
  jig_iter in;
  jig_iter unique_out; /**< item i becomes the first item of run i */
  /** Item i becomes the length of run i. Of any integer type; lengths are counted in 64 bits. */
  jig_iter lengths_out;
  /** Item 0 becomes the number of runs, of which there may be as many as items. Of any integer type,
   *  to whose size the number is cut, as lengths are. */
  jig_iter num_runs_out;
  uint64_t num_items;
  /** Whether two neighbouring items belong to one run: binary over the type of in, yields bool, as
   *  jig_op_source("return a / 10 == b / 10;"). It sees an item and the one that follows it, in this
   *  order. Default: ==, which numbers have, and structs whose definition has an operator==. A NaN is a
   *  run by itself. */
  jig_op equality;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_run_length_encode_args;

/**
 * The first item and the length of every maximal run of equal neighbouring items, in order. Of zero items
 * there are zero runs; that is written.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if in is a pointer to items of 4 or 8 bytes. Items of the
 * outputs past the last run are not written.
 *
 * Aliasing: none. If pointers tell that an output begins within the input, or where another output does,
 * the call is refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_run_length_encode(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes,
                                         const jig_run_length_encode_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_run_length_encode_spec(const jig_run_length_encode_args *args, char **spec);

/** What jig_non_trivial_runs() is given; a field of zero is its default. */
typedef struct jig_non_trivial_runs_args {
  jig_iter in;
  /** Item i becomes the index of the first item of the i-th run of two items and more. Of any integer
   *  type, as lengths_out and num_runs_out are. */
  jig_iter offsets_out;
  jig_iter lengths_out;  /**< item i becomes its length */
  jig_iter num_runs_out; /**< item 0 becomes the number of such runs; at most half as many as items */
  uint64_t num_items;
  jig_op equality;              /**< as in jig_run_length_encode_args */
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_non_trivial_runs_args;

/**
 * Where every maximal run of two and more equal neighbouring items begins, and its length, in order;
 * otherwise as jig_run_length_encode().
 */
JIG_API jig_status jig_non_trivial_runs(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, const jig_non_trivial_runs_args *args,
                                        CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_non_trivial_runs_spec(const jig_non_trivial_runs_args *args, char **spec);

JIG_END_DECLS

#endif
