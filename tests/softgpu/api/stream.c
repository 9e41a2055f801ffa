#include "api/stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/capture.h"
#include "api/event.h"
#include "api/handle.h"

static _Thread_local bool default_is_per_thread;
static unsigned long long next_id = 1;

unsigned long stream_thread(void) {
  static atomic_ulong next = 1;
  static _Thread_local unsigned long mine;
  if (mine == 0) mine = atomic_fetch_add(&next, 1);
  return mine;
}

bool stream_default_per_thread(bool per_thread) {
  const bool before = default_is_per_thread;
  default_is_per_thread = per_thread;
  return before;
}

bool stream_is_blocking(const stream *s) {
  return (s->flags & CU_STREAM_NON_BLOCKING) == 0;
}

/* ---- beginning and end */

/* Destroyed streams are kept while the legacy stream may have to wait for their work. */
static void sweep(context *c) {
  for (stream **link = &c->streams; *link != NULL;) {
    stream *s = *link;
    if (!s->is_destroyed || (s->last != NULL && !op_is_complete(s->last))) {
      link = &s->next;
      continue;
    }
    *link = s->next;
    op_drop(s->last);
    free(s->tips);
    free(s);
  }
}

stream *stream_create(context *c, unsigned flags, int priority) {
  sweep(c);
  stream *s = calloc(1, sizeof *s);
  if (s == NULL || !handle_add(HANDLE_STREAM, s)) {
    free(s);
    return NULL;
  }
  s->owner = c;
  s->flags = flags;
  s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  s->id = next_id++;
  s->next = c->streams;
  c->streams = s;
  return s;
}

static void destroy(stream *s) {
  capture_forget(s);
  handle_remove(s);
  s->is_destroyed = true;
}

void stream_end_all(context *c) {
  for (stream *s = c->streams; s != NULL; s = s->next) destroy(s);
  c->legacy = NULL;
  sweep(c);
}

/* ---- threads' own streams, which end with them */

static pthread_key_t key;

static void thread_ends(void *number) {
  work_lock();
  for (context *c = context_first(); c != NULL; c = c->next) {
    for (stream *s = c->streams; s != NULL; s = s->next) {
      if (s->thread == (uintptr_t)number && !s->is_destroyed) destroy(s);
    }
    sweep(c);
  }
  work_unlock();
}

static void create_key(void) {
  (void)pthread_key_create(&key, thread_ends);
}

static CUresult default_of_thread(context *c, stream **found) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const unsigned long thread = stream_thread();
  for (stream *s = c->streams; s != NULL; s = s->next) {
    if (s->thread != thread || s->is_destroyed) continue;
    *found = s;
    return CUDA_SUCCESS;
  }
  stream *s = stream_create(c, CU_STREAM_DEFAULT, 0);
  if (s == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  handle_remove(s); /* its handle is CU_STREAM_PER_THREAD */
  s->thread = thread;
  (void)pthread_once(&once, create_key);
  (void)pthread_setspecific(key, (void *)(uintptr_t)thread);
  *found = s;
  return CUDA_SUCCESS;
}

CUresult stream_resolve(CUstream handle, stream **found) {
  if (handle != NULL && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
    CUresult result = handle_check(HANDLE_STREAM, handle);
    if (result == CUDA_SUCCESS) *found = handle;
    return result;
  }
  CUcontext current = NULL;
  context *c = context_in_use(&current);
  if (c == NULL) return current != NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
  if (handle == CU_STREAM_PER_THREAD || (handle == NULL && default_is_per_thread))
    return default_of_thread(c, found);
  *found = c->legacy;
  return CUDA_SUCCESS;
}

/* ---- queueing */

/* The legacy stream and the blocking ones wait for each other. */
static bool wait_for_others(const stream *s, op *o) {
  bool ok = true;
  if (!stream_is_blocking(s)) return true;
  const stream *legacy = s->owner->legacy;
  if (!s->is_legacy) return legacy->last == NULL || op_after(o, legacy->last);
  for (stream *other = s->owner->streams; other != NULL; other = other->next) {
    if (other != s && stream_is_blocking(other) && other->last != NULL) ok &= op_after(o, other->last);
  }
  return ok;
}

bool stream_append(stream *s, op *o, bool programmatic) {
  bool ok = true;
  if (s->is_legacy) sweep(s->owner);
  if (s->last != NULL) ok = programmatic ? op_after_trigger(o, s->last) : op_after(o, s->last);
  ok &= wait_for_others(s, o);
  op_drop(s->last);
  s->last = op_hold(o);
  return ok;
}

task_place stream_place(const stream *s) {
  return (task_place){.stream = s->id, .is_legacy = s->is_legacy, .is_blocking = stream_is_blocking(s)};
}

CUresult stream_submit(stream *s, task *t, bool programmatic) {
  t->place = stream_place(s);
  if (s->capture != NULL) {
    static const CUgraphNodeType types[] = {
        [TASK_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL, [TASK_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [TASK_SET] = CU_GRAPH_NODE_TYPE_MEMSET,    [TASK_HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [TASK_CALLBACK] = CU_GRAPH_NODE_TYPE_HOST, [TASK_NOTHING] = CU_GRAPH_NODE_TYPE_EMPTY,
        [TASK_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE, [TASK_RENEW] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    };
    return capture_task(s, t, programmatic, types[t->kind], NULL, NULL);
  }
  CUresult result = capture_check_legacy(s);
  if (result != CUDA_SUCCESS) {
    task_free(t);
    return result;
  }
  op *o = op_create(&s->owner->work, t);
  if (o == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!stream_append(s, o, programmatic)) result = CUDA_ERROR_OUT_OF_MEMORY;
  op_submit(o);
  op_drop(o);
  return result;
}

CUresult stream_submit_and_wait(stream *s, task *t) {
  CUresult result = capture_check_stream(s);
  if (result != CUDA_SUCCESS) {
    task_free(t);
    return result;
  }
  context *c = s->owner;
  result = stream_submit(s, t, false);
  if (result == CUDA_SUCCESS) op_await(s->last); /* the stream may be gone afterwards */
  return result == CUDA_SUCCESS ? context_error(c) : result;
}

/* ---- entry points */

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned flags, int priority) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && (phStream == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  stream *s = stream_create(c, flags, priority);
  if (s != NULL) *phStream = s;
  return api_end(s != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuStreamCreate(CUstream *phStream, unsigned flags) {
  return cuStreamCreateWithPriority(phStream, flags, 0);
}

/* Its work goes on. */
CUresult cuStreamDestroy(CUstream handle) {
  if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
    return CUDA_ERROR_INVALID_HANDLE;
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (s != NULL) {
    context *c = s->owner;
    destroy(s);
    sweep(c);
  }
  return api_end(result);
}

CUresult cuStreamSynchronize(CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = capture_check_wait(s);
  if (result != CUDA_SUCCESS) return api_end(result);
  context *c = s->owner;
  if (s->is_legacy) { /* the others' work that the next of this one would wait for, as well */
    task nothing = {.kind = TASK_NOTHING};
    return api_end(stream_submit_and_wait(s, &nothing));
  }
  if (s->last != NULL) op_await(s->last);
  return api_end(context_error(c));
}

CUresult cuStreamQuery(CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = capture_check_wait(s);
  if (result != CUDA_SUCCESS) return api_end(result);
  bool complete = s->last == NULL || op_ask(s->last);
  for (stream *other = s->owner->streams; s->is_legacy && other != NULL; other = other->next) {
    complete &= !stream_is_blocking(other) || other->last == NULL || op_ask(other->last);
  }
  return api_end(complete ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent e, unsigned flags) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_EVENT, e);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && e->capture == NULL) result = capture_check_legacy(s);
  if (result != CUDA_SUCCESS) return api_end(result);
  if (s->capture != NULL && (flags & CU_EVENT_WAIT_EXTERNAL) != 0) {
    task nothing = {.kind = TASK_NOTHING};
    return api_end(capture_task(s, &nothing, false, CU_GRAPH_NODE_TYPE_WAIT_EVENT, e, NULL));
  }
  if (s->capture != NULL || e->capture != NULL) return api_end(capture_wait(s, e));
  if (e->mark == NULL) return api_end(CUDA_SUCCESS);
  task nothing = {.kind = TASK_NOTHING};
  op *o = op_create(&s->owner->work, &nothing);
  if (o == NULL) return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  bool ok = op_after(o, e->mark);
  ok &= stream_append(s, o, false);
  op_submit(o);
  op_drop(o);
  return api_end(ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  if (function == NULL) return CUDA_ERROR_INVALID_VALUE;
  task t = {.kind = TASK_HOST, .host = {.function = function, .data = data}};
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = stream_submit(s, &t, false);
  return api_end(result);
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data, unsigned flags) {
  if (callback == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  task t = {.kind = TASK_CALLBACK, .host = {.callback = callback, .stream = handle, .data = data}};
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = capture_check_stream(s);
  if (result == CUDA_SUCCESS) result = stream_submit(s, &t, false);
  return api_end(result);
}

/* ---- what a stream is like */

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && priority == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *priority = s->priority;
  return api_end(result);
}

CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && flags == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *flags = s->flags;
  return api_end(result);
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && id == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *id = s->id;
  return api_end(result);
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && device == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *device = s->owner->device;
  return api_end(result);
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *ctx) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && ctx == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *ctx = s->owner;
  return api_end(result);
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *ctx, CUgreenCtx *green) {
  if (green != NULL) *green = NULL;
  return cuStreamGetCtx(handle, ctx);
}

/* Of the attributes, only the priority means anything here. */
CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID which, CUstreamAttrValue *value) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  *value = (CUstreamAttrValue){.pad = {0}};
  if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = s->priority;
  if (which == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) value->syncPolicy = CU_SYNC_POLICY_AUTO;
  return api_end(CUDA_SUCCESS);
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID which, const CUstreamAttrValue *value) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && which == CU_LAUNCH_ATTRIBUTE_PRIORITY) s->priority = value->priority;
  return api_end(result);
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  int priority;
  CUresult result = cuStreamGetPriority(from, &priority);
  const CUstreamAttrValue value = {.priority = priority};
  return result == CUDA_SUCCESS ? cuStreamSetAttribute(to, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) : result;
}

/* Managed memory is everybody's at all times. */
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t length, unsigned flags) {
  (void)address;
  (void)length;
  (void)flags;
  stream *s;
  return api_end(api_begin_stream(handle, &s));
}
