/* Operations that touch the same memory, one of them by writing, must be ordered: by a stream, by events,
 * by edges of a graph, or by the host's having waited for one before it submitted the other. */
#ifndef SOFTGPU_WORK_ORDER_H
#define SOFTGPU_WORK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "work/work.h"

/* All of these with the lock held. */

/* Those that are remembered, by their numbers: op.newer; and the latest number. */
op *order_oldest(void);
uint64_t order_last_number(void);

/* It was submitted. */
void order_submitted(op *o);
/* A kernel is about to begin: what its accesses are to be looked at for. NULL: nothing. */
struct watch *order_watch(op *o);
/* It has been executed, and its task is still there. */
void order_over(op *o);
/* The host knows that it is over, and so is all that it came after. */
void order_known(op *o);

/* The host frees memory: tells of operations that use it, unless the host knows that they are over. Those
 * of which it is not known what they touch are found when they touch it. */
void order_free(const char *call, uint64_t address, uint64_t bytes);
/* Whether nothing is under way that might write the host's memory. */
bool order_host_is_quiet(void);

#endif
