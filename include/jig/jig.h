/**
 * jig: device-wide algorithms for plain C programs, compiled for the caller's types and GPU at run time.
 *
 * This header includes all the others. They compile as C11 and as C++17 and need no CUDA header.
 *
 *     jig_reduce_args sum = {.in = jig_pointer(d_x, JIG_F32), .out = jig_pointer(d_sum, JIG_F32),
 *                            .num_items = n, .op = JIG_PLUS};
 *     size_t bytes = 0;
 *     jig_reduce(NULL, NULL, &bytes, &sum, stream);       // how much temp storage; builds the program
 *     cuMemAlloc(&temp, bytes);
 *     jig_reduce(NULL, (void *)temp, &bytes, &sum, stream);   // only launches
 *
 * Rules that hold for every function:
 * - Any thread may call any function at any time, and any number of threads the same one with the same
 *   engine or kernel; what is being destroyed, and a prepared call, is used by one thread. That streams
 *   are being captured makes a difference only to a call that is given one of them, or the legacy stream.
 * - A pointer may be NULL where its description says so. Any other one is JIG_ERROR_INVALID_ARGUMENT,
 *   which names it; so is any other argument that is wrong.
 * - A function that fails because of its arguments leaves host memory as it was, but for a pointer that
 *   it hands out (*engine, *spec, *prepared, ...), which is NULL then; and it may be called again.
 * - What is passed in is the caller's, is not changed, and is not needed after the call, unless its
 *   description says otherwise. Sizes are in bytes, counts in items.
 *
 * Rules that hold for every algorithm:
 * - It returns a status; jig_last_error() says what failed. Nothing is printed, nothing exits.
 * - `engine` may be NULL: one process-wide engine, configured from the environment.
 * - Called with d_temp_storage == NULL it writes the needed size to *temp_storage_bytes, at least 1, and
 *   builds the kernels that this call needs, or loads them from the cache; no work is enqueued. The
 *   kernels that other counts need are then compiled in the background, by a thread of low priority. The
 *   size depends on the args and counts alone (num_items, num_segments, k, ...) and never shrinks as
 *   they grow. Pointers may still be NULL: that they are set, aligned and do not overlap is checked by
 *   the call that launches. Where arrays that are the same one make a difference to the size, as some
 *   algorithms say, NULL pointers get enough for either.
 * - Called with temp storage it enqueues work on the stream and returns: no synchronisation, no
 *   allocation, no query of the driver but whether the stream is being captured, provided that the
 *   kernels it needs are loaded in the current context (a size query with the same counts loads them).
 *   Such a call may be captured into a graph. Kernels that are not loaded it builds or waits for, also
 *   during a capture; only a program that no call has asked for before is JIG_ERROR_NOT_BUILT there,
 *   which leaves the capture intact.
 * - Called with temp_storage_bytes == NULL it takes temp storage from the stream-ordered allocator (or
 *   the engine's callbacks) and gives it back on the same stream. If that is being captured, so are the
 *   allocator's calls: they become nodes of the graph.
 * - Temp storage needs no initialisation and may be used again in stream order. It must not overlap the
 *   inputs and outputs.
 * - Counts are 64-bit and may exceed 2^32; zero items are valid, and pointers to them may be NULL. (Not
 *   so where offsets or sizes in device memory say that there are none.) A count of 2^63 and more, or of
 *   more than any memory has room for, is JIG_ERROR_INVALID_ARGUMENT. One that needs more blocks, tiles
 *   or launches than a call can have is JIG_ERROR_UNSUPPORTED; up to 2^36 (of a copy up to 2^42 bytes)
 *   there are enough, of most algorithms up to some 2^42. The size query returns these errors, too; they
 *   name the count.
 * - A count may be known to the GPU only. Beside num_items there is num_items_in, beside num_segments
 *   num_segments_in, and so on: NULL, or a device pointer, aligned to 8 bytes, to a uint64_t that
 *   kernels read when they run, in stream order. num_items is then the most that there may be: temp
 *   storage, launches and checks go by that, and a larger number in memory counts as that. So one call
 *   can take from device memory how many items another one has stored (num_selected_out, num_runs_out,
 *   ..., of type JIG_U64), and a captured graph may be replayed with any number up to num_items. It must
 *   not lie in an output or the temp storage. That, of outputs as far as pointers and counts tell which
 *   items are stored, and its alignment are checked even if num_items is 0.
 *   Such calls take programs of their own: in specs `"num_items_in":"u64"`.
 * - The stream's context must be the calling thread's current one.
 * - A function that is another one by name, as jig_fill() is jig_copy(), has that one's spec, and errors
 *   and NVTX ranges have that one's name and its args' fields.
 * - Functions by name take what is read, what is written, counts and operators in that order. Some have
 *   CUB's or Thrust's instead: operators of scans, jig_tabulate() and jig_generate() come before the
 *   count, counts of segmented sorts and top-ks before offsets, and of jig_unique_by_key() both inputs
 *   before both outputs.
 * - Every struct of arguments is zero-initialised first: a zero field is the documented default, and
 *   what is reserved has to be zero (docs/abi.md).
 */
#ifndef JIG_JIG_H
#define JIG_JIG_H

#include <jig/adjacent_difference.h>
#include <jig/binary_search.h>
#include <jig/cache.h>
#include <jig/copy.h>
#include <jig/copy_batched.h>
#include <jig/engine.h>
#include <jig/find.h>
#include <jig/for_each.h>
#include <jig/grid.h>
#include <jig/histogram.h>
#include <jig/iterator.h>
#include <jig/kernel.h>
#include <jig/merge.h>
#include <jig/merge_sort.h>
#include <jig/min_max.h>
#include <jig/nth_element.h>
#include <jig/operator.h>
#include <jig/partition.h>
#include <jig/prepared.h>
#include <jig/prewarm.h>
#include <jig/radix_sort.h>
#include <jig/reduce.h>
#include <jig/reduce_by_key.h>
#include <jig/reverse.h>
#include <jig/run_length.h>
#include <jig/scan.h>
#include <jig/scan_by_key.h>
#include <jig/segmented_reduce.h>
#include <jig/segmented_scan.h>
#include <jig/segmented_sort.h>
#include <jig/segmented_top_k.h>
#include <jig/select.h>
#include <jig/set.h>
#include <jig/status.h>
#include <jig/top_k.h>
#include <jig/transform.h>
#include <jig/type.h>
#include <jig/version.h>

#endif
