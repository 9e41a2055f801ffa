// CUB's side of bench_operators.c: one sum by a user's operator, the peer of every form.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <climits>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

template <int Count> struct numbers {
  unsigned x[Count];
};

struct add {
  template <int Count>
  __host__ __device__ numbers<Count> operator()(const numbers<Count> &a, const numbers<Count> &b) const {
    numbers<Count> sum;
    for (int k = 0; k < Count; ++k) sum.x[k] = a.x[k] + b.x[k];
    return sum;
  }
};

template <int Count> int reduce(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (data->n > INT_MAX) return CUB_LEFT_OUT;
  return cub::DeviceReduce::Reduce(temp, *bytes, static_cast<numbers<Count> *>(data->in[0]),
                                   static_cast<numbers<Count> *>(data->out[0]), int(data->n), add{},
                                   numbers<Count>{}, stream);
}

const cub_case cases[] = {{"operator", "b4", "source", reduce<1>},
                          {"operator", "b4", "lto_ir", reduce<1>},
                          {"operator", "b4", "lto_ir_by_pointer", reduce<1>},
                          {"operator", "b4", "ptx", reduce<1>},
                          {"operator", "b16", "source", reduce<4>},
                          {"operator", "b16", "lto_ir", reduce<4>},
                          {"operator", "b16", "lto_ir_by_pointer", reduce<4>},
                          {"operator", "b32", "source", reduce<8>},
                          {"operator", "b32", "lto_ir", reduce<8>},
                          {"operator", "b64", "source", reduce<16>},
                          {"operator", "b64", "lto_ir", reduce<16>},
                          {"operator", "b256", "source", reduce<64>}};

}  // namespace

extern "C" const cub_family cub_operators;
const cub_family cub_operators = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
