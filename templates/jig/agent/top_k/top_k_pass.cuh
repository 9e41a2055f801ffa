// What a block does in a top-k's pass over the input, which sorts it out by what the sample says.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> class AgentTopKPass {
  using Input = TopKInput<Keys, typename Sink::KeysIn>;
  using Filter = TopKFilter<Policy::threads, Policy::items, Input, Sink>;

 public:
  using TempStorage = typename Filter::TempStorage;

  static __device__ void Run(TempStorage &storage, const Sink &sink) {
    const TopKCall &call = sink.call;
    auto &control = *static_cast<TopKControl<typename Keys::Bits> *>(call.control);
    const Input input = {sink.keys_in, Keys(call, sink.keys_in), call.num_items};
    Filter(storage, input, sink, {&control.taken, &control.kept}, control.sure, control.last)
        .Run(blockIdx.x, gridDim.x, call.is_dense);
  }
};

}  // namespace jig
