#include "api/context.h"

#include <stdlib.h>

#include "api/capture.h"
#include "api/code.h"
#include "api/handle.h"
#include "api/range.h"
#include "api/settings.h"
#include "api/stream.h"

enum { MAX_DEVICES = 64, MAX_DEPTH = 64 };

static context *contexts;
static context *primary[MAX_DEVICES];
static unsigned primary_flags[MAX_DEVICES];
static unsigned long long next_id = 1;

/* The contexts that a thread has pushed; the last is current. NULL entries are allowed. */
static _Thread_local struct {
  context *stack[MAX_DEPTH];
  unsigned depth;
} mine;

static bool is_device(CUdevice device) {
  return device >= 0 && device < settings_get()->devices;
}

/* ---- for the other files */

context *context_first(void) {
  return contexts;
}

CUresult context_error(const context *c) {
  return (CUresult)atomic_load(&c->work.error);
}

context *context_in_use(CUcontext *handle) {
  context *c = mine.depth > 0 ? mine.stack[mine.depth - 1] : NULL;
  if (handle != NULL) *handle = c;
  return c != NULL && c->alive ? c : NULL;
}

CUresult context_wait(context *c) {
  /* Streams may come and go during the wait: what is waited for is fixed before. */
  size_t count = 0, capacity = 16;
  op **last = malloc(capacity * sizeof(op *));
  for (stream *s = c->streams; s != NULL && last != NULL; s = s->next) {
    if (s->last == NULL) continue;
    if (count == capacity) {
      capacity *= 2;
      op **larger = realloc(last, capacity * sizeof(op *));
      if (larger == NULL) break;
      last = larger;
    }
    last[count++] = op_hold(s->last);
  }
  for (size_t i = 0; i < count; ++i) op_expect(last[i]); /* beside each other */
  for (size_t i = 0; i < count; ++i) {
    op_await(last[i]);
    op_drop(last[i]);
  }
  free(last);
  work_known(&c->work);
  return context_error(c);
}

/* ---- beginning and end */

static void set_limits(context *c) {
  c->limits[CU_LIMIT_STACK_SIZE] = 1024;
  c->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = (size_t)7 << 20;
  c->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = (size_t)8 << 20;
  c->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  c->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  c->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  c->limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0;
}

static bool begin_context(context *c, unsigned flags) {
  c->alive = true;
  c->flags = flags;
  c->id = next_id++;
  c->cache_config = CU_FUNC_CACHE_PREFER_NONE;
  atomic_store(&c->work.error, CUDA_SUCCESS);
  set_limits(c);
  c->legacy = stream_create(c, CU_STREAM_DEFAULT, 0);
  if (c->legacy == NULL) return false;
  c->legacy->is_legacy = true;
  handle_remove(c->legacy);
  return true;
}

static context *create(CUdevice device, bool is_primary) {
  context *c = calloc(1, sizeof *c);
  if (c == NULL || !handle_add(HANDLE_CONTEXT, c)) {
    free(c);
    return NULL;
  }
  c->device = device;
  c->is_primary = is_primary;
  c->next = contexts;
  contexts = c;
  return c;
}

/* False: another thread has ended it meanwhile. */
static bool wait_for_end(context *c) {
  const unsigned long long id = c->id;
  (void)context_wait(c);
  return c->alive && c->id == id;
}

/* The work is over. */
static void end_context(context *c) {
  c->alive = false;
  code_end_all(c);
  stream_end_all(c);
  memory_end_all(c);
  if (!c->is_primary) handle_remove(c);
}

static context *primary_of(CUdevice device) {
  if (primary[device] == NULL) primary[device] = create(device, true);
  return primary[device];
}

/* ---- primary contexts */

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && pctx == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && !is_device(dev)) result = CUDA_ERROR_INVALID_DEVICE;
  if (result != CUDA_SUCCESS) return api_end(result);
  context *c = primary_of(dev);
  if (c == NULL || (!c->alive && !begin_context(c, primary_flags[dev])))
    return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  ++c->retained;
  *pctx = c;
  return api_end(CUDA_SUCCESS);
}

static CUresult release_primary(CUdevice dev, bool all) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && !is_device(dev)) result = CUDA_ERROR_INVALID_DEVICE;
  if (result != CUDA_SUCCESS) return api_end(result);
  context *c = primary[dev];
  if (!all && (c == NULL || c->retained == 0)) return api_end(CUDA_ERROR_INVALID_CONTEXT);
  if (!all) --c->retained;
  if (c == NULL || !c->alive || (!all && c->retained > 0)) return api_end(CUDA_SUCCESS);
  if (!wait_for_end(c)) return api_end(CUDA_SUCCESS);
  if (!all && c->retained > 0) return api_end(CUDA_SUCCESS); /* another thread wants it again */
  end_context(c);
  return api_end(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  return release_primary(dev, false);
}

/* Who has retained it still has, and finds it ended until somebody retains it again. */
CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  return release_primary(dev, true);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && !is_device(dev)) result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  primary_flags[dev] = flags;
  if (primary[dev] != NULL) primary[dev]->flags = flags;
  return api_end(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && !is_device(dev)) result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && (flags == NULL || active == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  *flags = primary_flags[dev];
  *active = primary[dev] != NULL && primary[dev]->alive;
  return api_end(CUDA_SUCCESS);
}

/* ---- contexts of one's own */

static CUresult push(context *c) {
  if (mine.depth == MAX_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
  mine.stack[mine.depth++] = c;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *pctx, CUctxCreateParams *params, unsigned flags, CUdevice dev) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && pctx == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && !is_device(dev)) result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS && params != NULL &&
      (params->numExecAffinityParams > 0 || params->cigParams != NULL))
    result = api_not_supported("execution affinity");
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  context *c = create(dev, false);
  if (c == NULL || !begin_context(c, flags)) return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  *pctx = c;
  return api_end(push(c));
}

CUresult cuCtxDestroy(CUcontext ctx) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_CONTEXT, ctx);
  if (result != CUDA_SUCCESS)
    return api_end(result == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_CONTEXT : result);
  if (ctx->is_primary) return api_end(CUDA_ERROR_INVALID_CONTEXT);
  if (wait_for_end(ctx)) end_context(ctx);
  if (mine.depth > 0 && mine.stack[mine.depth - 1] == ctx) --mine.depth;
  return api_end(CUDA_SUCCESS);
}

/* A primary one is known before it begins and after it ended, too. */
static CUresult check_known(CUcontext ctx) {
  CUresult result = api_ready();
  return result != CUDA_SUCCESS || handle_is(HANDLE_CONTEXT, ctx) ? result : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult check(CUcontext ctx) {
  CUresult result = check_known(ctx);
  return result != CUDA_SUCCESS || ctx->alive ? result : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* ---- which is current */

CUresult cuCtxPushCurrent(CUcontext ctx) {
  work_lock();
  CUresult result = check_known(ctx);
  return api_end(result == CUDA_SUCCESS ? push(ctx) : result);
}

CUresult cuCtxPopCurrent(CUcontext *pctx) {
  CUresult result = api_ready();
  if (result != CUDA_SUCCESS) return result;
  if (mine.depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  context *c = mine.stack[--mine.depth];
  if (pctx != NULL) *pctx = c;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  work_lock();
  CUresult result = ctx == NULL ? api_ready() : check_known(ctx);
  if (result != CUDA_SUCCESS) return api_end(result);
  if (mine.depth > 0) --mine.depth;
  return api_end(ctx == NULL ? CUDA_SUCCESS : push(ctx));
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
  CUresult result = api_ready();
  if (result != CUDA_SUCCESS) return result;
  if (pctx == NULL) return CUDA_ERROR_INVALID_VALUE;
  (void)context_in_use(pctx);
  return CUDA_SUCCESS;
}

/* ---- what it is like. Asking is allowed after errors, too. */

static CUresult current_of_any_kind(context **c) {
  CUresult result = api_begin(c);
  return *c != NULL ? CUDA_SUCCESS : result;
}

static CUresult given_or_current(CUcontext ctx, context **c) {
  if (ctx == NULL) return current_of_any_kind(c);
  work_lock();
  *c = ctx;
  return check(ctx);
}

CUresult cuCtxGetDevice(CUdevice *device) {
  context *c;
  CUresult result = current_of_any_kind(&c);
  if (result == CUDA_SUCCESS && device == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *device = c->device;
  return api_end(result);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
  context *c;
  CUresult result = given_or_current(ctx, &c);
  if (result == CUDA_SUCCESS && device == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *device = c->device;
  return api_end(result);
}

CUresult cuCtxGetFlags(unsigned *flags) {
  context *c;
  CUresult result = current_of_any_kind(&c);
  if (result == CUDA_SUCCESS && flags == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *flags = c->flags;
  return api_end(result);
}

CUresult cuCtxSetFlags(unsigned flags) {
  context *c;
  CUresult result = current_of_any_kind(&c);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) c->flags = flags;
  return api_end(result);
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *id) {
  context *c;
  CUresult result = given_or_current(ctx, &c);
  if (result == CUDA_SUCCESS && id == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *id = c->id;
  return api_end(result);
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned *version) {
  context *c;
  CUresult result = given_or_current(ctx, &c);
  if (result == CUDA_SUCCESS && version == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *version = API_VERSION;
  return api_end(result);
}

CUresult cuCtxSynchronize(void) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS) result = capture_check_context(c);
  return api_end(result == CUDA_SUCCESS ? context_wait(c) : result);
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  context *c;
  CUresult result = given_or_current(ctx, &c);
  if (result == CUDA_SUCCESS) result = context_error(c);
  if (result == CUDA_SUCCESS) result = capture_check_context(c);
  return api_end(result == CUDA_SUCCESS ? context_wait(c) : result);
}

static bool is_limit(CUlimit limit) {
  return (int)limit >= 0 && limit <= CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && !is_limit(limit)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) c->limits[limit] = value;
  return api_end(result);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && !is_limit(limit)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *value = c->limits[limit];
  return api_end(result);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && config == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *config = c->cache_config;
  return api_end(result);
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS) c->cache_config = config;
  return api_end(result);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && config == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return api_end(result);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  context *c;
  (void)config; /* of effect on old GPUs only */
  return api_end(api_begin(&c));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && least != NULL) *least = 0;
  if (result == CUDA_SUCCESS && greatest != NULL) *greatest = -5;
  return api_end(result);
}

CUresult cuCtxResetPersistingL2Cache(void) {
  context *c;
  return api_end(api_begin(&c));
}
