/* Barriers in shared memory: phases that are complete when all arrivals and all announced bytes have
 * come. */
#ifndef SOFTGPU_EXEC_MBARRIER_H
#define SOFTGPU_EXEC_MBARRIER_H

#include "exec/access.h"
#include "exec/warp.h"

/* On whose behalf something happens to one; for reports. */
typedef struct mbarrier_user {
  warp *w;
  const insn *i;
  unsigned lane;
} mbarrier_user;

/* An address operand's place of a lane. space as the instruction says. False: a fault was reported. */
bool mbarrier_place(const mbarrier_user *u, ptx_space space, uint64_t address, shared_place *at);

typedef struct mbarrier_arrival {
  uint32_t count;
  uint32_t bytes;   /* announced along with it */
  bool drop;        /* fewer arrivals are expected from the next phase on */
  bool no_complete; /* it must not be the last one */
} mbarrier_arrival;

/* All return false if a fault was reported. state: what was before, may be NULL. */
bool mbarrier_arrive(const mbarrier_user *u, const shared_place *at, const mbarrier_arrival *a,
                     uint64_t *state);
/* Bytes are announced for this phase; negative: they have come. */
bool mbarrier_expect(const mbarrier_user *u, const shared_place *at, int64_t bytes);
/* One more arrival is expected in this phase. */
bool mbarrier_expect_arrival(const mbarrier_user *u, const shared_place *at);
/* What a thread has done so far is known to those who wait for the barrier. */
void mbarrier_release(const mbarrier_user *u, const shared_place *at);

#endif
