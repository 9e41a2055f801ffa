/* What jig run's algorithms store, from the GPU to files or to where people see it. */
#ifndef JIG_CLI_RUN_OUTPUTS_H
#define JIG_CLI_RUN_OUTPUTS_H

#include "run_plan.h"

/* All of these return EXIT_OK or a code, having complained. */

/* Gives outputs their device memory, once inputs have theirs: a call says how large some are. */
int run_outputs_allocate(run_plan *p, gpu *g);

/* Copies what was written to host memory: after that `count` of each holds. */
int run_outputs_download(run_plan *p, gpu *g);

/* Stores those that have a file and are not stored yet: .npy by that name, otherwise raw; "-" is standard
 * output. */
int run_outputs_save(const run_plan *p);

/* Prints the others on standard output. */
void run_outputs_print(const run_plan *p);

/* Whether that has something to print of an output. */
bool run_output_is_shown(const run_plan *p, const run_array *o);

/* The next `rows` items of arrays side by side, a line each, of which `before` have been printed: on a
 * terminal no more than a screenful of them. And what is said in the end, of `all`. */
void run_rows_print(const run_array *const columns[], int count, uint64_t before, uint64_t rows);
void run_rows_end(uint64_t all);

/* The header of an .npy file for an output of so many items, no shorter than that; the caller's to
 * free(). NULL having complained. */
char *run_output_header(const run_array *o, uint64_t items, size_t least, size_t *length);

/* Whether a file is an .npy by its name. */
bool run_output_is_npy(const char *name);

/* All that were stored or written, in bytes. */
uint64_t run_outputs_bytes(const run_plan *p);

#endif
