/** Scan: every item replaced by the fold of all items up to it (prefix sum, when the operator is plus).
 */
#ifndef JIG_SCAN_H
#define JIG_SCAN_H

#include <jig/reduce.h>

JIG_BEGIN_DECLS

/** Whether out[i] includes in[i]. */
typedef enum jig_scan_mode {
  JIG_SCAN_INCLUSIVE = 0, /**< in[0] op ... op in[i] */
  JIG_SCAN_EXCLUSIVE      /**< in[0] op ... op in[i - 1]; out[0] is init */
} jig_scan_mode;
JIG_INT_SIZED(jig_scan_mode);

/** What jig_scan() is given; a field of zero is its default. */
typedef struct jig_scan_args {
  jig_iter in;
  /** As many items as in. May be the same memory, item for item; see below. */
  jig_iter out;
  uint64_t num_items;
  /** Binary and associative; operands keep their order, so it need not be commutative. Default: plus. */
  jig_op op;
  /** Folded in first, before in[0]: host memory, init_type.size bytes, read during the call. NULL: none;
   *  an exclusive scan then begins with what well-known operators over numbers have for it: 0 for plus
   *  (+0 for floating-point types, as in CUB), otherwise the identity as jig_reduce() writes it for no
   *  items. Any other operator has to be given an init. */
  const void *init;
  /** Default: the output's type. */
  jig_type init_type;
  /** Instead of init: an iterator whose item 0 is the initial value, read when the algorithm runs; what
   *  earlier work on the stream has computed, for instance. Kind JIG_ITER_NONE: none. It must not lie
   *  within out; if pointers tell that it does, the call is refused. */
  jig_iter init_in;
  /** What the operator works on. Default: see "Accumulators" in jig/reduce.h; u32 items are added up as
   *  u64 if out is of u64, which in CUB they are not. */
  jig_type accum_type;
  jig_nan nan;                 /**< as in jig_reduce_args */
  jig_determinism determinism; /**< as in jig_reduce_args */
  jig_scan_mode mode;
  uint32_t reserved32;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_scan_args;

/**
 * out[i] = init op in[0] op ... op in[i], or up to in[i - 1], associated in an unspecified but fixed way:
 * the same input, number of items and GPU model give the same bits, floating-point sums included.
 *
 * One pass over memory, one launch; large ones that are captured into a graph have a memset of temp
 * storage before it, but on SM 90 to 110 if in is a pointer to items of up to 16 bytes. Zero items write
 * nothing.
 *
 * Aliasing: out may be in, if both are pointers (or iterators that read and write item i at the same
 * place and nowhere else) and their items have one size. If pointers tell of any other overlap the call
 * is refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_scan(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                            const jig_scan_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_scan_spec(const jig_scan_args *args, char **spec);

/** jig_scan() with plus, inclusive. */
JIG_API jig_status jig_inclusive_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter in, jig_iter out, uint64_t num_items, CUstream stream);

/** jig_scan() with plus, exclusive, from 0. */
JIG_API jig_status jig_exclusive_sum(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter in, jig_iter out, uint64_t num_items, CUstream stream);

/** jig_scan() with an operator, inclusive; init may be NULL. */
JIG_API jig_status jig_inclusive_scan(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter in, jig_iter out, jig_op op,
                                      const void *init, jig_type init_type, uint64_t num_items,
                                      CUstream stream);

/** jig_scan() with an operator, exclusive. */
JIG_API jig_status jig_exclusive_scan(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter in, jig_iter out, jig_op op,
                                      const void *init, jig_type init_type, uint64_t num_items,
                                      CUstream stream);

JIG_END_DECLS

#endif
