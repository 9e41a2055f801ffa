// What the block or cluster does that takes a sample of a top-k's input, and prepares all that the other kernels
// share.
//
// The sample is one item of each of as many equal stretches, somewhere in it: as good as one by chance
// against any order that the input may have, and the same in every run.
#pragma once
#include <jig/agent/top_k/top_k_cluster.cuh>

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

// One item of each of `num_samples` stretches of an input, a power of two: the stretch's number and a random fraction,
// times what these are of.
template <class Keys, class In> struct TopKSampled {
  using Bits = typename Keys::Bits;
  static constexpr bool is_cut = false;
  static constexpr int vector_items = 1, most_items = 32;
  using Vector = array<Bits, 1>;

  const In &in;
  Keys keys;
  uint32_t num_samples;
  uint64_t num_items;

  __device__ uint64_t count() const { return num_samples; }
  __device__ Bits bits(uint64_t i) const { return keys(in[index(i)]); }
  __device__ uint64_t index(uint64_t i) const {
    uint32_t random = (uint32_t(i) + 1) * 0x9e3779b9u;
    random = (random ^ random >> 16) * 0x85ebca6bu;
    random = (random ^ random >> 13) * 0xc2b2ae35u;
    random ^= random >> 16;
    const int shift = 33 - bit_length(num_samples);
    return __umul64hi((i << 32 | random) << shift, num_items);
  }
  __device__ bool vectorizable() const { return false; }
  __device__ Vector load(uint64_t i) const { return {{bits(i)}}; }
  __device__ Bits bits_of(const Vector &vector, int k) const { return vector[k]; }
};

template <class Policy, class Keys, class KeysIn> class AgentTopKSample {
  using Bits = typename Keys::Bits;
  using Source = TopKSampled<Keys, KeysIn>;
  using Together = TopKClusterSearch<Policy::threads, Policy::items, Policy::cluster, Source, 2>;
  using Search = typename Together::Search;
  using Tile = typename Together::Tile;
  using Bound = TopKBound<Bits>;
  enum { SURE, LAST };

 public:
  using TempStorage = typename Together::TempStorage;

  __device__ AgentTopKSample(TempStorage &storage, const TopKCall &call, const KeysIn &keys_in)
      : storage_(storage), call_(call), source_{keys_in, Keys(call, keys_in), call.samples, call.num_items} {}

  __device__ void Run() {
    const BlockCluster cluster;
    if (cluster.rank() == 0) prepare();
    Together together(storage_, cluster, source_);
    const Bits some = source_.bits(0);
    Bits differing = 0;
    Search sure, last;
    Tile tile;
    bool looks = true;
#pragma unroll 1
    do {
#pragma unroll 1
      for (uint64_t first = together.begin(); first < together.end(); first += Tile::block_items) {
        if (looks || !together.is_tile()) tile = Tile(source_, first, together.end());
        if (looks) differing |= Together::difference(tile, some);
        else if (!sure.is_over()) together.count(tile, sure, SURE);
        if (!looks && !last.is_over()) together.count(tile, last, LAST);
      }
      if (looks) {
        const int most = together.most_differing(differing);
        sure = search_for(call_.sure_rank, some, most);
        last = search_for(call_.last_rank, some, most);
      } else {
        together.add_up();
        if (!sure.is_over()) together.template narrow<false>(sure, SURE);
        if (!last.is_over()) together.template narrow<false>(last, LAST);
        together.clear();
      }
      looks = false;
    } while (!sure.is_over() || !last.is_over());
    cluster.arrive_relaxed();
    cluster.wait();  // others may still be told something
    if (cluster.rank() > 0 || threadIdx.x > 0) return;
    control().sure = call_.sure_rank > 0 ? sure.bound() : Bound::nothing();
    control().last = call_.last_rank > 0 ? last.bound() : Bound::everything();
  }

 private:
  __device__ TopKControl<Bits> &control() const { return *static_cast<TopKControl<Bits> *>(call_.control); }

  __device__ void prepare() const {
    TopKControl<Bits> &c = control();
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += Policy::threads) c.bins[d] = 0;
    if (threadIdx.x > 0) return;
    c.taken = c.kept = c.placed = c.tickets = c.counted = 0;
    c.step = 0;
  }

  // Which is over if there is no such rank.
  __device__ Search search_for(uint32_t rank, Bits some, int differing) const {
    Search search = Together::first_search(some, differing, call_.num_items - 1, rank);
    search.takes_all |= rank == 0;
    return search;
  }

  TempStorage &storage_;
  const TopKCall &call_;
  Source source_;
};

}  // namespace jig
