/** Reduce by key: every run of equal neighbouring keys folded into one item. */
#ifndef JIG_REDUCE_BY_KEY_H
#define JIG_REDUCE_BY_KEY_H

#include <jig/reduce.h>

JIG_BEGIN_DECLS

/** What jig_reduce_by_key() is given; a field of zero is its default. */
typedef struct jig_reduce_by_key_args {
  jig_iter keys_in;
  /** Item i becomes a key of run i: the last one, where equal keys may differ, as in CUB. */
  jig_iter unique_out;
  jig_iter values_in; /**< as many items as keys_in */
  /** Item i becomes what the values of run i come to. */
  jig_iter aggregates_out;
  /** Item 0 becomes the number of runs, of which there may be as many as items. Of any integer type,
   *  to whose size the number is cut; it is counted in 64 bits. */
  jig_iter num_runs_out;
  uint64_t num_items;
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** Whether two neighbouring keys belong to one run: binary over the type of keys_in, yields bool, as
   *  jig_op_source("return a / 10 == b / 10;"). It sees a key and the one that follows it, in this order.
   *  Default: ==, which numbers have, and structs whose definition has an operator==. A NaN is a run by
   *  itself. */
  jig_op equality;
  /** What the operator works on. Default: see "Accumulators" in jig/reduce.h; u32 values are added up as
   *  u64 if aggregates_out is of u64, which in CUB they are not. */
  jig_type accum_type;
  jig_nan nan;                  /**< as in jig_reduce_args */
  jig_determinism determinism;  /**< as in jig_reduce_args */
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_reduce_by_key_args;

/**
 * For every maximal run of neighbouring items with equal keys: its key and values_in[first] op ... op
 * values_in[last], associated in an unspecified but fixed way: the same input, number of items and GPU
 * model give the same bits. Runs come in order. Of zero items there are zero runs; that is written.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if keys_in and values_in are pointers to items of 4 or 8 bytes
 * and the accumulator is no larger than 8. Items of the outputs past the last run are not written.
 *
 * Aliasing: none. If pointers tell that an output begins within an input, or where another output does,
 * the call is refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_reduce_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     const jig_reduce_by_key_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_reduce_by_key_spec(const jig_reduce_by_key_args *args, char **spec);

JIG_END_DECLS

#endif
