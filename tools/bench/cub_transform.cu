// CUB's side of bench_transform.c.
#include <cub/device/device_transform.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }

template <class Out, class Op, class... Ins>
int transform(void *temp, size_t *bytes, const bench_data *data, CUstream stream, Op op, Ins... ins) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(ins...), static_cast<Out *>(data->out[0]),
                                         int64_t(data->n), op, stream);
}

struct scaled {
  __host__ __device__ float operator()(float x) const { return x * 2.0f + 1.0f; }
};
struct saxpied {
  __host__ __device__ float operator()(float a, float b) const { return 2.0f * a + b; }
};
struct halved {
  __host__ __device__ float operator()(int8_t x) const { return x * 0.5f; }
};
struct vec3 {
  float x, y, z;
};
struct doubled {
  __host__ __device__ vec3 operator()(const vec3 &v) const { return {v.x * 2, v.y * 2, v.z * 2}; }
};
template <class Out> struct added {
  template <class A, class B> __host__ __device__ Out operator()(A a, B b) const { return Out(a + b); }
  template <class A, class B, class C> __host__ __device__ Out operator()(A a, B b, C c) const {
    return Out(a + b + c);
  }
};

int muladd(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<float>(temp, bytes, data, stream, scaled{}, input<float>(data));
}
int saxpy(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<float>(temp, bytes, data, stream, saxpied{}, input<float>(data), input<float>(data, 1));
}
int to_f32(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<float>(temp, bytes, data, stream, halved{}, input<int8_t>(data));
}
int scale(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<vec3>(temp, bytes, data, stream, doubled{}, input<vec3>(data));
}
template <class T> int sum_of_two(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<T>(temp, bytes, data, stream, added<T>{}, input<T>(data), input<T>(data, 1));
}
template <class A, class B, class C> int sum_of_three(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return transform<A>(temp, bytes, data, stream, added<A>{}, input<A>(data), input<B>(data, 1), input<C>(data, 2));
}

const cub_case cases[] = {{"transform", "f32", "muladd", muladd},
                          {"transform", "f32", "saxpy", saxpy},
                          {"transform", "u8", "sum_of_two", sum_of_two<uint8_t>},
                          {"transform", "f64", "sum_of_two", sum_of_two<double>},
                          {"transform", "i32", "sum_of_three", sum_of_three<int, int, int>},
                          {"transform", "i8", "to_f32", to_f32},
                          {"transform", "vec3", "scale", scale},
                          {"transform", "i64", "mixed", sum_of_three<int64_t, int, uint8_t>}};

}  // namespace

extern "C" const cub_family cub_transform;
const cub_family cub_transform = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
