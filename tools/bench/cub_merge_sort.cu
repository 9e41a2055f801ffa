// CUB's side of bench_merge_sort.c: the same sorts and merges, through the interface and with the default tunings
// that a CUB user gets.
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

struct less_than {
  template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

struct b24 {
  unsigned x[6];
};

// By 32-bit counts where they suffice, which is CUB's fastest choice.
template <class Key> int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n <= INT32_MAX)
    return cub::DeviceMergeSort::StableSortKeysCopy(temp, *bytes, input<Key>(data), output<Key>(data),
                                                    int(data->n), less_than{}, stream);
  return cub::DeviceMergeSort::StableSortKeysCopy(temp, *bytes, input<Key>(data), output<Key>(data),
                                                  int64_t(data->n), less_than{}, stream);
}

template <class Key, class Value>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n <= INT32_MAX)
    return cub::DeviceMergeSort::SortPairsCopy(temp, *bytes, input<Key>(data), input<Value>(data, 1),
                                               output<Key>(data), output<Value>(data, 1), int(data->n),
                                               less_than{}, stream);
  return cub::DeviceMergeSort::SortPairsCopy(temp, *bytes, input<Key>(data), input<Value>(data, 1),
                                             output<Key>(data), output<Value>(data, 1), int64_t(data->n),
                                             less_than{}, stream);
}

template <class Key> int merge_keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const int64_t first = int64_t(data->n / 2), second = int64_t(data->n) - first;
  return cub::DeviceMerge::MergeKeys(temp, *bytes, input<Key>(data), first, input<Key>(data) + first, second,
                                     output<Key>(data), less_than{}, stream);
}

template <class Key, class Value>
int merge_pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  const int64_t first = int64_t(data->n / 2), second = int64_t(data->n) - first;
  return cub::DeviceMerge::MergePairs(temp, *bytes, input<Key>(data), input<Value>(data, 1), first,
                                      input<Key>(data) + first, input<Value>(data, 1) + first, second,
                                      output<Key>(data), output<Value>(data, 1), less_than{}, stream);
}

const cub_case cases[] = {
    {"merge_sort", "u8", "keys", keys<uint8_t>},
    {"merge_sort", "u32", "keys", keys<uint32_t>},
    {"merge_sort", "u64", "keys", keys<uint64_t>},
    {"merge_sort", "u128", "keys", keys<unsigned __int128>},
    {"merge_sort", "f32", "keys", keys<float>},
    {"merge_sort", "u32", "keys_four", keys<uint32_t>},
    {"merge_sort", "u32", "keys_equal", keys<uint32_t>},
    {"merge_sort", "u32", "keys_rising", keys<uint32_t>},
    {"merge_sort", "u32", "keys_falling", keys<uint32_t>},
    {"merge_sort", "u32", "keys_near", keys<uint32_t>},
    {"merge_sort", "u32", "pairs_u32", pairs<uint32_t, uint32_t>},
    {"merge_sort", "u32", "pairs_u64", pairs<uint32_t, uint64_t>},
    {"merge_sort", "u64", "pairs_u64", pairs<uint64_t, uint64_t>},
    {"merge_sort", "u32", "pairs_b24", pairs<uint32_t, b24>},
    {"merge_sort", "u32", "pairs_u128", pairs<uint32_t, unsigned __int128>},
    {"merge_sort", "u32", "pairs_u32_four", pairs<uint32_t, uint32_t>},
    {"merge_sort", "u32", "pairs_u32_near", pairs<uint32_t, uint32_t>},
    {"merge", "u16", "keys", merge_keys<uint16_t>},
    {"merge", "u32", "keys", merge_keys<uint32_t>},
    {"merge", "u32", "keys_disjoint", merge_keys<uint32_t>},
    {"merge", "u64", "keys", merge_keys<uint64_t>},
    {"merge", "u32", "pairs_u32", merge_pairs<uint32_t, uint32_t>},
    {"merge", "u32", "pairs_b24", merge_pairs<uint32_t, b24>},
    {"merge", "u64", "pairs_u64", merge_pairs<uint64_t, uint64_t>},
};

}  // namespace

extern "C" const cub_family cub_merge_sort;
const cub_family cub_merge_sort = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
