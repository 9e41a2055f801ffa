/** Top-k: the largest or smallest of many keys, with or without values beside them.
 */
#ifndef JIG_TOP_K_H
#define JIG_TOP_K_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** The largest, or the smallest. */
typedef enum jig_top_k_choice { JIG_TOP_K_MAX = 0, JIG_TOP_K_MIN } jig_top_k_choice;
JIG_INT_SIZED(jig_top_k_choice);

/** What jig_top_k() is given; a field of zero is its default. */
typedef struct jig_top_k_args {
  /** Keys of any built-in type, or structs of any size with a decomposer. Some of them are read
   * more than once. */
  jig_iter keys_in;
  /** Of the same type; min(k, num_items) are written. */
  jig_iter keys_out;
  /** A value for each key, of one type of any kind, and where those of the result go; kind JIG_ITER_NONE:
   *  there are none. Both or neither. */
  jig_iter values_in;
  jig_iter values_out;
  uint64_t num_items;
  /** How many are wanted; if there are less, all of them are the result. */
  uint64_t k;
  jig_top_k_choice choice;
  /** 1: the result comes in order: the largest first of the largest, the smallest first of the
   *  smallest. 0: the order is unspecified, and may be another one each time. */
  int is_sorted;
  /** For keys that are structs: what they are ordered by; as in jig_radix_sort_args, but of no more than
   * 128 bits: more is JIG_ERROR_COMPILE. */
  const char *decomposer;
  const uint64_t *num_items_in; /**< device memory, or NULL: num_items is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_top_k_args;

/**
 * The k largest keys, or the k smallest, and their values with them: the same items that would be the
 * first k if all were sorted by jig_radix_sort(), in descending or ascending order. So it is determined
 * what becomes of equal keys: those that come first in the input are taken, and in a sorted result they
 * are in the input's order. Keys are ordered as jig_radix_sort() orders them, NaNs and zeros too.
 *
 * Many items are read once, whatever the keys, but for some thousands that are looked at before, as a
 * sample, which tells what may belong to the result. Where it misleads, which is as good as impossible
 * unless the input is made for it, one more pass is needed for each 11 bits of a key, and of an index if
 * there are equal keys. Few items are looked through by one block. Keys of one byte without values are
 * counted, in one pass whatever they are, and a sorted result takes no more.
 *
 * Temp storage is for what may belong to the result: of keys of up to 4 bytes 8 bytes each, of others an
 * index of 8 bytes and a key of 8 or 16. That is 0.2 % of 2^28 items for k up to 4096, 1.4 % for a
 * sixteenth of them and 2.8 % for half of them; of 2^20 items 2 % to 12 %; and nothing for what one block
 * looks through. Where bytes are counted it is up to 2 KB for each multiprocessor. Of other keys a sorted
 * result takes up to twice 16 bytes more for each of its items, or twice 32 for keys of more than 8
 * bytes.
 *
 * Aliasing: outputs may overlap neither each other nor an input. If pointers tell that something does,
 * the call is refused. For the temp storage and the stream see jig/jig.h.
 */
JIG_API jig_status jig_top_k(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_top_k_args *args, CUstream stream);

/** The spec of what these args need; see jig_reduce_spec(). One program serves any k, and either choice.
 *  A sorted result takes another one as well, a merge sort's: there is one for all keys of up to 4
 *  bytes, one for those of up to 8, and one for others. The spec of a sorted call names both. */
JIG_API jig_status jig_top_k_spec(const jig_top_k_args *args, char **spec);

/** jig_top_k() of the largest keys with their values, in no order. */
JIG_API jig_status jig_top_k_max_pairs(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                       jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                       uint64_t k, CUstream stream);

/** jig_top_k() of the smallest keys with their values, in no order. */
JIG_API jig_status jig_top_k_min_pairs(jig_engine *engine, void *d_temp_storage,
                                       size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                       jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                       uint64_t k, CUstream stream);

/** jig_top_k() of the largest keys alone, in no order. */
JIG_API jig_status jig_top_k_max_keys(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                      uint64_t num_items, uint64_t k, CUstream stream);

/** jig_top_k() of the smallest keys alone, in no order. */
JIG_API jig_status jig_top_k_min_keys(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                      uint64_t num_items, uint64_t k, CUstream stream);

JIG_END_DECLS

#endif
