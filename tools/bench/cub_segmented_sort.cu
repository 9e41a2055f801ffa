// CUB's side of bench_segmented_sort.c: the same sorts, through the interface and with the default tunings that a
// CUB user gets.
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include <jig/jig.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

// As many as so many items on average make, or as jig is told.
template <int Average> int64_t segments(const bench_data *data) {
  if (Average == 0) return int64_t(static_cast<const jig_segmented_sort_args *>(data->args)->num_segments);
  return data->n > Average ? int64_t(data->n / (Average > 0 ? Average : 1)) : 1;
}

template <class Key, int Average> int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedSort::StableSortKeys(temp, *bytes, input<Key>(data), output<Key>(data),
                                                  int64_t(data->n), segments<Average>(data), offsets,
                                                  offsets + 1, stream);
}

template <int Average, class T = uint32_t>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedSort::StableSortPairs(
      temp, *bytes, input<T>(data), output<T>(data), input<T>(data, 2), output<T>(data, 1), int64_t(data->n),
      segments<Average>(data), offsets, offsets + 1, stream);
}

template <int Average> int radix_keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedRadixSort::SortKeys(temp, *bytes, input<uint32_t>(data), output<uint32_t>(data),
                                                 int64_t(data->n), segments<Average>(data), offsets,
                                                 offsets + 1, 0, 32, stream);
}

template <int Average> int radix_pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const uint32_t *offsets = input<uint32_t>(data, 1);
  return cub::DeviceSegmentedRadixSort::SortPairs(
      temp, *bytes, input<uint32_t>(data), output<uint32_t>(data), input<uint32_t>(data, 2),
      output<uint32_t>(data, 1), int64_t(data->n), segments<Average>(data), offsets, offsets + 1, 0, 32, stream);
}

const cub_case cases[] = {
    {"segmented_sort", "u32", "keys_sort_8", keys<uint32_t, 8>},
    {"segmented_sort", "u32", "keys_sort_32", keys<uint32_t, 32>},
    {"segmented_sort", "u32", "keys_sort_100", keys<uint32_t, 100>},
    {"segmented_sort", "u32", "keys_sort_300", keys<uint32_t, 300>},
    {"segmented_sort", "u32", "keys_sort_1000", keys<uint32_t, 1000>},
    {"segmented_sort", "u32", "keys_sort_5000", keys<uint32_t, 5000>},
    {"segmented_sort", "u32", "keys_sort_20000", keys<uint32_t, 20000>},
    {"segmented_sort", "u32", "keys_sort_100000", keys<uint32_t, 100000>},
    {"segmented_sort", "u32", "keys_sort_10000000", keys<uint32_t, 10000000>},
    {"segmented_sort", "u32", "keys_sort_logarithmic", keys<uint32_t, 0>},
    {"segmented_sort", "u32", "keys_radix_1000", radix_keys<1000>},
    {"segmented_sort", "u32", "keys_radix_100000", radix_keys<100000>},
    {"segmented_sort", "u16", "keys_sort_32", keys<uint16_t, 32>},
    {"segmented_sort", "u16", "keys_sort_1000", keys<uint16_t, 1000>},
    {"segmented_sort", "u64", "keys_sort_32", keys<uint64_t, 32>},
    {"segmented_sort", "u64", "keys_sort_1000", keys<uint64_t, 1000>},
    {"segmented_sort", "u64", "keys_sort_4096", keys<uint64_t, 4096>},
    {"segmented_sort", "u64", "keys_sort_10000", keys<uint64_t, 10000>},
    {"segmented_sort", "u64", "keys_sort_65536", keys<uint64_t, 65536>},
    {"segmented_sort", "u64", "keys_sort_100000", keys<uint64_t, 100000>},
    {"segmented_sort", "u32", "pairs_u32_sort_32", pairs<32>},
    {"segmented_sort", "u32", "pairs_u32_sort_1000", pairs<1000>},
    {"segmented_sort", "u32", "pairs_u32_sort_100000", pairs<100000>},
    {"segmented_sort", "u32", "pairs_u32_radix_1000", radix_pairs<1000>},
    {"segmented_sort", "u32", "pairs_u32_radix_100000", radix_pairs<100000>},
    {"segmented_sort", "u64", "pairs_u64_sort_4096", pairs<4096, uint64_t>},
    {"segmented_sort", "u32", "argsort_32", pairs<32>},
    {"segmented_sort", "u32", "argsort_1000", pairs<1000>},
    {"segmented_sort", "u32", "argsort_100000", pairs<100000>},
};

}  // namespace

extern "C" const cub_family cub_segmented_sort;
const cub_family cub_segmented_sort = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
