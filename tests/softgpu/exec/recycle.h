/* What blocks that are over leave to those to come: each worker keeps some memory and race trackers, so
 * that the beginning of a block takes no page faults. */
#ifndef SOFTGPU_EXEC_RECYCLE_H
#define SOFTGPU_EXEC_RECYCLE_H

#include <stddef.h>
#include <stdint.h>

#include "check/race.h"

/* Memory aligned to 1024 bytes with anything in it; NULL if there is none. It is given back with the same
 * size; NULL is fine. */
void *recycle_take(size_t bytes);
void recycle_give(void *memory, size_t bytes);
/* The same for memory of zeros, aligned as by malloc(). */
void *recycle_take_zeros(size_t bytes);

/* race_create() and race_free(). */
race_tracker *recycle_take_tracker(unsigned threads, uint32_t shared_bytes);
void recycle_give_tracker(race_tracker *r, unsigned threads, uint32_t shared_bytes);

#endif
