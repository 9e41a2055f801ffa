// The third way to run select and its kin: one block for each multiprocessor, with a pipeline.
#pragma once
#include <jig/agent/select/select_pipeline.cuh>
#include <jig/kernel/select/select_chain.cuh>

namespace jig {

template <class State> struct PipelineChain {
  PipelineControl *control;
  uint64_t tag;
};

template <class Policy, class Values = none, class ValuesSink = none, class State, class In, class Rule, class Sink,
          class CountOut, class Count>
__device__ void run_select(const PipelineChain<State> &chain, const In &in, const Rule &rule,
                           const Sink &sink, const CountOut &count_out, Count num_items, bool in_place,
                           const Values &values = {}, const ValuesSink &values_sink = {}) {
  using Work = SelectPipeline<Policy, In, Rule, Sink, CountOut, Values, ValuesSink>;
  using Agent = AgentPipeline<Work>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if (has_none<Count>(count)) return store_zeros(count_out, Rule::classes);
  Work work(in, rule, sink, count_out, values, values_sink, count, in_place);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), chain.control, chain.tag, add_counts())
      .Run(work, {true, {}});
}

}  // namespace jig
