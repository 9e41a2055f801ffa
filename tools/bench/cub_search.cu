// CUB's side of bench_search.c. DeviceFind is in CUB from 3.4 on (build with CCCL=<checkout>); with an older one, such as
// CUDA 13.0's, there is no peer.
#include <cub/version.cuh>
#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#define HAS_FIND 1
#else
#define HAS_FIND 0
#endif

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

#if HAS_FIND

struct is_zero {
  template <class T> __host__ __device__ bool operator()(T x) const { return x == 0; }
};

struct less {
  template <class T> __host__ __device__ bool operator()(T a, T b) const { return a < b; }
};

template <class T> const T *input(const bench_data *data, int k = 0) { return static_cast<const T *>(data->in[k]); }
uint32_t *places(const bench_data *data, int k = 0) { return static_cast<uint32_t *>(data->out[k]); }

template <class T> int find(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceFind::FindIf(temp, *bytes, input<T>(data), static_cast<int *>(data->out[0]), is_zero{},
                                 int(data->n), cuda::stream_ref{stream});
}

template <class T, int Share> int lower(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceFind::LowerBound(temp, *bytes, input<T>(data), int(data->n), input<T>(data, 1),
                                     int(data->n / Share), places(data), less{}, cuda::stream_ref{stream});
}
template <class T, int Share> int lower_sorted(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceFind::LowerBoundSortedValues(temp, *bytes, input<T>(data), int(data->n), input<T>(data, 1),
                                                 int(data->n / Share), places(data), less{}, stream);
}
int upper(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceFind::UpperBound(temp, *bytes, input<uint32_t>(data), int(data->n), input<uint32_t>(data, 1),
                                     int(data->n), places(data), less{}, cuda::stream_ref{stream});
}
int upper_sorted(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceFind::UpperBoundSortedValues(temp, *bytes, input<uint32_t>(data), int(data->n),
                                                 input<uint32_t>(data, 1), int(data->n), places(data), less{}, stream);
}
// Its users call it twice, with temp storage for either.
int equal_range(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const int error = lower_sorted<uint32_t, 1>(temp, bytes, data, stream);
  if (error != 0 || temp == nullptr) return error;
  return cub::DeviceFind::UpperBoundSortedValues(temp, *bytes, input<uint32_t>(data), int(data->n),
                                                 input<uint32_t>(data, 1), int(data->n), places(data, 1), less{},
                                                 stream);
}

const cub_case cases[] = {{"find_if", "u32", "none", find<uint32_t>},
                          {"find_if", "u32", "half", find<uint32_t>},
                          {"find_if", "u32", "hundredth", find<uint32_t>},
                          {"find_if", "u32", "first", find<uint32_t>},
                          {"find_if", "u8", "none", find<uint8_t>},
                          {"find_if", "u64", "none", find<uint64_t>},
                          {"lower_bound", "u32", "random", lower<uint32_t, 1>},
                          {"lower_bound", "u32", "sorted", lower_sorted<uint32_t, 1>},
                          {"lower_bound", "u64", "random", lower<uint64_t, 1>},
                          {"lower_bound", "u64", "sorted", lower_sorted<uint64_t, 1>},
                          {"lower_bound", "f64", "random", lower<double, 1>},
                          {"lower_bound", "u32", "few_random", lower<uint32_t, 1024>},
                          {"lower_bound", "u32", "few_sorted", lower_sorted<uint32_t, 1024>},
                          {"lower_bound", "u32", "random_behind", lower<uint32_t, 1>},
                          {"lower_bound", "u32", "nearly_sorted", lower<uint32_t, 1>},
                          {"lower_bound", "u32", "few_values", lower<uint32_t, 1>},
                          {"upper_bound", "u32", "sorted", upper_sorted},
                          {"upper_bound", "u32", "random", upper},
                          {"equal_range", "u32", "sorted", equal_range}};
const size_t case_count = sizeof cases / sizeof cases[0];

#else

const cub_case *const cases = nullptr;
const size_t case_count = 0;

#endif

}  // namespace

extern "C" const cub_family cub_search;
const cub_family cub_search = {CUB_VERSION, CUDART_VERSION, cases, case_count};
