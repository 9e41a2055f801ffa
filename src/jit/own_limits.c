#include "jit/own_limits.h"

#include <stdlib.h>

static CUresult get_attribute(const driver *cuda, const loaded_kernel *k, CUdevice device,
                              CUfunction_attribute which, unsigned *value) {
  int got = 0;
  const CUresult result = k->library != NULL
                              ? cuda->cuKernelGetAttribute(&got, which, (CUkernel)k->function, device)
                              : cuda->cuFuncGetAttribute(&got, which, k->function);
  *value = got > 0 ? (unsigned)got : 0;
  return result;
}

/* Drivers and GPUs that have no clusters do not know these. */
static void read_cluster(const driver *cuda, const loaded_kernel *k, CUdevice device, own_limits *own) {
  for (int d = 0; d < 3; ++d)
    if (get_attribute(cuda, k, device,
                      (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + d),
                      &own->required_cluster[d]) != CUDA_SUCCESS)
      own->required_cluster[d] = 0;
}

static CUresult read_attributes(const driver *cuda, const loaded_kernel *k, own_limits *own) {
  const struct {
    CUfunction_attribute which;
    unsigned *value;
  } rows[] = {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &own->max_threads},
              {CU_FUNC_ATTRIBUTE_NUM_REGS, &own->registers},
              {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &own->local_bytes},
              {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &own->static_bytes}};
  CUdevice device;
  int most = 0;
  CUresult result = cuda->cuCtxGetDevice(&device);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && result == CUDA_SUCCESS; ++i)
    result = get_attribute(cuda, k, device, rows[i].which, rows[i].value);
  if (result == CUDA_SUCCESS) read_cluster(cuda, k, device, own);
  if (result == CUDA_SUCCESS)
    result =
        cuda->cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
  own->max_shared_bytes = (unsigned)most > own->static_bytes ? (unsigned)most - own->static_bytes : 0;
  return result;
}

CUresult own_limits_read(const driver *cuda, const artifact *a, loaded_kernel *k) {
  own_limits *own = calloc(1, sizeof *own);
  if (own == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  k->own = own;
  own->knows_parameters = code_read_parameters(view_of(a->payload, a->payload_size), a->target.ptx,
                                               a->name, &own->parameters);
  if (own->parameters.failed) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = read_attributes(cuda, k, own);
  k->shared_bytes = own->max_shared_bytes;
  return result;
}

void own_limits_free(loaded_kernel *k) {
  if (k->own != NULL) free(k->own->parameters.sizes);
  free(k->own);
  k->own = NULL;
}

/* ---- launching */

static unsigned at_least_1(uint32_t n) {
  return n > 0 ? n : 1;
}

bool own_has_clusters(const jig_kernel_shape *shape) {
  return (shape->cluster[0] | shape->cluster[1] | shape->cluster[2]) != 0;
}

CUlaunchConfig own_launch_config(const program *p, const jig_kernel_shape *shape,
                                 CUlaunchAttribute attributes[OWN_MAX_ATTRIBUTES]) {
  unsigned count = 0;
  if (shape->pdl && p->can_pdl)
    attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                              .value.programmaticStreamSerializationAllowed = 1};
  if (shape->cooperative)
    attributes[count++] =
        (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  if (own_has_clusters(shape))
    attributes[count++] = (CUlaunchAttribute){
        .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        .value.clusterDim = {at_least_1(shape->cluster[0]), at_least_1(shape->cluster[1]),
                             at_least_1(shape->cluster[2])}};
  return (CUlaunchConfig){.gridDimX = at_least_1(shape->grid[0]),
                          .gridDimY = at_least_1(shape->grid[1]),
                          .gridDimZ = at_least_1(shape->grid[2]),
                          .blockDimX = at_least_1(shape->block[0]),
                          .blockDimY = at_least_1(shape->block[1]),
                          .blockDimZ = at_least_1(shape->block[2]),
                          .sharedMemBytes = shape->shared_bytes,
                          .attrs = attributes,
                          .numAttrs = count};
}

CUresult own_launch(const program *p, const jig_kernel_shape *shape, void **parameters, CUstream stream) {
  CUlaunchAttribute attributes[OWN_MAX_ATTRIBUTES];
  CUlaunchConfig c = own_launch_config(p, shape, attributes);
  const CUfunction function = p->kernels[0].function;
  c.hStream = stream;
  if (c.numAttrs > 0) return p->cuda->cuLaunchKernelEx(&c, function, parameters, NULL);
  return p->cuda->cuLaunchKernel(function, c.gridDimX, c.gridDimY, c.gridDimZ, c.blockDimX, c.blockDimY,
                                 c.blockDimZ, c.sharedMemBytes, stream, parameters, NULL);
}
