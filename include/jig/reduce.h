/** Reduce: all items folded into one by an associative operator.
 *
 * Accumulators: what reduce, all scans and reduce by key fold in is `accum_type` of their args. Left out,
 * the operator and the types decide:
 *
 *   plus, multiplies            the usual arithmetic conversion of init, item and output type
 *   bit_and, bit_or, bit_xor    the usual arithmetic conversion of init and item type
 *   min, max                    the same; but where both are one type, that: i8 stays i8
 *   logical_and, logical_or     bool
 *   any other, and structs      the init type
 *
 * The init type is that of the init. Where there is none it is the output type in jig_reduce(), and the
 * item type in the scans and jig_reduce_by_key().
 *
 * The usual arithmetic conversion is C's. bool, i8, u8, i16 and u16 are promoted to i32; then the last
 * one in this order is taken, but for f16 with bf16, which make f32:
 *
 *   i32  u32  i64  u64  i128  u128  f16, bf16  f32  f64
 *
 * So sums and products do not wrap where the output has room for them:
 *
 *   items   output   added up as
 *   u8      u8       i32, cut to u8 in the end
 *   i8      i64      i64
 *   u32     u64      u64
 *   i64     i32      i64, cut to i32 in the end
 *   i32     u32      u32
 *   f16     f16      f16
 *   f16     bf16     f32
 *   f16     f32      f32
 *   i64     f32      f32
 *
 * The output type is the type of the iterator: of jig_transform_output() what its operator takes, of
 * jig_discard() the type that it is given, of all others the type of what is stored.
 *
 * CUB's sums by DeviceReduce go by the output, too. Its scans and its reduce by key do not: there u32
 * items wrap at 2^32 on their way into a u64 output.
 */
#ifndef JIG_REDUCE_H
#define JIG_REDUCE_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What a floating-point minimum or maximum makes of NaN. Other operators do not look at it: a sum with a
 * NaN among its items is NaN. */
typedef enum jig_nan {
  JIG_NAN_PROPAGATE = 0, /**< a NaN among the items is the result, as in NumPy and PyTorch */
  /** NaNs are passed over, as if they were not there. Where there is nothing else, a reduce, of segments
   * too, has the operator's identity; scans and jig_reduce_by_key() have a NaN. (An exclusive scan begins
   * with something in any case: see jig_scan_args.) */
  JIG_NAN_IGNORE
} jig_nan;
JIG_INT_SIZED(jig_nan);

/** How far the same input gives the same bits. */
typedef enum jig_determinism {
  JIG_DETERMINISM_RUN_TO_RUN = 0, /**< on the same GPU model, with the same compiled program */
  /** On every GPU, of the same version of jig: the work is shared out in one way everywhere. An operator
   * or a computed input that is given as source has to give the same bits itself. */
  JIG_DETERMINISM_GPU_TO_GPU,
  JIG_DETERMINISM_NONE /**< not at all */
} jig_determinism;
JIG_INT_SIZED(jig_determinism);

/** What jig_reduce() is given; a field of zero is its default. */
typedef struct jig_reduce_args {
  jig_iter in;
  /** Item 0 of it is written. It may lie within the input: it is written after all items are read. */
  jig_iter out;
  uint64_t num_items;
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** Folded in first, as op(init, everything else): host memory, init_type.size bytes, read during the
   *  call. NULL: none. */
  const void *init;
  /** Of the value at init; without one it is not looked at. Default: the output's type. */
  jig_type init_type;
  /** Instead of init: an iterator whose item 0 is the initial value, read when the algorithm runs; what
   *  earlier work on the stream has computed, for instance. Kind JIG_ITER_NONE: none. It may be out,
   *  which then has what all calls together have folded. */
  jig_iter init_in;
  /** What the operator works on. Default: see "Accumulators" above. Items and init are converted to it,
   *  and the result from it to the output type. */
  jig_type accum_type;
  /** For JIG_MIN and JIG_MAX over floating-point types; otherwise it changes nothing. Of two zeros, -0 is
   * the smaller. */
  jig_nan nan;
  /** What is exact, as well-known operators over integers and bool and min and max over anything are, has
   * the same bits everywhere by any choice. */
  jig_determinism determinism;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_reduce_args;

/**
 * *out = init op in[0] op in[1] op ... op in[num_items - 1], associated in an unspecified but fixed way.
 *
 * Without items the result is init, by value or by init_in; without either it is the operator's identity
 * (0 or, for floating-point sums, -0; 1, all bits set, false, true, the type's largest or smallest value,
 * infinities included), or nothing is written if the operator is not a well-known one.
 *
 * One launch at every size. A thread folds its share in turn, a few neighbours at a time; then the
 * threads are folded pairwise. So the error of a floating-point sum grows with a thread's share, which is
 * num_items / 10^5 or less on a large GPU. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              const jig_reduce_args *args, CUstream stream);

/** The spec of the program that these args need. Pointers and counts may be missing from them.
 *  @param[out] spec free it with jig_free() */
JIG_API jig_status jig_reduce_spec(const jig_reduce_args *args, char **spec);

/** What jig_arg_reduce() is given; a field of zero is its default. */
typedef struct jig_arg_reduce_args {
  jig_iter in;        /**< of any type */
  jig_iter value_out; /**< of the input's type; item 0 is written; kind JIG_ITER_NONE: not wanted */
  /** Item 0 is written. Of any integer type that has all indices, and one value more: a u8 serves up to
   *  255 items, an i8 up to 128. Otherwise the call is refused. */
  jig_iter index_out;
  uint64_t num_items;
  jig_op op; /**< JIG_MIN or JIG_MAX: the first or the last item by `compare`; default: JIG_MIN */
  /** What floating-point NaNs are where there is no `compare`, which otherwise decides. */
  jig_nan nan;
  jig_determinism determinism; /**< any: the result is exact */
  /** Whether item a comes before item b: binary over the type of in, yields bool, as
   *  jig_op_source("return a.d < b.d;"). A strict weak ordering; by any other, some item is found. It
   * sees items only. JIG_LESS and JIG_GREATER have NaNs last, so that JIG_MIN finds one only where there
   * is nothing else. Default: <, which numbers have, and structs whose definition has an operator<. */
  jig_op compare;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_arg_reduce_args;

/**
 * The smallest (largest) item and its index, counted from 0. Of equal ones the first: of items none of
 * which comes before the other by `compare`; -0 and 0 are equal.
 *
 * Numbers without a `compare`: with JIG_NAN_PROPAGATE a NaN is smaller (larger) than everything. Without
 * items the value is the operator's identity and the index -1, which in an unsigned type is its largest
 * value; so it is when all items are NaN and ignored.
 *
 * With a `compare`, and for structs: without items the index is -1, and the value is not written; but
 * JIG_LESS and JIG_GREATER over integers are the default and its other direction.
 *
 * Outputs must not overlap each other; if pointers tell that they do, the call is refused. They may lie
 * within the input if its items have at most 256 bytes: they are written after the last one is read.
 */
JIG_API jig_status jig_arg_reduce(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  const jig_arg_reduce_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_arg_reduce_spec(const jig_arg_reduce_args *args, char **spec);

/** jig_reduce() with plus. */
JIG_API jig_status jig_reduce_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  jig_iter in, jig_iter out, uint64_t num_items, CUstream stream);

/** jig_reduce() with min. */
JIG_API jig_status jig_reduce_min(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  jig_iter in, jig_iter out, uint64_t num_items, CUstream stream);

/** jig_reduce() with max. */
JIG_API jig_status jig_reduce_max(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  jig_iter in, jig_iter out, uint64_t num_items, CUstream stream);

/** jig_arg_reduce() with min: the smallest item's value and index. */
JIG_API jig_status jig_reduce_argmin(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter in, jig_iter value_out, jig_iter index_out,
                                     uint64_t num_items, CUstream stream);

/** jig_arg_reduce() with max: the largest item's value and index. */
JIG_API jig_status jig_reduce_argmax(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter in, jig_iter value_out, jig_iter index_out,
                                     uint64_t num_items, CUstream stream);

/** jig_reduce() over transform(item) for every item of args->in; `transformed` is what transform
 *  returns. */
JIG_API jig_status jig_transform_reduce(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, const jig_reduce_args *args,
                                        jig_op transform, jig_type transformed, CUstream stream);

/**
 * How many items pass a test.
 * @param out       item 0 is written, of a number type; counted in 64 bits
 * @param predicate unary over the type of in, yields bool
 *
 * This is jig_reduce() by JIG_PLUS, with accum_type JIG_U64, of jig_iter_transform() of the items by the
 * predicate, of type JIG_BOOL.
 */
JIG_API jig_status jig_count_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter in, jig_iter out, uint64_t num_items, jig_op predicate,
                                CUstream stream);

JIG_END_DECLS

#endif
