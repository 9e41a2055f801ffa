// CUB's side of bench_scan.c: the same operations on the same types, through the interface and with the default
// tunings that a CUB user gets. Counts are int, its fastest choice.
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <cuda/std/functional>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"
#include "cub_matrix.cuh"

namespace {

struct vec3 {
  float x, y, z;
};

struct add_vec3 {
  __host__ __device__ vec3 operator()(const vec3 &a, const vec3 &b) const {
    return vec3{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

template <class T> T *input(const bench_data *data) { return static_cast<T *>(data->in[0]); }
template <class T> T *output(const bench_data *data) { return static_cast<T *>(data->out[0]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

template <class In, class Out>
int exclusive_sum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::ExclusiveSum(temp, *bytes, input<In>(data), output<Out>(data), int(data->n), stream);
}

template <class T> int inclusive_sum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveSum(temp, *bytes, input<T>(data), output<T>(data), int(data->n), stream);
}

// ExclusiveSum() would fold in the type of the items.
int exclusive_sum_i64(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::ExclusiveScan(temp, *bytes, input<int32_t>(data), output<int64_t>(data), cuda::std::plus<>{},
                                        int64_t(0), int(data->n), stream);
}

int sums_of_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveScan(temp, *bytes, input<vec3>(data), output<vec3>(data), add_vec3{}, int(data->n),
                                        stream);
}

struct i64x3 {
  long long x, y, z;
};
struct add_i64x3 {
  __host__ __device__ i64x3 operator()(const i64x3 &a, const i64x3 &b) const {
    return i64x3{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

int sums_of_i64x3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveScan(temp, *bytes, input<i64x3>(data), output<i64x3>(data), add_i64x3{},
                                        int(data->n), stream);
}

int products(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveScan(temp, *bytes, input<matrix>(data), output<matrix>(data), multiply{},
                                        int(data->n), stream);
}

const cub_case cases[] = {
    {"scan", "i8", "exclusive_sum", exclusive_sum<int8_t, int8_t>},
    {"scan", "i16", "exclusive_sum", exclusive_sum<int16_t, int16_t>},
    {"scan", "i32", "exclusive_sum", exclusive_sum<int32_t, int32_t>},
    {"scan", "i64", "exclusive_sum", exclusive_sum<int64_t, int64_t>},
    {"scan", "f32", "exclusive_sum", exclusive_sum<float, float>},
    {"scan", "f64", "exclusive_sum", exclusive_sum<double, double>},
    {"scan", "i8", "exclusive_sum_i32", exclusive_sum<int8_t, int32_t>},
    {"scan", "i32", "exclusive_sum_i64", exclusive_sum_i64},
    {"scan", "i32", "inclusive_sum", inclusive_sum<int32_t>},
    {"scan", "vec3", "inclusive_sum", sums_of_vec3},
    {"scan", "i64x3", "inclusive_sum", sums_of_i64x3},
    {"scan", "struct16", "inclusive_matrix", products},
};

}  // namespace

extern "C" const cub_family cub_scan;
const cub_family cub_scan = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
