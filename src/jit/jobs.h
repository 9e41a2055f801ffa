/* How many compilers and linkers of the process run at a time. */
#ifndef JIG_JIT_JOBS_H
#define JIG_JIT_JOBS_H

/* Waits until fewer than `jobs` are under way; each begin has its end. */
void jobs_begin(unsigned jobs);
void jobs_end(void);

/* In the child of a fork(): forgets those that other threads of the parent had under way. */
void jobs_after_fork(void);

#endif
