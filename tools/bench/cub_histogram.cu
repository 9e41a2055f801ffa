// CUB's side of bench_histogram.c.
#include <cub/device/device_histogram.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class Sample, class Level>
int even(void *temp, size_t *bytes, const bench_data *data, CUstream stream, int bins, Level lower, Level upper) {
  if (data->n > (uint64_t(1) << 30)) return CUB_LEFT_OUT;
  return cub::DeviceHistogram::HistogramEven(temp, *bytes, static_cast<const Sample *>(data->in[0]),
                                             static_cast<int *>(data->out[0]), bins + 1, lower, upper, int(data->n),
                                             stream);
}

template <int Bins> int even_u8(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return even<uint8_t, int>(temp, bytes, data, stream, Bins, 0, 256);
}
// By pointers, which every version takes; newer ones would rather have arrays.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Sample, class Level, int Bins>
int three_of_four(void *temp, size_t *bytes, const bench_data *data, CUstream stream, Level end) {
  if (data->n > (uint64_t(1) << 28)) return CUB_LEFT_OUT;
  int *const counts = static_cast<int *>(data->out[0]);
  int *channels[] = {counts, counts + Bins, counts + 2 * Bins};
  const int levels[] = {Bins + 1, Bins + 1, Bins + 1};
  const Level lower[] = {0, 0, 0}, upper[] = {end, end, end};
  return cub::DeviceHistogram::MultiHistogramEven<4, 3>(temp, *bytes, static_cast<const Sample *>(data->in[0]),
                                                        channels, levels, lower, upper, int(data->n), stream);
}
int rgb_of_rgba(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return three_of_four<uint8_t, int, 256>(temp, bytes, data, stream, 256);
}
int three_floats(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return three_of_four<float, float, 128>(temp, bytes, data, stream, 1.0f);
}
int even_f32(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return even<float, float>(temp, bytes, data, stream, 128, 0.0f, 1.0f);
}
template <int Bins, class Sample = int> int even_int(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return even<Sample, int>(temp, bytes, data, stream, Bins, 0, 1 << 20);
}
int range_u32(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > (uint64_t(1) << 30)) return CUB_LEFT_OUT;
  return cub::DeviceHistogram::HistogramRange(temp, *bytes, static_cast<const uint32_t *>(data->in[0]),
                                              static_cast<int *>(data->out[0]), 2049,
                                              static_cast<const uint32_t *>(data->in[1]), int(data->n), stream);
}

const cub_case cases[] = {{"histogram", "u8", "even256_uniform", even_u8<256>},
                          {"histogram", "u8", "even16_uniform", even_u8<16>},
                          {"histogram", "u8", "rgb_of_rgba", rgb_of_rgba},
                          {"histogram", "u8", "even256_allsame", even_u8<256>},
                          {"histogram", "f32", "even128_uniform", even_f32},
                          {"histogram", "f32", "even128_allsame", even_f32},
                          {"histogram", "i32", "even2048_uniform", even_int<2048>},
                          {"histogram", "i32", "even2048_half", even_int<2048>},
                          {"histogram", "i32", "even2048_allsame", even_int<2048>},
                          {"histogram", "i32", "even40000_uniform", even_int<40000>},
                          {"histogram", "i32", "even1000000_uniform", even_int<1000000>},
                          {"histogram", "i32", "even1000000_half", even_int<1000000>},
                          {"histogram", "i32", "even1000000_allsame", even_int<1000000>},
                          {"histogram", "i64", "even2048_uniform", even_int<2048, int64_t>},
                          {"histogram", "f32", "three_of_four", three_floats},
                          {"histogram", "u32", "range2048_uniform", range_u32}};

}  // namespace

extern "C" const cub_family cub_histogram;
const cub_family cub_histogram = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
