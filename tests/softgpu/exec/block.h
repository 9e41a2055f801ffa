/* Blocks and clusters: made, executed a slice at a time, freed. */
#ifndef SOFTGPU_EXEC_BLOCK_H
#define SOFTGPU_EXEC_BLOCK_H

#include "exec/warp.h"

typedef enum cluster_state {
  CLUSTER_RUNS,
  CLUSTER_IDLE, /* all wait for, or look at, what others do */
  CLUSTER_OVER,
} cluster_state;

/* The cluster whose first block has these coordinates; NULL without memory. */
cluster *cluster_begin(grid *g, const unsigned first[3]);
void cluster_free(cluster *c);

/* Executes about `budget` instructions of each warp. random: 0, or what the order is drawn from. */
cluster_state cluster_run(cluster *c, unsigned budget, uint64_t *random);

/* Thread-instructions so far. */
uint64_t cluster_executed(const cluster *c);

/* For the report of a deadlock: a line for each place where lanes of the cluster are. */
void cluster_describe(const cluster *c);

/* ---- for the interpreter */

void block_fill_specials(const warp *w, const code *c, uint8_t *regs);
/* Lanes of a warp are over: who waits at barriers may have nobody left to wait for. */
void block_lanes_over(warp *w, uint32_t lanes);
/* Threads of the block that are not over. */
unsigned block_live_threads(const block *b);

/* A number from a state that is not 0 (xorshift64*; Vigna 2016). */
static inline uint64_t draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

#endif
