#include "api/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/graph.h"
#include "api/settings.h"
#include "api/stream.h"

/* ---- checks */

static bool is_size(unsigned value, unsigned limit) {
  return value >= 1 && value <= limit;
}

static CUresult check_shape(const struct CUfunc_st *f, const CUlaunchConfig *c) {
  const kernel *k = f->code;
  const unsigned sizes[3] = {c->blockDimX, c->blockDimY, c->blockDimZ};
  if (!is_size(c->gridDimX, INT_MAX) || !is_size(c->gridDimY, 65535) || !is_size(c->gridDimZ, 65535) ||
      !is_size(c->blockDimX, 1024) || !is_size(c->blockDimY, 1024) || !is_size(c->blockDimZ, 64))
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned threads = c->blockDimX * c->blockDimY * c->blockDimZ;
  if (threads > 1024 || threads > k->max_threads) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; ++i) {
    if (k->required_threads[i] != 0 && k->required_threads[i] != sizes[i])
      return CUDA_ERROR_INVALID_VALUE;
  }
  if ((uint64_t)c->sharedMemBytes + k->static_shared_bytes > code_shared_limit(f))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static CUresult check_cluster(const struct CUfunc_st *f, const grid_launch *l) {
  unsigned blocks = 1;
  for (int i = 0; i < 3; ++i) {
    const unsigned wanted = f->code->required_cluster[i];
    if (wanted != 0 && l->cluster[i] != wanted) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (l->cluster[i] == 0 || l->cluster[i] > 16 || l->blocks[i] % l->cluster[i] != 0)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    blocks *= l->cluster[i];
  }
  if (blocks > code_cluster_limit(f)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  return blocks > 1 && settings_get()->sm < 90 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult check_cooperative(const grid_launch *l) {
  const unsigned threads = l->threads[0] * l->threads[1] * l->threads[2];
  const int per_sm = grid_blocks_per_sm(l->kernel, threads, l->dynamic_shared_bytes);
  const uint64_t blocks = (uint64_t)l->blocks[0] * l->blocks[1] * l->blocks[2];
  return blocks > (uint64_t)per_sm * (uint64_t)settings_get()->multiprocessors
             ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
             : CUDA_SUCCESS;
}

/* ---- attributes */

typedef struct wishes {
  bool cooperative, programmatic;
  unsigned cluster[3];
} wishes;

static CUresult read_attribute(const CUlaunchAttribute *a, wishes *w) {
  switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      w->cooperative = a->value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      w->cluster[0] = a->value.clusterDim.x;
      w->cluster[1] = a->value.clusterDim.y;
      w->cluster[2] = a->value.clusterDim.z;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      w->programmatic = a->value.programmaticStreamSerializationAllowed != 0;
      return w->programmatic && settings_get()->sm < 90 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_IGNORE: /* and hints, or of no effect on a program's results */
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      return api_not_supported("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT");
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      return api_not_supported("CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT");
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return a->value.deviceUpdatableKernelNode.deviceUpdatable == 0
                 ? CUDA_SUCCESS
                 : api_not_supported("CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE");
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult read_attributes(const CUlaunchConfig *c, const kernel *k, wishes *w) {
  for (int i = 0; i < 3; ++i) w->cluster[i] = k->required_cluster[i] != 0 ? k->required_cluster[i] : 1;
  if (c->numAttrs > 0 && c->attrs == NULL) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    CUresult result = read_attribute(&c->attrs[i], w);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

/* ---- parameters */

static CUresult take_buffer(const kernel *k, void **extra, unsigned char *to) {
  const unsigned char *buffer = NULL;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = extra[1] != NULL ? *(const size_t *)extra[1] : 0;
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  const unsigned last = k->param_count - 1;
  const size_t needed = k->param_count > 0 ? k->param_offsets[last] + k->param_sizes[last] : 0;
  if (size < needed || (needed > 0 && buffer == NULL)) return CUDA_ERROR_INVALID_VALUE;
  if (size > needed) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; /* as the real driver has it */
  if (needed > 0) memcpy(to, buffer, needed);
  return CUDA_SUCCESS;
}

static CUresult take_params(const kernel *k, void **params, void **extra, unsigned char *to) {
  if (params != NULL && extra != NULL) return CUDA_ERROR_INVALID_VALUE;
  if (extra != NULL) return take_buffer(k, extra, to);
  if (params == NULL) return k->param_count == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < k->param_count; ++i) {
    if (params[i] == NULL) return CUDA_ERROR_INVALID_VALUE;
    memcpy(to + k->param_offsets[i], params[i], k->param_sizes[i]);
  }
  return CUDA_SUCCESS;
}

CUresult launch_task(CUfunction f, const CUlaunchConfig *config, void **params, void **extra, task *t,
                     bool *programmatic) {
  static atomic_uint_least64_t next_id = 1;
  const kernel *k = f->code;
  wishes w = {0};
  CUresult result = check_shape(f, config);
  if (result == CUDA_SUCCESS) result = read_attributes(config, k, &w);
  if (result != CUDA_SUCCESS) return result;
  *t = (task){.kind = TASK_KERNEL,
              .param_bytes = k->param_bytes,
              .launch = {.kernel = k,
                         .device = f->owner->owner->device,
                         .blocks = {config->gridDimX, config->gridDimY, config->gridDimZ},
                         .threads = {config->blockDimX, config->blockDimY, config->blockDimZ},
                         .cluster = {w.cluster[0], w.cluster[1], w.cluster[2]},
                         .dynamic_shared_bytes = config->sharedMemBytes,
                         .id = atomic_fetch_add(&next_id, 1)}};
  result = check_cluster(f, &t->launch);
  if (result == CUDA_SUCCESS && w.cooperative) result = check_cooperative(&t->launch);
  if (result != CUDA_SUCCESS) return result;
  t->launch.params = calloc(1, k->param_bytes > 0 ? k->param_bytes : 1);
  if (t->launch.params == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  result = take_params(k, params, extra, t->launch.params);
  if (result != CUDA_SUCCESS) task_free(t);
  *programmatic = w.programmatic;
  return result;
}

/* ---- entry points */

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction handle, void **params, void **extra) {
  stream *s;
  CUfunction f;
  task t;
  bool programmatic;
  if (config == NULL) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = api_begin_stream(config->hStream, &s);
  if (result == CUDA_SUCCESS) result = code_function(handle, s->owner, &f);
  if (result == CUDA_SUCCESS && f->owner->owner != s->owner) result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) result = launch_task(f, config, params, extra, &t, &programmatic);
  if (result == CUDA_SUCCESS) result = stream_submit(s, &t, programmatic);
  if (s == NULL || s->capture == NULL) return api_end(result);
  if (result == CUDA_SUCCESS)
    graph_refer(s->tips[0], f);
  else
    capture_invalidate(s->capture);
  return api_end(result);
}

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream handle,
                        void **params, void **extra) {
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shared,
                                 .hStream = handle};
  return cuLaunchKernelEx(&config, f, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream handle, void **params) {
  CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shared,
                                 .hStream = handle,
                                 .attrs = &cooperative,
                                 .numAttrs = 1};
  return cuLaunchKernelEx(&config, f, params, NULL);
}
