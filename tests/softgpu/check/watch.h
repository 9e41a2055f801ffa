/* What a kernel's accesses to memory are looked at for: whether they conflict with operations that
 * nothing orders with the kernel; and they may be remembered, for operations that are not known yet. */
#ifndef SOFTGPU_CHECK_WATCH_H
#define SOFTGPU_CHECK_WATCH_H

#include <stdatomic.h>

#include "check/touch.h"

enum { WATCH_WORKERS = 64, WATCH_LANES = 32 };

/* An operation that nothing orders with the kernel. */
typedef struct watch_foe {
  uint64_t number;        /* the operation's */
  void *owner;            /* the operation, which who makes the watch keeps while the kernel executes */
  const touched *touched; /* its */
  char *what;             /* a description; the watch's */
  atomic_bool is_told;    /* a conflict with it has been: one is enough */
} watch_foe;

typedef struct watch {
  char *own; /* a description of the kernel; the watch's */
  watch_foe *foes;
  size_t foe_count;
  touch_filter filter; /* of the foes */
  bool remembers;
  touch_log *logs[WATCH_WORKERS]; /* each made and used by one worker */
} watch;

void watch_free(watch *w); /* may be NULL */

/* `bytes` that each of the lanes accesses. The first one that conflicts with a foe of which nothing has
 * been told yet, which *foe and *c tell about; -1: none. */
int watch_access(watch *w, unsigned worker, touch_kind kind, uint32_t lanes,
                 const uint64_t at[WATCH_LANES], unsigned bytes, const watch_foe **foe,
                 touch_conflict *c);

/* Hands over what all workers have remembered, once they are through. */
void watch_tell(watch *w, touched *to);
/* Whether all accesses were compared with the operation's. */
bool watch_has_foe(const watch *w, uint64_t number);

#endif
