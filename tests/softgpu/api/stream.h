/* Streams: chains of operations. */
#ifndef SOFTGPU_API_STREAM_H
#define SOFTGPU_API_STREAM_H

#include "api/context.h"

struct capture;

struct CUstream_st {
  context *owner;
  unsigned flags;
  int priority;
  unsigned long long id;
  bool is_legacy, is_destroyed;
  unsigned long thread; /* whose default stream it is; 0: nobody's */
  op *last;
  struct capture *capture; /* that it is part of, and the nodes that its next one comes after */
  CUgraphNode *tips;
  size_t tip_count;
  stream *next; /* of the context */
};

/* A number of the calling thread, from 1. */
unsigned long stream_thread(void);
/* Whether NULL means the thread's own stream, as it does in the *_ptsz and *_ptds functions. Returns what
 * was set before. */
bool stream_default_per_thread(bool per_thread);

/* All with the lock held. */
bool stream_is_blocking(const stream *s);
task_place stream_place(const stream *s);
stream *stream_create(context *c, unsigned flags, int priority);
void stream_end_all(context *c); /* of a context that ends; the work is over */
CUresult stream_resolve(CUstream handle, stream **found);
/* Queues it, or adds it to the graph that is being captured; takes over the task's contents. Programmatic
 * launches may begin early. */
CUresult stream_submit(stream *s, task *t, bool programmatic);
/* The same, and waits until it is done; the context's error. Not while capturing. */
CUresult stream_submit_and_wait(stream *s, task *t);
/* Makes o the stream's next, behind all that it has to wait for; o's reference stays the caller's. */
bool stream_append(stream *s, op *o, bool programmatic);

#endif
