// CUB's side of bench_hinted.c: its iterators with cache modifiers.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <class T> T *input(const bench_data *data) { return static_cast<T *>(data->in[0]); }
template <class T> T *output(const bench_data *data) { return static_cast<T *>(data->out[0]); }

struct same {
  __host__ __device__ float operator()(float x) const { return x; }
};

template <cub::CacheLoadModifier Load, cub::CacheStoreModifier Store>
int copy(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceTransform::Transform(cub::CacheModifiedInputIterator<Load, float, int64_t>(input<float>(data)),
                                         cub::CacheModifiedOutputIterator<Store, float, int64_t>(output<float>(data)),
                                         int64_t(data->n), same{}, stream);
}

template <cub::CacheLoadModifier Load> int sum(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  return cub::DeviceReduce::Sum(temp, *bytes, cub::CacheModifiedInputIterator<Load, int, int64_t>(input<int>(data)),
                                output<int>(data), int64_t(data->n), stream);
}

const cub_case cases[] = {
    {"hinted", "f32", "copy_streaming", copy<cub::LOAD_CS, cub::STORE_CS>},
    {"hinted", "f32", "copy_read_only", copy<cub::LOAD_LDG, cub::STORE_WT>},
    {"hinted", "i32", "sum_streaming", sum<cub::LOAD_CS>},
    {"hinted", "i32", "sum_global", sum<cub::LOAD_CG>},
};

}  // namespace

extern "C" const cub_family cub_hinted;
const cub_family cub_hinted = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
