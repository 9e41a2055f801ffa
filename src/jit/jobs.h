/* How many compilers and linkers of the process run at a time. */
#ifndef JIG_JIT_JOBS_H
#define JIG_JIT_JOBS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Waits until fewer than `jobs` are under way; each begin has its end. False, with nothing begun, once
 * *cancelled, unless that is NULL; whoever sets it calls jobs_wake(). */
bool jobs_begin(unsigned jobs, const atomic_bool *cancelled);
void jobs_end(void);
void jobs_wake(void);

/* In the child of a fork(): forgets those that other threads of the parent had under way. Whether there
 * were any. */
bool jobs_after_fork(void);

#endif
