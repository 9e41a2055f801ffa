#include "api/event.h"

#include <stdlib.h>

#include "api/capture.h"
#include "api/handle.h"

void event_refer(CUevent e, op *o) {
  op_drop(e->mark);
  e->mark = o != NULL ? op_hold(o) : NULL;
  if (e->capture == NULL) return;
  capture_drop(e->capture);
  e->capture = NULL;
  free(e->tips);
  e->tips = NULL;
  e->tip_count = 0;
}

static CUresult begin(CUevent e) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_EVENT, e);
  return result == CUDA_SUCCESS ? context_error(e->owner) : result;
}

CUresult cuEventCreate(CUevent *phEvent, unsigned flags) {
  const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && (phEvent == NULL || (flags & ~known) != 0))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && (flags & CU_EVENT_INTERPROCESS) != 0)
    result = (flags & CU_EVENT_DISABLE_TIMING) == 0 ? CUDA_ERROR_INVALID_VALUE
                                                    : api_not_supported("an event for several processes");
  if (result != CUDA_SUCCESS) return api_end(result);
  CUevent e = calloc(1, sizeof *e);
  if (e == NULL || !handle_add(HANDLE_EVENT, e)) {
    free(e);
    return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  }
  e->owner = c;
  e->flags = flags;
  *phEvent = e;
  return api_end(CUDA_SUCCESS);
}

CUresult cuEventDestroy(CUevent e) {
  CUresult result = begin(e);
  if (!handle_is(HANDLE_EVENT, e)) return api_end(result);
  event_refer(e, NULL);
  handle_remove(e);
  free(e);
  return api_end(result);
}

CUresult cuEventRecordWithFlags(CUevent e, CUstream handle, unsigned flags) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_EVENT, e);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && e->owner != s->owner) result = CUDA_ERROR_INVALID_HANDLE;
  if (result != CUDA_SUCCESS) return api_end(result);
  task nothing = {.kind = TASK_NOTHING};
  if (s->capture != NULL) {
    return api_end((flags & CU_EVENT_RECORD_EXTERNAL) != 0
                       ? capture_task(s, &nothing, false, CU_GRAPH_NODE_TYPE_EVENT_RECORD, e, NULL)
                       : capture_record(s, e));
  }
  result = stream_submit(s, &nothing, false);
  if (result == CUDA_SUCCESS) event_refer(e, s->last);
  return api_end(result);
}

CUresult cuEventRecord(CUevent e, CUstream handle) {
  return cuEventRecordWithFlags(e, handle, CU_EVENT_RECORD_DEFAULT);
}

/* Whether it may be asked after, or waited for. */
static CUresult check(CUevent e) {
  CUresult result = begin(e);
  if (result == CUDA_SUCCESS && e->capture != NULL) {
    if (e->capture->is_over) return CUDA_ERROR_INVALID_VALUE;
    capture_invalidate(e->capture);
    result = CUDA_ERROR_CAPTURED_EVENT;
  }
  return result == CUDA_SUCCESS ? capture_check_unsafe() : result;
}

CUresult cuEventQuery(CUevent e) {
  CUresult result = check(e);
  if (result == CUDA_SUCCESS && e->mark != NULL && !op_ask(e->mark)) result = CUDA_ERROR_NOT_READY;
  return api_end(result);
}

CUresult cuEventSynchronize(CUevent e) {
  CUresult result = check(e);
  if (result != CUDA_SUCCESS || e->mark == NULL) return api_end(result);
  context *c = e->owner;
  op_await(e->mark); /* the event may be gone afterwards */
  return api_end(context_error(c));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  CUresult result = begin(from);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_EVENT, to);
  if (result == CUDA_SUCCESS && milliseconds == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  if ((from->capture != NULL && from->capture->is_over) || (to->capture != NULL && to->capture->is_over))
    return api_end(CUDA_ERROR_INVALID_VALUE);
  if (((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) != 0 || from->mark == NULL ||
      to->mark == NULL || from->capture != NULL || to->capture != NULL)
    return api_end(CUDA_ERROR_INVALID_HANDLE);
  if (!op_is_complete(from->mark) || !op_is_complete(to->mark)) return api_end(CUDA_ERROR_NOT_READY);
  *milliseconds = (float)(1e3 * (op_time(to->mark) - op_time(from->mark)));
  return api_end(CUDA_SUCCESS);
}
