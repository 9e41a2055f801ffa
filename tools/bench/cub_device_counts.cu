// CUB's side of bench_device_counts.c: the same with the number of items from the host.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

uint32_t *items(const bench_data *data) { return static_cast<uint32_t *>(data->in[0]); }
uint32_t *results(const bench_data *data) { return static_cast<uint32_t *>(data->out[0]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

struct is_low {
  __host__ __device__ bool operator()(uint32_t x) const { return x < 0x80000000u; }
};

int reduce(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Sum(temp, *bytes, items(data), results(data), int(data->n), stream);
}

int scan(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceScan::ExclusiveSum(temp, *bytes, items(data), results(data), int(data->n), stream);
}

int select(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::If(temp, *bytes, items(data), results(data), static_cast<int *>(data->out[1]),
                               int(data->n), is_low{}, stream);
}

int radix_sort(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceRadixSort::SortKeys(temp, *bytes, items(data), results(data), int(data->n), 0, 32, stream);
}

const cub_case cases[] = {
    {"reduce", "u32", "counted", reduce},
    {"scan", "u32", "counted", scan},
    {"select", "u32", "counted", select},
    {"radix_sort", "u32", "counted", radix_sort},
};

}  // namespace

extern "C" const cub_family cub_device_counts;
const cub_family cub_device_counts = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
