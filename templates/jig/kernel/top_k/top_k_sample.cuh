// A top-k's first launch, of one block.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_sample.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

// What the host plans (src/algorithm/top_k_plan.c), by the number of items that only the GPU knows.
template <class Policy> __device__ TopKCall counted_sample(const TopKCall &given) {
  TopKCall call = counted_call(given);
  const double items = double(call.num_items), wanted = double(call.k);
  while (call.samples > 1 && call.samples > call.num_items / Policy::stretch) call.samples /= 2;
  const double expected = call.samples * wanted / items, variance = expected * (items - wanted) / items;
  const double margin = 4 * __dsqrt_rn(variance) + 5;
  const double last = expected + margin, sure = expected - margin;
  call.last_rank = last > call.samples ? 0 : uint32_t(last);
  call.sure_rank = sure > 0 ? uint32_t(sure) : 0;
  return call;
}

template <class Policy, bool Counted, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
__device__ void top_k_sample(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                             const ValuesOut &values_out, const TopKCall &given) {
  const TopKCall counted = Counted ? counted_sample<Policy>(given) : given;
  const TopKCall &call = Counted ? counted : given;
  using Agent = AgentTopKSample<Policy, Keys, KeysIn>;
  static_assert(sizeof(TopKControl<typename Keys::Bits>) <= top_k_control_bytes);
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.k == 0) return;
  Agent(storage, call, keys_in).Run();
}

}  // namespace jig
