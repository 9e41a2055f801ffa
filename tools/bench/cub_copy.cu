// CUB's side of bench_copy.c: cub::DeviceTransform, and for plain copies the driver's own.
#include <cub/device/device_transform.cuh>
#include <cub/version.cuh>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data) { return static_cast<T *>(data->out[0]); }

template <int Bytes> int copy(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cudaMemcpyAsync(data->out[0], data->in[0], data->n * Bytes, cudaMemcpyDeviceToDevice, stream);
}

template <class In, class Out, class Op>
int transform(void *temp, size_t *bytes, const bench_data *data, CUstream stream, In in, Out *out, Op op) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceTransform::Transform(in, out, int64_t(data->n), op, stream);
}

struct same {
  template <class T> __host__ __device__ T operator()(T x) const { return x; }
};
struct to_float {
  __host__ __device__ float operator()(uint8_t x) const { return x; }
};
struct scaled {
  __host__ __device__ float operator()(float x) const { return x * 2.0f + 1.0f; }
};
struct added {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct tripled {
  __host__ __device__ int operator()(int64_t i) const { return int(i * 3); }
};

int to_f32(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform(temp, bytes, data, stream, input<uint8_t>(data), output<float>(data), to_float{});
}
int scale(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform(temp, bytes, data, stream, input<float>(data), output<float>(data), scaled{});
}
int sum_of_two(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(input<float>(data), input<float>(data, 1)),
                                         output<float>(data), int64_t(data->n), added{}, stream);
}
int fill(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform(temp, bytes, data, stream, thrust::make_constant_iterator(2.0f), output<float>(data), same{});
}
int tabulate(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform(temp, bytes, data, stream, thrust::make_counting_iterator(int64_t(0)), output<int>(data),
                   tripled{});
}
struct vec3 {
  float x, y, z;
};
template <class T> int gather(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform(temp, bytes, data, stream,
                   thrust::make_permutation_iterator(input<T>(data), input<uint32_t>(data, 1)), output<T>(data),
                   same{});
}

const cub_case cases[] = {{"copy", "i8", "copy", copy<1>},       {"copy", "i32", "copy", copy<4>},
                          {"copy", "i64", "copy", copy<8>},      {"copy", "u128", "copy", copy<16>},
                          {"copy", "u8", "to_f32", to_f32},      {"copy", "f32", "scale", scale},
                          {"copy", "f32", "sum_of_two", sum_of_two}, {"copy", "f32", "fill", fill},
                          {"copy", "i32", "tabulate", tabulate}, {"copy", "f32", "gather", gather<float>},
                          {"copy", "i8", "gather", gather<int8_t>}, {"copy", "i64", "gather", gather<int64_t>}, {"copy", "vec3", "gather", gather<vec3>},
                          {"copy", "vec3", "copy", copy<12>}};

}  // namespace

extern "C" const cub_family cub_copy;
const cub_family cub_copy = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
