// CUB's side of bench_computed.c: the same in one call each, over iterators that compute.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

struct moments {
  double count, mean, m2;
};

struct one_item {
  __host__ __device__ moments operator()(double x) const { return moments{1, x, 0}; }
};

struct join {
  __host__ __device__ moments operator()(const moments &a, const moments &b) const {
    const double count = a.count + b.count, delta = b.mean - a.mean, share = b.count / count;
    return moments{count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
  }
};

struct distance {
  __host__ __device__ double operator()(const thrust::tuple<float, float> &x) const {
    return fabs(double(thrust::get<1>(x)) - 3.0 * double(thrust::get<0>(x)));
  }
};

struct is_above {
  float threshold;
  __host__ __device__ uint64_t operator()(float x) const { return x > threshold; }
};

template <class T> T *input(const bench_data *data, int i = 0) { return static_cast<T *>(data->in[i]); }
template <class T> T *output(const bench_data *data, int i = 0) { return static_cast<T *>(data->out[i]); }
bool too_many(const bench_data *data) { return data->n > INT_MAX; }

int mean_variance(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(temp, *bytes, input<double>(data), output<moments>(data),
                                            int(data->n), join{}, one_item{}, moments{0, 0, 0}, stream);
}

int argmax(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const auto pairs = thrust::make_zip_iterator(input<float>(data), input<float>(data, 1));
  return cub::DeviceReduce::ArgMax(temp, *bytes, thrust::make_transform_iterator(pairs, distance{}),
                                   output<double>(data), output<int64_t>(data, 1), int64_t(data->n), stream);
}

int count_if(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (too_many(data)) return CUB_LEFT_OUT;
  return cub::DeviceReduce::TransformReduce(temp, *bytes, input<float>(data), output<uint64_t>(data),
                                            int(data->n), cuda::std::plus<>{}, is_above{0.5f}, uint64_t{0},
                                            stream);
}

const cub_case cases[] = {{"computed", "f64", "mean_variance", mean_variance},
                          {"computed", "f32", "argmax", argmax},
                          {"computed", "f32", "count_if", count_if}};

}  // namespace

extern "C" const cub_family cub_computed;
const cub_family cub_computed = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
