/* Races in one block's shared memory: two accesses to a byte by different threads, one of them a write,
 * that nothing orders.
 *
 * What orders: barriers, bar.warp.sync, mbarrier phases, and strong accesses (relaxed and stronger,
 * volatile, atomic) to one place, which are taken as releases and acquires of that place whatever their
 * fences. Each thread has a clock; what it has heard of the others' clocks decides whether an access of
 * theirs came before (vector clocks; Flanagan and Freund, "FastTrack", PLDI 2009). A barrier of the whole
 * block raises a base below which everything is ordered, so that the vectors are needed between barriers
 * only.
 *
 * What is told is a race. Not every race is told: of the reads since the last write only two are
 * remembered, and lanes of a warp that execute one store to the same byte together count as agreeing
 * about the value.
 *
 * A tracker is used by one host thread at a time. */
#ifndef SOFTGPU_CHECK_RACE_H
#define SOFTGPU_CHECK_RACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct race_tracker race_tracker;

/* NULL without memory, or for more than 1024 threads. Threads are numbered as in the block:
 * warp * 32 + lane. After a race_barrier() a tracker also serves for another block of the same shape. */
race_tracker *race_create(unsigned threads, uint32_t shared_bytes);
void race_free(race_tracker *r);

/* The access that another one conflicts with. */
typedef struct race_conflict {
  unsigned thread, ptx_line;
  bool was_write;
  uint32_t offset; /* of the first byte in conflict */
} race_conflict;

/* An access of a thread to [offset, offset + bytes); what lies outside of shared memory is left out.
 * Strong: see above; two strong ones never conflict, a strong and a plain one do. A strong write is taken
 * as a read too, so atomics call race_write() alone. True, with *conflict, if it races with an earlier
 * one. ptx_line is remembered for later conflicts (up to 2 million).
 *
 * A store that lanes of a warp execute together is recognised by its calls: one after the other, in
 * ascending order of lanes (several for a lane are fine), without calls for other stores in between. */
bool race_read(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
               unsigned ptx_line, race_conflict *conflict);
bool race_write(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
                unsigned ptx_line, race_conflict *conflict);

/* What lanes of a warp execute together: an access of each lane in the mask to its own offset, as by the
 * functions above in ascending order of lanes; if it is a store, it is no other call's. The first lane
 * whose access races with an earlier one, with *conflict; -1: none. */
typedef struct race_access {
  uint32_t bytes; /* of each lane */
  bool is_write, strong;
  unsigned ptx_line;
} race_access;
int race_warp_access(race_tracker *r, unsigned warp, uint32_t lanes, const uint32_t offsets[32],
                     const race_access *how, race_conflict *conflict);

/* All that all threads did is ordered before all that they will do. */
void race_barrier(race_tracker *r);
/* The same among the lanes of a mask in one warp. */
void race_warp_sync(race_tracker *r, unsigned warp, uint32_t lanes);
/* A thread's past becomes known to those who acquire the same key later (an offset in shared memory for
 * mbarriers and flags; RACE_NAMED_BARRIER + number for named barriers; numbers below 128). Offsets count
 * by words, and those that are a multiple of 16 KB apart count as one. */
enum { RACE_NAMED_BARRIER = 0x40000000, RACE_OTHER = 0x50000000 };
void race_release(race_tracker *r, unsigned thread, uint32_t key);
void race_acquire(race_tracker *r, unsigned thread, uint32_t key);

#endif
