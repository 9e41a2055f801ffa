/* What is queued, and the order in which it may run: a graph of operations, each with the number of those
 * that it waits for and a list of those that wait for it. Streams, events and captured graphs are only
 * ways to say what waits for what. When what may run does run, is demand.c's affair.
 *
 * One lock guards all of this and the driver interface's own state. It is never held while anything of
 * the user's runs or while somebody waits. */
#ifndef SOFTGPU_WORK_WORK_H
#define SOFTGPU_WORK_WORK_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "work/task.h"

void work_lock(void);
/* Also starts what has become ready meanwhile. */
void work_unlock(void);

/* Gives the lock back in a child process, which has none of the threads: nothing is started any more. */
void work_in_child(void);

/* Where the error of something that ran is kept: once there is one, nothing else of the domain runs, but
 * all of it completes. */
typedef struct domain {
  atomic_int error; /* a CUresult */
} domain;

typedef struct op op;

/* All of these with the lock held. */

/* Takes over the task's contents; NULL without memory, and the task is freed. One reference is the
 * caller's. */
op *op_create(domain *d, task *t);
/* `later` does not begin before `earlier` has completed. */
bool op_after(op *later, op *earlier);
/* A programmatic launch: `later` does not begin before all of the kernel `earlier` has said so or is
 * over, and does not complete before it. */
bool op_after_trigger(op *later, op *earlier);
/* That was all that it waits for. */
void op_submit(op *o);

op *op_hold(op *o);
void op_drop(op *o); /* may be NULL */

bool op_is_complete(const op *o);
/* The same for the host, which thus hears of it; and has it executed if it is not. */
bool op_ask(op *o);
/* The host has waited for all of the domain: what is complete is known to be. */
void work_known(domain *d);
/* When it was complete, in seconds of a clock that only goes forwards. */
double op_time(const op *o);
/* The host is about to wait for it: it may begin. */
void op_expect(op *o);
/* Has it executed, and waits, with the lock given up meanwhile. */
void op_await(op *o);

#endif
