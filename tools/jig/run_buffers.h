/* The buffers of jig run memcpy_batched: every file is one, and they are copied one behind the other. */
#ifndef JIG_CLI_RUN_BUFFERS_H
#define JIG_CLI_RUN_BUFFERS_H

#include "run_plan.h"

/* Opens the files and counts them. EXIT_OK or a code, having complained. */
int run_buffers_measure(run_plan *p);

/* Copies them to the GPU, with their addresses and sizes, and allocates what they are copied to. The
 * same. */
int run_buffers_upload(run_plan *p, gpu *g, leaf_costs *costs);

#endif
