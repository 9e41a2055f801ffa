/** Partition: items sorted into two or three classes by tests or flags, in one pass.
 */
#ifndef JIG_PARTITION_H
#define JIG_PARTITION_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_partition() is given; a field of zero is its default. */
typedef struct jig_partition_args {
  jig_iter in;
  /** A flag for each item of in. Kind JIG_ITER_NONE: there are none, and op tells. */
  jig_iter flags;
  /** num_items items; as many as are selected if there is unselected_out. */
  jig_iter out;
  /** Where the items go that are not selected, in their order, as many as there are. Kind JIG_ITER_NONE:
   *  to the end of out, in reverse order. */
  jig_iter unselected_out;
  /** One item, as in jig_select_args: how many were selected. */
  jig_iter num_selected_out;
  uint64_t num_items;
  /** As in jig_select_args. */
  jig_op op;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_partition_args;

/**
 * Copies the items that pass the test, or whose flags do, to out[0], out[1], ..., in their order, and all
 * others to out[num_items - 1], out[num_items - 2], ..., or unselected_out; and stores how many were
 * selected, 0 if there are no items.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if in, and what is beside it, are pointers to items of 1, 2, 4,
 * 8 or 16 bytes (docs/limits.md). Of items of more than 256 bytes 8 bytes of temp storage are kept for
 * each and each output, and a second launch moves them.
 *
 * Aliasing: nothing may overlap. If pointers tell that an output begins within an input, or where another
 * output does, or that anything overlaps an out of num_items items, the call is refused. For the temp
 * storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_partition(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_partition_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_partition_spec(const jig_partition_args *args, char **spec);

/** What jig_three_way_partition() is given; a field of zero is its default. */
typedef struct jig_three_way_partition_args {
  jig_iter in;
  jig_iter first_out;      /**< what passes first_op */
  jig_iter second_out;     /**< what passes second_op and not first_op */
  jig_iter unselected_out; /**< all others */
  /** Two items, of an integer type: how many there are in first_out and in second_out. */
  jig_iter num_selected_out;
  uint64_t num_items;
  jig_op first_op;              /**< unary, with a bool for its result */
  jig_op second_op;             /**< the same; may be asked about items that pass first_op, too */
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_three_way_partition_args;

/**
 * Copies every item to one of three outputs, in their order in all of them, and stores how many went to
 * the first two; 0 and 0 if there are no items. Otherwise as jig_partition().
 */
JIG_API jig_status jig_three_way_partition(jig_engine *engine, void *d_temp_storage,
                                           size_t *temp_storage_bytes,
                                           const jig_three_way_partition_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_three_way_partition_spec(const jig_three_way_partition_args *args, char **spec);

/** jig_partition() by a test of the items. */
JIG_API jig_status jig_partition_if(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter in, jig_iter out, jig_iter num_selected_out,
                                    uint64_t num_items, jig_op op, CUstream stream);

/** jig_partition() by flags. */
JIG_API jig_status jig_partition_flagged(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes, jig_iter in, jig_iter flags,
                                         jig_iter out, jig_iter num_selected_out, uint64_t num_items,
                                         CUstream stream);

JIG_END_DECLS

#endif
