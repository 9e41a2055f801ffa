/** Batched copies: many buffers, or many ranges of items, in one call, whatever their sizes.
 */
#ifndef JIG_COPY_BATCHED_H
#define JIG_COPY_BATCHED_H

#include <jig/engine.h>
#include <jig/iterator.h>

JIG_BEGIN_DECLS

/** What jig_memcpy_batched() is given; a field of zero is its default. */
typedef struct jig_memcpy_batched_args {
  /** Device addresses, as items of type u64: where each buffer is copied from. An array of CUdeviceptr or
   * of pointers in device memory is jig_pointer(array, JIG_U64). */
  jig_iter sources;
  /** The same: where it is copied to. */
  jig_iter destinations;
  /** Of each buffer, in bytes: any integer type. A size of 0, or below, copies nothing. */
  jig_iter sizes;
  uint64_t num_buffers;
  const uint64_t *num_buffers_in; /**< device memory, or NULL: num_buffers is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_memcpy_batched_args;

/**
 * Copies sizes[i] bytes from address sources[i] to address destinations[i] for i from 0 to num_buffers
 * - 1.
 *
 * Sizes may be anything from 0 to gigabytes, in any order and mixture, and addresses may have any
 * alignment: work is shared out evenly. A copy is fastest where source and destination have the same
 * remainder modulo 16. Nothing outside of the buffers is read or written. Addresses of buffers of size 0
 * are not used.
 *
 * Two launches; temp storage of 16 bytes for each buffer. Nothing is launched for no buffers.
 *
 * Aliasing: sources may overlap each other. A destination may overlap nothing else that the call reads or
 * writes; nothing checks that, as only the GPU knows the addresses. For the temp storage and the stream
 * see jig/jig.h.
 */
JIG_API jig_status jig_memcpy_batched(jig_engine *engine, void *d_temp_storage,
                                      size_t *temp_storage_bytes, const jig_memcpy_batched_args *args,
                                      CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_memcpy_batched_spec(const jig_memcpy_batched_args *args, char **spec);

/** What jig_copy_batched() is given; a field of zero is its default. */
typedef struct jig_copy_batched_args {
  jig_iter in;
  /** Items of in convert to its own. */
  jig_iter out;
  /** Where each range begins in in, and in out: in items, of any integer types. */
  jig_iter in_offsets;
  jig_iter out_offsets;
  /** Of each range, in items: any integer type. A size of 0, or below, copies nothing. */
  jig_iter sizes;
  uint64_t num_ranges;
  const uint64_t *num_ranges_in; /**< device memory, or NULL: num_ranges is read there (jig/jig.h) */
  uint64_t reserved[7];
} jig_copy_batched_args;

/**
 * out[out_offsets[r] + i] = in[in_offsets[r] + i] for every range r from 0 to num_ranges - 1 and for i
 * from 0 to sizes[r] - 1, converted to the type of out as C++ does by static_cast.
 *
 * What holds of sizes, launches and temp storage of jig_memcpy_batched() holds here, too. Between
 * pointers to items of one type, ranges are copied as bytes are there. For items at addresses that are
 * items themselves use jig_memcpy_batched(), with jig_iter_transform() to make bytes of sizes.
 *
 * Each item is read once, and stored once. The order is not specified: if an output iterator stores two
 * items at one place, one of them stays.
 *
 * Aliasing: ranges of in may overlap each other. A range of out may overlap nothing else that the call
 * reads or writes; nothing checks that, as only the GPU knows where ranges are.
 */
JIG_API jig_status jig_copy_batched(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    const jig_copy_batched_args *args, CUstream stream);

/** The spec of the program that these args need; see jig_reduce_spec(). */
JIG_API jig_status jig_copy_batched_spec(const jig_copy_batched_args *args, char **spec);

JIG_END_DECLS

#endif
