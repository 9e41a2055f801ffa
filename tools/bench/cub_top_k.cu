// CUB's side of bench_top_k.c. DeviceTopK is in CUB from 3.3 on (build with CCCL=<checkout>), asked for what it has: no
// order, and any of equal keys. With an older one, such as CUDA 13.0's, the peer is what its users have to do:
// sort everything, and keep the first k.
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define HAS_TOP_K 1
#else
#define HAS_TOP_K 0
#endif

#include <algorithm>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data, int k = 0) { return static_cast<T *>(data->in[k]); }
template <class T> T *output(const bench_data *data, int k = 0) { return static_cast<T *>(data->out[k]); }

// As in bench_top_k.c; 0: a sixteenth of the items.
template <uint64_t K> uint64_t wanted(const bench_data *data) {
  return K > 0 ? std::min<uint64_t>(K, data->n) : data->n / 16;
}

#if HAS_TOP_K

auto environment(CUstream stream) {
  return cuda::std::execution::env{cuda::stream_ref{stream},
                                   cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                            cuda::execution::output_ordering::unsorted)};
}

template <class Key, uint64_t K> int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceTopK::MaxKeys(temp, *bytes, input<Key>(data), output<Key>(data), int(data->n),
                                  int(wanted<K>(data)), environment(stream));
}

template <class Key, class Value, uint64_t K>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  return cub::DeviceTopK::MaxPairs(temp, *bytes, input<Key>(data), output<Key>(data), input<Value>(data, 1),
                                   output<Value>(data, 1), int(data->n), int(wanted<K>(data)), environment(stream));
}

#else

size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

// Everything is sorted to the front of the temp storage.
template <class Key, uint64_t K> int keys(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  const size_t front = aligned(data->n * sizeof(Key));
  size_t rest = temp != nullptr ? *bytes - front : 0;
  Key *sorted = static_cast<Key *>(temp);
  void *own = temp != nullptr ? static_cast<char *>(temp) + front : nullptr;
  int error = cub::DeviceRadixSort::SortKeysDescending(own, rest, input<Key>(data), sorted, int(data->n), 0,
                                                       int(sizeof(Key) * 8), stream);
  *bytes = front + rest;
  if (error != 0 || temp == nullptr) return error;
  return cudaMemcpyAsync(data->out[0], sorted, wanted<K>(data) * sizeof(Key), cudaMemcpyDeviceToDevice, stream);
}

template <class Key, class Value, uint64_t K>
int pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT32_MAX) return CUB_LEFT_OUT;
  const size_t key_bytes = aligned(data->n * sizeof(Key)), front = key_bytes + aligned(data->n * sizeof(Value));
  size_t rest = temp != nullptr ? *bytes - front : 0;
  char *place = static_cast<char *>(temp);
  Key *sorted = reinterpret_cast<Key *>(place);
  Value *values = reinterpret_cast<Value *>(temp != nullptr ? place + key_bytes : nullptr);
  int error = cub::DeviceRadixSort::SortPairsDescending(
      temp != nullptr ? place + front : nullptr, rest, input<Key>(data), sorted, input<Value>(data, 1), values,
      int(data->n), 0, int(sizeof(Key) * 8), stream);
  *bytes = front + rest;
  if (error != 0 || temp == nullptr) return error;
  const uint64_t k = wanted<K>(data);
  error = cudaMemcpyAsync(data->out[0], sorted, k * sizeof(Key), cudaMemcpyDeviceToDevice, stream);
  if (error != 0) return error;
  return cudaMemcpyAsync(data->out[1], values, k * sizeof(Value), cudaMemcpyDeviceToDevice, stream);
}

#endif

const cub_case cases[] = {
    {"top_k", "u32", "keys_16", keys<uint32_t, 16>},
    {"top_k", "u32", "keys_256", keys<uint32_t, 256>},
    {"top_k", "u32", "keys_4096", keys<uint32_t, 4096>},
    {"top_k", "u32", "keys_sixteenth", keys<uint32_t, 0>},
    {"top_k", "u64", "keys_16", keys<uint64_t, 16>},
    {"top_k", "u64", "keys_256", keys<uint64_t, 256>},
    {"top_k", "u64", "keys_4096", keys<uint64_t, 4096>},
    {"top_k", "u64", "keys_sixteenth", keys<uint64_t, 0>},
    {"top_k", "f32", "keys_16", keys<float, 16>},
    {"top_k", "f32", "keys_256", keys<float, 256>},
    {"top_k", "f32", "keys_4096", keys<float, 4096>},
    {"top_k", "f32", "keys_sixteenth", keys<float, 0>},
    {"top_k", "u32", "pairs_u32_16", pairs<uint32_t, uint32_t, 16>},
    {"top_k", "u32", "pairs_u32_256", pairs<uint32_t, uint32_t, 256>},
    {"top_k", "u32", "pairs_u32_4096", pairs<uint32_t, uint32_t, 4096>},
    {"top_k", "u32", "pairs_u32_sixteenth", pairs<uint32_t, uint32_t, 0>},
    {"top_k", "f32", "keys_100", keys<float, 100>},
    {"top_k", "f32", "keys_1000", keys<float, 1000>},
    {"top_k", "u8", "keys_256", keys<uint8_t, 256>},
    {"top_k", "u8", "keys_256_four", keys<uint8_t, 256>},
    {"top_k", "f16", "keys_256", keys<__half, 256>},
    {"top_k", "u32", "keys_256_four", keys<uint32_t, 256>},
    {"top_k", "u32", "keys_256_equal", keys<uint32_t, 256>},
    {"top_k", "u32", "keys_256_rising", keys<uint32_t, 256>},
};

}  // namespace

extern "C" const cub_family cub_top_k;
const cub_family cub_top_k = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
