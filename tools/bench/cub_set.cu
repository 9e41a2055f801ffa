// Thrust's side of bench_set.c: the same set operations, which CUB does not have. Thrust waits for the GPU to learn how
// many items there are; it gets temp storage at no cost.
#include <thrust/set_operations.h>

#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"
#include "thrust_storage.h"

namespace {

// The number of items is written where jig writes it.
template <class Key> int store_count(const bench_data *data, const Key *end, CUstream stream) {
  const int32_t count = int32_t(end - static_cast<Key *>(data->out[0]));
  return cudaMemcpyAsync(data->out[1], &count, sizeof count, cudaMemcpyHostToDevice, stream);
}

#define SET(name, function)                                                                                \
  template <class Key> int name(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {      \
    if (temp == nullptr) return *bytes = 1, 0;                                                             \
    const Key *first = static_cast<const Key *>(data->in[0]), *second = first + data->n / 2;               \
    const Key *end = function(thrust_storage::policy(stream), first, second, second,         \
                              first + data->n, static_cast<Key *>(data->out[0]));                          \
    return store_count(data, end, stream);                                                                 \
  }
SET(set_union, thrust::set_union)
SET(set_intersection, thrust::set_intersection)
SET(set_difference, thrust::set_difference)
SET(set_symmetric_difference, thrust::set_symmetric_difference)

int union_pairs(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  using Key = uint32_t;
  if (temp == nullptr) return *bytes = 1, 0;
  const Key *first = static_cast<const Key *>(data->in[0]), *second = first + data->n / 2;
  const Key *values = static_cast<const Key *>(data->in[1]);
  const auto end = thrust::set_union_by_key(thrust_storage::policy(stream), first, second, second,
                                            first + data->n, values, values + data->n / 2,
                                            static_cast<Key *>(data->out[0]), static_cast<Key *>(data->out[2]));
  return store_count(data, static_cast<const Key *>(end.first), stream);
}

const cub_case cases[] = {
    {"set_union", "u32", "keys", set_union<uint32_t>},
    {"set_union", "u64", "keys", set_union<uint64_t>},
    {"set_union", "u32", "equal", set_union<uint32_t>},
    {"set_union", "u32", "runs", set_union<uint32_t>},
    {"set_union", "u32", "pairs_u32", union_pairs},
    {"set_intersection", "u32", "keys", set_intersection<uint32_t>},
    {"set_difference", "u32", "keys", set_difference<uint32_t>},
    {"set_symmetric_difference", "u32", "keys", set_symmetric_difference<uint32_t>},
    {"set_symmetric_difference", "u64", "keys", set_symmetric_difference<uint64_t>},
};

}  // namespace

extern "C" const cub_family cub_set;
const cub_family cub_set = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
