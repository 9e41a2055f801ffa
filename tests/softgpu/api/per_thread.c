/* The entry points for programs to whom NULL is the thread's own stream
 * (CUDA_API_PER_THREAD_DEFAULT_STREAM).
 *
 * With this, cuda.h declares every symbol by its own name. */
#define __CUDA_API_VERSION_INTERNAL
#include "api/stream.h"

#define PER_THREAD(name, ending, parameters, arguments)  \
  CUresult name##ending parameters {                     \
    const bool before = stream_default_per_thread(true); \
    const CUresult result = name arguments;              \
    (void)stream_default_per_thread(before);             \
    return result;                                       \
  }

PER_THREAD(cuEventRecordWithFlags, _ptsz, (CUevent hEvent, CUstream hStream, unsigned int flags),
           (hEvent, hStream, flags))
PER_THREAD(cuEventRecord, _ptsz, (CUevent hEvent, CUstream hStream), (hEvent, hStream))
PER_THREAD(cuGraphInstantiateWithParams, _ptsz,
           (CUgraphExec * phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams),
           (phGraphExec, hGraph, instantiateParams))
PER_THREAD(cuGraphLaunch, _ptsz, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream))
PER_THREAD(cuGraphUpload, _ptsz, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream))
PER_THREAD(cuLaunchCooperativeKernel, _ptsz,
           (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
            unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
            unsigned int sharedMemBytes, CUstream hStream, void **kernelParams),
           (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
            kernelParams))
PER_THREAD(cuLaunchHostFunc, _ptsz, (CUstream hStream, CUhostFn fn, void *userData),
           (hStream, fn, userData))
PER_THREAD(cuLaunchKernelEx, _ptsz,
           (const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra),
           (config, f, kernelParams, extra))
PER_THREAD(cuLaunchKernel, _ptsz,
           (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
            unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
            unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra),
           (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
            kernelParams, extra))
PER_THREAD(cuMemAllocAsync, _ptsz, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
           (dptr, bytesize, hStream))
PER_THREAD(cuMemAllocFromPoolAsync, _ptsz,
           (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream),
           (dptr, bytesize, pool, hStream))
PER_THREAD(cuMemFreeAsync, _ptsz, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream))
PER_THREAD(cuMemPrefetchAsync_v2, _ptsz,
           (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
            CUstream hStream),
           (devPtr, count, location, flags, hStream))
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D *pCopy, CUstream hStream), (pCopy, hStream))
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D *pCopy), (pCopy))
PER_THREAD(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D *pCopy), (pCopy))
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz, (const CUDA_MEMCPY3D *pCopy, CUstream hStream), (pCopy, hStream))
PER_THREAD(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D *pCopy), (pCopy))
PER_THREAD(cuMemcpyAsync, _ptsz, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream),
           (dst, src, ByteCount, hStream))
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz,
           (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
           (dstDevice, srcDevice, ByteCount, hStream))
PER_THREAD(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount),
           (dstDevice, srcDevice, ByteCount))
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz,
           (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
           (dstHost, srcDevice, ByteCount, hStream))
PER_THREAD(cuMemcpyDtoH_v2, _ptds, (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount),
           (dstHost, srcDevice, ByteCount))
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz,
           (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream),
           (dstDevice, srcHost, ByteCount, hStream))
PER_THREAD(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount),
           (dstDevice, srcHost, ByteCount))
PER_THREAD(cuMemcpyPeerAsync, _ptsz,
           (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
            size_t ByteCount, CUstream hStream),
           (dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream))
PER_THREAD(cuMemcpyPeer, _ptds,
           (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
            size_t ByteCount),
           (dstDevice, dstContext, srcDevice, srcContext, ByteCount))
PER_THREAD(cuMemcpy, _ptds, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount), (dst, src, ByteCount))
PER_THREAD(cuMemsetD16Async, _ptsz,
           (CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream),
           (dstDevice, us, N, hStream))
PER_THREAD(cuMemsetD16_v2, _ptds, (CUdeviceptr dstDevice, unsigned short us, size_t N),
           (dstDevice, us, N))
PER_THREAD(cuMemsetD2D16Async, _ptsz,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
            CUstream hStream),
           (dstDevice, dstPitch, us, Width, Height, hStream))
PER_THREAD(cuMemsetD2D16_v2, _ptds,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height),
           (dstDevice, dstPitch, us, Width, Height))
PER_THREAD(cuMemsetD2D32Async, _ptsz,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
            CUstream hStream),
           (dstDevice, dstPitch, ui, Width, Height, hStream))
PER_THREAD(cuMemsetD2D32_v2, _ptds,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height),
           (dstDevice, dstPitch, ui, Width, Height))
PER_THREAD(cuMemsetD2D8Async, _ptsz,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
            CUstream hStream),
           (dstDevice, dstPitch, uc, Width, Height, hStream))
PER_THREAD(cuMemsetD2D8_v2, _ptds,
           (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height),
           (dstDevice, dstPitch, uc, Width, Height))
PER_THREAD(cuMemsetD32Async, _ptsz, (CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream),
           (dstDevice, ui, N, hStream))
PER_THREAD(cuMemsetD32_v2, _ptds, (CUdeviceptr dstDevice, unsigned int ui, size_t N), (dstDevice, ui, N))
PER_THREAD(cuMemsetD8Async, _ptsz, (CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream),
           (dstDevice, uc, N, hStream))
PER_THREAD(cuMemsetD8_v2, _ptds, (CUdeviceptr dstDevice, unsigned char uc, size_t N), (dstDevice, uc, N))
PER_THREAD(cuStreamAddCallback, _ptsz,
           (CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags),
           (hStream, callback, userData, flags))
PER_THREAD(cuStreamAttachMemAsync, _ptsz,
           (CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags),
           (hStream, dptr, length, flags))
PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz,
           (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
            const CUgraphEdgeData *dependencyData, size_t numDependencies, CUstreamCaptureMode mode),
           (hStream, hGraph, dependencies, dependencyData, numDependencies, mode))
PER_THREAD(cuStreamBeginCapture_v2, _ptsz, (CUstream hStream, CUstreamCaptureMode mode), (hStream, mode))
PER_THREAD(cuStreamCopyAttributes, _ptsz, (CUstream dst, CUstream src), (dst, src))
PER_THREAD(cuStreamEndCapture, _ptsz, (CUstream hStream, CUgraph *phGraph), (hStream, phGraph))
PER_THREAD(cuStreamGetAttribute, _ptsz,
           (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out),
           (hStream, attr, value_out))
PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz,
           (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
            CUgraph *graph_out, const CUgraphNode **dependencies_out,
            const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out),
           (hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
            numDependencies_out))
PER_THREAD(cuStreamGetCtx, _ptsz, (CUstream hStream, CUcontext *pctx), (hStream, pctx))
PER_THREAD(cuStreamGetCtx_v2, _ptsz, (CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx),
           (hStream, pCtx, pGreenCtx))
PER_THREAD(cuStreamGetDevice, _ptsz, (CUstream hStream, CUdevice *device), (hStream, device))
PER_THREAD(cuStreamGetFlags, _ptsz, (CUstream hStream, unsigned int *flags), (hStream, flags))
PER_THREAD(cuStreamGetId, _ptsz, (CUstream hStream, unsigned long long *streamId), (hStream, streamId))
PER_THREAD(cuStreamGetPriority, _ptsz, (CUstream hStream, int *priority), (hStream, priority))
PER_THREAD(cuStreamIsCapturing, _ptsz, (CUstream hStream, CUstreamCaptureStatus *captureStatus),
           (hStream, captureStatus))
PER_THREAD(cuStreamQuery, _ptsz, (CUstream hStream), (hStream))
PER_THREAD(cuStreamSetAttribute, _ptsz,
           (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value),
           (hStream, attr, value))
PER_THREAD(cuStreamSynchronize, _ptsz, (CUstream hStream), (hStream))
PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz,
           (CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
            size_t numDependencies, unsigned int flags),
           (hStream, dependencies, dependencyData, numDependencies, flags))
PER_THREAD(cuStreamWaitEvent, _ptsz, (CUstream hStream, CUevent hEvent, unsigned int Flags),
           (hStream, hEvent, Flags))
