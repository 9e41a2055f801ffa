/* The workers: threads that execute tasks and the clusters of grids. */
#ifndef SOFTGPU_GRID_POOL_H
#define SOFTGPU_GRID_POOL_H

#include "exec/block.h"
#include "grid/grid.h"

/* A grid and how far it is. */
typedef struct grid_state {
  grid g;
  struct grid_state *next;
  uint64_t clusters, begun, over; /* how many there are, were begun, are over */
  uint64_t blocks, triggered;     /* that launched their dependents or are over */
  double cost;                    /* of a cluster, in SMs */
  uint64_t executed;              /* thread-instructions of the clusters that are over */
  double start_ms;
} grid_state;

#endif
