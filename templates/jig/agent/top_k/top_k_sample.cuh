// What the block does that takes a sample of a top-k's input, and prepares all that the other kernels
// share.
//
// The sample is one item of each of as many equal stretches, somewhere in it: as good as one by chance
// against any order that the input may have, and the same in every run.
#pragma once
#include <jig/agent/top_k/top_k_search.cuh>

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

template <class Policy, class Keys, class KeysIn> class AgentTopKSample {
  using Bits = typename Keys::Bits;
  using Source = TopKCandidates<Bits>;
  using Search = TopKBlockSearch<Policy::threads, Policy::items, Source>;
  // Loads of a thread that are under way at once, from places far apart.
  static constexpr int unroll = 8;

 public:
  using TempStorage = typename Search::TempStorage;

  __device__ AgentTopKSample(TempStorage &storage, const TopKCall &call, const KeysIn &keys_in)
      : storage_(storage), call_(call), keys_in_(keys_in), keys_(call, keys_in) {}

  __device__ void Run() {
    take();
    __syncthreads();
    TopKControl<Bits> &control = *static_cast<TopKControl<Bits> *>(call_.control);
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += Policy::threads) control.bins[d] = 0;
#pragma unroll 1
    for (int b = 0; b < 2; ++b) {
      const bool is_sure = b == 0;
      const TopKBound<Bits> bound = after(is_sure ? call_.sure_rank : call_.last_rank,
                                          is_sure ? TopKBound<Bits>::nothing() : TopKBound<Bits>::everything());
      if (threadIdx.x == 0) (is_sure ? control.sure : control.last) = bound;
    }
    if (threadIdx.x > 0) return;
    control.taken = control.kept = control.tickets = control.counted = 0;
    control.draws = control.step = control.is_done = 0;
  }

 private:
  __device__ void take() const {
#pragma unroll 1
    for (uint32_t first = threadIdx.x; first < call_.samples; first += unroll * Policy::threads) {
      Bits bits[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const uint32_t i = first + u * Policy::threads;
        if (i < call_.samples) bits[u] = keys_(keys_in_[place(i)]);
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const uint32_t i = first + u * Policy::threads;
        if (i < call_.samples) static_cast<Bits *>(call_.bits)[i] = bits[u];
      }
    }
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < call_.samples; i += Policy::threads) call_.indices[i] = place(i);
  }

  // The stretch's number and a random fraction, of a power of two stretches, times what these are of.
  __device__ uint64_t place(uint32_t i) const {
    uint32_t random = (i + 1) * 0x9e3779b9u;
    random = (random ^ random >> 16) * 0x85ebca6bu;
    random = (random ^ random >> 13) * 0xc2b2ae35u;
    random ^= random >> 16;
    const int shift = 33 - bit_length(call_.samples);
    return __umul64hi((uint64_t(i) << 32 | random) << shift, call_.num_items);
  }

  __device__ TopKBound<Bits> after(uint32_t rank, const TopKBound<Bits> &otherwise) {
    if (rank == 0) return otherwise;
    const Source source = {static_cast<Bits *>(call_.bits), call_.indices, call_.samples};
    const int index_width = bit_length(call_.num_items - 1);
    return Search::Run(storage_, source, TopKSearch<Bits>::all(Keys::width, index_width, rank));
  }

  TempStorage &storage_;
  const TopKCall &call_;
  const KeysIn &keys_in_;
  Keys keys_;
};

}  // namespace jig
