/* Devices: what programs ask after. The limits are those of an H100. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/settings.h"

static CUresult check(CUdevice device) {
  CUresult result = api_ready();
  if (result != CUDA_SUCCESS) return result;
  return device >= 0 && device < settings_get()->devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetCount(int *count) {
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *count = settings_get()->devices;
  return result;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult result = check(ordinal);
  if (result == CUDA_SUCCESS && device == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *device = ordinal;
  return result;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && (name == NULL || size <= 0)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) (void)snprintf(name, (size_t)size, "jig software GPU");
  return result;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && bytes == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *bytes = settings_get()->memory;
  return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && uuid == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  memcpy(uuid->bytes, "jig softgpu    ", sizeof uuid->bytes);
  uuid->bytes[sizeof uuid->bytes - 1] = (char)device;
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && (major == NULL || minor == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  *major = settings_get()->sm / 10;
  *minor = settings_get()->sm % 10;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && (id == NULL || size <= 0)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) (void)snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)device + 1);
  return result;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && (device == NULL || id == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  for (int i = 0; i < settings_get()->devices; ++i) {
    char own[32];
    (void)cuDeviceGetPCIBusId(own, (int)sizeof own, i);
    if (strcasecmp(own, id) != 0) continue;
    *device = i;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

/* ---- attributes. What is not listed is 0: not there, or not supported. */

#define A(name) CU_DEVICE_ATTRIBUTE_##name
static const int constants[CU_DEVICE_ATTRIBUTE_MAX] = {
    [A(MAX_THREADS_PER_BLOCK)] = 1024,
    [A(MAX_BLOCK_DIM_X)] = 1024,
    [A(MAX_BLOCK_DIM_Y)] = 1024,
    [A(MAX_BLOCK_DIM_Z)] = 64,
    [A(MAX_GRID_DIM_X)] = 0x7fffffff,
    [A(MAX_GRID_DIM_Y)] = 65535,
    [A(MAX_GRID_DIM_Z)] = 65535,
    [A(MAX_SHARED_MEMORY_PER_BLOCK)] = API_SHARED_DEFAULT,
    [A(TOTAL_CONSTANT_MEMORY)] = 65536,
    [A(WARP_SIZE)] = 32,
    [A(MAX_PITCH)] = 0x7fffffff,
    [A(MAX_REGISTERS_PER_BLOCK)] = 65536,
    [A(CLOCK_RATE)] = 1980000,
    [A(TEXTURE_ALIGNMENT)] = 512,
    [A(GPU_OVERLAP)] = 1,
    [A(CAN_MAP_HOST_MEMORY)] = 1,
    [A(COMPUTE_MODE)] = CU_COMPUTEMODE_DEFAULT,
    [A(SURFACE_ALIGNMENT)] = 512,
    [A(CONCURRENT_KERNELS)] = 1,
    [A(MEMORY_CLOCK_RATE)] = 2619000,
    [A(GLOBAL_MEMORY_BUS_WIDTH)] = 5120,
    [A(L2_CACHE_SIZE)] = 50 << 20,
    [A(MAX_THREADS_PER_MULTIPROCESSOR)] = 2048,
    [A(ASYNC_ENGINE_COUNT)] = 3,
    [A(UNIFIED_ADDRESSING)] = 1,
    [A(TEXTURE_PITCH_ALIGNMENT)] = 32,
    [A(STREAM_PRIORITIES_SUPPORTED)] = 1,
    [A(GLOBAL_L1_CACHE_SUPPORTED)] = 1,
    [A(LOCAL_L1_CACHE_SUPPORTED)] = 1,
    [A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)] = 228 << 10,
    [A(MAX_REGISTERS_PER_MULTIPROCESSOR)] = 65536,
    [A(MANAGED_MEMORY)] = 1,
    [A(HOST_NATIVE_ATOMIC_SUPPORTED)] = 1,
    [A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)] = 2,
    [A(CONCURRENT_MANAGED_ACCESS)] = 1,
    [A(COMPUTE_PREEMPTION_SUPPORTED)] = 1,
    [A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)] = 1,
    [A(COOPERATIVE_LAUNCH)] = 1,
    [A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)] = API_SHARED_LIMIT,
    [A(HOST_REGISTER_SUPPORTED)] = 1,
    [A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST)] = 1,
    [A(MAX_BLOCKS_PER_MULTIPROCESSOR)] = 32,
    [A(RESERVED_SHARED_MEMORY_PER_BLOCK)] = 1024,
    [A(MEMORY_POOLS_SUPPORTED)] = 1,
    [A(MEM_SYNC_DOMAIN_COUNT)] = 4,
    [A(NUMA_ID)] = -1,
    [A(HOST_NUMA_ID)] = -1,
};

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && (value == NULL || (int)which < 1 || which >= CU_DEVICE_ATTRIBUTE_MAX))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  const settings *s = settings_get();
  switch (which) {
    case A(MULTIPROCESSOR_COUNT):
      *value = s->multiprocessors;
      break;
    case A(COMPUTE_CAPABILITY_MAJOR):
      *value = s->sm / 10;
      break;
    case A(COMPUTE_CAPABILITY_MINOR):
      *value = s->sm % 10;
      break;
    case A(CLUSTER_LAUNCH):
      *value = s->sm >= 90;
      break;
    case A(PCI_BUS_ID):
      *value = device + 1;
      break;
    default:
      *value = constants[which];
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS && p == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  *p = (CUdevprop){.maxThreadsPerBlock = constants[A(MAX_THREADS_PER_BLOCK)],
                   .maxThreadsDim = {1024, 1024, 64},
                   .maxGridSize = {0x7fffffff, 65535, 65535},
                   .sharedMemPerBlock = API_SHARED_DEFAULT,
                   .totalConstantMemory = constants[A(TOTAL_CONSTANT_MEMORY)],
                   .SIMDWidth = 32,
                   .memPitch = constants[A(MAX_PITCH)],
                   .regsPerBlock = constants[A(MAX_REGISTERS_PER_BLOCK)],
                   .clockRate = constants[A(CLOCK_RATE)],
                   .textureAlign = constants[A(TEXTURE_ALIGNMENT)]};
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device) {
  CUresult result = check(device);
  (void)type;
  if (result == CUDA_SUCCESS && supported == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *supported = 0;
  return result;
}

/* ---- peers: all devices share one range of addresses, and reach each other always */

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  CUresult result = check(device);
  if (result == CUDA_SUCCESS) result = check(peer);
  if (result == CUDA_SUCCESS && can == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *can = device != peer;
  return result;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute which, CUdevice from, CUdevice to) {
  CUresult result = check(from);
  if (result == CUDA_SUCCESS) result = check(to);
  if (result == CUDA_SUCCESS && (value == NULL || from == to)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return result;
  *value = which == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
           which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && peer == NULL) result = CUDA_ERROR_INVALID_CONTEXT;
  return result == CUDA_SUCCESS && flags != 0 ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  CUresult result = api_ready();
  return result == CUDA_SUCCESS && peer == NULL ? CUDA_ERROR_INVALID_CONTEXT : result;
}
