/** Adjacent difference: each item less the one before it, or the one after; or any other function of two
 *  neighbours.
 */
#ifndef JIG_ADJACENT_DIFFERENCE_H
#define JIG_ADJACENT_DIFFERENCE_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** Which neighbour an item has. */
typedef enum jig_difference_direction {
  JIG_DIFFERENCE_LEFT = 0, /**< out[i] = op(in[i], in[i - 1]), and out[0] = in[0] */
  JIG_DIFFERENCE_RIGHT     /**< out[i] = op(in[i], in[i + 1]), and of the last item itself */
} jig_difference_direction;
JIG_INT_SIZED(jig_difference_direction);

/** What jig_adjacent_difference() is given; a field of zero is its default. */
typedef struct jig_adjacent_difference_args {
  jig_iter in;
  /** A result for each item of in. May be the same memory as in, item for item; see below. */
  jig_iter out;
  uint64_t num_items;
  /** Binary: a is the item, b its neighbour, and both are of the type of in. What a body or a function
   *  returns is converted to the type of out; so it is with JIG_MINUS and what else is a line of C++. But
   *  a well-known operator, JIG_PLUS to JIG_LOGICAL_OR, computes in the type of in, and out must have
   *  that type then: otherwise it is JIG_ERROR_INVALID_ARGUMENT. Default: a - b as C++ has it, which a
   *  struct's definition must have then; see below. */
  jig_op op;
  jig_difference_direction direction;
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_adjacent_difference_args;

/**
 * out[i] = op(in[i], in[i - 1]), or op(in[i], in[i + 1]); the item that has no such neighbour, the first
 * or the last, is stored itself, converted to the type of out as C++ does by static_cast. The operator
 * sees items of in and nothing else, each pair once.
 *
 * The default operator is C++'s minus, and what comes of it is converted to the type of out. Integers
 * that are narrower than 32 bits are subtracted as 32-bit ones: of u8, 3 - 5 is -2 in an i32, and 254 in
 * a u8. Wider ones wrap around in their own type: of u32, 3 - 5 is 4294967294, also in an i64 or f64. For
 * signed differences there give an operator: "return (int64_t)a - (int64_t)b;". Floating-point ones are
 * rounded to their own type.
 *
 * One pass over memory, one launch; two, if in and out may lie in the same memory as far as pointers and
 * iterators tell, and there is more than one tile: the first one puts one item of each tile aside. That
 * takes temp storage, an item of in for 4 KiB of items or for 256 of them, whether it is used or not.
 * Nothing is launched for no items.
 *
 * Aliasing: out may be in, if both are pointers, or iterators that read and store item i at the same
 * place and nowhere else, and their items have one size. An out that overlaps in in any other way is
 * refused, if pointers tell. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_adjacent_difference(jig_engine *engine, void *d_temp_storage,
                                           size_t *temp_storage_bytes,
                                           const jig_adjacent_difference_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_adjacent_difference_spec(const jig_adjacent_difference_args *args, char **spec);

/* ---- the same by name; an op of kind JIG_OP_NONE is minus */

/** out[i] = op(in[i], in[i - 1]), and out[0] = in[0]. */
JIG_API jig_status jig_subtract_left(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter in, jig_iter out, uint64_t num_items, jig_op op,
                                     CUstream stream);

/** out[i] = op(in[i], in[i + 1]), and of the last item itself. */
JIG_API jig_status jig_subtract_right(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter in, jig_iter out,
                                      uint64_t num_items, jig_op op, CUstream stream);

JIG_END_DECLS

#endif
