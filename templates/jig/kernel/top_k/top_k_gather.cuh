// Writes a top-k's result in the order that it has been sorted in; or of bytes that have been counted.
#pragma once
#include <jig/agent/top_k/top_k_count.cuh>
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
__device__ void top_k_gather(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                             const ValuesOut &values_out, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_call(given) : given;
  const TopKCall &call = Counted ? counted : given;
  using Sink = TopKSink<typename Keys::Bits, KeysIn, KeysOut, ValuesIn, ValuesOut>;
  const Sink sink = {call, keys_in, keys_out, values_in, values_out};
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.k == 0) return;
  const auto *records = static_cast<const TopKRecord<typename Keys::Bits> *>(call.records);
  const uint64_t first = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  const uint64_t step = uint64_t(gridDim.x) * Policy::threads;
  if constexpr (Policy::counts) {
    const auto *upto = static_cast<const uint64_t *>(call.bits);
    if (records == nullptr) return write_counted(upto, Keys(call, keys_in), keys_in, keys_out, call.k, first, step);
  }
#pragma unroll 1
  for (uint64_t i = first; i < call.k; i += step) sink.store(i, records[i].index);
}

}  // namespace jig
