// CUB's side of bench_reduce.c: the same operations on the same types, through the interface and with the
// default tunings that a CUB user gets. Counts are int wherever CUB takes any type, its fastest choice.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cuda/std/cmath>
#include <cuda/std/functional>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

struct summary {
  float min, max, sum;
  int32_t count;
};

struct merge {
  __host__ __device__ summary operator()(const summary &a, const summary &b) const {
    return summary{fminf(a.min, b.min), fmaxf(a.max, b.max), a.sum + b.sum, a.count + b.count};
  }
};

struct square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

struct product {
  __host__ __device__ float operator()(const thrust::tuple<float, float> &x) const {
    return thrust::get<0>(x) * thrust::get<1>(x);
  }
};

struct vec3 {
  float x, y, z;
};

struct add_vec3 {
  __host__ __device__ vec3 operator()(const vec3 &a, const vec3 &b) const {
    return vec3{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

template <int Count> struct integers {
  long long x[Count];
};

struct add_integers {
  template <int Count>
  __host__ __device__ integers<Count> operator()(const integers<Count> &a, const integers<Count> &b) const {
    integers<Count> sum;
#pragma unroll
    for (int i = 0; i < Count; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
};

struct exclusive_or {
  __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a ^ b; }
};

template <class T> T *input(const bench_data *data, int i = 0) { return static_cast<T *>(data->in[i]); }
template <class T> T *output(const bench_data *data, int i = 0) { return static_cast<T *>(data->out[i]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

template <class In, class Out>
int sum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Sum(temp, *bytes, input<In>(data), output<Out>(data), int(data->n), stream);
}

// Takes its temporary storage from CUDA's stream-ordered allocator.
template <class T> int sum_gpu_to_gpu(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
#if CUB_VERSION >= 300300
  if (too_many(data)) return CUB_LEFT_OUT;
  *bytes = 1;
  if (temp == nullptr) return cudaSuccess;
  const auto env = cuda::std::execution::env{cuda::stream_ref{stream},
                                             cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
  return cub::DeviceReduce::Sum(input<T>(data), output<T>(data), int(data->n), env);
#else
  return CUB_LEFT_OUT;
#endif
}

template <class T> int maximum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Max(temp, *bytes, input<T>(data), output<T>(data), int(data->n), stream);
}

template <class T> int minimum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Min(temp, *bytes, input<T>(data), output<T>(data), int(data->n), stream);
}

int sum_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Reduce(temp, *bytes, input<vec3>(data), output<vec3>(data), int(data->n), add_vec3{},
                                   vec3{0, 0, 0}, stream);
}

// From zeros.
template <class T, class Op> int combined(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Reduce(temp, *bytes, input<T>(data), output<T>(data), int(data->n), Op{}, T{}, stream);
}

int summarise(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  const summary init{INFINITY, -INFINITY, 0, 0};
  return cub::DeviceReduce::Reduce(temp, *bytes, input<summary>(data), output<summary>(data),
                                   int(data->n), merge{}, init, stream);
}

int sum_of_squares(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(temp, *bytes, input<float>(data), output<float>(data),
                                            int(data->n), cuda::std::plus<>{}, square{}, 0.0f, stream);
}

int dot(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(
      temp, *bytes, thrust::make_zip_iterator(input<float>(data), input<float>(data, 1)), output<float>(data),
      int(data->n), cuda::std::plus<>{}, product{}, 0.0f, stream);
}

template <class T> int argmin(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceReduce::ArgMin(temp, *bytes, input<T>(data), output<T>(data),
                                   output<int64_t>(data, 1), int64_t(data->n), stream);
}

template <class T> struct is_positive {
  __host__ __device__ int operator()(T x) const { return x > 0; }
};

template <class T> int count(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(temp, *bytes, static_cast<const T *>(data->in[0]),
                                            static_cast<int64_t *>(data->out[0]), int(data->n), ::cuda::std::plus<>{},
                                            is_positive<T>{}, 0, stream);
}

template <class T> struct extremes {
  T min, max;
};
template <class T> struct extremes_of {
  __host__ __device__ extremes<T> operator()(T x) const { return {x, x}; }
};
template <class T> struct merge_extremes {
  __host__ __device__ extremes<T> operator()(const extremes<T> &a, const extremes<T> &b) const {
    return {::cuda::std::fmin(a.min, b.min), ::cuda::std::fmax(a.max, b.max)};
  }
};

template <class T> int min_max(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(
      temp, *bytes, static_cast<const T *>(data->in[0]), static_cast<extremes<T> *>(data->out[0]), int(data->n),
      merge_extremes<T>{}, extremes_of<T>{}, extremes<T>{T(INFINITY), T(-INFINITY)}, stream);
}

const cub_case cases[] = {
    {"reduce", "i8", "sum", sum<int8_t, int32_t>},
    {"reduce", "i16", "sum", sum<int16_t, int32_t>},
    {"reduce", "i32", "sum", sum<int32_t, int32_t>},
    {"reduce", "i64", "sum", sum<int64_t, int64_t>},
    {"reduce", "f16", "sum", sum<__half, __half>},
    {"reduce", "bf16", "sum", sum<__nv_bfloat16, __nv_bfloat16>},
    {"reduce", "f32", "sum", sum<float, float>},
    {"reduce", "f64", "sum", sum<double, double>},
    {"reduce", "f32", "sum_gpu_to_gpu", sum_gpu_to_gpu<float>},
    {"reduce", "f64", "sum_gpu_to_gpu", sum_gpu_to_gpu<double>},
    {"reduce", "f32", "max", maximum<float>},
    {"reduce", "i8", "min", minimum<int8_t>},
    {"reduce", "f16", "max", maximum<__half>},
    {"reduce", "vec3", "sum", sum_vec3},
    {"reduce", "i64x3", "sum", combined<integers<3>, add_integers>},
    {"reduce", "i64x5", "sum", combined<integers<5>, add_integers>},
    {"reduce", "u32", "xor_source", combined<uint32_t, exclusive_or>},
    {"reduce", "struct16", "minmaxsum_commutative", summarise},
    {"reduce", "struct16", "minmaxsum_ordered", summarise},
    {"transform_reduce", "f32", "sum_of_squares", sum_of_squares},
    {"transform_reduce", "f32", "dot", dot},
    {"arg_reduce", "f32", "min", argmin<float>},
    {"arg_reduce", "f64", "min", argmin<double>},
    {"arg_reduce", "i16", "min", argmin<int16_t>},
    {"count_if", "f32", "positive", count<float>},
    {"count_if", "i8", "positive", count<int8_t>},
    {"min_max", "f32", "both", min_max<float>},
    {"min_max", "f64", "both", min_max<double>},
};

}  // namespace

extern "C" const cub_family cub_reduce;
const cub_family cub_reduce = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
