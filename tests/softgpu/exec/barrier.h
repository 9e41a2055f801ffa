/* Barriers of a block and of a cluster. */
#ifndef SOFTGPU_EXEC_BARRIER_H
#define SOFTGPU_EXEC_BARRIER_H

#include "exec/warp.h"

/* Threads are over: barriers that wait for all threads of the block may be complete now. */
void barriers_lanes_over(block *b);
void cluster_barrier_lanes_over(warp *w, uint32_t lanes);

/* Nobody in the block can get on: says why, and ends the grid. */
flow barrier_report_stuck(block *b);

#endif
