/** Iterators: where items come from and where results go.
 *
 * An iterator is a description by value. The functions below make them of device pointers, of values and
 * of each other, to any depth up to 16, with up to 64 of them in one call. An input is read by index,
 * some items perhaps more than once; an output is written by index. Nothing is stored in between.
 *
 * What an iterator is made of (kinds, types, operators' source) decides what is compiled. What moves from
 * call to call (pointers, starts, values, steps, strides, counts, operators' states) does not, and takes
 * up to 3584 bytes for all arguments together, 3328 of a histogram.
 *
 * Names: jig_<kind>(), but jig_iter_<kind>() where jig_<kind>() is an algorithm.
 *
 * Ownership: nothing is copied or freed. Other iterators, values and states are borrowed and have to be
 * there during each call that uses the iterator, no longer.
 *
 * Errors: these functions only fill in a struct. The call that is given it checks it, and what is missing
 * or does not fit is JIG_ERROR_INVALID_ARGUMENT, with the argument's name and the place in it in
 * jig_last_error(), such as "jig_reduce: in: base 2 of 'zip': the pointer is NULL".
 *
 * Aliasing: each algorithm says what its outputs may share with its inputs. Temp storage may share
 * nothing with either; a call that sees such an overlap refuses it. What lies between strided items is
 * nobody's. The values of a permutation are taken to lie elsewhere unless their very pointer is in the
 * temp storage, and what an operator reaches through pointers in its state is not known at all. */
#ifndef JIG_ITERATOR_H
#define JIG_ITERATOR_H

#include <jig/operator.h>

JIG_BEGIN_DECLS

/** What an iterator is. */
typedef enum jig_iter_kind {
  JIG_ITER_NONE = 0,
  JIG_ITER_POINTER,
  JIG_ITER_COUNTING,
  JIG_ITER_CONSTANT,
  JIG_ITER_TRANSFORM,
  JIG_ITER_COUNTING_BY,
  JIG_ITER_STRIDED,
  JIG_ITER_REVERSE,
  JIG_ITER_PERMUTATION,
  JIG_ITER_ZIP,
  JIG_ITER_TRANSFORM_OUTPUT,
  JIG_ITER_DISCARD,
  JIG_ITER_SOURCE,
  JIG_ITER_ZIP_TRANSFORM,
  JIG_ITER_SHUFFLE,
  JIG_ITER_POINTER_STREAMING, /**< these: jig_pointer_hinted() */
  JIG_ITER_POINTER_GLOBAL,
  JIG_ITER_POINTER_KEEP,
  JIG_ITER_POINTER_READ_ONLY,
  JIG_ITER_POINTER_LAST_USE,
  JIG_ITER_POINTER_WRITE_THROUGH
} jig_iter_kind;
JIG_INT_SIZED(jig_iter_kind);

/** An iterator. Make one with the functions below. */
typedef struct jig_iter {
  jig_iter_kind kind;
  uint32_t reserved32;
  jig_type type;     /**< of the items */
  void *pointer;     /**< device memory (pointer, with a hint or not, strided) */
  const void *value; /**< host memory, type.size bytes (counting, counting_by: the start; constant) */
  /** Borrowed (reverse, transform, transform_output; permutation: the values; zip, zip_transform:
   *  base_count of them). */
  const struct jig_iter *base;
  jig_op op;                      /**< (transform, zip_transform, transform_output, source) */
  const void *step;               /**< host memory, type.size bytes (counting_by) */
  int64_t stride;                 /**< bytes from item to item (strided) */
  uint64_t count;                 /**< of the base's items (reverse), of its own (shuffle) */
  const struct jig_iter *indices; /**< borrowed (permutation) */
  size_t base_count;              /**< (zip, zip_transform) */
  uint64_t seed;                  /**< (shuffle) */
  uint64_t reserved[2];
} jig_iter;

/**
 * Items in device memory, one after the other. An input or an output.
 * @param pointer device pointer, aligned to type.align; jig_device_pointer() takes a CUdeviceptr
 */
JIG_API jig_iter jig_pointer(const void *pointer, jig_type type);

/** jig_pointer() of what cuMemAlloc() and its like hand out. */
JIG_API jig_iter jig_device_pointer(CUdeviceptr pointer, jig_type type);

/**
 * start, start + 1, start + 2, ... in the type's own arithmetic. An input.
 * @param start host memory, type.size bytes, read during each call; NULL: from 0
 * @param type  an integer or floating-point type
 */
JIG_API jig_iter jig_counting(const void *start, jig_type type);

/**
 * start, start + step, start + 2 * step, ... in the type's own arithmetic: integers wrap around, and a
 * floating-point item is computed from its index, so that errors do not add up. An input.
 * @param start host memory, type.size bytes, read during each call; NULL: from 0
 * @param step  the same; not NULL
 * @param type  an integer or floating-point type
 */
JIG_API jig_iter jig_counting_by(const void *start, const void *step, jig_type type);

/**
 * One value at every index. An input.
 * @param value host memory, type.size bytes, read during each call
 */
JIG_API jig_iter jig_constant(const void *value, jig_type type);

/**
 * op(x) for every item x of another input iterator; computed as items are loaded, nothing is stored.
 * An input.
 * @param base borrowed: must be there when the iterator is used
 * @param op   a unary operator
 * @param type what op returns
 */
JIG_API jig_iter jig_iter_transform(const jig_iter *base, jig_op op, jig_type type);

/** Hints to the caches. They never change results. */
typedef enum jig_cache_hint {
  JIG_CACHE_NONE = 0,     /**< nothing: jig_pointer() */
  JIG_CACHE_STREAMING,    /**< read or written once: to be evicted first (`.cs`) */
  JIG_CACHE_GLOBAL,       /**< kept in L2 only (`.cg`) */
  JIG_CACHE_KEEP,         /**< read again soon: to be evicted last (`.L1::evict_last`) */
  JIG_CACHE_READ_ONLY,    /**< input: written by nobody while the call runs (`.nc`) */
  JIG_CACHE_LAST_USE,     /**< input: not read again before it is overwritten (`.lu`) */
  JIG_CACHE_WRITE_THROUGH /**< output: to be written on to the memory (`.wt`) */
} jig_cache_hint;
JIG_INT_SIZED(jig_cache_hint);

/** jig_pointer() whose items are loaded and stored with a cache hint, by words as wide as there. What has
 * to be a pointer (a sort's outputs, an input that is sorted in place) may not be this; the faster ways
 * that an algorithm has for pointers are not taken for it, and an output that is one is not checked for
 * overlapping an input. With a hint that does not exist it is an iterator that every call refuses. */
JIG_API jig_iter jig_pointer_hinted(const void *pointer, jig_type type, jig_cache_hint hint);

/**
 * Items in device memory that many bytes apart, such as a field of an array of structs or a column of a
 * matrix. An input or an output.
 * @param pointer      device pointer to item 0, aligned to type.align
 * @param stride_bytes from one item to the next, a multiple of type.align. Negative: item 1 lies before
 *                     item 0. 0: all are the same one.
 */
JIG_API jig_iter jig_strided(const void *pointer, int64_t stride_bytes, jig_type type);

/**
 * Another iterator from its end: item i is base[count - 1 - i]. An input or an output, if base is.
 * @param base  borrowed
 * @param count how many items base has; a call for more of them is refused
 */
JIG_API jig_iter jig_iter_reverse(const jig_iter *base, uint64_t count);

/**
 * values[indices[i]]: a gather or, as an output, a scatter. An input or an output, if values is.
 *
 * Nothing checks the indices: whoever gives them sees to it that they lie within values. If an output is
 * given two items for one place, either may stay there.
 *
 * @param values  borrowed
 * @param indices borrowed: an input iterator over any integer type, read before the value is
 */
JIG_API jig_iter jig_permutation(const jig_iter *values, const jig_iter *indices);

/**
 * Several iterators side by side: item i is {bases[0][i], bases[1][i], ...}. As an output, each member of
 * an item is stored by its iterator. An input or an output, if all bases are.
 *
 * If all bases are loaded alike, such as pointers to items of one size, they are loaded by vectors.
 *
 * @param bases borrowed: an array of 1 to 8 iterators
 * @param type  a struct with as many public members as there are bases, of the types of their items in
 *              that order. It is an error of the program's build, JIG_ERROR_COMPILE, if it has not:
 *              nothing is converted.
 */
JIG_API jig_iter jig_zip(const jig_iter *bases, size_t count, jig_type type);

/**
 * op(bases[0][i], bases[1][i], ...): an operator over several input iterators, such as the product of two
 * arrays: jig_zip_transform(factors, 2, JIG_MULTIPLIES, JIG_F32). Computed as items are loaded, nothing
 * is stored. An input.
 * @param bases borrowed: an array of 1 to 8 iterators
 * @param op    with an operand of the type of each base's items. In a body one operand is x; several are
 *              a, b, c, d, e, f, g, h. A well-known operator takes two of one type.
 * @param type  what op returns
 */
JIG_API jig_iter jig_zip_transform(const jig_iter *bases, size_t count, jig_op op, jig_type type);

/**
 * Stores op(x) into another output iterator for every item x that is stored. An output.
 * @param base borrowed
 * @param op   a unary operator that returns the type of base's items
 * @param type of what is stored, the operand
 */
JIG_API jig_iter jig_transform_output(const jig_iter *base, jig_op op, jig_type type);

/** Keeps nothing of what is stored. An output. */
JIG_API jig_iter jig_discard(jig_type type);

/**
 * Items that an operator makes of their indices. An input.
 *
 * @param op   its body sees the index as `i`, a uint64_t, and its state, if it has one, as `state`; a
 *             function is called as f(i) or f(state, i):
 *             jig_iter_source(jig_op_source("return i % 7;"), JIG_I32). It may be called more than once
 *             for an item, and in any order.
 * @param type what op returns
 */
JIG_API jig_iter jig_iter_source(jig_op op, jig_type type);

/**
 * The numbers 0 to count - 1 in a random order: each of them once, item i computed from i alone. As the
 * indices of a permutation it makes of `count` values their shuffle. An input.
 *
 * The same count and seed give the same order in every call, on every GPU, with any type. It is a Feistel
 * network with cycle walking (templates/jig/core/iterator/shuffle.cuh): good for sampling, not for
 * secrets, and of the orders of many items there are far more than seeds.
 * @param count how many there are, at most 2^63; a call for more of them is refused
 * @param type  an integer type that has room for count - 1
 */
JIG_API jig_iter jig_iter_shuffle(uint64_t count, uint64_t seed, jig_type type);

JIG_END_DECLS

#endif
