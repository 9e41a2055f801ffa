/* Copies, of one dimension to three. */
#include "api/copy.h"

#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/settings.h"
#include "api/stream.h"
#include "work/order.h"

/* What an argument is said to be; host memory may be a device's or the program's own. */
typedef enum side { SIDE_HOST, SIDE_DEVICE } side;

static CUresult check_side(const char *call, const char *what, side s, uint64_t address, uint64_t bytes) {
  return s == SIDE_DEVICE ? range_check(call, what, address, bytes)
                          : range_check_any(call, what, address, bytes);
}

static CUresult check_copy(const char *call, const copy_task *c, side to, side from) {
  const uint64_t to_span = task_span(c->width, c->height, c->depth, c->to_pitch, c->to_slice);
  const uint64_t from_span = task_span(c->width, c->height, c->depth, c->from_pitch, c->from_slice);
  if (to_span == 0) return CUDA_SUCCESS;
  CUresult result = check_side(call, "destination", to, c->to, to_span);
  return result == CUDA_SUCCESS ? check_side(call, "source", from, c->from, from_span) : result;
}

/* ---- queueing, as "API synchronization behavior" in NVIDIA's driver documentation has it: whatever it
 * does not promise does not happen. */

static bool is_nothing(const copy_task *c) {
  return task_span(c->width, c->height, c->depth, 1, 1) == 0;
}

/* One side's bytes, without gaps; NULL without memory. */
static void *gather(const copy_task *c, bool source) {
  unsigned char *bytes = malloc(c->width * c->height * c->depth), *to = bytes;
  if (bytes == NULL) return NULL;
  for (size_t z = 0; z < c->depth; ++z) {
    for (size_t y = 0; y < c->height; ++y, to += c->width) {
      const uint64_t row = source ? c->from + z * c->from_slice + y * c->from_pitch
                                  : c->to + z * c->to_slice + y * c->to_pitch;
      memcpy(to, (const void *)(uintptr_t)row, c->width);
    }
  }
  return bytes;
}

/* From pageable memory to a device: the stream is waited for, the program's bytes are taken, and the call
 * comes back while they are on their way. */
static CUresult do_staged(stream *s, task *t) {
  context *owner = s->owner;
  copy_task *c = &t->copy;
  task nothing = {.kind = TASK_NOTHING};
  CUresult result = stream_submit_and_wait(s, &nothing);
  if (result == CUDA_SUCCESS && !owner->alive) result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (result != CUDA_SUCCESS) return result;
  c->staged = gather(c, true);
  if (c->staged == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  c->from = (uint64_t)(uintptr_t)c->staged;
  c->from_pitch = c->width;
  c->from_slice = c->width * c->height;
  return stream_submit(s, t, false);
}

/* Otherwise it is waited for, unless all is on devices. */
static CUresult do_now(stream *s, task *t) {
  const copy_task *c = &t->copy;
  const bool to_device = range_is_device_only(c->to);
  if (to_device && range_is_pageable(c->from) && !is_nothing(c)) return do_staged(s, t);
  if (!to_device || !range_is_device_only(c->from)) return stream_submit_and_wait(s, t);
  CUresult result = capture_check_stream(s);
  return result == CUDA_SUCCESS ? stream_submit(s, t, false) : result;
}

/* Only copies from host memory to host memory are waited for. The others use the host's memory when their
 * turn has come, pageable memory too; until then the program has to leave it alone, which is checked if
 * nothing else writes there. */
static CUresult do_later(stream *s, task *t) {
  copy_task *c = &t->copy;
  const bool to_host = range_is_host(c->to), from_host = range_is_host(c->from);
  if (s->capture == NULL && to_host && from_host) return stream_submit_and_wait(s, t);
  const bool is_left_alone = s->capture == NULL && (to_host || from_host) && !is_nothing(c) &&
                             settings_get()->check && order_host_is_quiet();
  if (is_left_alone) c->seen = gather(c, from_host);
  return stream_submit(s, t, false);
}

static CUresult copy_row(const char *call, CUstream handle, bool async, uint64_t to, side to_side,
                         uint64_t from, side from_side, size_t bytes) {
  stream *s;
  task t = {.kind = TASK_COPY,
            .call = call,
            .copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1}};
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && bytes > 0) {
    result = check_copy(call, &t.copy, to_side, from_side);
    if (result == CUDA_SUCCESS) result = async ? do_later(s, &t) : do_now(s, &t);
  }
  return api_end(result);
}

static uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_row("cuMemcpy", NULL, false, to, SIDE_HOST, from, SIDE_HOST, bytes);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copy_row("cuMemcpyHtoD", NULL, false, to, SIDE_DEVICE, address_of(from), SIDE_HOST, bytes);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copy_row("cuMemcpyDtoH", NULL, false, address_of(to), SIDE_HOST, from, SIDE_DEVICE, bytes);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_row("cuMemcpyDtoD", NULL, false, to, SIDE_DEVICE, from, SIDE_DEVICE, bytes);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      size_t bytes) {
  if (to_context == NULL || from_context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_row("cuMemcpyPeer", NULL, false, to, SIDE_DEVICE, from, SIDE_DEVICE, bytes);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s) {
  return copy_row("cuMemcpyAsync", s, true, to, SIDE_HOST, from, SIDE_HOST, bytes);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream s) {
  return copy_row("cuMemcpyHtoDAsync", s, true, to, SIDE_DEVICE, address_of(from), SIDE_HOST, bytes);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream s) {
  return copy_row("cuMemcpyDtoHAsync", s, true, address_of(to), SIDE_HOST, from, SIDE_DEVICE, bytes);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s) {
  return copy_row("cuMemcpyDtoDAsync", s, true, to, SIDE_DEVICE, from, SIDE_DEVICE, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream s) {
  if (to_context == NULL || from_context == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_row("cuMemcpyPeerAsync", s, true, to, SIDE_DEVICE, from, SIDE_DEVICE, bytes);
}

/* ---- boxes */

static CUresult find_side(CUmemorytype type, const void *host, CUdeviceptr device, uint64_t *base,
                          side *s) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      *base = address_of(host);
      *s = SIDE_HOST;
      return CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
      *base = device;
      *s = SIDE_DEVICE;
      return CUDA_SUCCESS;
    case CU_MEMORYTYPE_UNIFIED:
      *base = device;
      *s = SIDE_HOST;
      return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
      return api_not_supported("a copy from or to an array");
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult read_description(const CUDA_MEMCPY3D *d, copy_task *c, side *to, side *from) {
  uint64_t to_base = 0, from_base = 0;
  CUresult result = find_side(d->dstMemoryType, d->dstHost, d->dstDevice, &to_base, to);
  if (result == CUDA_SUCCESS)
    result = find_side(d->srcMemoryType, d->srcHost, d->srcDevice, &from_base, from);
  if (result != CUDA_SUCCESS) return result;
  const size_t to_pitch = d->dstPitch != 0 ? d->dstPitch : d->dstXInBytes + d->WidthInBytes;
  const size_t from_pitch = d->srcPitch != 0 ? d->srcPitch : d->srcXInBytes + d->WidthInBytes;
  const size_t to_rows = d->dstHeight != 0 ? d->dstHeight : d->dstY + d->Height;
  const size_t from_rows = d->srcHeight != 0 ? d->srcHeight : d->srcY + d->Height;
  if (d->Height > 1 || d->Depth > 1) {
    if (to_pitch < d->dstXInBytes + d->WidthInBytes || from_pitch < d->srcXInBytes + d->WidthInBytes)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (d->Depth > 1 && (to_rows < d->Height || from_rows < d->Height)) return CUDA_ERROR_INVALID_VALUE;
  *c = (copy_task){.width = d->WidthInBytes,
                   .height = d->Height,
                   .depth = d->Depth,
                   .to_pitch = to_pitch,
                   .from_pitch = from_pitch,
                   .to_slice = to_pitch * to_rows,
                   .from_slice = from_pitch * from_rows};
  c->to = to_base + d->dstZ * c->to_slice + d->dstY * to_pitch + d->dstXInBytes;
  c->from = from_base + d->srcZ * c->from_slice + d->srcY * from_pitch + d->srcXInBytes;
  return CUDA_SUCCESS;
}

CUresult copy_task_of(const char *call, const CUDA_MEMCPY3D *d, task *t) {
  side to = SIDE_HOST, from = SIDE_HOST;
  *t = (task){.kind = TASK_COPY, .call = call};
  CUresult result = read_description(d, &t->copy, &to, &from);
  return result == CUDA_SUCCESS ? check_copy(call, &t->copy, to, from) : result;
}

static CUresult copy_box(const char *call, CUstream handle, bool async, const CUDA_MEMCPY3D *d) {
  stream *s;
  task t;
  if (d == NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = copy_task_of(call, d, &t);
  if (result == CUDA_SUCCESS) result = async ? do_later(s, &t) : do_now(s, &t);
  return api_end(result);
}

static CUDA_MEMCPY3D as_box(const CUDA_MEMCPY2D *d) {
  return (CUDA_MEMCPY3D){.srcXInBytes = d->srcXInBytes,
                         .srcY = d->srcY,
                         .srcMemoryType = d->srcMemoryType,
                         .srcHost = d->srcHost,
                         .srcDevice = d->srcDevice,
                         .srcArray = d->srcArray,
                         .srcPitch = d->srcPitch,
                         .dstXInBytes = d->dstXInBytes,
                         .dstY = d->dstY,
                         .dstMemoryType = d->dstMemoryType,
                         .dstHost = d->dstHost,
                         .dstDevice = d->dstDevice,
                         .dstArray = d->dstArray,
                         .dstPitch = d->dstPitch,
                         .WidthInBytes = d->WidthInBytes,
                         .Height = d->Height,
                         .Depth = 1};
}

static CUresult copy_rows(const char *call, CUstream handle, bool async, const CUDA_MEMCPY2D *d) {
  if (d == NULL) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D box = as_box(d);
  return copy_box(call, handle, async, &box);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *d) {
  return copy_rows("cuMemcpy2D", NULL, false, d);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *d) {
  return copy_rows("cuMemcpy2DUnaligned", NULL, false, d);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *d, CUstream s) {
  return copy_rows("cuMemcpy2DAsync", s, true, d);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *d) {
  return copy_box("cuMemcpy3D", NULL, false, d);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *d, CUstream s) {
  return copy_box("cuMemcpy3DAsync", s, true, d);
}
