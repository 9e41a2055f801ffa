/* Setting memory to a value. As with the real driver, also the calls without a stream come back before it
 * is done, unless the memory is the host's. */
#include "api/capture.h"
#include "api/copy.h"
#include "api/stream.h"

CUresult set_task_of(const char *call, const set_task *s, task *t) {
  const size_t row = s->width * s->element;
  if (s->element != 1 && s->element != 2 && s->element != 4) return CUDA_ERROR_INVALID_VALUE;
  if (s->to % s->element != 0 || s->width > SIZE_MAX / s->element) return CUDA_ERROR_INVALID_VALUE;
  if (s->height > 1 && (s->pitch < row || s->pitch % s->element != 0)) return CUDA_ERROR_INVALID_VALUE;
  *t = (task){.kind = TASK_SET, .call = call, .set = *s};
  const uint64_t span = task_span(row, s->height, 1, s->pitch, 0);
  return span == 0 ? CUDA_SUCCESS : range_check(call, "destination", s->to, span);
}

static CUresult set(const char *call, CUstream handle, bool async, const set_task *what) {
  stream *s;
  task t;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && !async) result = capture_check_stream(s);
  if (result == CUDA_SUCCESS) result = set_task_of(call, what, &t);
  if (result != CUDA_SUCCESS || what->width == 0 || what->height == 0) return api_end(result);
  if (async || range_is_device_only(what->to)) return api_end(stream_submit(s, &t, false));
  return api_end(stream_submit_and_wait(s, &t));
}

static set_task row(CUdeviceptr to, unsigned element, uint32_t value, size_t count) {
  return (set_task){.to = to, .value = value, .element = element, .width = count, .height = 1};
}

static set_task rows(CUdeviceptr to, size_t pitch, unsigned element, uint32_t value, size_t width,
                     size_t height) {
  return (set_task){
      .to = to, .value = value, .element = element, .width = width, .height = height, .pitch = pitch};
}

/* The call without a stream and the one with it. */
#define SET(bits, type)                                                                               \
  CUresult cuMemsetD##bits(CUdeviceptr to, type value, size_t count) {                                \
    const set_task s = row(to, bits / 8, value, count);                                               \
    return set("cuMemsetD" #bits, NULL, false, &s);                                                   \
  }                                                                                                   \
  CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream handle) {        \
    const set_task s = row(to, bits / 8, value, count);                                               \
    return set("cuMemsetD" #bits "Async", handle, true, &s);                                          \
  }                                                                                                   \
  CUresult cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) { \
    const set_task s = rows(to, pitch, bits / 8, value, width, height);                               \
    return set("cuMemsetD2D" #bits, NULL, false, &s);                                                 \
  }                                                                                                   \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width,           \
                                    size_t height, CUstream handle) {                                 \
    const set_task s = rows(to, pitch, bits / 8, value, width, height);                               \
    return set("cuMemsetD2D" #bits "Async", handle, true, &s);                                        \
  }

SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
