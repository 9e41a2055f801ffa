// CUB's side of bench_copy_batched.c: cub::DeviceMemcpy::Batched and cub::DeviceCopy::Batched.
#include <cub/device/device_copy.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/version.cuh>

#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T, class Pointer> struct at {
  T *base;
  __host__ __device__ Pointer operator()(uint64_t offset) const { return base + offset; }
};

template <class T, class Pointer> auto places(void *base, void *offsets) {
  return thrust::make_transform_iterator(static_cast<const uint64_t *>(offsets),
                                         at<T, Pointer>{static_cast<T *>(base)});
}

int64_t count_of(uint64_t n, uint64_t average, unsigned share) {
  const uint64_t whole = n / share / average + (share > 1);
  return int64_t(whole > 0 ? whole : 1);
}

template <int Average, int Share = 1>
int memory(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceMemcpy::Batched(temp, *bytes, places<char, void *>(data->in[0], data->in[1]),
                                    places<char, void *>(data->out[0], data->in[2]),
                                    static_cast<const uint32_t *>(data->in[3]),
                                    count_of(data->n, Average, Share), stream);
}

template <class In, class Out, int Average>
int items(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceCopy::Batched(temp, *bytes, places<In, In *>(data->in[0], data->in[1]),
                                  places<Out, Out *>(data->out[0], data->in[2]),
                                  static_cast<const uint32_t *>(data->in[3]),
                                  count_of(data->n, Average, 1), stream);
}

#define MEMCPY "memcpy_batched", "u8"
const cub_case cases[] = {{MEMCPY, "bytes1_7", memory<4>},
                          {MEMCPY, "bytes1_63", memory<32>},
                          {MEMCPY, "bytes1_63_scattered", memory<32>},
                          {MEMCPY, "bytes1_1023", memory<512>},
                          {MEMCPY, "bytes1_1023_scattered", memory<512>},
                          {MEMCPY, "bytes256_each_scattered", memory<256>},
                          {MEMCPY, "bytes1_8191", memory<4096>},
                          {MEMCPY, "bytes64k_each", memory<65536>},
                          {MEMCPY, "half_of_bytes1_31_half_in_one", memory<16, 2>},
                          {"copy_batched", "u32", "items1_255", items<uint32_t, uint32_t, 128>},
                          {"copy_batched", "u32", "items1_255_to_f32", items<uint32_t, float, 128>}};

}  // namespace

extern "C" const cub_family cub_copy_batched;
const cub_family cub_copy_batched = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
