// What the blocks of a cluster, or one by itself, do that find a top-k without others.
//
// Each has a share of the items, and holds it if it is no more than a tile. Of each digit every block adds up what all
// have counted of a slice of the bins, and tells all of them.
#pragma once
#include <jig/agent/top_k/top_k_filter.cuh>
#include <jig/agent/top_k/top_k_search.cuh>
#include <jig/core/cluster.cuh>

namespace jig {

// Steps take long, and so do bins that all blocks tell each other; few items leave few in each of these.
constexpr int top_k_cluster_digit_bits = 9;

// Counters of digits that the blocks of a cluster have, and their sums, which all of them get.
template <int Threads, int MostBlocks> class TopKClusterCounts {
 public:
  static constexpr int digits = 1 << top_k_cluster_digit_bits;
  struct Storage {
    uint32_t own[digits], sums[digits];
  };

  __device__ TopKClusterCounts(Storage &storage, const BlockCluster &cluster) : storage_(storage), cluster_(cluster) {}

  // When all have counted: adds up a slice of them, and tells all. The sums are there when all have.
  __device__ void tell() const {
    const uint32_t slice = digits / cluster_.size(), first = cluster_.rank() * slice;
#pragma unroll 1
    for (uint32_t d = first + threadIdx.x; d < first + slice; d += Threads) tell(d);
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

// The share of a source's items that a block of a cluster has, and what the blocks find out together about all of them.
// `Searches` for items of different ranks may go on at the same time.
template <int Threads, int Items, int MostBlocks, class Source, int Searches = 1> class TopKClusterSearch {
  using Bits = typename Source::Bits;
  using Counts = TopKClusterCounts<Threads, MostBlocks>;
  static constexpr int digits = Counts::digits;
  using Pick = TopKPick<Threads, digits>;

 public:
  using Tile = TopKTile<Threads, Items, Source>;
  using Search = TopKSearch<Bits, top_k_cluster_digit_bits>;
  struct TempStorage {
    typename Counts::Storage counts[Searches];
    typename Pick::TempStorage pick;
    int32_t differing;  // as many of the lowest bits, of this block's items
  };

  // `cluster` and `source` have to outlive it.
  __device__ TopKClusterSearch(TempStorage &storage, const BlockCluster &cluster, const Source &source)
      : storage_(storage), cluster_(cluster), source_(source) {
    const uint64_t vectors = ceil_div(source.count(), uint64_t(Tile::vector_items) * cluster.size());
    begin_ = min_of(cluster.rank() * vectors * Tile::vector_items, source.count());
    end_ = min_of(begin_ + vectors * Tile::vector_items, source.count());
    if (threadIdx.x == 0) storage.differing = 0;
    clear();
  }

  __device__ uint64_t begin() const { return begin_; }
  __device__ uint64_t end() const { return end_; }
  // Whether a thread can hold all that it has.
  __device__ bool is_tile() const { return end_ - begin_ <= Tile::block_items; }

  static __device__ Bits difference(const Tile &tile, Bits some) {
    Bits all = 0;
#pragma unroll
    for (int i = 0; i < Tile::size; ++i)
      if (tile.has(i)) all |= tile.bits[i] ^ some;
    return all;
  }
  // How many of the lowest bits differ, if those do among the thread's items: of all blocks.
  __device__ int most_differing(Bits differing) const {
    const int lane = ptx::lane_id(), mine = warp_max(bit_length(differing));
    if (lane == 0) atomicMax(&storage_.differing, mine);
    cluster_.sync();
    return warp_max(lane < int(cluster_.size()) ? *cluster_.in_block(&storage_.differing, lane) : 0);
  }
  // For the item of a rank among those whose bits are those of `some` but for the lowest.
  static __device__ Search first_search(Bits some, int differing, uint64_t last_index, uint64_t rank) {
    const Bits low = low_bits<Bits>(differing);
    return Search::between({Bits(some & ~low), 0}, {Bits(some | low), last_index}, bit_length(last_index), rank);
  }

  __device__ void count(const Tile &tile, const Search &search, int which = 0) const {
    top_k_count(tile, source_, search, ptx::kept_shared_address(storage_.counts[which].own));
  }
  // When all is counted, of each search.
  __device__ void add_up() const {
    cluster_.sync();
    if (cluster_.is_one()) return;
#pragma unroll 1
    for (int which = 0; which < Searches; ++which) Counts(storage_.counts[which], cluster_).tell();
    cluster_.sync();
  }
  template <bool FindsOne> __device__ void narrow(Search &search, int which = 0) const {
    const auto &counts = storage_.counts[which];
    const uint32_t *sums = cluster_.is_one() ? counts.own : counts.sums;
    const TopKDigit found = Pick::Find(storage_.pick, [&](int d) { return sums[d]; }, search.rank);
    if constexpr (FindsOne) search.narrow_to_one(found.digit, found.below, found.count);
    else search.narrow(found.digit, found.below, found.count);
  }
  // Before anything is counted again.
  __device__ void clear() const {
#pragma unroll 1
    for (int d = threadIdx.x; d < Searches * digits; d += Threads)
      storage_.counts[d / digits].own[d % digits] = 0;
    __syncthreads();
  }

 private:
  static __device__ int warp_max(int x) {
#pragma unroll
    for (int delta = warp_threads / 2; delta > 0; delta /= 2) x = max_of(x, __shfl_xor_sync(full_warp, x, delta));
    return x;
  }

  TempStorage &storage_;
  const BlockCluster &cluster_;
  const Source &source_;
  uint64_t begin_, end_;
};

// Finds the items up to one of some rank, and writes them. The launch has Policy::cluster blocks at most, and they are
// one cluster.
template <class Policy, class Source, class Sink> class AgentTopKCluster {
  using Bits = typename Source::Bits;
  using Together = TopKClusterSearch<Policy::threads, Policy::items, Policy::cluster, Source>;
  using Filter = TopKFilter<Policy::threads, Policy::items, Source, Sink>;
  using Search = typename Together::Search;
  using Tile = typename Together::Tile;

 public:
  struct TempStorage {
    typename Together::TempStorage search;
    typename Filter::TempStorage filter;
    uint64_t taken;  // the first block's is of all
  };

  // `taken` results are there already.
  static __device__ void Run(TempStorage &storage, const Source &source, const Sink &sink, uint64_t last_index,
                             uint64_t rank, uint64_t taken) {
    enum { LOOKS, COUNTS, WRITES };
    const BlockCluster cluster;
    const Together together(storage.search, cluster, source);
    const Bits some = source.bits(0);
    Bits differing = 0;
    Search search;
    Tile tile;
    if (threadIdx.x == 0) storage.taken = taken;
#pragma unroll 1
    for (int step = LOOKS;;) {
#pragma unroll 1
      for (uint64_t first = together.begin(); first < together.end(); first += Tile::block_items) {
        if (step == LOOKS || !together.is_tile()) tile = Tile(source, first, together.end());
        if (step == LOOKS) differing |= Together::difference(tile, some);
        else if (step == COUNTS) together.count(tile, search);
        else filter_of(storage, source, sink, cluster, search).Sort(tile, true);
      }
      if (step == WRITES) break;
      if (step == LOOKS) {
        search = Together::first_search(some, together.most_differing(differing), last_index, rank);
        if (!Sink::finds_one && rank == source.count()) search.takes_all = true;
      } else {
        together.add_up();
        together.template narrow<Sink::finds_one>(search);
        if (!search.is_over()) together.clear();
      }
      step = search.is_over() ? WRITES : COUNTS;
    }
    cluster.leave();
  }

 private:
  static __device__ Filter filter_of(TempStorage &storage, const Source &source, const Sink &sink,
                                     const BlockCluster &cluster, const Search &search) {
    uint64_t *taken = cluster.in_block(&storage.taken, 0);
    return {storage.filter, source, sink, {taken, taken}, Sink::finds_one ? search.lower_bound() : search.bound(),
            search.bound()};
  }
};

}  // namespace jig
