// Batched copies of bytes, whose addresses are items of iterators.
#pragma once
#include <jig/agent/copy_batched/batched_bytes.cuh>
#include <jig/kernel/copy_batched/batched.cuh>

namespace jig {

template <class Sources, class Destinations, class Sizes> struct MemcpyBuffers {
  const Sources &sources;
  const Destinations &destinations;
  const Sizes &sizes;

  __device__ BatchedBuffer operator[](uint64_t i) const {
    return {uint64_t(sources[i]), uint64_t(destinations[i]), units_of(sizes[i])};
  }
};

template <class Policy, bool Long, class Sources, class Destinations, class Sizes>
__device__ void memcpy_batched(const Sources &sources, const Destinations &destinations, const Sizes &sizes,
                               const BatchedCall &call) {
  const MemcpyBuffers<Sources, Destinations, Sizes> buffers{sources, destinations, sizes};
  batched<Policy, Long>(call, buffers, CopyBytes<Policy, uint8_t>());
}

}  // namespace jig
