// What the blocks of a cluster, or one by itself, do that find a top-k without others.
//
// Each has a share of the items, and holds it if it is no more than a tile. Of each digit every block adds up what all
// have counted of a slice of the bins, and tells all of them.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_search.cuh>
#include <jig/core/cluster.cuh>

namespace jig {

// Counters of digits that the blocks of a cluster have, and their sums, which all of them get.
template <int Threads, int MostBlocks> class TopKClusterCounts {
 public:
  struct Storage {
    uint32_t own[top_k_digits], sums[top_k_digits];
  };

  __device__ TopKClusterCounts(Storage &storage, const BlockCluster &cluster) : storage_(storage), cluster_(cluster) {}

  // Another block may still read the sums, but nobody the counters.
  __device__ void clear() const {
#pragma unroll 1
    for (int d = threadIdx.x; d < top_k_digits; d += Threads) storage_.own[d] = 0;
    __syncthreads();
  }
  // When all are counted; the sums, which are there until all have come here again.
  __device__ const uint32_t *add_up() const {
    cluster_.sync();
    if (cluster_.is_one()) return storage_.own;
    const uint32_t slice = top_k_digits / cluster_.size(), first = cluster_.rank() * slice;
#pragma unroll 1
    for (uint32_t d = first + threadIdx.x; d < first + slice; d += Threads) tell(d);
    cluster_.sync();
    return storage_.sums;
  }

 private:
  // Beginning with its own, so that blocks do not all ask the same one.
  __device__ uint32_t block(int r) const { return (cluster_.rank() + r) & (cluster_.size() - 1); }

  __device__ void tell(uint32_t d) const {
    uint32_t counts[MostBlocks], sum = 0;
#pragma unroll
    for (int r = 0; r < MostBlocks; ++r)
      counts[r] = r < int(cluster_.size()) ? *cluster_.in_block(&storage_.own[d], block(r)) : 0;
#pragma unroll
    for (int r = 0; r < MostBlocks; ++r) sum += counts[r];
#pragma unroll
    for (int r = 0; r < MostBlocks; ++r)
      if (r < int(cluster_.size())) *cluster_.in_block(&storage_.sums[d], block(r)) = sum;
  }

  Storage &storage_;
  const BlockCluster &cluster_;
};

// Finds the items up to one of some rank, and writes them. The launch has Policy::cluster blocks at most, and they are
// one cluster.
template <class Policy, class Source, class Sink> class AgentTopKCluster {
  using Bits = typename Source::Bits;
  static constexpr int threads = Policy::threads;
  using Tile = TopKTile<threads, Policy::items, Source>;
  using Filter = TopKFilter<threads, Policy::items, Source, Sink>;
  using Counts = TopKClusterCounts<threads, Policy::cluster>;
  using Search = TopKSearch<Bits>;

 public:
  struct TempStorage {
    typename Counts::Storage counts;
    typename TopKPick<threads>::TempStorage pick;
    typename Filter::TempStorage filter;
    uint64_t taken;        // the first block's is of all
    int32_t differing;  // as many of the lowest bits, of this block's items
  };

  __device__ AgentTopKCluster(TempStorage &storage, const Source &source, const Sink &sink)
      : storage_(storage), source_(source), sink_(sink), counts_(storage.counts, cluster_) {
    const uint64_t vectors = ceil_div(source.count(), uint64_t(Tile::vector_items) * cluster_.size());
    begin_ = min_of(cluster_.rank() * vectors * Tile::vector_items, source.count());
    end_ = min_of(begin_ + vectors * Tile::vector_items, source.count());
  }

  __device__ void Run(uint64_t rank) {
    enum { LOOKS, COUNTS, WRITES };
    const Bits some = source_.bits(0);
    Bits differing = 0;
    Search search;
    Tile tile;
    if (threadIdx.x == 0) storage_.taken = 0, storage_.differing = 0;
    counts_.clear();
    const uint32_t counters = ptx::kept_shared_address(storage_.counts.own);
#pragma unroll 1
    for (int step = LOOKS;;) {
#pragma unroll 1
      for (uint64_t first = begin_; first < end_; first += Tile::block_items) {
        if (step == LOOKS || end_ - begin_ > Tile::block_items) tile = Tile(source_, first, end_);
        if (step == LOOKS) differing |= difference(tile, some);
        else if (step == COUNTS) top_k_count(tile, source_, search, counters);
        else filter_of(search).Sort(tile, true);
      }
      if (step == WRITES) break;
      if (step == LOOKS) search = first_search(some, most_differing(bit_length(differing)), rank);
      else narrow(search);
      step = search.is_over() ? WRITES : COUNTS;
    }
    cluster_.leave();
  }

 private:
  static __device__ Bits difference(const Tile &tile, Bits some) {
    Bits all = 0;
#pragma unroll
    for (int i = 0; i < Tile::size; ++i)
      if (tile.has(i)) all |= tile.bits[i] ^ some;
    return all;
  }

  // Of all blocks' items.
  __device__ int most_differing(int mine) const {
    const int lane = ptx::lane_id();
    mine = warp_max(mine);
    if (lane == 0) atomicMax(&storage_.differing, mine);
    cluster_.sync();
    return warp_max(lane < int(cluster_.size()) ? *cluster_.in_block(&storage_.differing, lane) : 0);
  }
  static __device__ int warp_max(int x) {
#pragma unroll
    for (int delta = warp_threads / 2; delta > 0; delta /= 2) x = max_of(x, __shfl_xor_sync(full_warp, x, delta));
    return x;
  }

  __device__ Search first_search(Bits some, int differing, uint64_t rank) const {
    const Bits low = low_bits<Bits>(differing);
    const uint64_t last = source_.count() - 1;
    Search s = Search::between({Bits(some & ~low), 0}, {Bits(some | low), last}, bit_length(last), rank);
    if (!Sink::finds_one && rank > last) s.takes_all = true;
    return s;
  }

  __device__ void narrow(Search &search) const {
    const uint32_t *sums = counts_.add_up();
    const TopKDigit found = TopKPick<threads>::Find(storage_.pick, [&](int d) { return sums[d]; }, search.rank);
    if constexpr (Sink::finds_one) search.narrow_to_one(found.digit, found.below, found.count);
    else search.narrow(found.digit, found.below, found.count);
    if (!search.is_over()) counts_.clear();
  }

  __device__ Filter filter_of(const Search &search) const {
    uint64_t *taken = cluster_.in_block(&storage_.taken, 0);
    return {storage_.filter, source_, sink_, {taken, taken}, Sink::finds_one ? search.lower_bound() : search.bound(),
            search.bound()};
  }

  TempStorage &storage_;
  const Source &source_;
  const Sink &sink_;
  BlockCluster cluster_;
  Counts counts_;
  uint64_t begin_, end_;
};

}  // namespace jig
