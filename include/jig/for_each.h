/** For each: an operator that returns nothing, called for each item, or for each index. What it does is
 * done to the item, or through pointers that its state has. */
#ifndef JIG_FOR_EACH_H
#define JIG_FOR_EACH_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What the operator's operand is. */
typedef enum jig_for_each_mode {
  JIG_FOR_EACH_REFERENCE = 0, /**< the item itself, which it may change: T &x */
  JIG_FOR_EACH_COPY /**< a copy of it: T x; loaded by vectors, which is faster for small items */
} jig_for_each_mode;
JIG_INT_SIZED(jig_for_each_mode);

/** What jig_for_each() is given; a field of zero is its default. */
typedef struct jig_for_each_args {
  /** By reference: jig_pointer() or jig_strided(); copies: any input. */
  jig_iter in;
  uint64_t num_items;
  /** Unary over the type of in; returns nothing. A body, a function or a compiled one (of a reference it
   * gets the address). It is called once for each item, in any order, for many at the same time: writes
   * of several calls to one place have to be atomic operations. A state in host memory is a copy that it
   * cannot change; one in device memory is the same for all, and may be written. */
  jig_op op;
  jig_for_each_mode mode;
  uint32_t reserved32;
  /** Device memory, or NULL: num_items is read there (jig/jig.h). By reference it must not lie in in. */
  const uint64_t *num_items_in;
  uint64_t reserved[7];
} jig_for_each_args;

/**
 * op(in[i]) for i from 0 to num_items - 1. Count items above 3, for instance:
 *
 *     jig_type counter = jig_struct("counter", "struct counter { unsigned *count; };", 8, 8);
 *     struct { CUdeviceptr count; } state = {count};
 *     jig_for_each_args args = {
 *         .in = jig_pointer(items, JIG_F32), .num_items = n, .mode = JIG_FOR_EACH_COPY,
 *         .op = jig_op_with_state(jig_op_source("if (x > 3) atomicAdd(state.count, 1u);"), &state,
 *                                 counter)};
 *
 * One launch, no temp storage beyond the byte that is asked for, and none of it is used. Nothing is
 * launched for no items. What the operator reaches through its state is not known: the caller sees to it
 * that no call of it writes what another one reads or writes, but by atomic operations. For the temp
 * storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_for_each(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                const jig_for_each_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_for_each_spec(const jig_for_each_args *args, char **spec);

/** What jig_bulk() is given; a field of zero is its default. */
typedef struct jig_bulk_args {
  /** How many indices there are; of several dimensions 0, or the product of their extents. */
  uint64_t num_items;
  /** Of an index i, a uint64_t; returns nothing; otherwise as that of jig_for_each(). In several
   * dimensions it has i's coordinates besides: at[0] .. at[rank - 1], a const uint64_t *, for a function
   * the argument after i. The last one changes fastest. */
  jig_op op;
  const uint64_t *extents; /**< host memory, read during the call: rank of them; not read if rank is 0 */
  uint32_t rank;           /**< how many dimensions, 1 to 8; 0: there are only indices */
  uint32_t reserved32;
  /** Device memory, or NULL: num_items is read there (jig/jig.h); if rank is 0. */
  const uint64_t *num_items_in;
  uint64_t reserved[7];
} jig_bulk_args;

/**
 * op(i) for i from 0 to num_items - 1; or op(i, at) for every place in a box of up to eight dimensions.
 *
 * One launch, as jig_for_each(). If an extent is 0, there are no indices.
 */
JIG_API jig_status jig_bulk(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            const jig_bulk_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). Extents may be missing. */
JIG_API jig_status jig_bulk_spec(const jig_bulk_args *args, char **spec);

/** jig_bulk() over the box of these extents. */
JIG_API jig_status jig_for_each_in_extents(jig_engine *engine, void *d_temp_storage,
                                           size_t *temp_storage_bytes, const uint64_t *extents,
                                           uint32_t rank, jig_op op, CUstream stream);

JIG_END_DECLS

#endif
