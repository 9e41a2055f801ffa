// A top-k's pass over its input.
#pragma once
#include <jig/agent/top_k/top_k_pass.cuh>
#include <jig/kernel/top_k/top_k.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> __device__ void top_k_pass(const Sink &sink) {
  using Agent = AgentTopKPass<Policy, Keys, Sink>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Agent(storage, sink).Run();
}

}  // namespace jig
