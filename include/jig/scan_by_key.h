/** Scan by key: a scan of its own for every run of equal neighbouring keys. */
#ifndef JIG_SCAN_BY_KEY_H
#define JIG_SCAN_BY_KEY_H

#include <jig/scan.h>

JIG_BEGIN_DECLS

/** What jig_scan_by_key() is given; a field of zero is its default. */
typedef struct jig_scan_by_key_args {
  jig_iter keys_in;
  jig_iter values_in; /**< as many items as keys_in */
  /** As many items. May be the same memory as values_in, or as keys_in, item for item. */
  jig_iter values_out;
  uint64_t num_items;
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** Whether two neighbouring keys belong to one run: binary over the type of keys_in, yields bool, as
   *  jig_op_source("return a / 10 == b / 10;"). It sees a key and the one that follows it, in this order.
   *  Default: ==, which numbers have, and structs whose definition has an operator==. A NaN is a run by
   *  itself. */
  jig_op equality;
  /** What every run begins with; otherwise as in jig_scan_args. */
  const void *init;
  jig_type init_type;
  jig_iter init_in;
  jig_type accum_type;         /**< as in jig_scan_args */
  jig_nan nan;                 /**< as in jig_reduce_args */
  jig_determinism determinism; /**< as in jig_reduce_args */
  jig_scan_mode mode;          /**< as in jig_scan_args */
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_scan_by_key_args;

/**
 * jig_scan() for every maximal run of neighbouring items whose keys are equal: values_out[i] = init op
 * values_in[k] op ... op values_in[i], or up to values_in[i - 1], where item k is the first of the run
 * that item i is in. Associated in an unspecified but fixed way: the same input, number of items and GPU
 * model give the same bits.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if keys_in and values_in are pointers to items of 4 or 8 bytes
 * and neither the accumulator nor an item of values_out is larger than 8. Zero items write nothing.
 *
 * Aliasing: values_out and values_in as out and in of jig_scan(). values_out may be keys_in, if both are
 * pointers and their items have one size: then the keys are copied to temp storage first. If pointers
 * tell that it overlaps keys_in in any other way, the call is refused. For the temp storage and the
 * stream see jig/jig.h.
 */
JIG_API jig_status jig_scan_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                   const jig_scan_by_key_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_scan_by_key_spec(const jig_scan_by_key_args *args, char **spec);

/** jig_scan_by_key() with plus, inclusive. */
JIG_API jig_status jig_inclusive_sum_by_key(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter keys_in,
                                            jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                            CUstream stream);

/** jig_scan_by_key() with plus, exclusive, from 0. */
JIG_API jig_status jig_exclusive_sum_by_key(jig_engine *engine, void *d_temp_storage,
                                            size_t *temp_storage_bytes, jig_iter keys_in,
                                            jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                            CUstream stream);

/** jig_scan_by_key() with an operator, inclusive. */
JIG_API jig_status jig_inclusive_scan_by_key(jig_engine *engine, void *d_temp_storage,
                                             size_t *temp_storage_bytes, jig_iter keys_in,
                                             jig_iter values_in, jig_iter values_out, jig_op op,
                                             uint64_t num_items, CUstream stream);

/** jig_scan_by_key() with an operator, exclusive. */
JIG_API jig_status jig_exclusive_scan_by_key(jig_engine *engine, void *d_temp_storage,
                                             size_t *temp_storage_bytes, jig_iter keys_in,
                                             jig_iter values_in, jig_iter values_out, jig_op op,
                                             const void *init, jig_type init_type, uint64_t num_items,
                                             CUstream stream);

JIG_END_DECLS

#endif
