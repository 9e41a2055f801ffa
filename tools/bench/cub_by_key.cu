// CUB's side of bench_by_key.c: the same operations on the same types, through the interface and with the
// default tunings that a CUB user gets. Counts are int, its fastest choice.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <cuda/std/functional>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int i = 0) { return static_cast<T *>(data->in[i]); }
template <class T> T *output(const bench_data *data, int i = 0) { return static_cast<T *>(data->out[i]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

template <class Value, class Key = int> int scan(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveSumByKey(temp, *bytes, input<Key>(data), input<Value>(data, 1),
                                            output<Value>(data), int(data->n), cuda::std::equal_to<>{},
                                            stream);
}

template <class Value, class Key = int> int reduce(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::ReduceByKey(temp, *bytes, input<Key>(data), output<Key>(data),
                                        input<Value>(data, 1), output<Value>(data, 1), output<int>(data, 2),
                                        cuda::std::plus<>{}, int(data->n), stream);
}

struct vec3 {
  float x, y, z;
};
struct add_vec3 {
  __host__ __device__ vec3 operator()(const vec3 &a, const vec3 &b) const {
    return vec3{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

int scan_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::InclusiveScanByKey(temp, *bytes, input<int>(data), input<vec3>(data, 1), output<vec3>(data),
                                             add_vec3{}, int(data->n), cuda::std::equal_to<>{}, stream);
}

int reduce_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::ReduceByKey(temp, *bytes, input<int>(data), output<int>(data), input<vec3>(data, 1),
                                        output<vec3>(data, 1), output<int>(data, 2), add_vec3{}, int(data->n), stream);
}

template <class Key> int encode(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceRunLengthEncode::Encode(temp, *bytes, input<Key>(data), output<Key>(data),
                                            output<int>(data, 1), output<int>(data, 2), int(data->n),
                                            stream);
}

template <class Key> int non_trivial_runs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceRunLengthEncode::NonTrivialRuns(temp, *bytes, input<Key>(data), output<int>(data),
                                                    output<int>(data, 1), output<int>(data, 2),
                                                    int(data->n), stream);
}

const cub_case cases[] = {
    {"scan_by_key", "i32", "sum_runs_8", scan<int>},
    {"scan_by_key", "i32", "sum_runs_1000", scan<int>},
    {"scan_by_key", "f64", "sum_runs_8", scan<double>},
    {"scan_by_key", "f64", "sum_runs_1000", scan<double>},
    {"reduce_by_key", "i32", "sum_runs_1", reduce<int>},
    {"reduce_by_key", "i32", "sum_runs_8", reduce<int>},
    {"reduce_by_key", "i32", "sum_runs_1000", reduce<int>},
    {"reduce_by_key", "f64", "sum_runs_8", reduce<double>},
    {"reduce_by_key", "f64", "sum_runs_8_gpu_to_gpu", reduce<double>},
    {"reduce_by_key", "f64", "sum_runs_1000_gpu_to_gpu", reduce<double>},
    {"scan_by_key", "vec3", "sum_runs_8", scan_vec3},
    {"reduce_by_key", "vec3", "sum_runs_8", reduce_vec3},
    {"scan_by_key", "i128", "sum_runs_8", scan<__int128>},
    {"scan_by_key", "i32", "sum_by_u128_runs_8", scan<int, unsigned __int128>},
    {"reduce_by_key", "i128", "sum_runs_8", reduce<__int128>},
    {"reduce_by_key", "i32", "sum_by_u128_runs_8", reduce<int, unsigned __int128>},
    {"run_length_encode", "i32", "runs_1", encode<int>},
    {"run_length_encode", "i32", "runs_8", encode<int>},
    {"run_length_encode", "i32", "runs_1000", encode<int>},
    {"run_length_encode", "i8", "runs_1", encode<int8_t>},
    {"run_length_encode", "i8", "runs_8", encode<int8_t>},
    {"run_length_encode", "i8", "runs_1000", encode<int8_t>},
    {"run_length_encode", "u64", "runs_8", encode<uint64_t>},
    {"reduce_by_key", "f64", "sum_by_u64_runs_8", reduce<double, uint64_t>},
    {"scan_by_key", "i32", "sum_by_u64_runs_8", scan<int, uint64_t>},
    {"run_length_encode", "u128", "runs_8", encode<unsigned __int128>},
    {"non_trivial_runs", "i32", "runs_8", non_trivial_runs<int>},
    {"non_trivial_runs", "i8", "runs_8", non_trivial_runs<int8_t>},
    {"non_trivial_runs", "u128", "runs_8", non_trivial_runs<unsigned __int128>},
};

}  // namespace

extern "C" const cub_family cub_by_key;
const cub_family cub_by_key = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
