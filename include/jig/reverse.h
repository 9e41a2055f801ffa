/** Reverse: the items in the opposite order, in place or elsewhere. */
#ifndef JIG_REVERSE_H
#define JIG_REVERSE_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_reverse() is given; a field of zero is its default. */
typedef struct jig_reverse_args {
  jig_iter in;
  /** An item for each of in, whose items convert to its own. May be the same memory as in; see below. */
  jig_iter out;
  uint64_t num_items;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_reverse_args;

/**
 * out[i] = in[num_items - 1 - i] for i from 0 to num_items - 1, converted to the type of out as C++ does
 * by static_cast.
 *
 * One launch, one pass over memory, no temp storage beyond the byte that is asked for, and none of it is
 * used. Nothing is launched for no items.
 *
 * Aliasing: out may be in, if both are pointers, or in reads item i of nothing else, and their items have
 * one size: items i and num_items - 1 - i are read before either is stored. An out that overlaps in in
 * any other way is refused, if pointers tell. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_reverse(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               const jig_reverse_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_reverse_spec(const jig_reverse_args *args, char **spec);

JIG_END_DECLS

#endif
