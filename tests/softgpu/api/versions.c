/* Earlier versions of entry points, for programs that were built with an older cuda.h. Those that have
 * addresses of 32 bits are left out.
 *
 * With this, cuda.h declares every symbol by its own name. */
#define __CUDA_API_VERSION_INTERNAL
#include "api/stream.h"

#include <stddef.h>
#pragma GCC visibility push(default)
#include <cudaProfiler.h>
#pragma GCC visibility pop

#define SAME(old, now, parameters, arguments) \
  CUresult old parameters {                   \
    return now arguments;                     \
  }

SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), (uuid, device))
SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))
SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))
SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
     (device, flags))
SAME(cuCtxCreate, cuCtxCreate_v4, (CUcontext * c, unsigned flags, CUdevice device),
     (c, NULL, flags, device))
SAME(cuCtxCreate_v2, cuCtxCreate_v4, (CUcontext * c, unsigned flags, CUdevice device),
     (c, NULL, flags, device))
SAME(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext c), (c))
SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext c), (c))
SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * c), (c))
SAME(cuStreamDestroy, cuStreamDestroy_v2, (CUstream s), (s))
SAME(cuEventDestroy, cuEventDestroy_v2, (CUevent e), (e))
SAME(cuEventElapsedTime, cuEventElapsedTime_v2, (float *milliseconds, CUevent from, CUevent to),
     (milliseconds, from, to))
SAME(cuMemHostRegister, cuMemHostRegister_v2, (void *p, size_t bytes, unsigned flags), (p, bytes, flags))
SAME(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream s), (s, CU_STREAM_CAPTURE_MODE_GLOBAL))
SAME(cuStreamBeginCapture_ptsz, cuStreamBeginCapture_v2_ptsz, (CUstream s),
     (s, CU_STREAM_CAPTURE_MODE_GLOBAL))
SAME(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id), (s, status, id, NULL, NULL, NULL, NULL))
SAME(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo_v3_ptsz,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id), (s, status, id, NULL, NULL, NULL, NULL))
SAME(cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g, const CUgraphNode **nodes,
      size_t *count),
     (s, status, id, g, nodes, NULL, count))
SAME(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v3_ptsz,
     (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *g, const CUgraphNode **nodes,
      size_t *count),
     (s, status, id, g, nodes, NULL, count))
SAME(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2,
     (CUstream s, CUgraphNode *nodes, size_t count, unsigned flags), (s, nodes, NULL, count, flags))
SAME(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies_v2_ptsz,
     (CUstream s, CUgraphNode *nodes, size_t count, unsigned flags), (s, nodes, NULL, count, flags))
SAME(cuGraphGetEdges, cuGraphGetEdges_v2, (CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count),
     (g, from, to, NULL, count))
SAME(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2,
     (CUgraphNode n, CUgraphNode *nodes, size_t *count), (n, nodes, NULL, count))
SAME(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2,
     (CUgraphNode n, CUgraphNode *nodes, size_t *count), (n, nodes, NULL, count))
SAME(cuGraphAddDependencies, cuGraphAddDependencies_v2,
     (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t count),
     (g, from, to, NULL, count))
SAME(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2,
     (CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t count),
     (g, from, to, NULL, count))
SAME(cuGetProcAddress, cuGetProcAddress_v2,
     (const char *name, void **address, int version, cuuint64_t flags),
     (name, address, version, flags, NULL))

CUresult cuCtxCreate_v3(CUcontext *c, CUexecAffinityParam *affinities, int count, unsigned flags,
                        CUdevice device) {
  CUctxCreateParams params = {.execAffinityParams = affinities, .numExecAffinityParams = count};
  return cuCtxCreate_v4(c, &params, flags, device);
}

/* The log says nothing. */
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph g, CUgraphNode *node, char *log, size_t size) {
  if (node != NULL) *node = NULL;
  if (log != NULL && size > 0) log[0] = '\0';
  return cuGraphInstantiateWithFlags(exec, g, 0);
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph g, CUgraphNode *node, char *log, size_t size) {
  return cuGraphInstantiate(exec, g, node, log, size);
}

/* ---- kernel nodes without a context of their own */

static CUDA_KERNEL_NODE_PARAMS_v2 with_context(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
  return (CUDA_KERNEL_NODE_PARAMS_v2){.func = p->func,
                                      .gridDimX = p->gridDimX,
                                      .gridDimY = p->gridDimY,
                                      .gridDimZ = p->gridDimZ,
                                      .blockDimX = p->blockDimX,
                                      .blockDimY = p->blockDimY,
                                      .blockDimZ = p->blockDimZ,
                                      .sharedMemBytes = p->sharedMemBytes,
                                      .kernelParams = p->kernelParams,
                                      .extra = p->extra};
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  if (params == NULL) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS_v2 p = with_context(params);
  return cuGraphAddKernelNode_v2(node, g, before, count, &p);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  if (params == NULL) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS_v2 p = with_context(params);
  return cuGraphKernelNodeSetParams_v2(n, &p);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode n,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  if (params == NULL) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS_v2 p = with_context(params);
  return cuGraphExecKernelNodeSetParams_v2(e, n, &p);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count,
                        CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, g, before, NULL, count, params);
}

CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphNode *node, CUgraphExecUpdateResult *what) {
  CUgraphExecUpdateResultInfo info = {0};
  const CUresult result = cuGraphExecUpdate_v2(e, g, &info);
  if (node != NULL) *node = info.errorNode;
  if (what != NULL) *what = info.result;
  return result;
}

/* ---- memory's places, once devices only */

static CUmemLocation place(CUdevice device) {
  return (CUmemLocation){
      .type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
      .id = device};
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice to, CUstream s) {
  return cuMemPrefetchAsync_v2(address, bytes, place(to), 0, s);
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t bytes, CUdevice to, CUstream s) {
  return cuMemPrefetchAsync_v2_ptsz(address, bytes, place(to), 0, s);
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(address, bytes, advice, place(device));
}

/* ---- the profiler, which does not look at this */

CUresult cuProfilerInitialize(const char *config, const char *output, CUoutput_mode mode) {
  (void)config;
  (void)output;
  (void)mode;
  return CUDA_ERROR_PROFILER_DISABLED;
}

CUresult cuProfilerStart(void) {
  return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void) {
  return CUDA_SUCCESS;
}
