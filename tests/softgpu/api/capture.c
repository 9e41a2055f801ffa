#include "api/capture.h"

#include <stdlib.h>
#include <string.h>

#include "api/event.h"
#include "api/handle.h"

static capture *active; /* those that have begun and not ended */
static unsigned long long next_id = 1;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* Not inline: gcc would take every drop in a row of them for the last. */
__attribute__((noinline)) void capture_drop(capture *c) {
  if (c != NULL && --c->references == 0) free(c);
}

void capture_invalidate(capture *c) {
  c->is_invalid = true;
}

/* ---- the places in the graph where a stream or an event is */

static bool add_tip(CUgraphNode **tips, size_t *count, CUgraphNode n) {
  for (size_t i = 0; i < *count; ++i) {
    if ((*tips)[i] == n) return true;
  }
  CUgraphNode *larger = realloc(*tips, (*count + 1) * sizeof *larger);
  if (larger == NULL) return false;
  *tips = larger;
  (*tips)[(*count)++] = n;
  return true;
}

static bool add_tips(CUgraphNode **tips, size_t *count, const CUgraphNode *more, size_t more_count) {
  bool ok = true;
  for (size_t i = 0; i < more_count; ++i) ok &= add_tip(tips, count, more[i]);
  return ok;
}

static void leave(stream *s) {
  capture_drop(s->capture);
  s->capture = NULL;
  s->tip_count = 0;
}

static void join(stream *s, capture *c) {
  s->capture = c;
  s->tip_count = 0;
  ++c->references;
}

CUresult capture_task(stream *s, task *t, bool programmatic, CUgraphNodeType type, CUevent event,
                      CUgraphNode *added) {
  capture *c = s->capture;
  if (c->is_invalid) {
    task_free(t);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  CUgraphNode n = graph_add(c->graph, type, t);
  if (n == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  n->event = event;
  const bool early = programmatic && s->tip_count == 1 && s->tips[0]->type == CU_GRAPH_NODE_TYPE_KERNEL;
  bool ok = true;
  for (size_t i = 0; i < s->tip_count; ++i) ok &= graph_connect(s->tips[i], n, early);
  s->tip_count = 0;
  ok &= add_tip(&s->tips, &s->tip_count, n);
  if (added != NULL) *added = n;
  return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- events */

CUresult capture_record(stream *s, CUevent e) {
  if (s->capture->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  event_refer(e, NULL);
  e->capture = s->capture;
  ++e->capture->references;
  return add_tips(&e->tips, &e->tip_count, s->tips, s->tip_count) ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_wait(stream *s, CUevent e) {
  capture *c = e->capture;
  if (c == NULL) {
    if (e->mark == NULL) return CUDA_SUCCESS;
    capture_invalidate(s->capture); /* it depends on what is not captured */
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (s->capture != NULL && s->capture != c) {
    capture_invalidate(s->capture);
    if (!c->is_over) capture_invalidate(c);
    return c->is_over ? CUDA_ERROR_STREAM_CAPTURE_ISOLATION : CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (c->is_over) return CUDA_ERROR_INVALID_VALUE;
  if (c->is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (s->is_legacy) {
    capture_invalidate(c);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (s->capture == NULL) join(s, c);
  return add_tips(&s->tips, &s->tip_count, e->tips, e->tip_count) ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- what is not allowed meanwhile */

static CUresult check_legacy(const stream *s, bool invalidate) {
  CUresult result = CUDA_SUCCESS;
  if (!s->is_legacy || active == NULL) return result;
  for (stream *other = s->owner->streams; other != NULL; other = other->next) {
    if (other->capture == NULL || !stream_is_blocking(other)) continue;
    if (invalidate) capture_invalidate(other->capture);
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return result;
}

CUresult capture_check_legacy(const stream *s) {
  return check_legacy(s, true);
}

CUresult capture_check_stream(stream *s) {
  if (s->capture == NULL) return capture_check_legacy(s);
  const bool was_invalid = s->capture->is_invalid;
  capture_invalidate(s->capture);
  return was_invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult capture_check_unsafe(void) {
  CUresult result = CUDA_SUCCESS;
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return result;
  for (capture *c = active; c != NULL; c = c->next) {
    const bool mine = c->thread == stream_thread() && c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    const bool anybodys =
        c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!mine && !anybodys) continue;
    capture_invalidate(c);
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

CUresult capture_check_wait(stream *s) {
  CUresult result = capture_check_stream(s);
  return result == CUDA_SUCCESS ? capture_check_unsafe() : result;
}

CUresult capture_check_context(const context *c) {
  CUresult result = CUDA_SUCCESS;
  for (stream *s = active != NULL ? c->streams : NULL; s != NULL; s = s->next) {
    if (s->capture == NULL) continue;
    capture_invalidate(s->capture);
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

/* ---- beginning and end */

static void end(capture *c) {
  capture **link = &active;
  while (*link != c) link = &(*link)->next;
  *link = c->next;
  c->is_over = true;
  c->graph = NULL;
  for (context *x = context_first(); x != NULL; x = x->next) {
    for (stream *s = x->streams; s != NULL; s = s->next) {
      if (s->capture == c) leave(s);
    }
  }
  capture_drop(c);
}

void capture_forget(stream *s) {
  capture *c = s->capture;
  if (c == NULL) return;
  if (c->origin != s) {
    capture_invalidate(c);
    leave(s);
    return;
  }
  CUgraph g = c->is_given ? NULL : c->graph;
  end(c);
  if (g != NULL) graph_free(g);
}

static CUresult begin_capture(CUstream handle, CUgraph g, const CUgraphNode *before, size_t count,
                              CUstreamCaptureMode mode) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && (int)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && s->is_legacy) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (result == CUDA_SUCCESS && s->capture != NULL) result = CUDA_ERROR_ILLEGAL_STATE;
  if (result == CUDA_SUCCESS && g != NULL) result = handle_check(HANDLE_GRAPH, g);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i)
    result = handle_check(HANDLE_NODE, before[i]);
  if (result != CUDA_SUCCESS) return api_end(result);
  capture *c = calloc(1, sizeof *c);
  CUgraph graph = g != NULL || c == NULL ? g : graph_create();
  if (c == NULL || graph == NULL) {
    free(c);
    return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  }
  *c = (capture){.references = 1,
                 .graph = graph,
                 .is_given = g != NULL,
                 .mode = mode,
                 .thread = stream_thread(),
                 .origin = s,
                 .id = next_id++,
                 .next = active};
  active = c;
  join(s, c);
  const bool ok = add_tips(&s->tips, &s->tip_count, before, count);
  return api_end(ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return begin_capture(handle, NULL, NULL, 0, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph g, const CUgraphNode *before,
                                     const CUgraphEdgeData *data, size_t count,
                                     CUstreamCaptureMode mode) {
  if (g == NULL || (count > 0 && before == NULL)) return CUDA_ERROR_INVALID_VALUE;
  if (data != NULL) {
    for (size_t i = 0; i < count; ++i) {
      if (data[i].from_port != 0) return api_not_supported("programmatic edges into a capture");
    }
  }
  return begin_capture(handle, g, before, count, mode);
}

/* All other streams of the capture must have been waited for by its first. */
static bool is_joined(const capture *c) {
  for (context *x = context_first(); x != NULL; x = x->next) {
    for (stream *s = x->streams; s != NULL; s = s->next) {
      if (s->capture != c || s == c->origin) continue;
      for (size_t i = 0; i < s->tip_count; ++i) {
        bool found = false;
        for (size_t j = 0; j < c->origin->tip_count && !found; ++j) {
          found = graph_is_before(s->tips[i], c->origin->tips[j]);
        }
        if (!found) return false;
      }
    }
  }
  return true;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && graph == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && s->capture == NULL) result = CUDA_ERROR_ILLEGAL_STATE;
  if (result != CUDA_SUCCESS) return api_end(result);
  capture *c = s->capture;
  *graph = NULL;
  if (c->origin != s) {
    capture_invalidate(c);
    return api_end(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  }
  if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != stream_thread())
    return api_end(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  result = c->is_invalid   ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
           : !is_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                           : CUDA_SUCCESS;
  CUgraph g = c->graph;
  const bool is_given = c->is_given;
  end(c);
  if (result == CUDA_SUCCESS)
    *graph = g;
  else if (!is_given)
    graph_free(g);
  return api_end(result);
}

/* ---- asking */

static CUstreamCaptureStatus status_of(const stream *s) {
  return s->capture == NULL       ? CU_STREAM_CAPTURE_STATUS_NONE
         : s->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && status == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = check_legacy(s, false);
  if (result == CUDA_SUCCESS) *status = status_of(s);
  return api_end(result);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **data,
                                size_t *count) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && status == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = check_legacy(s, false);
  if (result != CUDA_SUCCESS) return api_end(result);
  *status = status_of(s);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return api_end(CUDA_SUCCESS);
  if (id != NULL) *id = s->capture->id;
  if (graph != NULL) *graph = s->capture->graph;
  if (nodes != NULL) *nodes = s->tips;
  if (data != NULL) *data = NULL; /* all are ordinary ones */
  if (count != NULL) *count = s->tip_count;
  return api_end(CUDA_SUCCESS);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode *nodes,
                                           const CUgraphEdgeData *data, size_t count, unsigned flags) {
  stream *s;
  (void)data;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && s->capture == NULL) result = CUDA_ERROR_ILLEGAL_STATE;
  if (result == CUDA_SUCCESS && s->capture->is_invalid) result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (result == CUDA_SUCCESS && (flags > 1 || (count > 0 && nodes == NULL)))
    result = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i)
    result = handle_check(HANDLE_NODE, nodes[i]);
  if (result != CUDA_SUCCESS) return api_end(result);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) s->tip_count = 0;
  return api_end(add_tips(&s->tips, &s->tip_count, nodes, count) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (mode == NULL || (int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  const CUstreamCaptureMode before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}
