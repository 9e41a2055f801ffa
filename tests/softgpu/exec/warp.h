/* What executes: grids of clusters of blocks of warps. A block stays with one worker; the blocks of a
 * cluster with the same one. */
#ifndef SOFTGPU_EXEC_WARP_H
#define SOFTGPU_EXEC_WARP_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/race.h"
#include "check/report.h"
#include "code/code.h"
#include "code/module.h"
#include "grid/grid.h"

enum { LANES = 32, FULL = -1, MAX_WARPS = 32, BARRIERS = 16, MAX_CLUSTER = 16 };

/* Windows of the generic address space. A shared address is 32 bits: an offset in the thread's own
 * block's memory, or (rank + 1) << 24 | offset for the block of that rank in the cluster. */
#define WINDOW_SHARED UINT64_C(0x0000010000000000)
#define WINDOW_LOCAL UINT64_C(0x0000020000000000)
#define WINDOW_PARAM UINT64_C(0x0000030000000000)
#define WINDOW_CODE UINT64_C(0x0000040000000000) /* functions: + 16 * index in the module */
#define WINDOW_SIZE UINT64_C(0x100000000)

/* One activation of a function by some lanes of a warp. */
typedef struct frame {
  struct frame *caller;
  unsigned depth;
  const code *code;
  uint8_t *regs;
  uint8_t *unset; /* for each byte of regs, whether it came from memory nobody wrote; NULL: none did */
  uint32_t local_base; /* of its local memory in each lane's local window */
  uint32_t lanes;      /* still in it or in what it called */
  const insn *call;    /* the caller's; execution goes on behind it */
} frame;

/* Lanes that are at the same place. */
typedef struct split {
  uint32_t lanes, pc;
  frame *frame;
  unsigned used; /* instructions of its turn, or since it last gave way */
  bool waiting;  /* tried its instruction in vain since something last changed */
  bool late;     /* has had its turn: the others come first */
  bool polled;   /* warp.polled, while others execute */
} split;

/* An asynchronous copy by cp.async: what a thread has asked for and may not look at yet. */
struct pending_copy;

typedef struct warp {
  uint8_t *regs; /* of the frame that executes */
  frame *frame;
  struct block *block;
  unsigned index;     /* in the block */
  uint32_t all;       /* threads that there are */
  uint32_t live;      /* those that are not over */
  uint32_t carry;     /* CC.CF of each lane */
  uint32_t active;    /* lanes of the split that executes, guard or no guard */
  uint32_t pc;        /* of what executes */
  bool polled;        /* the executing split: a strong read since the last backward branch */
  bool waits_outside; /* a split waits for what other blocks, grids or copies do */
  uint64_t seen;      /* block->changes when those that wait last had a reason to try again */
  uint64_t stores;    /* counts what others may see of it in memory, as a sign of progress */
  split splits[LANES];
  unsigned split_count;
  uint8_t *local, *local_shadow;      /* LANES * block->local_bytes; shadow as in memory.h */
  struct pending_copy *copies[LANES]; /* cp.async, oldest first */
  struct rendezvous *rendezvous;      /* collective.c's own; NULL: nobody waits */
  uint32_t tid[3][LANES];
  uint32_t cluster_generation[LANES]; /* of barrier.cluster, when the lane arrived */
  uint32_t cluster_arrived;           /* lanes that arrived and have not waited yet */
  uint64_t executed;                  /* thread-instructions */
  const insn *executing;              /* the last one; for messages */
} warp;

typedef struct barrier {
  uint32_t arrived;            /* threads */
  uint32_t expected;           /* 0: all threads of the block that are not over */
  uint32_t votes;              /* barrier.red: of those that arrived, how many were true */
  uint32_t waiting[MAX_WARPS]; /* lanes that came by sync and wait, by warp */
  uint32_t pass[MAX_WARPS];    /* lanes that may leave */
  uint32_t passed_votes[MAX_WARPS], passed_count[MAX_WARPS]; /* of the round they leave */
} barrier;

typedef struct block {
  struct grid *grid;
  struct cluster *cluster;
  unsigned id[3], rank; /* rank in the cluster */
  unsigned threads, warp_count;
  warp *warps;
  uint8_t *shared, *shared_shadow;
  uint32_t shared_bytes;
  uint32_t local_bytes; /* of a thread's local window */
  race_tracker *races;  /* NULL: not checked */
  barrier barriers[BARRIERS];
  unsigned live_warps;
  bool dependents_launched, dependents_counted;
  uint64_t changes; /* counts what others may be waiting for: stores to shared memory, arrivals, exits */
  struct async_work *async; /* bulk copies under way, async.c's own */
} block;

typedef struct cluster {
  struct grid *grid;
  unsigned block_count;
  block *blocks[MAX_CLUSTER]; /* by rank */
  unsigned live_blocks;
  uint32_t arrived, generation; /* barrier.cluster, in threads */
  struct cluster *next;         /* grid.c's own */
} cluster;

typedef struct grid {
  grid_launch launch;
  const kernel *kernel;
  atomic_bool failing;      /* a fault was reported: everything stops */
  atomic_int result;        /* CUresult */
  struct grid_state *state; /* grid.c's own */
} grid;

/* ---- registers, for the run functions */

#define REG(type, k) ((type *)(void *)(w->regs + i->op[k]))
#define FOR_LANES(l) for (int l = 0; l < LANES; ++l)
#define FOR_EACH(l, mask)                                                                          \
  for (uint32_t rest_##l = (mask), l; rest_##l != 0 && (l = (uint32_t)__builtin_ctz(rest_##l), 1); \
       rest_##l &= rest_##l - 1)

/* A predicate operand's mask; only the bits of active lanes mean something. */
static inline uint32_t pred(const warp *w, const insn *i, int k) {
  const uint32_t value = *REG(const uint32_t, k);
  return (i->negated >> k & 1) ? ~value : value;
}
static inline void put_pred(warp *w, const insn *i, int k, uint32_t value, uint32_t mask) {
  uint32_t *p = REG(uint32_t, k);
  *p = (*p & ~mask) | (value & mask);
}

/* Writes the lanes of mask. */
#define DEFINE_PUT(bits)                                                      \
  static inline void put_u##bits(void *to, const void *from, uint32_t mask) { \
    uint##bits##_t *d = to;                                                   \
    const uint##bits##_t *s = from;                                           \
    if (mask == (uint32_t)FULL)                                               \
      FOR_LANES(l) d[l] = s[l];                                               \
    else                                                                      \
      FOR_LANES(l) d[l] = (mask >> l & 1) ? s[l] : d[l];                      \
  }
DEFINE_PUT(16)
DEFINE_PUT(32)
DEFINE_PUT(64)
#undef DEFINE_PUT

/* The lanes' values of an integer operand of any width, sign- or zero-extended from its low `size` bytes.
 */
void read_lanes(const warp *w, const insn *i, int k, int size, bool is_signed, int64_t out[LANES]);
/* Writes the low bytes of values to a destination of any width. */
void write_lanes(warp *w, const insn *i, int k, const int64_t values[LANES], uint32_t mask);

/* ---- faults */

/* Where a lane is, for report(). */
report_place place_of(const warp *w, const insn *i, unsigned lane);
/* Ends the grid with the driver's code for what was reported; FLOW_FAULT. */
flow fault(warp *w, CUresult result);

/* The thread's number in its block. */
static inline unsigned thread_of(const warp *w, unsigned lane) {
  return w->index * LANES + lane;
}

#endif
