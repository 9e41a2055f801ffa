/* Contexts, and the one that is current in a thread. */
#ifndef SOFTGPU_API_CONTEXT_H
#define SOFTGPU_API_CONTEXT_H

#include "api/api.h"

enum { CONTEXT_LIMITS = 16 };

/* Never freed: work and threads may refer to it after its end. */
struct CUctx_st {
  domain work;
  int device;
  bool is_primary, alive;
  unsigned retained; /* of a primary one */
  unsigned flags;
  unsigned long long id;
  size_t limits[CONTEXT_LIMITS];
  CUfunc_cache cache_config;
  stream *streams; /* all, also destroyed ones whose work is not over */
  stream *legacy;
  context *next;
};

context *context_first(void); /* list of all there were */
/* Waits for all work there is now in the context; its error. */
CUresult context_wait(context *c);
CUresult context_error(const context *c);
/* The current one, NULL if it is not alive; and its handle, which is NULL if there is none. */
context *context_in_use(CUcontext *handle);

#endif
