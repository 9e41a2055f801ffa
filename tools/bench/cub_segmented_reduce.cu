// CUB's side of bench_segmented_reduce.c: the same reductions, through the interface and with the default tunings that
// a CUB user gets. Segments of one size have an interface of their own in newer versions; before, offsets are computed.
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

// That of bench_segmented_reduce.c; how many segments there are.
struct cut {
  uint64_t state = 88172645463325252U;
  uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dU >> 11;
  }
};
struct uniform : cut {
  uint64_t most;
  uint64_t operator()(uint64_t, uint64_t) { return next() % (2 * most + 1); }
};
struct logarithmic : cut {
  uint64_t operator()(uint64_t, uint64_t) {
    const uint64_t power = uint64_t(1) << next() % 16;
    return power + next() % power;
  }
};
template <uint64_t Others> struct giant : cut {
  uint64_t operator()(uint64_t count, uint64_t n) { return count == 0 ? n / 2 : Others; }
};
struct most_empty : cut {
  uint64_t operator()(uint64_t, uint64_t) { return next() % 10 == 0 ? 160 : 0; }
};

template <class Length> int64_t count_of(uint64_t n, Length length) {
  static uint64_t known_n, known;
  if (known_n == n) return int64_t(known);
  uint64_t count = 0;
  for (uint64_t end = 0; end < n; ++count) end += length(count, n);
  known_n = n;
  known = count;
  return int64_t(count);
}
template <int Length> int64_t equal_count(uint64_t n) { return int64_t((n + Length - 1) / Length); }

template <class T, class Out>
int sum(void *temp, size_t *bytes, const bench_data *data, int64_t count, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<T>(data), output<Out>(data), count, offsets, offsets + 1,
                                         stream);
}

template <class T, class Out, int Length> int equal(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return sum<T, Out>(temp, bytes, data, equal_count<Length>(data->n), stream);
}

int apart(void *temp, size_t *bytes, const bench_data *data, int64_t count, CUstream stream) {
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count,
                                         input<uint32_t>(data, 1), input<uint32_t>(data, 2), stream);
}
int apart_256(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return apart(temp, bytes, data, equal_count<256>(data->n), stream);
}
int giant_apart_256(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return apart(temp, bytes, data, count_of(data->n, giant<256>{}), stream);
}

int uniform_16(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return sum<float, float>(temp, bytes, data, count_of(data->n, uniform{{}, 16}), stream);
}
int uniform_256(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  struct other : uniform {};
  return sum<float, float>(temp, bytes, data, count_of(data->n, other{{{}, 256}}), stream);
}
template <class Length> int random(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return sum<float, float>(temp, bytes, data, count_of(data->n, Length{}), stream);
}

#if CUB_VERSION < 300400
struct times {
  uint32_t length;
  __host__ __device__ uint32_t operator()(uint32_t i) const { return i * length; }
};
#endif

template <int Length> int fixed(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const int64_t count = data->n / Length > 0 ? int64_t(data->n / Length) : 1;
  const int length = data->n < Length ? int(data->n) : Length;
#if CUB_VERSION >= 300400
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count, length, stream);
#else
  const auto begins =
      thrust::make_transform_iterator(thrust::make_counting_iterator(uint32_t(0)), times{uint32_t(length)});
  return cub::DeviceSegmentedReduce::Sum(temp, *bytes, input<float>(data), output<float>(data), count, begins, begins + 1,
                                         stream);
#endif
}

template <int Length> int arg_min(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedReduce::ArgMin(temp, *bytes, input<float>(data),
                                            output<cub::KeyValuePair<int, float>>(data),
                                            equal_count<Length>(data->n), offsets, offsets + 1, stream);
}

const cub_case cases[] = {
    {"segmented_reduce", "f32", "sum_offsets_1", equal<float, float, 1>},
    {"segmented_reduce", "f32", "sum_offsets_16", equal<float, float, 16>},
    {"segmented_reduce", "f32", "sum_offsets_256", equal<float, float, 256>},
    {"segmented_reduce", "f32", "sum_offsets_4096", equal<float, float, 4096>},
    {"segmented_reduce", "f32", "sum_offsets_1048576", equal<float, float, 1048576>},
    {"segmented_reduce", "f32", "sum_fixed_4", fixed<4>},
    {"segmented_reduce", "f32", "sum_fixed_16", fixed<16>},
    {"segmented_reduce", "f32", "sum_fixed_17", fixed<17>},
    {"segmented_reduce", "f32", "sum_fixed_100", fixed<100>},
    {"segmented_reduce", "f32", "sum_fixed_256", fixed<256>},
    {"segmented_reduce", "f32", "sum_fixed_1000", fixed<1000>},
    {"segmented_reduce", "f32", "sum_fixed_4096", fixed<4096>},
    {"segmented_reduce", "f32", "sum_fixed_1048576", fixed<1048576>},
    {"segmented_reduce", "f32", "sum_uniform_16", uniform_16},
    {"segmented_reduce", "f32", "sum_uniform_256", uniform_256},
    {"segmented_reduce", "f32", "sum_logarithmic", random<logarithmic>},
    {"segmented_reduce", "f32", "sum_giant", random<giant<16>>},
    {"segmented_reduce", "f32", "sum_most_empty", random<most_empty>},
    {"segmented_reduce", "f32", "sum_apart_256", apart_256},
    {"segmented_reduce", "f32", "sum_giant_apart_256", giant_apart_256},
    {"segmented_reduce", "f32", "sum_offsets_256_gpu_to_gpu", equal<float, float, 256>},
    {"segmented_reduce", "f32", "sum_giant_gpu_to_gpu", random<giant<16>>},
    {"segmented_reduce", "f64", "sum_offsets_256", equal<double, double, 256>},
    {"segmented_reduce", "f16", "sum_offsets_256", equal<__half, __half, 256>},
    {"segmented_reduce", "u8", "sum_offsets_256", equal<uint8_t, int32_t, 256>},
    {"segmented_arg_reduce", "f32", "min_offsets_256", arg_min<256>},
};

}  // namespace

extern "C" const cub_family cub_segmented_reduce;
const cub_family cub_segmented_reduce = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
