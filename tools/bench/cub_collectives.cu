// CUB's side of bench_collectives.c.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/version.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cub_bench.h"

namespace {

constexpr int threads = 256, items = 4, tile = threads * items;
using Items = uint32_t[items];

struct less {
  __device__ bool operator()(uint32_t a, uint32_t b) const { return a < b; }
};

// Each is what a block does with its tile.
template <cub::BlockReduceAlgorithm A> struct reduce {
  using Reduce = cub::BlockReduce<uint32_t, threads, A>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Reduce::TempStorage storage;
    for (int i = 0; i < 16; ++i) {
      const uint32_t sum = Reduce(storage).Sum(x);
      if (t == 0) x[0] ^= sum;
      __syncthreads();
    }
  }
};

template <cub::BlockScanAlgorithm A> struct scan {
  using Scan = cub::BlockScan<uint32_t, threads, A>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned) const {
    __shared__ typename Scan::TempStorage storage;
    for (int i = 0; i < 16; ++i) {
      Scan(storage).InclusiveSum(x, x);
      __syncthreads();
    }
  }
};

template <bool WarpStriped> struct exchange {
  using Exchange = cub::BlockExchange<uint32_t, threads, items>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Exchange::TempStorage storage;
    for (int i = 0; i < 8; ++i) {
      if constexpr (WarpStriped) Exchange(storage).BlockedToWarpStriped(x, x);
      else Exchange(storage).BlockedToStriped(x, x);
      __syncthreads();
      x[0] += t;
      if constexpr (WarpStriped) Exchange(storage).WarpStripedToBlocked(x, x);
      else Exchange(storage).StripedToBlocked(x, x);
      __syncthreads();
    }
  }
};

template <cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S> struct transfer {
  using Load = cub::BlockLoad<uint32_t, threads, items, L>;
  using Store = cub::BlockStore<uint32_t, threads, items, S>;
  __device__ void operator()(const uint32_t *in, uint32_t *out, Items &x, unsigned t) const {
    __shared__ union {
      typename Load::TempStorage load;
      typename Store::TempStorage store;
    } storage;
    for (int i = 0; i < 8; ++i) {
      Load(storage.load).Load((i == 0 ? const_cast<uint32_t *>(in) : out) + uint64_t(blockIdx.x) * tile, x);
      __syncthreads();
      x[0] += t;
      Items y = {x[0], x[1], x[2], x[3]};  // CUB's transposes leave something else in what they store
      Store(storage.store).Store(out + uint64_t(blockIdx.x) * tile, y);
      __syncthreads();
    }
  }
};

template <cub::BlockHistogramAlgorithm A> struct histogram {
  using Histogram = cub::BlockHistogram<uint8_t, threads, items, 256, A>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Histogram::TempStorage storage;
    __shared__ uint32_t counters[256];
    uint8_t bins[items];
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < items; ++j) bins[j] = uint8_t(x[j] >> 8 * i);
      Histogram(storage).Histogram(bins, counters);
      __syncthreads();
      x[i] += counters[t];
      __syncthreads();
    }
  }
};

template <bool Pairs> struct radix_sort {
  using Sort = cub::BlockRadixSort<uint32_t, threads, items, std::conditional_t<Pairs, uint32_t, cub::NullType>>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Sort::TempStorage storage;
    if constexpr (Pairs) {
      Items y = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};
      Sort(storage).Sort(x, y);
      for (int j = 0; j < items; ++j) x[j] ^= y[j];
    } else {
      Sort(storage).Sort(x);
    }
  }
};

template <bool Pairs> struct merge_sort {
  using Sort = cub::BlockMergeSort<uint32_t, threads, items, std::conditional_t<Pairs, uint32_t, cub::NullType>>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Sort::TempStorage storage;
    if constexpr (Pairs) {
      Items y = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};
      Sort(storage).Sort(x, y, less());
      for (int j = 0; j < items; ++j) x[j] ^= y[j];
    } else {
      Sort(storage).Sort(x, less());
    }
  }
};

template <bool Segmented> struct warp_reduce {
  using Reduce = cub::WarpReduce<uint32_t>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Reduce::TempStorage storage[threads / 32];
    for (int i = 0; i < 64; ++i) {
      uint32_t sum;
      if constexpr (Segmented) sum = Reduce(storage[t / 32]).HeadSegmentedSum(x[0], (x[0] & 7) == 0);
      else sum = Reduce(storage[t / 32]).Sum(x[0]);
      if (t % 32 == 0) x[0] ^= sum;
    }
  }
};
struct warp_reduce_f32 {
  using Reduce = cub::WarpReduce<float>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Reduce::TempStorage storage[threads / 32];
    float y = float(x[0] & 7);
    for (int i = 0; i < 64; ++i) {
      const float sum = Reduce(storage[t / 32]).Sum(y);
      if (t % 32 == 0) y = sum > 1000.0f ? 1.0f : sum;
    }
    x[0] = uint32_t(y);
  }
};
struct warp_scan {
  using Scan = cub::WarpScan<uint32_t>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Scan::TempStorage storage[threads / 32];
    for (int i = 0; i < 64; ++i) {
      uint32_t sum;
      Scan(storage[t / 32]).InclusiveSum(x[0], sum);
      x[0] = sum ^ x[1];
    }
  }
};
struct warp_exchange {
  using Exchange = cub::WarpExchange<uint32_t, items>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Exchange::TempStorage storages[threads / 32];
    auto &storage = storages[t / 32];
    for (int i = 0; i < 16; ++i) {
      Exchange(storage).BlockedToStriped(x, x);
      __syncwarp();
      x[0] += t;
      Exchange(storage).StripedToBlocked(x, x);
      __syncwarp();
    }
  }
};
struct warp_merge_sort {
  using Sort = cub::WarpMergeSort<uint32_t, items>;
  __device__ void operator()(const uint32_t *, uint32_t *, Items &x, unsigned t) const {
    __shared__ typename Sort::TempStorage storages[threads / 32];
    Sort(storages[t / 32]).Sort(x, less());
  }
};

template <class Body> __global__ void __launch_bounds__(threads) collective(const uint32_t *in, uint32_t *out) {
  const unsigned t = threadIdx.x;
  const uint4 loaded = reinterpret_cast<const uint4 *>(in)[blockIdx.x * threads + t];
  Items x = {loaded.x, loaded.y, loaded.z, loaded.w};
  Body()(in, out, x, t);
  reinterpret_cast<uint4 *>(out)[blockIdx.x * threads + t] = make_uint4(x[0], x[1], x[2], x[3]);
}

template <class Body> int call(void *temp, size_t *bytes, const bench_data *data, CUstream stream) {
  if (temp == nullptr) return *bytes = 1, 0;
  const unsigned tiles = unsigned((data->n + tile - 1) / tile);
  collective<Body><<<tiles, threads, 0, stream>>>(static_cast<const uint32_t *>(data->in[0]),
                                                  static_cast<uint32_t *>(data->out[0]));
  return cudaGetLastError();
}

const cub_case cases[] = {
    {"block_reduce", "u32", "warp_reductions", call<reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>>},
    {"block_reduce", "u32", "raking", call<reduce<cub::BLOCK_REDUCE_RAKING>>},
    {"block_reduce", "u32", "raking_commutative_only", call<reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>>},
    {"block_scan", "u32", "warp_scans", call<scan<cub::BLOCK_SCAN_WARP_SCANS>>},
    {"block_scan", "u32", "raking", call<scan<cub::BLOCK_SCAN_RAKING>>},
    {"block_scan", "u32", "raking_memoize", call<scan<cub::BLOCK_SCAN_RAKING_MEMOIZE>>},
    {"block_exchange", "u32", "striped", call<exchange<false>>},
    {"block_exchange", "u32", "warp_striped", call<exchange<true>>},
    {"block_load_store", "u32", "transpose", call<transfer<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>>},
    {"block_load_store", "u32", "warp_transpose",
     call<transfer<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>>},
    {"block_load_store", "u32", "vectorized", call<transfer<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>>},
    {"block_histogram", "u32", "sort", call<histogram<cub::BLOCK_HISTO_SORT>>},
    {"block_histogram", "u32", "atomic", call<histogram<cub::BLOCK_HISTO_ATOMIC>>},
    {"block_radix_sort", "u32", "keys", call<radix_sort<false>>},
    {"block_radix_sort", "u32", "pairs", call<radix_sort<true>>},
    {"block_merge_sort", "u32", "keys", call<merge_sort<false>>},
    {"block_merge_sort", "u32", "pairs", call<merge_sort<true>>},
    {"warp_reduce", "u32", "sum", call<warp_reduce<false>>},
    {"warp_reduce", "u32", "f32", call<warp_reduce_f32>},
    {"warp_reduce", "u32", "head_segmented", call<warp_reduce<true>>},
    {"warp_scan", "u32", "sum", call<warp_scan>},
    {"warp_exchange", "u32", "striped", call<warp_exchange>},
    {"warp_merge_sort", "u32", "keys", call<warp_merge_sort>},
};

}  // namespace

extern "C" const cub_family cub_collectives;
const cub_family cub_collectives = {CUB_VERSION, CUDART_VERSION, cases, sizeof cases / sizeof cases[0]};
