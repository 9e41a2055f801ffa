/* What jig run's algorithms store, from the GPU to files or to where people see it. */
#ifndef JIG_CLI_RUN_OUTPUTS_H
#define JIG_CLI_RUN_OUTPUTS_H

#include "run_plan.h"

/* All of these return EXIT_OK or a code, having complained. */

/* Gives outputs their device memory, once inputs have theirs: a call says how large some are. */
int run_outputs_allocate(run_plan *p, gpu *g);

/* Copies what was written to host memory: after that `count` of each holds. */
int run_outputs_download(run_plan *p, gpu *g);

/* Stores those that have a file: .npy by that name, otherwise raw; "-" is standard output. */
int run_outputs_save(const run_plan *p);

/* Prints the others on standard output. */
void run_outputs_print(const run_plan *p);

/* All that were stored or written, in bytes. */
uint64_t run_outputs_bytes(const run_plan *p);

#endif
