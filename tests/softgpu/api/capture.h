/* Streams being captured into graphs. With the lock held. */
#ifndef SOFTGPU_API_CAPTURE_H
#define SOFTGPU_API_CAPTURE_H

#include "api/graph.h"
#include "api/stream.h"

typedef struct capture {
  unsigned references; /* of streams and events, and its own until it is over */
  CUgraph graph;
  bool is_given; /* the graph is the caller's own (cuStreamBeginCaptureToGraph) */
  bool is_invalid, is_over;
  CUstreamCaptureMode mode;
  unsigned long thread;
  stream *origin;
  unsigned long long id;
  struct capture *next; /* of those under way */
} capture;

void capture_drop(capture *c);
/* Adds to the graph what would have been queued. Takes over the task's contents. */
CUresult capture_task(stream *s, task *t, bool programmatic, CUgraphNodeType type, CUevent event,
                      CUgraphNode *added);
/* Whether queueing in s would draw the legacy stream into a capture: that ends the capture. */
CUresult capture_check_legacy(const stream *s);
/* For calls that must not be made while something is captured, as the thread's mode has it. */
CUresult capture_check_unsafe(void);
/* For calls that are not captured. */
CUresult capture_check_stream(stream *s);
/* For those that only wait for a stream, or ask after it: not meanwhile, either. */
CUresult capture_check_wait(stream *s);
CUresult capture_check_context(const context *c);
void capture_invalidate(capture *c);

/* Remembers where the stream is in an event; and the other way round. */
CUresult capture_record(stream *s, CUevent e);
CUresult capture_wait(stream *s, CUevent e);
/* When a stream goes. */
void capture_forget(stream *s);

#endif
