// CUB's side of bench_segmented_top_k.c, for rows: DeviceBatchedTopK, which is in CUB from 3.5 on (build with
// CCCL=<checkout>), asked for what it has: no order, and any of equal keys. An older one has no peer. It takes a row's
// length and k at compile time, and so it gets them, as its users may.
#include <cub/version.cuh>
#if __has_include(<cub/device/device_batched_topk.cuh>)
#define CUB_DISABLE_TOPK_UNSUPPORTED_ARCH_ASSERT
#include <cub/device/device_batched_topk.cuh>
#include <cuda/iterator>
#define HAS_BATCHED_TOP_K 1
#else
#define HAS_BATCHED_TOP_K 0
#endif

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

#if HAS_BATCHED_TOP_K

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

auto environment(CUstream stream) {
  return cuda::std::execution::env{
      cuda::stream_ref{stream}, cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                         cuda::execution::tie_break::unspecified,
                                                         cuda::execution::output_ordering::unsorted)};
}

// Where each row begins.
template <class T> auto rows(T *first, int64_t size) {
  return cuda::make_strided_iterator(cuda::make_counting_iterator(first), size);
}

// Fewer items than a row has are left out.
template <class Key, int Size, int Share>
int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n < Size) return CUB_LEFT_OUT;
  constexpr int k = Size / Share;
  return cub::DeviceBatchedTopK::MaxKeys(temp, *bytes, rows(input<Key>(data), Size), rows(output<Key>(data), k),
                                         cuda::args::constant<Size>{}, cuda::args::constant<k>{},
                                         cuda::args::immediate{int64_t(data->n / Size)}, environment(stream));
}

template <class Key, int Size, int Share>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n < Size) return CUB_LEFT_OUT;
  constexpr int k = Size / Share;
  return cub::DeviceBatchedTopK::MaxPairs(
      temp, *bytes, rows(input<Key>(data), Size), rows(output<Key>(data), k), rows(input<uint32_t>(data, 2), Size),
      rows(output<uint32_t>(data, 1), k), cuda::args::constant<Size>{}, cuda::args::constant<k>{},
      cuda::args::immediate{int64_t(data->n / Size)}, environment(stream));
}

const cub_case cases[] = {
    {"segmented_top_k", "f32", "rows_16384_256", keys<float, 16384, 256>},
    {"segmented_top_k", "f32", "rows_16384_64", keys<float, 16384, 64>},
    {"segmented_top_k", "f32", "rows_16384_16", keys<float, 16384, 16>},
    {"segmented_top_k", "f32", "rows_64_8", keys<float, 64, 8>},
    {"segmented_top_k", "f32", "rows_1024_64", keys<float, 1024, 64>},
    {"segmented_top_k", "f32", "rows_4096_64", keys<float, 4096, 64>},
    {"segmented_top_k", "f32", "rows_131072_256", keys<float, 131072, 256>},
    {"segmented_top_k", "u32", "rows_16384_64", keys<uint32_t, 16384, 64>},
    {"segmented_top_k", "u64", "rows_16384_64", keys<uint64_t, 16384, 64>},
    {"segmented_top_k", "f32", "rows_16384_64_equal", keys<float, 16384, 64>},
    {"segmented_top_k", "f32", "rows_16384_64_rising", keys<float, 16384, 64>},
    {"segmented_top_k", "f32", "rows_16384_64_pairs", pairs<float, 16384, 64>},
};
constexpr size_t count = sizeof cases / sizeof cases[0];

#else

const cub_case *const cases = nullptr;
constexpr size_t count = 0;

#endif

}  // namespace

extern "C" const cub_family cub_segmented_top_k;
const cub_family cub_segmented_top_k = {CUB_VERSION, CUDART_VERSION, cases, count};
