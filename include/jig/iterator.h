/** Iterators: where items come from and where results go. */
#ifndef JIG_ITERATOR_H
#define JIG_ITERATOR_H

#include <jig/operator.h>

JIG_BEGIN_DECLS

typedef enum jig_iter_kind {
  JIG_ITER_NONE = 0,
  JIG_ITER_POINTER,
  JIG_ITER_COUNTING,
  JIG_ITER_CONSTANT,
  JIG_ITER_TRANSFORM
} jig_iter_kind;

/** An iterator. Make one with the functions below. */
typedef struct jig_iter {
  jig_iter_kind kind;
  jig_type type;                  /**< of the items */
  void *pointer;                  /**< device memory (pointer) */
  const void *value;              /**< host memory, type.size bytes (counting: the start; constant) */
  const struct jig_iter *base;    /**< borrowed (transform) */
  jig_op op;                      /**< (transform) */
  unsigned base_count;            /**< of those that base points to, where a kind has a choice */
  const struct jig_iter *indices; /**< borrowed */
} jig_iter;

/**
 * Items in device memory, one after the other. An input or an output.
 * @param pointer device pointer, aligned to type.align; for a CUdeviceptr, cast to void *
 */
static inline jig_iter jig_pointer(const void *pointer, jig_type type) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_POINTER;
  iter.type = type;
  iter.pointer = (void *)(uintptr_t)pointer;
  return iter;
}

/**
 * start, start + 1, start + 2, ... in the type's own arithmetic. An input.
 * @param start host memory, type.size bytes, read during each call; NULL: from 0
 * @param type  an integer or floating-point type
 */
static inline jig_iter jig_counting(const void *start, jig_type type) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_COUNTING;
  iter.type = type;
  iter.value = start;
  return iter;
}

/**
 * One value at every index. An input.
 * @param value host memory, type.size bytes, read during each call
 */
static inline jig_iter jig_constant(const void *value, jig_type type) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_CONSTANT;
  iter.type = type;
  iter.value = value;
  return iter;
}

/**
 * op(x) for every item x of another input iterator; computed as items are loaded, nothing is stored.
 * An input.
 * @param base borrowed: must be there when the iterator is used
 * @param op   a unary operator
 * @param type what op returns
 */
static inline jig_iter jig_transform(const jig_iter *base, jig_op op, jig_type type) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_TRANSFORM;
  iter.type = type;
  iter.base = base;
  iter.op = op;
  return iter;
}

JIG_END_DECLS

#endif
