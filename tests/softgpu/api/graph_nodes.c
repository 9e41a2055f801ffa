/* Nodes that are added to a graph one by one, and changed. */
#include <stdlib.h>

#include "api/capture.h"
#include "api/code.h"
#include "api/copy.h"
#include "api/graph.h"
#include "api/handle.h"
#include "api/launch.h"

static CUresult check_nodes(CUgraph g, const CUgraphNode *nodes, size_t count) {
  CUresult result = handle_check(HANDLE_GRAPH, g);
  if (result == CUDA_SUCCESS && count > 0 && nodes == NULL) result = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    result = handle_check(HANDLE_NODE, nodes[i]);
    if (result == CUDA_SUCCESS && nodes[i]->owner != g) result = CUDA_ERROR_INVALID_VALUE;
  }
  return result;
}

static CUresult begin(const void *out, CUgraph g, const CUgraphNode *before, size_t count) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && out == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? check_nodes(g, before, count) : result;
}

/* Takes over the task's contents. */
static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                    CUgraphNodeType type, task *t) {
  CUgraphNode n = graph_add(g, type, t);
  bool ok = n != NULL;
  for (size_t i = 0; i < count && ok; ++i) ok = graph_connect(before[i], n, false);
  if (ok) *out = n;
  return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- kernels */

static CUresult kernel_task(const CUDA_KERNEL_NODE_PARAMS *p, task *t, CUfunction *f) {
  const CUlaunchConfig config = {.gridDimX = p->gridDimX,
                                 .gridDimY = p->gridDimY,
                                 .gridDimZ = p->gridDimZ,
                                 .blockDimX = p->blockDimX,
                                 .blockDimY = p->blockDimY,
                                 .blockDimZ = p->blockDimZ,
                                 .sharedMemBytes = p->sharedMemBytes};
  context *c = p->ctx != NULL ? p->ctx : context_in_use(NULL);
  bool programmatic;
  if (c == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = code_function(p->func != NULL ? p->func : (CUfunction)p->kern, c, f);
  return result == CUDA_SUCCESS ? launch_task(*f, &config, p->kernelParams, p->extra, t, &programmatic)
                                : result;
}

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  task t;
  CUfunction f;
  CUresult result = begin(out, g, before, count);
  if (result == CUDA_SUCCESS && params == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = kernel_task(params, &t, &f);
  if (result == CUDA_SUCCESS) result = add(out, g, before, count, CU_GRAPH_NODE_TYPE_KERNEL, &t);
  if (result == CUDA_SUCCESS) graph_refer(*out, f);
  return api_end(result);
}

/* The node of an executable graph that was made of another graph's node. */
static CUresult find_copy(CUgraphExec e, CUgraphNode original, CUgraphNode *found) {
  CUresult result = handle_check(HANDLE_EXEC, e);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_NODE, original);
  for (size_t i = 0; result == CUDA_SUCCESS && i < e->graph->count; ++i) {
    if (e->graph->nodes[i]->original != original) continue;
    *found = e->graph->nodes[i];
    return CUDA_SUCCESS;
  }
  return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
}

/* Takes over the task's contents; of the node's kind only. */
static CUresult change(CUgraphNode n, task *t) {
  if (n->what.kind != t->kind) {
    task_free(t);
    return CUDA_ERROR_INVALID_VALUE;
  }
  task_free(&n->what);
  n->what = *t;
  return CUDA_SUCCESS;
}

static CUresult change_kernel(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *params) {
  task t;
  CUfunction f;
  if (params == NULL || n->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = kernel_task(params, &t, &f);
  if (result == CUDA_SUCCESS) result = change(n, &t);
  if (result == CUDA_SUCCESS) graph_refer(n, f);
  return result;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *params) {
  work_lock();
  CUresult result = handle_check(HANDLE_NODE, n);
  return api_end(result == CUDA_SUCCESS ? change_kernel(n, params) : result);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode original,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  CUgraphNode n;
  work_lock();
  CUresult result = find_copy(e, original, &n);
  return api_end(result == CUDA_SUCCESS ? change_kernel(n, params) : result);
}

/* ---- memory */

static CUresult memset_task(const CUDA_MEMSET_NODE_PARAMS *p, task *t) {
  if (p == NULL) return CUDA_ERROR_INVALID_VALUE;
  const set_task s = {.to = p->dst,
                      .value = p->value,
                      .element = p->elementSize,
                      .width = p->width,
                      .height = p->height,
                      .pitch = p->pitch};
  return set_task_of("cuGraphAddMemsetNode", &s, t);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx) {
  task t;
  CUresult result = begin(out, g, before, count);
  (void)ctx;
  if (result == CUDA_SUCCESS) result = memset_task(params, &t);
  if (result == CUDA_SUCCESS) result = add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEMSET, &t);
  return api_end(result);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *params) {
  task t;
  work_lock();
  CUresult result = handle_check(HANDLE_NODE, n);
  if (result == CUDA_SUCCESS) result = memset_task(params, &t);
  return api_end(result == CUDA_SUCCESS ? change(n, &t) : result);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec e, CUgraphNode original,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx) {
  task t;
  CUgraphNode n;
  (void)ctx;
  work_lock();
  CUresult result = find_copy(e, original, &n);
  if (result == CUDA_SUCCESS) result = memset_task(params, &t);
  return api_end(result == CUDA_SUCCESS ? change(n, &t) : result);
}

static CUresult memcpy_task(const CUDA_MEMCPY3D *p, task *t) {
  return p != NULL ? copy_task_of("cuGraphAddMemcpyNode", p, t) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext ctx) {
  task t;
  CUresult result = begin(out, g, before, count);
  (void)ctx;
  if (result == CUDA_SUCCESS) result = memcpy_task(params, &t);
  if (result == CUDA_SUCCESS) result = add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEMCPY, &t);
  return api_end(result);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *params) {
  task t;
  work_lock();
  CUresult result = handle_check(HANDLE_NODE, n);
  if (result == CUDA_SUCCESS) result = memcpy_task(params, &t);
  return api_end(result == CUDA_SUCCESS ? change(n, &t) : result);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec e, CUgraphNode original, const CUDA_MEMCPY3D *params,
                                        CUcontext ctx) {
  task t;
  CUgraphNode n;
  (void)ctx;
  work_lock();
  CUresult result = find_copy(e, original, &n);
  if (result == CUDA_SUCCESS) result = memcpy_task(params, &t);
  return api_end(result == CUDA_SUCCESS ? change(n, &t) : result);
}

/* ---- the others */

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params) {
  CUresult result = begin(out, g, before, count);
  if (result == CUDA_SUCCESS && (params == NULL || params->fn == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  task t = {.kind = TASK_HOST, .host = {.function = params->fn, .data = params->userData}};
  return api_end(add(out, g, before, count, CU_GRAPH_NODE_TYPE_HOST, &t));
}

static CUresult add_nothing(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                            CUgraphNodeType type, CUevent event) {
  task t = {.kind = TASK_NOTHING};
  CUresult result = begin(out, g, before, count);
  if (result == CUDA_SUCCESS && type != CU_GRAPH_NODE_TYPE_EMPTY)
    result = handle_check(HANDLE_EVENT, event);
  if (result == CUDA_SUCCESS) result = add(out, g, before, count, type, &t);
  if (result == CUDA_SUCCESS) (*out)->event = event;
  return api_end(result);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count) {
  return add_nothing(out, g, before, count, CU_GRAPH_NODE_TYPE_EMPTY, NULL);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                                   CUevent event) {
  return add_nothing(out, g, before, count, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                                 CUevent event) {
  return add_nothing(out, g, before, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                                  CUgraph child) {
  task t = {.kind = TASK_NOTHING};
  CUresult result = begin(out, g, before, count);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_GRAPH, child);
  if (result == CUDA_SUCCESS && child == g) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  CUgraph copy = graph_copy(child);
  if (copy == NULL) return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  result = add(out, g, before, count, CU_GRAPH_NODE_TYPE_GRAPH, &t);
  if (result != CUDA_SUCCESS) {
    graph_free(copy);
    return api_end(result);
  }
  copy->is_child = true;
  (*out)->child = copy;
  return api_end(CUDA_SUCCESS);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *child) {
  work_lock();
  CUresult result = handle_check(HANDLE_NODE, n);
  if (result == CUDA_SUCCESS && (child == NULL || n->child == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *child = n->child;
  return api_end(result);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec e, CUgraphNode original, unsigned enabled) {
  CUgraphNode n;
  work_lock();
  CUresult result = find_copy(e, original, &n);
  if (result == CUDA_SUCCESS) n->is_disabled = enabled == 0;
  return api_end(result);
}

CUresult cuGraphNodeGetEnabled(CUgraphExec e, CUgraphNode original, unsigned *enabled) {
  CUgraphNode n;
  work_lock();
  CUresult result = find_copy(e, original, &n);
  if (result == CUDA_SUCCESS && enabled == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *enabled = !n->is_disabled;
  return api_end(result);
}

/* ---- edges */

CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *data, size_t count) {
  work_lock();
  CUresult result = check_nodes(g, from, count);
  if (result == CUDA_SUCCESS) result = check_nodes(g, to, count);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    const bool early = data != NULL && data[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    if (data != NULL && data[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER)
      result = api_not_supported("CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER");
    else if (from[i] == to[i] || graph_is_connected(from[i], to[i]) ||
             (early && from[i]->type != CU_GRAPH_NODE_TYPE_KERNEL))
      result = CUDA_ERROR_INVALID_VALUE;
    else if (!graph_connect(from[i], to[i], early))
      result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return api_end(result);
}

CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
  (void)data; /* there is one edge at most between two nodes */
  work_lock();
  CUresult result = check_nodes(g, from, count);
  if (result == CUDA_SUCCESS) result = check_nodes(g, to, count);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    size_t e = 0;
    while (e < to[i]->edge_count && to[i]->edges[e].before != from[i]) ++e;
    if (e == to[i]->edge_count)
      result = CUDA_ERROR_INVALID_VALUE;
    else
      to[i]->edges[e] = to[i]->edges[--to[i]->edge_count];
  }
  return api_end(result);
}
