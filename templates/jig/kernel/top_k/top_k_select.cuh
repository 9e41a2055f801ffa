// A top-k's search by all blocks, if anything is left to find.
#pragma once
#include <jig/agent/top_k/top_k_select.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> __device__ void top_k_select(const Sink &sink) {
  using Agent = AgentTopKSelect<Policy, Keys, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Agent(storage, sink).Run();
}

}  // namespace jig
