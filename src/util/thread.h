/* Threads of the library's own. */
#ifndef JIG_UTIL_THREAD_H
#define JIG_UTIL_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread with so much stack, or 0 for what is usual; an errno. It gets no signals but those that
 * it causes itself: others are for the program's own threads. */
int thread_start(pthread_t *thread, size_t stack_bytes, void *(*function)(void *), void *argument);

/* Lets others go before the calling thread and the threads that it starts. */
void thread_lower_priority(void);

#endif
