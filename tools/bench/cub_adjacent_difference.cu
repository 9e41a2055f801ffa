// CUB's side of bench_adjacent_difference.c.
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> struct minus {
  __host__ __device__ T operator()(T a, T b) const { return T(a - b); }
};

struct alignas(4) wide {
  int a, b, c, d;
};
template <> struct minus<wide> {
  __host__ __device__ wide operator()(wide a, wide b) const {
    return {a.a - b.a, a.b - b.b, a.c - b.c, a.d - b.d};
  }
};

struct triple {
  int a, b, c;
};
template <> struct minus<triple> {
  __host__ __device__ triple operator()(triple a, triple b) const { return {a.a - b.a, a.b - b.b, a.c - b.c}; }
};

template <class T> int left(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceAdjacentDifference::SubtractLeftCopy(temp, *bytes, static_cast<const T *>(data->in[0]),
                                                         static_cast<T *>(data->out[0]), int64_t(data->n), minus<T>{},
                                                         stream);
}
template <class T> int right(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceAdjacentDifference::SubtractRightCopy(temp, *bytes, static_cast<const T *>(data->in[0]),
                                                          static_cast<T *>(data->out[0]), int64_t(data->n), minus<T>{},
                                                          stream);
}

const cub_case cases[] = {
    {"adjacent_difference", "i8", "left", left<int8_t>},    {"adjacent_difference", "i16", "left", left<int16_t>},
    {"adjacent_difference", "i32", "left", left<int32_t>},  {"adjacent_difference", "i64", "left", left<int64_t>},
    {"adjacent_difference", "f32", "left", left<float>},    {"adjacent_difference", "f64", "left", left<double>},
    {"adjacent_difference", "struct16", "left", left<wide>},
    {"adjacent_difference", "struct12", "left", left<triple>}, {"adjacent_difference", "i32", "right", right<int32_t>}};

}  // namespace

extern "C" const cub_family cub_adjacent_difference;
const cub_family cub_adjacent_difference = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
