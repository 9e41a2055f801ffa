/* How many compilers and linkers of the process run at a time, and who gives way to whom. */
#ifndef JIG_JIT_JOBS_H
#define JIG_JIT_JOBS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Work that nobody waits for, of which a process has one piece at a time. What somebody waits for takes
 * its place among those that may run. */
typedef struct background_work {
  atomic_bool stops; /* it is to be given up, as soon as whoever does it looks: see jobs_stop() */
  atomic_int clock;  /* of the thread that compiles: a clockid_t; 0: none does */
} background_work;

/* Waits until fewer than `jobs` are under way; each begin has its end. What somebody waits for
 * (background: NULL) stops the background where it is one too many, and does not wait for that. False,
 * with nothing begun, where the background is stopped. */
bool jobs_begin(unsigned jobs, background_work *background);
void jobs_end(const background_work *background);

void jobs_stop(background_work *background);

/* How much time of a processor its compiler has had; it is compared with what it was a little earlier. 0:
 * it does not compile. jobs_time_this_thread() is called by the thread that is about to, if there is a
 * background. */
double jobs_cpu_ms(const background_work *background);
void jobs_time_this_thread(background_work *background);

/* In the child of a fork(): forgets those that other threads of the parent had under way. Whether there
 * were any. */
bool jobs_after_fork(void);

#endif
