/** Radix sort: keys, with or without values beside them, in order of their bits.
 */
#ifndef JIG_RADIX_SORT_H
#define JIG_RADIX_SORT_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** The smallest first, or the largest. */
typedef enum jig_sort_order { JIG_SORT_ASCENDING = 0, JIG_SORT_DESCENDING } jig_sort_order;
JIG_INT_SIZED(jig_sort_order);

/** What jig_radix_sort() is given; a field of zero is its default. */
typedef struct jig_radix_sort_args {
  /** Keys of any built-in type, or structs of any size with a decomposer: by any input iterator. One
   * that is no pointer may be asked for an item several times. */
  jig_iter keys_in;
  /** A pointer to as many items of the same type. */
  jig_iter keys_out;
  /** A value for each key, of any type, by any input iterator: jig_counting() makes values_out the
   * indices that sort the keys (argsort). Kind JIG_ITER_NONE: there are none. */
  jig_iter values_in;
  /** A pointer to as many items of the same type. Both or neither. */
  jig_iter values_out;
  uint64_t num_items;
  jig_sort_order order;
  /** Only bits begin_bit .. end_bit - 1 of the keys count, 0 being the least significant one: of signed
   * integers with the sign bit flipped, and of floating-point numbers as described below. end_bit 0: all
   * from begin_bit on. If they are the same, nothing changes its place. */
  int begin_bit;
  int end_bit;
  uint32_t reserved32;
  /** Host memory, or NULL. If it is given, inputs are pointers; keys_in and keys_out are two buffers,
   * either of which may be overwritten, as are values_in and values_out, and there is none of their size
   * in temp storage, but for structs and large values, of which more is said below. When the call
   * returns, *selector says where the result will be: 0: in keys_in and values_in; 1: in keys_out and
   * values_out. What the other one holds then is unspecified. */
  int *selector;
  /** For keys that are structs: a list of fields of a key `x`, the most significant first, such as
   *  "x.score, x.id"; C++ text, of which the same holds as of jig_op_source(). NULL: none. Fields, or
   * what is computed of them, are of built-in types, no more bits in all than a key has. They count as
   * one number, of bits as described below: 0 is the last field's least significant one. Other parts of a
   * key do not count. */
  const char *decomposer;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_radix_sort_args;

/**
 * Keys in ascending or descending order, and their values with them. Stable: keys that are equal keep the
 * order that they come in, whatever the order is.
 *
 * Floating-point numbers are ordered by their bits: -inf, negative numbers, -0 and +0, which are equal
 * and stay what they are, positive numbers, +inf; NaNs are beyond the infinity of their sign, and ordered
 * by their bits, too. Their bits, to begin_bit and end_bit, are those of an unsigned integer of that
 * order: the number's own with the sign bit flipped, of a negative one with all bits flipped. false comes
 * before true.
 *
 * Takes (1 + p) passes over the keys for p digits of 8 bits each; those in which all keys are the same
 * are left out. What fits a block, or from SM 90 on a cluster of blocks (up to 2^16 keys, less if they
 * are large or the GPU is small), is sorted by one launch and needs no temp storage. That of more is as
 * large as the keys and the values if there is more than one digit. Besides, with or without a selector,
 * there is 1 KiB for each tile of a pass, or up to 1 MiB if that is more, and no more than for 2^30
 * items: some 3 % of keys and values, 7 % at most, but 0.2 bytes an item of those of 1 and 2 bytes, and
 * up to a byte an item of structs like those of the next paragraph.
 *
 * Structs of more than 16 bytes are not moved in these passes, nor are values of more than 16 bytes:
 * their indices are, with such structs by words of their fields, in a sort of its own for each 128 bits;
 * and then keys and values are put where they belong, in a pass each. That takes temp storage: for each
 * item two indices of 8 bytes and two words of 4, 8 or 16 bytes, as many as the fields need, and another
 * index if they have more than 128 bits; half of that if a block or cluster sorts all. Where values alone
 * are large, that is two indices, of 4 bytes if there are less than 2^32 items, and a key. With a
 * selector the result is in keys_out and values_out then, and of structs all of that but one index is in
 * keys_out meanwhile, as far as it has room.
 *
 * Aliasing: outputs may overlap neither each other nor an input, and with a selector nothing may. If
 * pointers tell that something does, the call is refused. For the temp storage and the stream see
 * jig/jig.h.
 */
JIG_API jig_status jig_radix_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                  const jig_radix_sort_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). One program serves either order,
 *  any bits, and all integer types of one size. The spec names those that put keys and values where they
 *  belong, too, where a sort takes them, or may; those of large values for less than 2^32 items. */
JIG_API jig_status jig_radix_sort_spec(const jig_radix_sort_args *args, char **spec);

/** jig_radix_sort() of keys with values. */
JIG_API jig_status jig_radix_sort_pairs(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                        jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                        jig_sort_order order, CUstream stream);

/** jig_radix_sort() of keys alone. */
JIG_API jig_status jig_radix_sort_keys(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                       uint64_t num_items, jig_sort_order order, CUstream stream);

JIG_END_DECLS

#endif
