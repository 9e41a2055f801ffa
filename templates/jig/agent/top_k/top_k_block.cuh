// What a block does that finds a top-k by itself.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_search.cuh>

namespace jig {

// Of items that others may have put there: finds those before the bound of a search, and writes them.
template <int Threads, int Items, class Source, class Sink> class AgentTopKBlock {
  using Bits = typename Source::Bits;
  using Search = TopKBlockSearch<Threads, Items, Source, Sink::finds_one>;
  using Filter = TopKFilter<Threads, Items, Source, Sink>;

 public:
  struct TempStorage {
    typename Search::TempStorage search;
    typename Filter::TempStorage filter;
    uint64_t taken;
  };

  // `taken` results are there already.
  static __device__ void Run(TempStorage &storage, const Source &source, const Sink &sink,
                             const TopKSearch<Bits> &search, uint64_t taken) {
    if (threadIdx.x == 0) storage.taken = taken;
    if constexpr (Sink::finds_one) {
      TopKSearch<Bits> one = search;
      Search::Narrow(storage.search, source, one);
      __syncthreads();
      Filter(storage.filter, source, sink, {&storage.taken, &storage.taken}, one.lower_bound(), one.bound())
          .Run(0, 1, false);
    } else {
      const TopKBound<Bits> bound = Search::Run(storage.search, source, search);
      __syncthreads();
      Filter(storage.filter, source, sink, {&storage.taken, nullptr}, bound, bound).Run(0, 1, false);
    }
  }
};

}  // namespace jig
