// CUB's side of bench_segmented_reduce.c: the same reductions, through the interface and with the default tunings that
// a CUB user gets. Segments of one size have an interface of their own in newer versions; before, offsets are computed.
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <jig/jig.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

template <class Args = jig_segmented_reduce_args> int64_t count_of(const bench_data *data) {
  return int64_t(static_cast<const Args *>(data->args)->num_segments);
}

template <class T, class Out>
int sum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<T>(data), output<Out>(data), count_of(data), offsets,
                                         offsets + 1, stream);
}

struct vec3 {
  float x, y, z;
};
struct add_vec3 {
  __host__ __device__ vec3 operator()(const vec3 &a, const vec3 &b) const {
    return vec3{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

struct greater_of_two {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <class T, class Op>
int folded(void *temp, size_t *bytes, const bench_data *data, CUstream stream, Op op, T init) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedReduce::Reduce(temp, *bytes, input<T>(data), output<T>(data), count_of(data), offsets,
                                            offsets + 1, op, init, stream);
}

int greatest(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return folded(temp, bytes, data, stream, ::cuda::maximum<>{}, -1e30);
}

int sum_of_vec3(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return folded(temp, bytes, data, stream, add_vec3{}, vec3{0, 0, 0});
}

int most(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return folded(temp, bytes, data, stream, greater_of_two{}, 0.0f);
}

int apart(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count_of(data),
                                         input<uint32_t>(data, 1), input<uint32_t>(data, 2), stream);
}

#if CUB_VERSION < 300400
struct times {
  uint32_t length;
  __host__ __device__ uint32_t operator()(uint32_t i) const { return i * length; }
};
#endif

int fixed(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const int length = int(static_cast<const jig_segmented_reduce_args *>(data->args)->segment_size);
#if CUB_VERSION >= 300400
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count_of(data), length,
                                         stream);
#else
  const auto begins =
      thrust::make_transform_iterator(thrust::make_counting_iterator(uint32_t(0)), times{uint32_t(length)});
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count_of(data), begins,
                                         begins + 1, stream);
#endif
}

int arg_min(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedReduce::ArgMin(temp, *bytes, input<float>(data),
                                            output<cub::KeyValuePair<int, float>>(data),
                                            count_of<jig_segmented_arg_reduce_args>(data), offsets, offsets + 1,
                                            stream);
}

const cub_case cases[] = {
    {"segmented_reduce", "f32", "sum_offsets_1", sum<float, float>},
    {"segmented_reduce", "f32", "sum_offsets_16", sum<float, float>},
    {"segmented_reduce", "f32", "sum_offsets_256", sum<float, float>},
    {"segmented_reduce", "f32", "sum_offsets_4096", sum<float, float>},
    {"segmented_reduce", "f32", "sum_offsets_1048576", sum<float, float>},
    {"segmented_reduce", "f32", "sum_fixed_4", fixed},
    {"segmented_reduce", "f32", "sum_fixed_16", fixed},
    {"segmented_reduce", "f32", "sum_fixed_17", fixed},
    {"segmented_reduce", "f32", "sum_fixed_100", fixed},
    {"segmented_reduce", "f32", "sum_fixed_256", fixed},
    {"segmented_reduce", "f32", "sum_fixed_1000", fixed},
    {"segmented_reduce", "f32", "sum_fixed_4096", fixed},
    {"segmented_reduce", "f32", "sum_fixed_1048576", fixed},
    {"segmented_reduce", "f32", "sum_uniform_16", sum<float, float>},
    {"segmented_reduce", "f32", "sum_uniform_256", sum<float, float>},
    {"segmented_reduce", "f32", "sum_uniform_1500", sum<float, float>},
    {"segmented_reduce", "f32", "sum_uniform_4096", sum<float, float>},
    {"segmented_reduce", "f32", "sum_logarithmic", sum<float, float>},
    {"segmented_reduce", "f32", "sum_giant", sum<float, float>},
    {"segmented_reduce", "f32", "sum_most_empty", sum<float, float>},
    {"segmented_reduce", "f32", "sum_apart_256", apart},
    {"segmented_reduce", "f32", "sum_giant_apart_256", apart},
    {"segmented_reduce", "f32", "sum_offsets_256_gpu_to_gpu", sum<float, float>},
    {"segmented_reduce", "f32", "sum_giant_gpu_to_gpu", sum<float, float>},
    {"segmented_reduce", "f64", "sum_offsets_256", sum<double, double>},
    {"segmented_reduce", "vec3", "sum_offsets_256", sum_of_vec3},
    {"segmented_reduce", "f16", "sum_offsets_256", sum<__half, __half>},
    {"segmented_reduce", "u8", "sum_offsets_256", sum<uint8_t, int32_t>},
    {"segmented_reduce", "f64", "max_uniform_1000", greatest},
    {"segmented_reduce", "f32", "max_source_offsets_256", most},
    {"segmented_reduce", "f32", "max_source_uniform_256", most},
    {"segmented_arg_reduce", "f32", "min_offsets_256", arg_min},
};

}  // namespace

extern "C" const cub_family cub_segmented_reduce;
const cub_family cub_segmented_reduce = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
