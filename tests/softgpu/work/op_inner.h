/* For op.c, demand.c and order.c. All of it with the lock held. */
#ifndef SOFTGPU_WORK_OP_INNER_H
#define SOFTGPU_WORK_OP_INNER_H

#include <stddef.h>
#include <stdint.h>

#include "check/watch.h"
#include "work/order.h"
#include "work/work.h"

/* What an operation tells those that wait for it. */
typedef struct edge {
  struct edge *next;
  op *later;
  bool on_trigger; /* its beginning waits for the trigger, its end for completion */
} edge;

struct op {
  unsigned references;
  domain *where;
  task what;
  task_kind kind;        /* the task's, also when that is gone */
  unsigned begin_needs;  /* how much must happen before it begins; 1 for being submitted */
  atomic_uint end_needs; /* before it is complete; 1 for its own execution */
  bool triggered, complete;
  bool wanted;   /* somebody waits for it, or it is to run anyway: demand.c */
  bool awaited;  /* it is the host that waits */
  bool begun;    /* handed out for execution, or past it */
  bool executed; /* neither skipped after an error nor nothing to do */
  double time;
  edge *edges;
  op **before; /* what it comes after: held until order_forget() */
  size_t before_count, before_capacity;
  op *next; /* in one of the lists of op.c */

  /* order.c's own */
  uint64_t number;       /* counts submissions, from 1 */
  uint64_t known;        /* what is submitted with a larger number comes after it */
  uint64_t mark;         /* the last search that came by */
  op *found;             /* in a search: the next one to look at */
  op *older, *newer;     /* in the order of numbers, while it may conflict with others */
  touched touched;       /* what it has touched, or will if its task says that */
  bool is_touched_known; /* touched is that */
  watch *watch;          /* of a kernel */
  char *name;            /* of a kernel: the code may be gone when it is told of */
};

/* op.c. Begins it if its needs are met and it is wanted. */
void op_begin(op *o);
/* Tells those that wait of what has become complete. */
void op_settle(void);

/* demand.c: whether a new operation is to run without anybody's waiting; others that are to, now. */
void demand_submitted(op *o);
/* It and all that it waits for. */
void demand(op *o, bool by_host);

#endif
