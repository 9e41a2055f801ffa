/* Graphs made executable, and launched. */
#include <stdlib.h>

#include "api/capture.h"
#include "api/code.h"
#include "api/event.h"
#include "api/graph.h"
#include "api/handle.h"

/* ---- instances */

static CUresult instantiate(CUgraph g, unsigned long long flags, context *c, CUgraphExec *exec) {
  const unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                   CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                   CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0)
    return api_not_supported("launching graphs from a device");
  if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (graph_has_circle(g)) return CUDA_ERROR_INVALID_VALUE;
  CUgraphExec e = calloc(1, sizeof *e);
  CUgraph copy = e != NULL ? graph_copy(g) : NULL;
  if (copy == NULL || !handle_add(HANDLE_EXEC, e)) {
    if (copy != NULL) graph_free(copy);
    free(e);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  handle_remove(copy); /* is nobody else's */
  *e = (struct CUgraphExec_st){.graph = copy, .owner = c, .flags = flags};
  *exec = e;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph g, unsigned long long flags) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_GRAPH, g);
  if (result == CUDA_SUCCESS && exec == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? instantiate(g, flags, c, exec) : result);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph g,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (params == NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cuGraphInstantiateWithFlags(exec, g, params->flags);
  params->hErrNode_out = NULL;
  params->result_out =
      result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

static CUresult begin(CUgraphExec e) {
  work_lock();
  CUresult result = api_ready();
  return result == CUDA_SUCCESS ? handle_check(HANDLE_EXEC, e) : result;
}

CUresult cuGraphExecGetFlags(CUgraphExec e, cuuint64_t *flags) {
  CUresult result = begin(e);
  if (result == CUDA_SUCCESS && flags == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *flags = e->flags;
  return api_end(result);
}

/* A launch under way does not need it. */
CUresult cuGraphExecDestroy(CUgraphExec e) {
  CUresult result = begin(e);
  if (result != CUDA_SUCCESS) return api_end(result);
  handle_remove(e);
  op_drop(e->last);
  graph_free(e->graph);
  free(e);
  return api_end(CUDA_SUCCESS);
}

CUresult cuGraphUpload(CUgraphExec e, CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  return api_end(result == CUDA_SUCCESS ? handle_check(HANDLE_EXEC, e) : result);
}

/* ---- launches */

static CUresult check_code(CUgraph g) {
  for (size_t i = 0; i < g->count; ++i) {
    const CUgraphNode n = g->nodes[i];
    CUresult result = n->child != NULL ? check_code(n->child) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS && n->code != NULL && n->code->is_unloaded) {
      result = api_complain(CUDA_ERROR_INVALID_HANDLE, 0,
                            "cuGraphLaunch: the module of kernel %s has been unloaded",
                            n->what.launch.kernel->name);
    }
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

/* Of a node, or NULL, launched there. */
static op *new_op(const stream *s, const CUgraphNode n) {
  task t = {.kind = TASK_NOTHING};
  if (n != NULL && !n->is_disabled && !task_clone(&t, &n->what)) return NULL;
  t.place = stream_place(s);
  t.place.is_graph = true;
  return op_create(&s->owner->work, &t);
}

/* The operations of the nodes, not yet submitted, the first ones behind `start`, and the one that is
 * behind all of them; NULL without memory. */
static op *make(CUgraph g, const stream *s, op *start) {
  bool ok = true;
  op *end = new_op(s, NULL);
  for (size_t i = 0; i < g->count; ++i) {
    CUgraphNode n = g->nodes[i];
    n->first = new_op(s, n);
    n->last = n->first != NULL && n->child != NULL && !n->is_disabled ? make(n->child, s, n->first)
              : n->first != NULL                                      ? op_hold(n->first)
                                                                      : NULL;
    ok &= n->last != NULL;
  }
  for (size_t i = 0; i < g->count && ok && end != NULL; ++i) {
    const CUgraphNode n = g->nodes[i];
    ok &= op_after(n->first, start) && op_after(end, n->last);
    for (size_t e = 0; e < n->edge_count; ++e) {
      op *before = n->edges[e].before->last;
      ok &= n->edges[e].programmatic ? op_after_trigger(n->first, before) : op_after(n->first, before);
    }
    if (n->event == NULL || !handle_is(HANDLE_EVENT, n->event)) continue;
    if (n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
      event_refer(n->event, n->last);
    else if (n->event->mark != NULL)
      ok &= op_after(n->first, n->event->mark);
  }
  if (ok || end == NULL) return end;
  op_drop(end);
  return NULL;
}

static void submit(CUgraph g) {
  for (size_t i = 0; i < g->count; ++i) {
    CUgraphNode n = g->nodes[i];
    if (n->child != NULL && !n->is_disabled) submit(n->child);
    if (n->first != NULL) op_submit(n->first);
    if (n->last != NULL && n->last != n->first) op_submit(n->last);
    op_drop(n->first);
    op_drop(n->last);
    n->first = n->last = NULL;
  }
}

static CUresult launch(CUgraphExec e, stream *s) {
  op *start = new_op(s, NULL);
  if (start == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  bool ok = e->last == NULL || op_after(start, e->last);
  ok &= stream_append(s, start, false);
  op *end = make(e->graph, s, start);
  if (end != NULL) {
    ok &= stream_append(s, end, false);
    op_drop(e->last);
    e->last = op_hold(end);
    graph_use_memory(e->graph, end);
  }
  op_submit(start);
  submit(e->graph);
  if (end != NULL) op_submit(end);
  op_drop(start);
  op_drop(end);
  return ok && end != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A graph launched in a stream that is captured becomes a node of the captured one. */
static CUresult capture_launch(CUgraphExec e, stream *s) {
  task nothing = {.kind = TASK_NOTHING};
  CUgraphNode n;
  CUgraph child = graph_copy(e->graph);
  if (child == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = capture_task(s, &nothing, false, CU_GRAPH_NODE_TYPE_GRAPH, NULL, &n);
  if (result != CUDA_SUCCESS) {
    graph_free(child);
    return result;
  }
  child->is_child = true;
  n->child = child;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_EXEC, e);
  if (result == CUDA_SUCCESS) result = check_code(e->graph);
  if (result == CUDA_SUCCESS && s->capture != NULL) return api_end(capture_launch(e, s));
  if (result == CUDA_SUCCESS) result = capture_check_legacy(s);
  return api_end(result == CUDA_SUCCESS ? launch(e, s) : result);
}
