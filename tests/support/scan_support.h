/* Calling jig_scan() in tests, by both phases, with everything checked around it; the sizes at which it
 * goes another way; and what the host makes of the same scan. */
#ifndef JIG_TESTS_SCAN_SUPPORT_H
#define JIG_TESTS_SCAN_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "algorithm/chain_plan.h"

/* Runs a scan: queries the size, takes poisoned temp storage of just that size, `storage_offset` bytes
 * off its alignment, launches and waits. */
void run_scan(const jig_scan_args *args, size_t storage_offset);

/* ---- sizes */

/* A scan's program, and the size of no items. */
program scan_program(const jig_scan_args *args, int sm, int multiprocessors, chain_size *size);

/* How a scan goes about so many items on this GPU. */
chain_plan scan_plan_for(const jig_scan_args *args, uint64_t num_items);

/* In items: what a load takes; a row of a single wave's block; what a block takes by itself at most, and
 * what a cluster does; what a single wave takes at most, and what one of CHAIN_SINGLE_WAVE's rows does; a
 * tile of a look-back, and a group of tiles. */
typedef struct scan_marks {
  size_t vector, row, alone, cluster, single_wave, short_wave, tile, group;
} scan_marks;
scan_marks scan_marks_of(const jig_scan_args *args);
/* Those of an algorithm by key that is planned like that, by its spec, which is freed; those of one that
 * has a kernel for what a cluster takes. */
scan_marks chain_marks_of(char *spec_text, size_t state_bytes);
scan_marks selection_marks_of(char *spec_text);

/* Sizes at and next to every mark and some multiples, ascending, up to `most`; how many. What is beyond
 * the single wave begins with the first tile or group that is. */
enum { SCAN_MAX_SIZES = 112 };
size_t scan_sizes(const scan_marks *marks, size_t most, size_t sizes[SCAN_MAX_SIZES]);

/* More items than a single wave takes, with three whole groups and more before the last tile, which is
 * not whole; but no more than `most`. */
size_t scan_long_size(const scan_marks *marks, size_t most);

/* ---- the host's side */

/* An operator over accumulators of so many bytes: *fold = *fold op *item. */
typedef struct scan_model {
  size_t size;
  void (*apply)(void *fold, const void *item);
} scan_model;
/* x -> w[0] x + w[1], composed, which does not commute, and sums of the other words: of items of two
 * words and of sixteen. */
void compose_pair(void *fold, const void *item);
void compose_line(void *fold, const void *item);

/* The scan of items that are accumulators already; init may be NULL if it is inclusive. */
void scan_on_host(const scan_model *model, jig_scan_mode mode, const void *init, const void *in,
                  size_t count, void *out);

/* Runs a scan whose output is `size` bytes an item, in memory of its own `out_offset` bytes off its
 * alignment, and compares with `wanted`. */
void check_scan(jig_scan_args args, jig_type out_type, size_t out_offset, const void *wanted,
                const char *what);

/* Fails unless the first `count` items are those wanted: where they differ first is told. */
void check_items(const void *got, const void *wanted, size_t size, size_t count, const char *what);

#endif
