/* One thing to do: what a call of the driver's interface queues in a stream, and what a graph's node is.
 */
#ifndef SOFTGPU_WORK_TASK_H
#define SOFTGPU_WORK_TASK_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grid/grid.h"

typedef enum task_kind {
  TASK_NOTHING, /* only stands for what is before it: events, joins */
  TASK_KERNEL,
  TASK_COPY,
  TASK_SET,
  TASK_HOST,     /* a function of the user's */
  TASK_CALLBACK, /* the same, and called after errors too, with the error */
  TASK_FREE,     /* of memory, in a stream's order */
  TASK_RENEW,    /* memory of a graph comes to life, or ends: nothing in it is set */
} task_kind;

/* Rows in a box; a plain copy is one row. */
typedef struct copy_task {
  uint64_t to, from;
  size_t width, height, depth; /* bytes, rows, slices */
  size_t to_pitch, from_pitch; /* from row to row */
  size_t to_slice, from_slice; /* from slice to slice */
  void *staged;                /* the source, if it is a copy of the user's that is to be freed */
  void *seen; /* what the host's side was when the copy was asked for; NULL: it may change */
} copy_task;

typedef struct set_task {
  uint64_t to;
  uint32_t value;
  unsigned element;     /* bytes: 1, 2, 4 */
  size_t width, height; /* elements, rows */
  size_t pitch;         /* bytes */
} set_task;

typedef struct host_task {
  CUhostFn function;         /* TASK_HOST */
  CUstreamCallback callback; /* TASK_CALLBACK */
  CUstream stream;
  void *data;
} host_task;

typedef struct memory_task {
  uint64_t address;
} memory_task;

/* Where it was queued. */
typedef struct task_place {
  unsigned long long stream;
  bool is_legacy, is_blocking;
  bool is_graph; /* a graph's node, launched there */
} task_place;

typedef struct task {
  task_kind kind;
  const char *call; /* the function of the driver's interface that asked for it; a literal, or NULL */
  task_place place;
  union {
    struct {
      grid_launch launch; /* the parameters are the task's */
      size_t param_bytes;
    };
    copy_task copy;
    set_task set;
    host_task host;
    memory_task memory;
  };
} task;

/* How far the bytes go from the first to the last, with the gaps between. */
uint64_t task_span(size_t width, size_t height, size_t depth, size_t pitch, size_t slice);

bool task_clone(task *to, const task *from); /* false: no memory */
void task_free(task *t);

/* Does it; not for kernels. `status` is what callbacks are told. */
CUresult task_run(const task *t, CUresult status);

/* Whether it is done even after an error. */
bool task_survives(const task *t);

/* Whether the calling thread is inside a function of the user's, where the driver must not be called. */
bool task_in_callback(void);

#endif
