// Thrust's side of bench_reorder.c, and of a rotation two copies by the driver: CUB has none of these.
#include <thrust/random.h>
#include <thrust/reverse.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"
#include "thrust_storage.h"

namespace {

template <class T> const T *input(const bench_data *data) { return static_cast<const T *>(data->in[0]); }
template <class T> T *output(const bench_data *data) { return static_cast<T *>(data->out[0]); }

struct vec3 {
  float x, y, z;
};

template <class T, int Less> int reversed(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  thrust::reverse_copy(thrust_storage::policy(stream), input<T>(data), input<T>(data) + data->n - Less, output<T>(data));
  return cudaGetLastError();
}

template <class T> int rotated(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  const size_t first = data->n / 3, rest = data->n - first;
  const cudaError_t error = cudaMemcpyAsync(output<T>(data), input<T>(data) + first, rest * sizeof(T),
                                            cudaMemcpyDeviceToDevice, stream);
  if (error != cudaSuccess) return error;
  return cudaMemcpyAsync(output<T>(data) + rest, input<T>(data), first * sizeof(T), cudaMemcpyDeviceToDevice, stream);
}

template <class T> int shuffled(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  thrust::shuffle_copy(thrust_storage::policy(stream), input<T>(data), input<T>(data) + data->n, output<T>(data),
                       thrust::default_random_engine(12345));
  return cudaGetLastError();
}

template <class T> int sorted(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  const T *end = thrust::is_sorted_until(thrust_storage::policy(stream), input<T>(data), input<T>(data) + data->n);
  const uint32_t until = uint32_t(end - input<T>(data));
  return cudaMemcpyAsync(data->out[0], &until, sizeof until, cudaMemcpyHostToDevice, stream);
}

const cub_case cases[] = {
    {"reverse", "u8", "whole", reversed<uint8_t, 0>},
    {"reverse", "u8", "odd", reversed<uint8_t, 3>},
    {"reverse", "u32", "whole", reversed<uint32_t, 0>},
    {"reverse", "u32", "odd", reversed<uint32_t, 3>},
    {"reverse", "u64", "odd", reversed<uint64_t, 3>},
    {"reverse", "vec3", "odd", reversed<vec3, 3>},
    {"rotate", "u8", "third", rotated<uint8_t>},
    {"rotate", "u32", "third", rotated<uint32_t>},
    {"shuffle", "u32", "all", shuffled<uint32_t>},
    {"is_sorted", "u32", "sorted", sorted<uint32_t>},
    {"is_sorted", "f64", "sorted", sorted<double>},
};

}  // namespace

extern "C" const cub_family cub_reorder;
const cub_family cub_reorder = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
