// CUB's side of bench_for_each.c, without `extents`: cub::DeviceFor::ForEachInExtents() of 3.0.1 takes 3 ms for 2^20
// places, 1300 times as long, and minutes for a measurement of more.
#include <cub/device/device_for.cuh>
#include <cub/version.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

unsigned *out_of(const bench_data *data) { return static_cast<unsigned *>(data->out[0]); }

struct masked {
  unsigned mask;
  __device__ void operator()(unsigned &x) const { x = (x & mask) | 5; }
};
struct looked_at {
  unsigned *out;
  __device__ void operator()(unsigned x) const {
    if (x > 0xfffffff0u) *out = 1;
  }
};
struct indexed {
  unsigned *out;
  __device__ void operator()(int64_t i) const { out[i] = unsigned(i) * 3; }
};
int in_place(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceFor::ForEachN(out_of(data), int64_t(data->n), masked{0}, stream);
}
int read_only(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceFor::ForEachCopyN(static_cast<const unsigned *>(data->in[0]), int64_t(data->n),
                                      looked_at{out_of(data)}, stream);
}
int bulk(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  return cub::DeviceFor::Bulk(int64_t(data->n), indexed{out_of(data)}, stream);
}
const cub_case cases[] = {{"for_each", "u32", "in_place", in_place},
                          {"for_each", "u32", "read_only", read_only},
                          {"for_each", "u32", "bulk", bulk}};

}  // namespace

extern "C" const cub_family cub_for_each;
const cub_family cub_for_each = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
