// CUB's side of bench_radix_sort.c: the same sorts, through the interface and with the default tunings that a
// CUB user gets.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#include <cuda/std/tuple>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

// By 32-bit counts where they suffice, which is CUB's fastest choice.
template <class Key, int EndBit = int(sizeof(Key) * 8)>
int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n <= INT32_MAX)
    return cub::DeviceRadixSort::SortKeys(temp, *bytes, input<Key>(data), output<Key>(data), int(data->n), 0,
                                          EndBit, stream);
  return cub::DeviceRadixSort::SortKeys(temp, *bytes, input<Key>(data), output<Key>(data), data->n, 0, EndBit,
                                        stream);
}

template <class Key, class Value, int EndBit = int(sizeof(Key) * 8)>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n <= INT32_MAX)
    return cub::DeviceRadixSort::SortPairs(temp, *bytes, input<Key>(data), output<Key>(data),
                                           input<Value>(data, 1), output<Value>(data, 1), int(data->n), 0,
                                           EndBit, stream);
  return cub::DeviceRadixSort::SortPairs(temp, *bytes, input<Key>(data), output<Key>(data), input<Value>(data, 1),
                                         output<Value>(data, 1), data->n, 0, EndBit, stream);
}

struct b12 {
  unsigned x[3];
};

// Structs, by the fields that jig is given.
struct row24 {
  unsigned long long a, b, c;
};
struct fields {
  __host__ __device__ ::cuda::std::tuple<unsigned long long &, unsigned long long &, unsigned long long &>
  operator()(row24 &x) const {
    return {x.a, x.b, x.c};
  }
};
int structs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n <= INT32_MAX)
    return cub::DeviceRadixSort::SortKeys(temp, *bytes, input<row24>(data), output<row24>(data), int(data->n),
                                          fields{}, stream);
  return cub::DeviceRadixSort::SortKeys(temp, *bytes, input<row24>(data), output<row24>(data), data->n, fields{},
                                        stream);
}

// CUB's radix sort does not compile for keys of more than 48 bytes, which leaves its merge sort.
template <int Words> struct row {
  unsigned high, low, rest[Words - 2];
};
struct by_fields {
  template <class Row> __host__ __device__ bool operator()(const Row &a, const Row &b) const {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};
template <int Words> int rows(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceMergeSort::StableSortKeysCopy(temp, *bytes, input<row<Words>>(data), output<row<Words>>(data),
                                                  data->n, by_fields{}, stream);
}

const cub_case cases[] = {
    {"radix_sort", "u8", "keys", keys<uint8_t>},
    {"radix_sort", "u16", "keys", keys<uint16_t>},
    {"radix_sort", "u32", "keys", keys<uint32_t>},
    {"radix_sort", "u64", "keys", keys<uint64_t>},
    {"radix_sort", "u128", "keys", keys<unsigned __int128>},
    {"radix_sort", "f32", "keys", keys<float>},
    {"radix_sort", "f64", "keys", keys<double>},
    {"radix_sort", "u32", "keys_and", keys<uint32_t>},
    {"radix_sort", "u32", "keys_four", keys<uint32_t>},
    {"radix_sort", "u32", "keys_mostly_one", keys<uint32_t>},
    {"radix_sort", "u32", "keys_equal", keys<uint32_t>},
    {"radix_sort", "u32", "keys_rising", keys<uint32_t>},
    {"radix_sort", "u32", "keys_small", keys<uint32_t>},
    {"radix_sort", "u32", "keys_bits_16", keys<uint32_t, 16>},
    {"radix_sort", "u64", "keys_bits_20", keys<uint64_t, 20>},
    {"radix_sort", "u64", "keys_and", keys<uint64_t>},
    {"radix_sort", "u64", "keys_four", keys<uint64_t>},
    {"radix_sort", "u64", "keys_mostly_one", keys<uint64_t>},
    {"radix_sort", "u64", "keys_equal", keys<uint64_t>},
    {"radix_sort", "u64", "keys_rising", keys<uint64_t>},
    {"radix_sort", "u64", "keys_small", keys<uint64_t>},
    {"radix_sort", "u64", "keys_hashed", keys<uint64_t>},
    {"radix_sort", "u64", "keys_zipf", keys<uint64_t>},
    {"radix_sort", "f64", "keys_unit", keys<double>},
    {"radix_sort", "u32", "pairs_u32", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u64", pairs<uint32_t, uint64_t>},
    {"radix_sort", "f32", "pairs_u64", pairs<float, uint64_t>},
    {"radix_sort", "u32", "pairs_b12", pairs<uint32_t, b12>},
    {"radix_sort", "u32", "pairs_u128", pairs<uint32_t, unsigned __int128>},
    {"radix_sort", "u64", "pairs_u32_tiles", pairs<uint64_t, uint32_t, 45>},
    {"radix_sort", "u64", "pairs_u64", pairs<uint64_t, uint64_t>},
    {"radix_sort", "u64", "pairs_u32", pairs<uint64_t, uint32_t>},
    {"radix_sort", "u64", "pairs_u64_four", pairs<uint64_t, uint64_t>},
    {"radix_sort", "u64", "pairs_u64_zipf", pairs<uint64_t, uint64_t>},
    {"radix_sort", "u8", "pairs_u32", pairs<uint8_t, uint32_t>},
    {"radix_sort", "u16", "pairs_u32", pairs<uint16_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u32_and", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u32_four", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u32_mostly_one", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u32_equal", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_u32_rising", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "pairs_indices", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u32", "argsort", pairs<uint32_t, uint32_t>},
    {"radix_sort", "u64", "argsort", pairs<uint64_t, uint32_t>},
    {"radix_sort", "row24", "keys", structs},
    {"radix_sort", "row64", "keys", rows<16>},
    {"radix_sort", "row100", "keys", rows<25>},
};

}  // namespace

extern "C" const cub_family cub_radix_sort;
const cub_family cub_radix_sort = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
