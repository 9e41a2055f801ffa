// CUB's side of bench_select.c: the same operations on the same types, through the interface and with the default
// tunings that a CUB user gets. Counts are int, its fastest choice.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

template <class T> struct below {
  T threshold;
  __host__ __device__ bool operator()(const T &x) const { return x < threshold; }
};

// As bench_select.c has them.
template <class T, int Percent> below<T> test() {
  const long long i8[] = {-102, 0, 102}, i32[] = {-1717986918, 0, 1717986918},
                  i64[] = {-7378697629483820646, 0, 7378697629483820646};
  const int row = Percent < 50 ? 0 : Percent == 50 ? 1 : 2;
  return {T(sizeof(T) == 1 ? i8[row] : sizeof(T) == 4 ? i32[row] : i64[row])};
}

struct vec3 {
  float x, y, z;
};

struct is_left {
  __host__ __device__ bool operator()(const vec3 &item) const { return item.x < 0; }
};

// Of a tenth of the items.
struct is_far_left {
  __host__ __device__ bool operator()(const vec3 &item) const { return item.x < -0.8f; }
};

struct b16 {
  unsigned x[4];
};

struct b24 {
  unsigned x[6];
};

int select_left(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::If(temp, *bytes, input<vec3>(data), output<vec3>(data), output<int>(data, 1),
                               int(data->n), is_left{}, stream);
}

template <class T, int Percent>
int select_if(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::If(temp, *bytes, input<T>(data), output<T>(data), output<int>(data, 1), int(data->n),
                               test<T, Percent>(), stream);
}

template <class T> int flagged(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::Flagged(temp, *bytes, input<T>(data), input<uint8_t>(data, 1), output<T>(data),
                                    output<int>(data, 1), int(data->n), stream);
}

int nonzero(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::Flagged(temp, *bytes, thrust::make_counting_iterator(0), input<uint8_t>(data, 1),
                                    output<int>(data), output<int>(data, 1), int(data->n), stream);
}

template <class T> int unique(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::Unique(temp, *bytes, input<T>(data), output<T>(data), output<int>(data, 1),
                                   int(data->n), stream);
}

template <class Key, class Value = int> int by_key(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceSelect::UniqueByKey(temp, *bytes, input<Key>(data), input<Value>(data, 1), output<Key>(data),
                                        output<Value>(data, 2), output<int>(data, 1), int(data->n), stream);
}

struct is_low {
  __host__ __device__ bool operator()(const b24 &item) const { return item.x[0] < 0x80000000u; }
};

int partition_b24(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DevicePartition::If(temp, *bytes, input<b24>(data), output<b24>(data), output<int>(data, 1), int(data->n),
                                  is_low{}, stream);
}

template <class T> int partition_if(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DevicePartition::If(temp, *bytes, input<T>(data), output<T>(data), output<int>(data, 1),
                                  int(data->n), test<T, 50>(), stream);
}

template <class T, class First, class Second>
int split(void *temp, size_t *bytes, const bench_data *data, CUstream stream, First first, Second second) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DevicePartition::If(temp, *bytes, input<T>(data), output<T>(data), output<T>(data, 2), output<T>(data, 3),
                                  output<int>(data, 1), int(data->n), first, second, stream);
}

int three_way(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return split<int>(temp, bytes, data, stream, test<int, 10>(), test<int, 50>());
}

int three_way_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return split<vec3>(temp, bytes, data, stream, is_far_left{}, is_left{});
}

const cub_case cases[] = {
    {"select", "i32", "if_10", select_if<int32_t, 10>},
    {"select", "i32", "if_50", select_if<int32_t, 50>},
    {"select", "i32", "if_90", select_if<int32_t, 90>},
    {"select", "i8", "if_10", select_if<int8_t, 10>},
    {"select", "i8", "if_50", select_if<int8_t, 50>},
    {"select", "i8", "if_90", select_if<int8_t, 90>},
    {"select", "i64", "if_10", select_if<int64_t, 10>},
    {"select", "i64", "if_50", select_if<int64_t, 50>},
    {"select", "i64", "if_90", select_if<int64_t, 90>},
    {"select", "vec3", "if_50", select_left},
    {"select", "i32", "flagged_50", flagged<int32_t>},
    {"select", "i64", "flagged_50", flagged<int64_t>},
    {"select", "b24", "flagged_50", flagged<b24>},
    {"select", "i32", "nonzero_50", nonzero},
    {"unique", "i32", "runs_1", unique<int32_t>},
    {"unique", "i32", "runs_8", unique<int32_t>},
    {"unique", "i32", "runs_1000", unique<int32_t>},
    {"unique", "u64", "runs_8", unique<uint64_t>},
    {"unique", "i32", "by_key_1", by_key<int32_t>},
    {"unique", "i32", "by_key_8", by_key<int32_t>},
    {"unique", "i32", "by_key_1000", by_key<int32_t>},
    {"unique", "u64", "by_key_8", by_key<uint64_t>},
    {"unique", "i32", "by_key_1_b16", by_key<int32_t, b16>},
    {"unique", "i32", "by_key_8_b16", by_key<int32_t, b16>},
    {"unique", "i32", "by_key_1_b24", by_key<int32_t, b24>},
    {"unique", "i32", "by_key_8_b24", by_key<int32_t, b24>},
    {"partition", "i32", "if_50", partition_if<int32_t>},
    {"partition", "i8", "if_50", partition_if<int8_t>},
    {"partition", "i64", "if_50", partition_if<int64_t>},
    {"partition", "b24", "if_50", partition_b24},
    {"three_way_partition", "i32", "if_10_40", three_way},
    {"three_way_partition", "vec3", "if_10_40", three_way_vec3},
};

}  // namespace

extern "C" const cub_family cub_select;
const cub_family cub_select = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
