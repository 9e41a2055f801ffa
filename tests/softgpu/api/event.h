#ifndef SOFTGPU_API_EVENT_H
#define SOFTGPU_API_EVENT_H

#include "api/stream.h"

struct CUevent_st {
  context *owner;
  unsigned flags;
  op *mark;                /* NULL: not recorded */
  struct capture *capture; /* in which it was recorded last, and after which nodes */
  CUgraphNode *tips;
  size_t tip_count;
};

/* Makes the event stand for an operation, and no longer for what is captured. With the lock held. */
void event_refer(CUevent e, op *o);

#endif
