/** Copy: items from any iterator to any other, and what that makes: fill, tabulate, gather, scatter,
 * rotate and shuffle. */
#ifndef JIG_COPY_H
#define JIG_COPY_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_copy() is given; a field of zero is its default. */
typedef struct jig_copy_args {
  jig_iter in;
  /** An item for each of in, whose items convert to its own. May be the same memory as in, item for item;
   *  see below. */
  jig_iter out;
  uint64_t num_items;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_copy_args;

/**
 * out[i] = in[i] for i from 0 to num_items - 1, converted to the type of out as C++ does by static_cast.
 *
 * What in is made of is computed on the way: with jig_zip_transform() this stores a function of
 * several inputs, with an output of jig_zip() in several outputs. One launch, one pass over memory, no
 * temp storage beyond the byte that is asked for, and none of it is used. Nothing is launched for no
 * items.
 *
 * Each item is read once, and stored once. The order is not specified: if an output iterator stores two
 * items at one place, one of them stays.
 *
 * Aliasing: out may be in, if both are pointers, or in reads item i of nothing else, and their items have
 * one size. An out that overlaps in in any other way is refused, if pointers tell. For the temp storage
 * and the stream see jig/jig.h.
 */
JIG_API jig_status jig_copy(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            const jig_copy_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_copy_spec(const jig_copy_args *args, char **spec);

/* ---- the same by name */

/** out[i] = *value, which is of the type of out and read before this returns. */
JIG_API jig_status jig_fill(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            jig_iter out, const void *value, uint64_t num_items, CUstream stream);

/** out[i] = op(i): a unary operator over the index, a uint64_t called i, that returns the type of out. */
JIG_API jig_status jig_tabulate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter out, jig_op op, uint64_t num_items, CUstream stream);

/** jig_tabulate() by the name it has where op does not look at i: a generator, of random numbers by a
 *  state of its own, for instance. A function or a compiled operator takes i nevertheless. */
JIG_API jig_status jig_generate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter out, jig_op op, uint64_t num_items, CUstream stream);

/** out[i] = in[indices[i]]; num_items is that of the indices. */
JIG_API jig_status jig_gather(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter indices, jig_iter out, uint64_t num_items,
                              CUstream stream);

/** out[indices[i]] = in[i]; num_items is that of the indices. */
JIG_API jig_status jig_scatter(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, jig_iter indices, jig_iter out, uint64_t num_items,
                               CUstream stream);

/** The items from number `first` on, and then those before it: out[i] = in[(first + i) % num_items].
 *  This is jig_gather() by indices that an operator computes; between pointers to items of one type that
 *  are aligned to less than 4 bytes, or than their size, it is jig_copy() of them, with its spec. `first`
 *  is at most num_items; out must not overlap in, which is refused if both are pointers. */
JIG_API jig_status jig_rotate(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter in, jig_iter out, uint64_t num_items, uint64_t first,
                              CUstream stream);

/** The items in a random order, which depends on num_items and seed alone: jig_gather() by
 *  jig_iter_shuffle(num_items, seed, JIG_U64). out must not overlap in, which is refused if both are
 *  pointers. */
JIG_API jig_status jig_shuffle(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, jig_iter out, uint64_t num_items, uint64_t seed,
                               CUstream stream);

JIG_END_DECLS

#endif
