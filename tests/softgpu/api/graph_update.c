/* Nodes given by a description of any kind, and executable graphs made to do what another graph does. */
#include "api/code.h"
#include "api/graph.h"
#include "api/handle.h"

/* ---- cuGraphAddNode */

static CUresult add_kernel(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS_v3 *p) {
  const CUDA_KERNEL_NODE_PARAMS params = {.func = p->func,
                                          .gridDimX = p->gridDimX,
                                          .gridDimY = p->gridDimY,
                                          .gridDimZ = p->gridDimZ,
                                          .blockDimX = p->blockDimX,
                                          .blockDimY = p->blockDimY,
                                          .blockDimZ = p->blockDimZ,
                                          .sharedMemBytes = p->sharedMemBytes,
                                          .kernelParams = p->kernelParams,
                                          .extra = p->extra,
                                          .kern = p->kern,
                                          .ctx = p->ctx};
  return cuGraphAddKernelNode(out, g, before, count, &params);
}

static CUresult add_memset(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                           const CUDA_MEMSET_NODE_PARAMS_v2 *p) {
  const CUDA_MEMSET_NODE_PARAMS params = {.dst = p->dst,
                                          .pitch = p->pitch,
                                          .value = p->value,
                                          .elementSize = p->elementSize,
                                          .width = p->width,
                                          .height = p->height};
  return cuGraphAddMemsetNode(out, g, before, count, &params, p->ctx);
}

static CUresult add_any(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                        const CUgraphNodeParams *p) {
  switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return add_kernel(out, g, before, count, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return cuGraphAddMemcpyNode(out, g, before, count, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return add_memset(out, g, before, count, &p->memset);
    case CU_GRAPH_NODE_TYPE_HOST: {
      const CUDA_HOST_NODE_PARAMS host = {.fn = p->host.fn, .userData = p->host.userData};
      return cuGraphAddHostNode(out, g, before, count, &host);
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return cuGraphAddChildGraphNode(out, g, before, count, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return cuGraphAddEmptyNode(out, g, before, count);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return cuGraphAddEventWaitNode(out, g, before, count, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return cuGraphAddEventRecordNode(out, g, before, count, p->eventRecord.event);
    default:
      return api_not_supported("cuGraphAddNode() of this type");
  }
}

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                        const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params) {
  if (out == NULL || params == NULL || (count > 0 && before == NULL)) return CUDA_ERROR_INVALID_VALUE;
  if (data == NULL) return add_any(out, g, before, count, params);
  CUresult result = add_any(out, g, NULL, 0, params);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    result = cuGraphAddDependencies(g, &before[i], out, &data[i], 1);
  }
  return result;
}

/* ---- cuGraphExecUpdate: node by node, in the order in which they were added */

static size_t place_of(CUgraph g, CUgraphNode n) {
  size_t i = 0;
  while (i < g->count && g->nodes[i] != n) ++i;
  return i;
}

static bool same_edges(CUgraph a, CUgraph b, size_t i) {
  const CUgraphNode x = a->nodes[i], y = b->nodes[i];
  if (x->edge_count != y->edge_count) return false;
  for (size_t e = 0; e < x->edge_count; ++e) {
    if (place_of(a, x->edges[e].before) != place_of(b, y->edges[e].before) ||
        x->edges[e].programmatic != y->edges[e].programmatic)
      return false;
  }
  return true;
}

static CUgraphExecUpdateResult compare(CUgraph old, CUgraph g, CUgraphNode *at) {
  *at = NULL;
  if (old->count != g->count) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; i < g->count; ++i) {
    *at = g->nodes[i];
    if (old->nodes[i]->type != g->nodes[i]->type) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (!same_edges(old, g, i)) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (g->nodes[i]->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
        g->nodes[i]->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
      return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    if (g->nodes[i]->child == NULL) continue;
    const CUgraphExecUpdateResult inner = compare(old->nodes[i]->child, g->nodes[i]->child, at);
    if (inner != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inner;
  }
  *at = NULL;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphExecUpdateResultInfo *info) {
  work_lock();
  CUresult result = handle_check(HANDLE_EXEC, e);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_GRAPH, g);
  if (result == CUDA_SUCCESS && info == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  *info = (CUgraphExecUpdateResultInfo){0};
  info->result = compare(e->graph, g, &info->errorNode);
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return api_end(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  /* A fresh copy, whose nodes answer to those of the first graph as well as before. */
  CUgraph copy = graph_copy(g);
  if (copy == NULL) return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  handle_remove(copy);
  for (size_t i = 0; i < copy->count; ++i) copy->nodes[i]->original = e->graph->nodes[i]->original;
  graph_free(e->graph);
  e->graph = copy;
  return api_end(CUDA_SUCCESS);
}
