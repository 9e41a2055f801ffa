/* Calls of compilers, which take stack for every bracket, in threads that have enough of it, whoever
 * calls.
 *
 * NVRTC takes up to 2.9 KiB for a token, as was measured, of 12.9 and 13.0, for a hundred ways to nest
 * things; spec/source.c bounds how many tokens of the user's texts are nested, to what takes less than
 * half of this. Only what is used of a stack takes memory, and below it is a page that cannot be written
 * to. */
#ifndef JIG_UTIL_DEEP_CALL_H
#define JIG_UTIL_DEEP_CALL_H

#include <pthread.h>
#include <stdbool.h>

#include <jig/status.h>

enum { DEEP_STACK_MIB = 256 };

typedef jig_status deep_function(void *argument);

/* Calls a function in a thread of its own and waits for it. Returns what it returns, with its error as
 * this thread's; JIG_ERROR_OUT_OF_MEMORY if there can be no such thread. Such threads get no signals but
 * those that they cause themselves, and whoever waits for them is not cancelled meanwhile. */
jig_status deep_call(deep_function *function, void *argument);

/* One thread for all calls of a library that does not bear to be called by several. It starts with the
 * first call and stays for the life of the process. */
typedef struct deep_thread {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct deep_request *first; /* the one being done, and those that wait */
  bool started;
} deep_thread;
#define DEEP_THREAD_INITIALIZER \
  { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

/* The same in that thread, one call after the other. */
jig_status deep_thread_call(deep_thread *thread, deep_function *function, void *argument);

/* In the child of a fork(), which has none of its parent's threads. */
void deep_thread_after_fork(deep_thread *thread);

#endif
