// CUB's side of bench_wide_items.c. Its selection and its radix sort cannot hold items of 504 bytes and more in a
// tile, so that their users select or sort indices and gather what these name in a second kernel; its merge sort
// takes 504, but not 4096.
#include <cub/device/device_for.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <climits>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <int Bytes> struct wide {
  unsigned x[Bytes / 4];
};

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

template <int Bytes> struct lower_half {
  __host__ __device__ bool operator()(const wide<Bytes> &item) const { return item.x[0] < 0x80000000u; }
};
template <int Bytes> struct lower_half_at {
  const wide<Bytes> *items;
  __device__ bool operator()(unsigned i) const { return items[i].x[0] < 0x80000000u; }
};
template <int Bytes> struct before {
  __host__ __device__ bool operator()(const wide<Bytes> &a, const wide<Bytes> &b) const { return a.x[0] < b.x[0]; }
};
template <int Bytes> struct before_at {
  const wide<Bytes> *items;
  __device__ bool operator()(unsigned a, unsigned b) const { return items[a].x[0] < items[b].x[0]; }
};

struct store_index {
  unsigned *indices;
  __device__ void operator()(unsigned i) const { indices[i] = i; }
};

// out[i] = in[indices[i]], 8 bytes a thread; where count says so, of fewer items.
template <int Bytes> struct gather_words {
  const uint64_t *in;
  uint64_t *out;
  const unsigned *indices;
  const int *count;
  __device__ void operator()(uint64_t i) const {
    constexpr uint64_t WORDS = Bytes / 8;
    const uint64_t item = i / WORDS;
    if (count == nullptr || item < uint64_t(*count)) out[i] = in[indices[item] * WORDS + i % WORDS];
  }
};
template <int Bytes> int gather(const bench_data *data, const unsigned *indices, const int *count, CUstream stream) {
  return cub::DeviceFor::Bulk(data->n * (Bytes / 8),
                              gather_words<Bytes>{input<uint64_t>(data), output<uint64_t>(data), indices, count},
                              stream);
}

template <int Bytes> int select(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceSelect::If(temp, *bytes, input<wide<Bytes>>(data), output<wide<Bytes>>(data), output<int>(data, 1),
                               int(data->n), lower_half<Bytes>(), stream);
}

template <int Bytes> int radix_sort(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceRadixSort::SortPairs(temp, *bytes, input<uint32_t>(data, 1), output<uint32_t>(data, 1),
                                         input<wide<Bytes>>(data), output<wide<Bytes>>(data), int(data->n), 0, 32,
                                         stream);
}

template <int Bytes> int merge_sort(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceMergeSort::SortKeysCopy(temp, *bytes, input<wide<Bytes>>(data), output<wide<Bytes>>(data),
                                            int(data->n), before<Bytes>(), stream);
}

// The same by indices: call(temp storage, its bytes, indices, indices too).
template <int Bytes, class Call>
int by_indices(void *temp, size_t *bytes, const bench_data *data, const int *count, CUstream stream, Call call) {
  const size_t indices_bytes = (data->n * 4 + 255) / 256 * 256;
  size_t own_bytes = 0;
  if (const int failed = call(nullptr, own_bytes, nullptr, nullptr)) return failed;
  if (temp == nullptr) return *bytes = 2 * indices_bytes + own_bytes, 0;
  unsigned *const first = static_cast<unsigned *>(temp), *const second = first + indices_bytes / 4;
  if (const int failed = call(second + indices_bytes / 4, own_bytes, first, second)) return failed;
  return gather<Bytes>(data, second, count, stream);
}

template <int Bytes> int select_indices(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return by_indices<Bytes>(temp, bytes, data, output<int>(data, 1), stream,
                           [=](void *own, size_t &size, unsigned *, unsigned *selected) {
                             return cub::DeviceSelect::If(own, size, thrust::make_counting_iterator(0u), selected,
                                                          output<int>(data, 1), int(data->n),
                                                          lower_half_at<Bytes>{input<wide<Bytes>>(data)}, stream);
                           });
}

template <int Bytes> int radix_sort_indices(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return by_indices<Bytes>(
      temp, bytes, data, nullptr, stream, [=](void *own, size_t &size, unsigned *indices, unsigned *sorted) {
        if (own != nullptr)
          if (const int failed = cub::DeviceFor::Bulk(unsigned(data->n), store_index{indices}, stream)) return failed;
        return int(cub::DeviceRadixSort::SortPairs(own, size, input<uint32_t>(data, 1), output<uint32_t>(data, 1),
                                                   indices, sorted, int(data->n), 0, 32, stream));
      });
}

template <int Bytes> int merge_sort_indices(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return by_indices<Bytes>(temp, bytes, data, nullptr, stream,
                           [=](void *own, size_t &size, unsigned *, unsigned *sorted) {
                             return cub::DeviceMergeSort::StableSortKeysCopy(
                                 own, size, thrust::make_counting_iterator(0u), sorted, int(data->n),
                                 before_at<Bytes>{input<wide<Bytes>>(data)}, stream);
                           });
}

const cub_case cases[] = {
    {"wide_items", "b24", "select_50", select<24>},
    {"wide_items", "b24", "radix_sort_values", radix_sort<24>},
    {"wide_items", "b24", "merge_sort", merge_sort<24>},
    {"wide_items", "b504", "select_50", select_indices<504>},
    {"wide_items", "b504", "radix_sort_values", radix_sort_indices<504>},
    {"wide_items", "b504", "merge_sort", merge_sort<504>},
    {"wide_items", "b4096", "select_50", select_indices<4096>},
    {"wide_items", "b4096", "radix_sort_values", radix_sort_indices<4096>},
    {"wide_items", "b4096", "merge_sort", merge_sort_indices<4096>},
};

}  // namespace

extern "C" const cub_family cub_wide_items;
const cub_family cub_wide_items = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
