// What a block does in a top-k's pass over the input, which sorts it out by what the sample says. The block
// that is done last looks at what became of it: few candidates it searches by itself, otherwise it
// tells the last kernel what to do.
#pragma once
#include <jig/agent/top_k/top_k_block.cuh>
#include <jig/agent/top_k/top_k_select.cuh>

namespace jig {

// `Last`: another sink, of what is found among the candidates, if it is not the same.
template <class Policy, class Keys, class Sink, class Last = none> class AgentTopKPass {
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, items = Policy::items;
  using Input = TopKInput<Keys, typename Sink::KeysIn>;
  using Candidates = TopKCandidates<Bits>;
  using Filter = TopKFilter<threads, items, Input, Sink>;
  static constexpr bool has_last = !is_same<Last, none>;
  using Finish = AgentTopKBlock<threads, items, Candidates, conditional<has_last, Last, Sink>>;
  using Steps = TopKSteps<Policy::select_threads, Policy::select_items, Input, Bits>;

 public:
  struct TempStorage {
    union {
      typename Filter::TempStorage filter;
      typename Finish::TempStorage finish;
    };
    uint32_t is_last;
  };

  __device__ AgentTopKPass(TempStorage &storage, const Sink &sink, const Last &last = {})
      : storage_(storage),
        call_(sink.call),
        control_(*static_cast<TopKControl<Bits> *>(call_.control)),
        input_{sink.keys_in, Keys(call_, sink.keys_in), call_.num_items},
        sink_(sink),
        last_(last) {}

  __device__ void Run() {
    Filter(storage_.filter, input_, sink_, {&control_.taken, &control_.kept}, control_.sure, control_.last)
        .Run(blockIdx.x, gridDim.x, call_.is_dense);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      storage_.is_last = ptx::count_relaxed_gpu(&control_.draws) == gridDim.x - 1;
      __threadfence();
    }
    __syncthreads();
    if (storage_.is_last) finish();
  }

 private:
  __device__ void finish() {
    const uint64_t taken = ptx::load_relaxed_gpu(&control_.taken), kept = ptx::load_relaxed_gpu(&control_.kept);
    // Another sink is to have the last of the k items, which must not be taken already.
    const bool misled = taken > call_.k - uint64_t(has_last) || taken + kept < call_.k || kept > call_.capacity;
    const int index_width = bit_length(call_.num_items - 1);
    const uint64_t rank = misled ? call_.k : call_.k - taken;
    const TopKBound<Bits> first = misled ? TopKBound<Bits>::nothing() : control_.sure;
    const TopKBound<Bits> last = misled ? TopKBound<Bits>::greatest(Keys::width) : control_.last;
    const TopKSearch<Bits> search = TopKSearch<Bits>::between(first, last, index_width, rank);
    const bool is_small = !misled && kept <= Policy::finish_items;
    if (is_small && rank > 0) {
      const Candidates candidates = {static_cast<Bits *>(call_.bits), call_.indices, kept};
      if constexpr (has_last) Finish::Run(storage_.finish, candidates, last_, search, taken);
      else Finish::Run(storage_.finish, candidates, sink_, search, taken);
    }
    __syncthreads();  // all have read what is now written
    if (threadIdx.x > 0) return;
    control_.is_done = is_small || rank == 0;
    control_.taken = misled ? 0 : taken;
    control_.steps[0] = Steps::first(!misled, search, misled ? call_.num_items : kept);
  }

  TempStorage &storage_;
  const TopKCall &call_;
  TopKControl<Bits> &control_;
  Input input_;
  const Sink &sink_;
  Last last_;
};

}  // namespace jig
