/* How many blocks fit. */
#include "api/api.h"
#include "api/code.h"
#include "api/settings.h"

static CUresult begin(CUfunction handle, CUfunction *f) {
  context *c;
  CUresult result = api_begin(&c);
  return result == CUDA_SUCCESS ? code_function(handle, c, f) : result;
}

static int blocks_of(const struct CUfunc_st *f, int threads, size_t shared, unsigned limit) {
  if (threads > (int)f->code->max_threads || shared + f->code->static_shared_bytes > limit) return 0;
  return grid_blocks_per_sm(f->code, (unsigned)threads, shared);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle, int threads,
                                                              size_t shared, unsigned flags) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && (blocks == NULL || threads <= 0 || flags > 1))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *blocks = blocks_of(f, threads, shared, code_shared_limit(f));
  return api_end(result);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                     size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared, 0);
}

/* Without the lock, as the program is asked how much shared memory it wants. */
static int best_size(CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit, int *per_sm) {
  int best = 0, most = 0;
  for (int size = limit; size > 0; size -= size % 32 != 0 ? size % 32 : 32) {
    const size_t wanted = shared_of != NULL ? shared_of(size) : shared;
    const int blocks = blocks_of(f, size, wanted, code_shared_limit(f));
    if (blocks * size <= most) continue;
    most = blocks * size;
    best = size;
    *per_sm = blocks;
  }
  return best;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && (grid == NULL || block == NULL || limit < 0 || flags > 1))
    result = CUDA_ERROR_INVALID_VALUE;
  if (api_end(result) != CUDA_SUCCESS) return result;
  const int most = (int)f->code->max_threads;
  int per_sm = 0;
  *block = best_size(f, shared_of, shared, limit == 0 || limit > most ? most : limit, &per_sm);
  *grid = per_sm * settings_get()->multiprocessors;
  return *block > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared_of, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction handle, int blocks,
                                                 int threads) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && (shared == NULL || blocks <= 0 || threads <= 0))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && blocks_of(f, threads, 0, API_SHARED_LIMIT) < blocks)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  size_t fits = 0;
  for (size_t step = 1 << 17; step > 0; step /= 2) {
    if (blocks_of(f, threads, fits + step, API_SHARED_LIMIT) >= blocks) fits += step;
  }
  *shared = fits;
  return api_end(CUDA_SUCCESS);
}

/* ---- clusters: however large, one runs if nothing else does */

static unsigned cluster_blocks(const CUlaunchConfig *c, const kernel *k) {
  const unsigned *size = k->required_cluster;
  unsigned blocks = size[0] != 0 ? size[0] * size[1] * size[2] : 1;
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    if (c->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    blocks =
        c->attrs[i].value.clusterDim.x * c->attrs[i].value.clusterDim.y * c->attrs[i].value.clusterDim.z;
  }
  return blocks;
}

/* *all: how many blocks the GPU holds. */
static CUresult begin_cluster(const void *out, CUfunction handle, const CUlaunchConfig *c, CUfunction *f,
                              int *all) {
  CUresult result = begin(handle, f);
  if (result == CUDA_SUCCESS && (out == NULL || c == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && settings_get()->sm < 90) result = CUDA_ERROR_NOT_SUPPORTED;
  if (result != CUDA_SUCCESS) return result;
  const unsigned threads = c->blockDimX * c->blockDimY * c->blockDimZ;
  if (threads == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  *all = blocks_of(*f, (int)threads, c->sharedMemBytes, code_shared_limit(*f)) *
         settings_get()->multiprocessors;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *c) {
  CUfunction f;
  int all;
  CUresult result = begin_cluster(clusters, handle, c, &f, &all);
  if (result != CUDA_SUCCESS) return api_end(result);
  const unsigned blocks = cluster_blocks(c, f->code);
  if (blocks == 0 || blocks > code_cluster_limit(f)) return api_end(CUDA_ERROR_INVALID_CLUSTER_SIZE);
  *clusters = all / (int)blocks;
  if (all > 0 && *clusters == 0) *clusters = 1;
  return api_end(CUDA_SUCCESS);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle, const CUlaunchConfig *c) {
  CUfunction f;
  int all;
  CUresult result = begin_cluster(size, handle, c, &f, &all);
  if (result == CUDA_SUCCESS) *size = all > 0 ? (int)code_cluster_limit(f) : 0;
  return api_end(result);
}
