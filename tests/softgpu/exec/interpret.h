/* The interpreter: how a warp's lanes go their ways.
 *
 * Lanes that are at the same place in the same activation are a split and execute together. The split
 * that is deepest in calls, and among those the one furthest back in the text, goes first, which brings
 * diverged lanes together again where compilers put the end of a branch; a split that has used up its
 * slice goes behind the others, so that every lane gets on whatever the others wait for. */
#ifndef SOFTGPU_EXEC_INTERPRET_H
#define SOFTGPU_EXEC_INTERPRET_H

#include "exec/warp.h"

typedef enum warp_state {
  WARP_RUNS,  /* it got on */
  WARP_POLLS, /* it only looked at memory that others are to write */
  WARP_WAITS, /* until something changes; it did nothing else */
  WARP_OVER,
} warp_state;

/* Executes at most about `budget` instructions of a warp. */
warp_state warp_run(warp *w, unsigned budget);

/* Gives up what a warp's lanes have begun, after a fault. */
void warp_end(warp *w);

/* ---- for the instructions that move lanes; they return FLOW_JUMP (exits too) */

/* Lanes of the executing split go on at pc in an activation. */
flow warp_move(warp *w, uint32_t lanes, frame *to, uint32_t pc);
/* Lanes of the executing split stay at its instruction, to execute it later. */
void warp_retry(warp *w, uint32_t lanes);
/* Of those that execute the instruction, the lanes `done` go on behind it and the others try again. */
flow warp_go(warp *w, uint32_t mask, uint32_t done);
/* Lanes of the executing split are over. */
flow warp_exit(warp *w, uint32_t lanes);
/* Has the waiting splits try again. */
void warp_wake(warp *w);

/* ---- activations */

/* An activation for lanes; caller NULL: of a kernel. NULL without memory. */
frame *frame_begin(warp *w, const code *c, frame *caller, const insn *call, uint32_t lanes);
/* Bytes of local memory that it takes at most. */
uint32_t frame_local_bytes(const code *c);
/* Lanes leave it; it ends with the last. */
void frame_leave(frame *f, uint32_t lanes);

#endif
